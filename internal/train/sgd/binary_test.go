package sgd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRoundUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		x := math.Ldexp(1+r.Float64(), r.IntN(250)-126)
		if i%3 == 0 {
			x = float64(float32(x)) // roundUp returns x itself
		}
		got := roundUp(x)
		if float64(got) < x || float64(math.Nextafter32(got, 0)) >= x {
			t.Fatalf("%v is rounded up to %v", x, got)
		}
	}
	if got := roundUp(1e39); !math.IsInf(float64(got), 1) {
		t.Errorf("1e39 is rounded up to %v, want +Inf", got)
	}
}
