package scale

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantiles(t *testing.T) {
	have := Quantiles([]float64{5, 0, 1, 3, -2, 2, 4}, 0, 0.5, 0.9, 1)
	if !slices.Equal(have, []float64{1, 3, 5, 5}) {
		t.Errorf("%v", have)
	}
	if have := Quantiles([]float32{0, 0}, 0, 1); !slices.Equal(have, []float64{1, 1}) {
		t.Errorf("%v", have)
	}
	many := make([]float32, 3*maxRanked)
	for i := range many {
		many[i] = float32(i + 1)
	}
	// A sample of every third number: 1, 4, 7 ...
	if have := Quantiles(many, 0.5); have[0] != 3*maxRanked/2+1 {
		t.Errorf("%v", have)
	}
}

func TestQuantilesOfOrders(t *testing.T) {
	g := rand.New(rand.NewPCG(6, 7))
	for n := 1; n < 200; n += 1 + n/20 {
		for kind := range 5 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32([]int{i + 1, n - i, 1 + i%3, 1 + min(i, n-i), 1 + g.IntN(n)}[kind])
			}
			sorted := slices.Clone(v)
			slices.Sort(sorted)
			shares := []float64{0, 0.1, 0.5, 0.9, 1, 0.3}
			for k, have := range Quantiles(v, shares...) {
				want := sorted[min(n-1, int(shares[k]*float64(n)))]
				if have != float64(want) {
					t.Fatalf("%d numbers, kind %d: %v at %v, want %v", n, kind, have, shares[k],
						want)
				}
			}
		}
	}
}
