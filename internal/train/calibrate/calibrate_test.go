package calibrate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestFit(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, want := range []Sigmoid{{-1, 0}, {-3, 0.5}, {-0.2, -2}, {0.5, 1}} {
		var z []float64
		var positive []bool
		for range 40_000 {
			v := g.NormFloat64() * 2
			z = append(z, v)
			positive = append(positive, g.Float64() < 1/(1+math.Exp(want.A*v+want.B)))
		}
		s := Fit(z, positive, nil)
		if math.Abs(s.A-want.A) > 0.15 || math.Abs(s.B-want.B) > 0.15 {
			t.Errorf("the sigmoid is %+v, want %+v", s, want)
		}
		var pos, neg, g1, g2 float64
		for _, p := range positive {
			if p {
				pos++
			} else {
				neg++
			}
		}
		for i, v := range z {
			target := 1 / (neg + 2)
			if positive[i] {
				target = (pos + 1) / (pos + 2)
			}
			d := target - 1/(1+math.Exp(s.A*v+s.B))
			g1 += d * v
			g2 += d
		}
		if math.Abs(g1) > 1e-3 || math.Abs(g2) > 1e-3 {
			t.Errorf("%+v: the gradient is %v, %v", s, g1, g2)
		}
	}
	for _, z := range [][]float64{{-2, -1, 1, 2}, {-1e30, -1e29, 1e29, 1e30}, {0, 0, 0, 0}} {
		s := Fit(z, []bool{false, false, true, true}, nil)
		if s.A-s.A != 0 || s.B-s.B != 0 || s.At(z[3]) < s.At(z[0]) {
			t.Errorf("scores %v: the sigmoid is %+v", z, s)
		}
	}
	if s := Fit([]float64{1, 2, 3}, make([]bool, 3), nil); s.At(2) > 0.5 || s.A-s.A != 0 {
		t.Errorf("no positive row: the sigmoid is %+v", s)
	}
}

func TestFitWeights(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		n := 5 + g.IntN(60)
		z, positive, weight := make([]float64, n), make([]bool, n), make([]float64, n)
		var copied []float64
		var positiveCopies []bool
		for i := range z {
			z[i] = g.NormFloat64() * 3
			positive[i] = g.Float64() < 1/(1+math.Exp(1-z[i]))
			weight[i] = float64(g.IntN(6))
			for range int(weight[i]) {
				copied, positiveCopies = append(copied, z[i]), append(positiveCopies, positive[i])
			}
		}
		have, want := Fit(z, positive, weight), Fit(copied, positiveCopies, nil)
		if math.Abs(have.A-want.A) > 1e-9*(1+math.Abs(want.A)) ||
			math.Abs(have.B-want.B) > 1e-9*(1+math.Abs(want.B)) {
			t.Errorf("the sigmoid is %+v, with copies %+v", have, want)
		}
		want = Fit(z, positive, nil)
		// Equal weights below 1 are scaled to 1.
		for _, w := range []float64{1, 0.5, 0x1p-40} {
			if have := Fit(z, positive, slices.Repeat([]float64{w}, n)); have != want {
				t.Errorf("all weights %v: %+v, want %+v", w, have, want)
			}
		}
		half, ones := slices.Repeat([]float64{0.5}, n), slices.Repeat([]float64{1}, n)
		half[0], ones[0] = 0, 0
		have, want = Fit(z, positive, half), Fit(z, positive, ones)
		if math.Abs(have.A-want.A)+math.Abs(have.B-want.B) > 1e-12*(1+math.Abs(want.A)) {
			t.Errorf("weights of 0.5 and a weight of 0: %+v, want %+v", have, want)
		}
		want = Fit(z, positive, nil)
		if have := Fit(z, positive, slices.Repeat([]float64{100}, n)); have == want {
			t.Errorf("weights of 100 do not change the sigmoid %+v", have)
		}
	}
}

func TestCouple(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	for n := 2; n <= 7; n++ {
		want := make([]float64, n)
		for k := range want {
			want[k] = 0.1 + g.Float64()
		}
		Normalize(want)
		var pairs []float64
		for a := range n {
			for b := a + 1; b < n; b++ {
				pairs = append(pairs, want[b]/(want[a]+want[b]))
			}
		}
		have := make([]float64, n)
		Couple(have, pairs)
		for k := range want {
			if math.Abs(have[k]-want[k]) > 0.01 {
				t.Errorf("%d classes: the probabilities are %v, want %v", n, have, want)
			}
		}
	}
	p := make([]float64, 3)
	Couple(p, []float64{1, 1, 1})
	if math.Abs(p[0]+p[1]+p[2]-1) > 1e-12 || p[2] < p[1] || p[1] < p[0] {
		t.Errorf("pairs with probabilities of 1: %v", p)
	}
}

func TestFolds(t *testing.T) {
	y, weights := make([]float32, 100), make([]float32, 100)
	for i := range y {
		y[i], weights[i] = float32(i%3), 1
		if i == 17 {
			weights[i] = 0
		}
	}
	fold := Folds(y, weights, 5, 8)
	count := map[[2]int]int{}
	size := map[int]int{}
	for i, f := range fold {
		if (f < 0) != (i == 17) || f >= 5 {
			t.Fatalf("row %d in fold %d", i, f)
		}
		count[[2]int{f, int(y[i])}]++
		size[f]++
	}
	for f := range 5 {
		for c := range 3 {
			if n := count[[2]int{f, c}]; n < 6 || n > 7 {
				t.Errorf("fold %d has %d rows of label %d", f, n, c)
			}
		}
		if size[f] < 19 || size[f] > 21 {
			t.Errorf("fold %d has %d rows", f, size[f])
		}
	}
	if !reflect.DeepEqual(fold, Folds(y, weights, 5, 8)) ||
		reflect.DeepEqual(fold, Folds(y, weights, 5, 10)) {
		t.Error("equal seeds give unequal folds, or two seeds equal folds")
	}
	without := Folds(slices.Delete(slices.Clone(y), 17, 18), nil, 5, 8)
	if !slices.Equal(without, slices.Delete(fold, 17, 18)) {
		t.Error("a row of weight 0 changes the folds")
	}
}

func TestBits(t *testing.T) {
	g, h := rand.New(rand.NewPCG(7, 8)), sha256.New()
	for seed := range uint64(40) {
		n := 3 + g.IntN(60)
		z, positive, weight := make([]float64, n), make([]bool, n), make([]float64, n)
		y := make([]float32, n)
		for i := range z {
			z[i], weight[i], y[i] = 2*g.NormFloat64(), 0.1*float64(g.IntN(30)), float32(g.IntN(3))
			positive[i] = g.Float64() < 1/(1+math.Exp(1-2*z[i]))
		}
		if seed%2 == 0 {
			weight = nil
		}
		s := Fit(z, positive, weight)
		p, pairs := make([]float64, 2+g.IntN(12)), make([]float64, 13*12/2)
		for k := range pairs {
			if pairs[k] = g.Float64(); seed%4 == 0 { // contradictory pairs take many iterations
				pairs[k] = float64(g.IntN(2))
			}
		}
		Couple(p, pairs)
		folds := make([]float64, n)
		for i, f := range Folds(y, nil, 1+g.IntN(4), seed) {
			folds[i] = float64(f)
		}
		for _, v := range slices.Concat([]float64{s.A, s.B}, p, folds) {
			binary.Write(h, binary.LittleEndian, math.Float64bits(v))
		}
	}
	const want = "54242a9cc6849aec"
	if have := hex.EncodeToString(h.Sum(nil)[:8]); have != want {
		t.Errorf("hash is %s, want %s", have, want)
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ of, want []float64 }{
		{[]float64{1, 3}, []float64{0.25, 0.75}}, {[]float64{0, 2}, []float64{0, 1}},
		{[]float64{0, 0, 0, 0}, []float64{0.25, 0.25, 0.25, 0.25}},
	} {
		p := slices.Clone(c.of)
		if Normalize(p); !slices.Equal(p, c.want) {
			t.Errorf("Normalize turns %v into %v, want %v", c.of, p, c.want)
		}
	}
	z := []float64{1000, 1000 + math.Ln2, -1000}
	Softmax(z, z)
	if math.Abs(z[0]-1./3) > 1e-12 || math.Abs(z[1]-2./3) > 1e-12 || z[2] != 0 {
		t.Errorf("Softmax returns %v, want 1/3, 2/3 and 0", z)
	}
}

func TestFoldsRefuse(t *testing.T) {
	for _, f := range []func(){
		func() { Folds(make([]float32, 3), nil, 0, 1) },
		func() { Folds(make([]float32, 3), make([]float32, 2), 2, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}

func TestOutside(t *testing.T) {
	fold := []int{0, 1, -1, 1, 0}
	if have := Outside(nil, fold, 1); !slices.Equal(have, []float32{1, 0, 1, 0, 1}) {
		t.Errorf("without weights, Outside returns %v", have)
	}
	weights := []float32{2, 3, 0, 5, 7}
	if have := Outside(weights, fold, 0); !slices.Equal(have, []float32{0, 3, 0, 5, 0}) {
		t.Errorf("Outside returns %v", have)
	}
}

func TestOwnWeights(t *testing.T) {
	if own := OwnWeights([]float32{1, 2}, nil); own != nil {
		t.Errorf("nil products: OwnWeights returns %v", own)
	}
	product, weights := []float64{6, 0, 1, 0}, []float32{2, 3, 0.5, 0}
	if own := OwnWeights(weights, product); !slices.Equal(own, []float32{2, 0, 0.5, 0}) {
		t.Errorf("OwnWeights returns %v", own)
	}
	if own := OwnWeights(nil, product); !slices.Equal(own, []float32{1, 0, 1, 0}) {
		t.Errorf("nil weights: OwnWeights returns %v", own)
	}
	if !slices.Equal(weights, []float32{2, 3, 0.5, 0}) {
		t.Error("the weights have changed")
	}
}
