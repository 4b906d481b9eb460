package certificate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// Joint problems round down, so their error is up to one unit instead of half a unit.
func TestPack(t *testing.T) {
	for _, f := range forms() {
		g := rand.New(rand.NewPCG(9, 10))
		for range 6 {
			p := newProblem(t, g, f)
			a := p.duals(g)
			packed := certificate.Pack(p.of, a)
			scale, signed := 1.0, false
			for _, i := range p.terms.All() {
				for _, v := range a[i*f.vectors:][:f.vectors] {
					scale = math.Max(scale, math.Abs(float64(v)))
					signed = signed || v < 0
				}
			}
			if packed.Scale != scale || packed.Signed != signed ||
				len(packed.Duals) != certificate.PackedLen(p.of) ||
				certificate.PackedLen(p.of) != f.vectors*p.terms.Count() {
				t.Fatalf("%+v: %d dual variables, scale %v, signed %v, want %d, %v, %v", f,
					len(packed.Duals), packed.Scale, packed.Signed, f.vectors*p.terms.Count(),
					scale, signed)
			}
			unit := scale / 65535
			if signed {
				unit = scale / 32767
			}
			back := packed.Unpack(p.of)
			there := make([]bool, len(back))
			for _, i := range p.terms.All() {
				for at := i * f.vectors; at < (i+1)*f.vectors; at++ {
					there[at] = true
				}
			}
			for i, v := range back {
				have, want := float64(v), float64(a[i])
				low, high := want-0.501*unit, want+0.501*unit
				if f.vectors > 1 {
					low, high = want-1.001*unit, want+1e-7*scale
				}
				exact := want == 0 || math.Abs(want) == scale
				if !there[i] && have != 0 || there[i] && !(have >= low && have <= high) ||
					there[i] && exact && have != want {
					t.Errorf("%+v: dual variable %d became %v from %v; the unit is %v",
						f, i, have, want, unit)
				}
			}
		}
	}
}

func TestPackOrder(t *testing.T) {
	g := rand.New(rand.NewPCG(11, 12))
	p := newProblem(t, g, form{loss.Func{}, 0, 1, ""})
	v := &p.terms.View
	v.Only, v.SetRows = []uint32{2, 0, 1}, []uint32{7, 5, 6, 8}
	a := make([]float32, v.X.Rows())
	copy(a, []float32{0.75, 0.25, 0.5})
	packed := certificate.Pack(p.of, a)
	if want := []uint16{16384, 32768, 49151}; !slices.Equal(packed.Duals, want) {
		t.Errorf("packed as %v, want %v", packed.Duals, want)
	}
	packed = certificate.Packed{Signed: true, Scale: 2, Duals: []uint16{0, 32767, 65534}}
	p = newProblem(t, g, form{loss.Func{Kind: loss.Squared}, 0, 1, ""})
	p.terms.Only = []uint32{0, 1, 2}
	if back := packed.Unpack(p.of); !slices.Equal(back[:3], []float32{-2, 0, 2}) {
		t.Errorf("signed dual variables: %v, want -2, 0 and 2 first", back)
	}
	p = newProblem(t, g, form{loss.Func{}, certtest.CrammerSinger, 3, ""})
	p.terms.Only, p.terms.Class[1] = []uint32{1}, 2
	packed = certificate.Packed{Scale: 1, Duals: []uint16{65535, 0, 65535}}
	if back := packed.Unpack(p.of); !slices.Equal(back[:6], []float32{0, 0, 0, 1, 0, 0}) {
		t.Errorf("joint problem: %v, want only the fourth dual variable to be 1", back)
	}
}

func TestWindows(t *testing.T) {
	for _, f := range forms() {
		g := rand.New(rand.NewPCG(13, 14))
		p := newProblem(t, g, f)
		steps := p.terms.Count()
		const epochs = 12
		w := certificate.NewWindows(int64((epochs-1)*steps+1), steps, f.vectors*p.terms.X.Rows())
		if share, bound := w.Best(p.of, 0, p.r2); share != nil || bound != 0 {
			t.Fatalf("before the first step: %v, %v", share, bound)
		}
		var history [][]float32
		for epoch := 1; epoch <= epochs; epoch++ {
			history = append(history, p.duals(g))
			for i, v := range history[epoch-1] {
				w.Count[i] += v
			}
			w.EndEpoch(epoch)
			// Windows end with the epochs 1, 3 and 6.
			start := map[int][2]int{1: {1, 0}, 2: {1, 0}, 3: {3, 1}, 4: {3, 1}, 5: {3, 1}}[epoch]
			if epoch >= 6 {
				start = [2]int{6, 3}
			}
			want, best := []float32(nil), 0.0
			for _, from := range start {
				if from == epoch {
					continue
				}
				a := make([]float32, len(w.Count))
				for i := range a {
					for _, old := range history[from:epoch] {
						a[i] += old[i]
					}
					a[i] = p.of.Clamp(a[i] / float32(epoch-from))
				}
				if bound, _ := certificate.Bound(p.of, a, p.r2); want == nil || bound > best {
					want, best = a, bound
				}
			}
			share, bound := w.Best(p.of, int64((epoch-1)*steps+1+g.IntN(steps)), p.r2)
			if math.Abs(bound-best) > 1e-4*math.Abs(best) || len(share) != len(want) {
				t.Errorf("%+v, epoch %d: bound %v of %d dual variables, want %v of %d", f, epoch,
					bound, len(share), best, len(want))
			}
			for i, v := range share {
				if math.Abs(float64(v-want[i])) > 1e-4*math.Abs(float64(want[i])) {
					t.Errorf("%+v, epoch %d: variable %d is %v, want %v", f, epoch, i, v, want[i])
				}
			}
		}
	}
}

func TestSimplex(t *testing.T) {
	g := rand.New(rand.NewPCG(15, 16))
	for range 200 {
		k := 2 + g.IntN(5)
		z, b, sorted := make([]float64, k), make([]float64, k), make([]float64, k)
		for r := range z {
			z[r] = pick(g, 0, 1, g.NormFloat64(), 100*g.NormFloat64())
		}
		h := pick(g, 1e-3, 0.5, 1, 4, 1e3)
		certificate.ProjectSimplex(z, h, b, sorted)
		sum, level := 0.0, 0.0
		for r, v := range b {
			if sum += v; v > 0 {
				level = z[r] - h*v
			}
		}
		for r, v := range b {
			if want := math.Max(0, (z[r]-level)/h); math.Abs(v-want) > 1e-12*(1+math.Abs(z[r]/h)) {
				t.Errorf("ProjectSimplex(%v) with the width %v: %v", z, h, b)
			}
		}
		if math.Abs(sum-1) > 1e-11*(1+math.Abs(slices.Max(z)/h)) {
			t.Errorf("%v, %v: %v has the sum %v", z, h, b, sum)
		}
		certificate.ProjectSimplex(z, 0, b, sorted)
		for r, v := range b {
			if want := r == slices.Index(z, slices.Max(z)); v != 0 && v != 1 || (v == 1) != want {
				t.Errorf("ProjectSimplex(%v) with the width 0: %v", z, b)
			}
		}
		z[g.IntN(k)] = 0
		certificate.Softmax(z, b)
		total := 0.0
		for _, v := range z {
			total += math.Exp(v - slices.Max(z))
		}
		for r, v := range b {
			if want := math.Exp(z[r]-slices.Max(z)) / total; math.Abs(v-want) > 1e-13*want {
				t.Errorf("Softmax(%v)[%d] = %v, want %v", z, r, v, want)
			}
		}
	}
}

func TestSums(t *testing.T) {
	if sum := certificate.Sum([]float32{0.5, 0.25, 0.125}); sum != 0.875 {
		t.Error(sum)
	}
	if v := certificate.DualAt(0, 1, math.Inf(1)); v != 0 {
		t.Errorf("for s = 0, DualAt returns %v", v)
	}
	for _, c := range [][3]float64{{1, 3, 1}, {0.5, 3, 1}, {1, -1, 2}, {0.25, -8, 0}} {
		exact := c[0]*c[1] - c[0]*c[0]*c[2]
		slack := 0x1p-50 * (math.Abs(c[0]*c[1]) + c[0]*c[0]*c[2])
		if v := certificate.DualAt(c[0], c[1], c[2]); !(v < exact && v > exact-2*slack) {
			t.Errorf("%v: DualAt returns %v, the exact value is %v", c, v, exact)
		}
	}
}
