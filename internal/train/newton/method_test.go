package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

func TestIterations(t *testing.T) {
	cases(120, 6, 0.7, func(s spec) {
		for _, few := range []bool{false, true} {
			UseSparse = few
			n := s.method(1e-6)
			n.Ready()
			iterations := 0
			for n.Works() && iterations < 12 {
				iterations++
				before := s.primal(n.v)
				s.checkPlace(t, n)
				if n.computeDirection(); n.line == nil {
					break
				}
				s.checkDirection(t, n)
				multiply([]*Method{n}, 1)
				if n.move(); n.line != nil {
					t.Fatal("the search direction is kept after move")
				}
				if now := s.primal(n.v); n.Works() && now > before+0.2*n.h {
					t.Errorf("%+v: P rises from %v to %v", s, before, now)
				}
			}
			if iterations < 2 || n.Stuck() {
				t.Errorf("%+v: %d iterations, stuck %v", s, iterations, n.Stuck())
			}
		}
	})
	UseSparse = true
}

func (s *spec) checkPlace(t *testing.T, n *Method) {
	t.Helper()
	n.buffers = n.pool.get()
	defer n.pool.put(n.buffers)
	n.fitBuffers()
	at := n.evaluate()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 2e-6*(1+math.Abs(b)) }
	p := s.primal(n.v)
	if !near(at.p, p) || n.bestP > at.p || n.bestD < at.d {
		t.Fatalf("%+v: P is %v, want %v; D is %v; the best P and D are %v and %v", s, at.p, p, at.d,
			n.bestP, n.bestD)
	}
	a, smoothing, zone, bend := floats.Float64s(n.a), 0.0, 0, 0.0
	sums := [2]float64{}
	for j := range a {
		m := s.margin(j, n.v)
		if !near(n.m[j], m) {
			t.Fatalf("%+v: the margin of row %d is %v, want %v", s, j, n.m[j], m)
		}
		want, second := s.loss.DerivativesAt(n.m[j], 1/n.h)
		if a[j] != float64(float32(want)) {
			t.Fatalf("%+v: dual variable %d is %v, want %v", s, j, a[j], want)
		}
		if second > 0 {
			zone, bend = zone+1, bend+s.share(j)*second
		}
		smoothing += s.share(j) * (s.loss.At(m) - s.loss.DualTerm(a[j]) + a[j]*m) /
			float64(len(a))
		if v := s.share(j) * a[j] * s.side(j); v > 0 {
			sums[0] += v
		} else {
			sums[1] -= v
		}
	}
	if len(at.zone) != zone || !near(at.curvature/(1+bend), bend/(1+bend)) {
		t.Fatalf("%+v: %d rows in the zone, want %d; curvature %v, want %v", s, len(at.zone), zone,
			at.curvature, bend)
	}
	if s.free { // scale one side down, so that the a_i are feasible
		for j := range a {
			side := 0
			if a[j]*s.side(j) < 0 {
				side = 1
			}
			if sums[side] > sums[1-side] {
				a[j] *= sums[1-side] / sums[side]
			}
		}
	}
	d, wa := s.dual(a)
	distance := 0.0
	for l, z := range wa {
		distance += s.lambda / 2 * (n.v[l] - z) * (n.v[l] - z)
	}
	if s.loss.Kind == loss.Log {
		if at.d > d+1e-6 || !s.free && !near(at.d, d) {
			t.Fatalf("%+v: D is %v, want %v", s, at.d, d)
		}
		return
	}
	if at.d < d-1e-6*(1+math.Abs(d)) || !s.free &&
		s.loss.Kind.Traits().Kinks && !near(at.p-at.optimization-at.smoothing, d) {
		t.Fatalf("%+v: D is %v, want %v; P-S-O is %v", s, at.d, d,
			at.p-at.optimization-at.smoothing)
	}
	if kinks := s.loss.Kind.Traits().Kinks; kinks && !near(at.smoothing, smoothing) ||
		!kinks && at.smoothing != 0 ||
		!s.free && !near(at.optimization/(1+distance), distance/(1+distance)) {
		t.Fatalf("%+v: S is %v, want %v; O is %v, want %v", s, at.smoothing, smoothing,
			at.optimization, distance)
	}
}

func (s *spec) checkDirection(t *testing.T, n *Method) {
	t.Helper()
	dim := len(n.v)
	h, g := make([][]float64, dim), make([]float64, dim)
	for l := range h {
		if h[l] = make([]float64, dim); l < s.penalized() {
			h[l][l], g[l] = s.lambda, s.lambda*n.v[l]
		}
	}
	for j := range n.m {
		a, bend := s.loss.DerivativesAt(n.m[j], 1/n.h)
		c, row := s.share(j)/float64(len(n.m)), s.row(j)
		for l, x := range row {
			g[l] -= c * a * s.side(j) * x
			for k, y := range row {
				h[l][k] += c * bend * x * y
			}
		}
	}
	var slope, size float64 // slope along p, |g|^2
	left := slices.Clone(g) // g + H p
	for l, p := range n.line.p {
		slope += g[l] * p
		for k := range left {
			left[k] += h[k][l] * p
		}
		size += g[l] * g[l]
	}
	if dim > s.penalized() && h[dim-1][dim-1] == 0 {
		left[dim-1] = 0 // no row is in the zone, and the bias stays as it is
	}
	var off float64
	for _, z := range left {
		off += z * z
	}
	if off > 1e-4*size+1e-16 || !(slope < 0) ||
		math.Abs(slope-n.line.slope) > 1e-3*math.Abs(slope)+1e-12 {
		t.Fatalf("%+v: residual %v, gradient %v; slope %v, want %v", s, math.Sqrt(off),
			math.Sqrt(size), n.line.slope, slope)
	}
}

func run(t *testing.T, n *Method, threads int) (iterations int) {
	t.Helper()
	for n.Ready(); n.Works(); iterations++ {
		if iterations > 200 {
			t.Fatal("more than 200 iterations")
		}
		Iterate([]*Method{n}, threads)
	}
	return iterations
}

// outcome returns the dual variables in the order of Problem.Rows.
func outcome(n *Method) (v []float64, a []float64) {
	w, shares := make([]float32, n.p.Cols), make([]float32, len(n.p.Rows))
	bias := n.Result(w)
	if v = floats.Float64s(w); n.p.Beta > 0 {
		v = append(v, bias/n.p.Beta)
	}
	n.Duals(shares)
	for _, i := range n.p.Rows {
		a = append(a, float64(shares[i]))
	}
	return v, a
}

func TestConverges(t *testing.T) {
	cases(300, 8, 0.6, func(s spec) {
		for _, tol := range []float64{0, 1e-5} {
			n := s.method(tol)
			iterations := run(t, n, 2)
			v, a := outcome(n)
			var sums [2]float64
			for j := range a {
				if c := s.share(j) * a[j] * s.side(j); c > 0 {
					sums[0] += c
				} else {
					sums[1] -= c
				}
			}
			for j := range a { // scale one side down, so that the a_i are feasible
				if side := a[j]*s.side(j) < 0; s.free && side && sums[1] > sums[0] {
					a[j] *= sums[0] / sums[1]
				} else if s.free && !side && sums[0] > sums[1] {
					a[j] *= sums[1] / sums[0]
				}
			}
			d, _ := s.dual(a)
			wanted := max(tol, 1e-5)
			if tol == 0 {
				wanted = 1e-3
			}
			if gap := proof.Gap(s.primal(v), d); !(gap <= wanted) || gap < -1e-6 || n.Stuck() ||
				iterations > 60 || n.Past().Iterations != iterations {
				t.Errorf("%+v: gap %v after %d iterations, stuck %v, history %+v", s, gap,
					iterations, n.Stuck(), n.Past())
			}
			if width := n.Width(); (width > 0) != s.loss.Kind.Traits().Kinks {
				t.Errorf("%+v: width %v", s, width)
			}
		}
	})
}

func same(t *testing.T, what string, have, want *Method) {
	t.Helper()
	v, a := outcome(have)
	u, b := outcome(want)
	if !slices.Equal(v, u) || !slices.Equal(a, b) {
		t.Errorf("%s: the weights or the dual variables differ", what)
	}
}

func TestSameBits(t *testing.T) {
	together, kept := maxTogether, MaxKeptBytes
	defer func() { maxTogether, MaxKeptBytes = together, kept }()
	for k, bias := range []float64{0, 1, 1} {
		for _, pixels := range []bool{false, true} {
			var want []*Method
			for _, c := range []struct {
				threads, together, kept int
				userRows                bool
			}{{1, 16, kept, false}, {3, 2, 0, false}, {2, 1, 3*pixelBytes(21) - 1, false},
				{1, 16, kept, true}} {
				maxTogether, MaxKeptBytes = c.together, c.kept
				var all []*Method
				pool := &Pool{Threads: c.threads, MaxBuffers: c.together}
				for class := range 5 {
					s := random(101, 700, 20, 0.8, loss.Func{})
					if pixels {
						toPixels(s.x, 255)
					}
					for i := range s.y {
						s.y[i] = 0
						if (i+int(10*math.Abs(float64(s.x.Row(i)[class]))))%3 == 0 {
							s.y[i] = 1
						}
					}
					if s.beta, s.free = bias, k == 2; c.userRows {
						s.layout = asUserRows
					}
					p := s.problem()
					pool.X = p.X.Clone()
					all = append(all, New(pool, 1e-4, func() *Problem { return p }))
				}
				for slices.ContainsFunc(all, (*Method).Works) && all[0].past.Iterations < 100 {
					var working []*Method
					for _, n := range all {
						if n.Works() {
							working = append(working, n)
						}
					}
					Iterate(working, c.threads)
				}
				if want == nil {
					want = all
				}
				if len(pool.free) > c.together && c.together > 0 || pool.used != 0 {
					t.Errorf("%+v: %d free buffers, %d in use after the run", c, len(pool.free), pool.used)
				}
				n := 0
				for i := range all {
					if same(t, "problem", all[i], want[i]); all[i].pixels != nil &&
						all[i].pixels.own != nil {
						n++
					}
				}
				if most := map[int]int{kept: 5, 0: 0}; pixels && n != most[c.kept] &&
					(c.kept == kept || c.kept == 0) || pixels && c.kept == 3*pixelBytes(21)-1 && n != 2 {
					t.Errorf("%+v: %d Hessians are kept", c, n)
				}
			}
		}
	}
}

func TestRepeat(t *testing.T) {
	for _, f := range allLosses {
		s := random(110, 200, 6, 0.8, f)
		a := s.method(1e-3)
		run(t, a, 1)
		a.Retry()
		first := a.Past()
		Iterate([]*Method{a}, 1)
		b := s.method(1e-3)
		b.Repeat(a.Past(), 2)
		b.Ready()
		same(t, "repeated", b, a)
		if p := b.Past(); p.Iterations != first.Iterations+1 || !slices.Equal(p.Retries,
			[]int{first.Iterations}) || b.target != a.target || b.Works() != a.Works() {
			t.Errorf("%+v: history %+v, the other Method's before its last iteration %+v; target "+
				"gaps %v and %v, Works %v and %v", f, p, first, b.target, a.target, b.Works(),
				a.Works())
		}
	}
}

func TestRetry(t *testing.T) {
	s := random(111, 200, 6, 0.8, loss.Func{})
	n := s.method(1e-2)
	last := run(t, n, 1)
	for k := 1; k <= Retries+1; k++ {
		target := n.target
		n.Retry()
		if stuck := k > Retries; n.Stuck() != stuck || n.Works() == stuck ||
			!stuck && n.target != target/2 {
			t.Fatalf("retry %d: stuck %v, target gap %v before, %v after", k, n.Stuck(), target, n.target)
		}
		for j, z := range n.v {
			if !n.Stuck() && z != float64(float32(z)) {
				t.Fatalf("retry %d: weight %d is %v, not a float32", k, j, z)
			}
		}
		for n.Works() {
			Iterate([]*Method{n}, 1)
		}
	}
	if p := n.Past(); len(p.Retries) != Retries+1 || p.Retries[0] != last {
		t.Errorf("history %+v, want %d retries, the first after %d iterations", p, Retries+1, last)
	}
}

func TestBound(t *testing.T) {
	for _, f := range allLosses {
		s := random(112, 200, 6, 0.8, f)
		s.beta = 1
		n := s.method(1e-6)
		run(t, n, 1)
		v, _ := outcome(n)
		p := s.primal(v)
		bound := func(a []float32) float64 {
			wide := floats.Float64s(a)
			slices.Reverse(wide)
			d, _ := s.dual(wide)
			return d
		}
		for _, share := range []float64{0.9, 0.995} {
			for _, width := range []float64{0, n.Width()} {
				have := s.method(0).Bound(narrow(v[:6]), v[6], width, share*p, 2, bound)
				if have < share*p || have > p*(1+1e-9) {
					t.Errorf("%+v: lower bound %v, want %v to 1 times P = %v", f, have, share, p)
				}
			}
		}
		if have := s.method(0).Bound(make([]float32, 6), 0, 0, 2*p, 1, bound); have > p*(1+1e-9) ||
			have < 0.9*p {
			t.Errorf("%+v: lower bound %v from w = 0, P is %v", f, have, p)
		}
	}
}

func narrow(v []float64) (w []float32) {
	for _, z := range v {
		w = append(w, float32(z))
	}
	return w
}

func TestCut(t *testing.T) {
	s := random(113, 200, 6, 0.8, loss.Func{})
	n := s.method(1e-9)
	ctx, cancel := context.WithCancel(t.Context())
	n.pool.Context = ctx
	Iterate([]*Method{n}, 1)
	before, target := slices.Clone(n.bestV), n.target
	if n.Interrupted() || !n.Works() {
		t.Fatal("interrupted before the context is done, or ended after one iteration")
	}
	cancel()
	Iterate([]*Method{n}, 1)
	if n.Retry(); !n.Interrupted() || !n.Works() || !slices.Equal(before, n.bestV) ||
		n.target != target {
		t.Errorf("interrupted %v, works %v, target %v", n.Interrupted(), n.Works(), n.target)
	}
}

func TestStart(t *testing.T) {
	for _, f := range allLosses {
		s := random(114, 200, 6, 0.8, f)
		n := s.method(1e-6)
		run(t, n, 1)
		good, _ := outcome(n)
		zero, longest := n.p.AtZero(), 1.0 // the largest power of two with P(longest*good) < P(0)
		for s.primal(scaled(good, 2*longest)) < zero {
			longest *= 2
		}
		for _, times := range []float64{1, longest, 1 << 20, -1} {
			s.start = narrow(good)
			for j := range s.start {
				s.start[j] *= float32(times)
			}
			n := s.method(1e-6)
			n.Ready()
			for j, z := range n.v {
				switch {
				case times > 0 && times <= longest && z != float64(s.start[j]),
					times == -1 && math.Abs(z) > 1e-12 && f.Kind != loss.Log,
					times > longest && math.Abs(z-good[j]) > 0.51*math.Abs(good[j]):
					t.Errorf("%+v, times %v: initial weights %v, the optimum is %v", f, times, n.v, good)
				}
			}
			if p := s.primal(n.v); p > n.p.AtZero()*(1+1e-12) {
				t.Errorf("%+v, times %v: P of the initial weights is %v", f, times, p)
			}
		}
	}
}

func scaled(v []float64, by float64) (w []float64) {
	for _, z := range v {
		w = append(w, by*z)
	}
	return w
}

func TestFirstWidth(t *testing.T) {
	for _, rows := range []int{100, 5000} {
		for _, f := range allLosses {
			s := random(115, rows, 20, 0.8, f)
			n := s.ready()
			g := rand.New(rand.NewPCG(116, 1))
			for j := range n.m {
				n.m[j] = 3 * g.NormFloat64()
			}
			h, least := n.firstWidth()
			if !f.Kind.Traits().Kinks {
				if h != 1 || least != 1 {
					t.Errorf("%+v: width %v, at least %v", f, h, least)
				}
				continue
			}
			within := 0
			for _, m := range n.m {
				if 2*f.KinkDistance(m) < h {
					within++
				}
			}
			if want := max(0.15*float64(rows), 60); math.Abs(float64(within)-want) > 1+0.03*float64(rows) ||
				rows == 100 && within != 60 || least != h*0x1p-40 {
				t.Errorf("%+v: %d of %d rows in the zone, want %v; width %v, at least %v", f, within,
					rows, want, h, least)
			}
			kink := 1 - f.KinkDistance(1)
			if f.KinkDistance(kink) != 0 {
				kink = 1 + f.KinkDistance(1)
			}
			for j := range n.m {
				n.m[j] = kink
			}
			if h, _ := n.firstWidth(); h != 1 {
				t.Errorf("%+v: width %v where all rows are at the kink", f, h)
			}
			if n.m[0] = 9; f.KinkDistance(9) > 1 {
				if h, _ := n.firstWidth(); h != 1e-4 {
					t.Errorf("%+v: width %v where all rows but one are at the kink", f, h)
				}
			}
		}
	}
}

// At the full step, far past the minimum, no row has curvature, and the slope is small.
func TestSearchGoesBack(t *testing.T) {
	x := dense.New(1, 1)
	x.Row(0)[0] = 1
	s := spec{x: x, y: []float32{1}, lambda: 1e-4}
	n := s.ready()
	n.h = 0.1
	n.line = &direction{p: []float64{100}, step: []float32{100}, q: []float32{100}}
	if at, ok := n.search(-100); !ok || math.Abs(at-0.01) > 0.001 {
		t.Errorf("step length %v, %v, want about 0.01", at, ok)
	}
	n.line = &direction{p: []float64{-100}, step: []float32{-100}, q: []float32{-100}}
	if at, ok := n.search(100); ok {
		t.Errorf("step length %v although the objective rises", at)
	}
}

func TestNoDirection(t *testing.T) {
	s := random(117, 50, 4, 1, loss.Func{})
	n := s.ready()
	n.sumHessian(nil, 0)
	if err := Decompose(n.buffers.factor, n.buffers.matrix, s.lambda, 1, 1); err != nil {
		t.Fatal(err)
	}
	if n.solve(nil, 0) || n.line != nil {
		t.Errorf("a search direction without a gradient: %+v", n.line)
	}
	if n.v[2] = 1; !n.solve(nil, 0) || math.Abs(n.line.p[2]+1) > 1e-5 || n.line.p[1] != 0 ||
		math.Abs(n.line.slope+s.lambda) > 1e-5*s.lambda {
		t.Errorf("search direction %+v, want the step to w = 0", n.line)
	}
}
