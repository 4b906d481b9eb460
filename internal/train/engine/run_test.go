package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

func TestOffset(t *testing.T) {
	const lambda, scale = 0.05, 3.0
	x, err := dense.FromSlice(4, 2, []float32{1, 2, 3, 0, 0, 1, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	y, norms := []float32{0, 1, 0, 1}, []float64{5, 9, 1, 8}
	for _, c := range []struct {
		s       settings.Settings
		weights []float32
		r2, t0  func(w, norm float64) float64 // terms of a row with weight w; t0 times lambda
		largest bool                          // t0 is the maximum over the rows, not the mean
	}{
		{s: settings.Settings{}, t0: func(w, n float64) float64 { return n }},
		{s: settings.Settings{Offset: settings.OffsetNone}, t0: func(w, n float64) float64 { return 0 }},
		{s: settings.Settings{Bias: settings.BiasAugmented, BiasScale: scale},
			r2: func(w, n float64) float64 { return w*n + scale*scale },
			t0: func(w, n float64) float64 { return n + scale*scale }},
		{s: settings.Settings{}, weights: []float32{1, 2, 0, 1},
			t0: func(w, n float64) float64 { return w * w * n }},
		{s: settings.Settings{Bias: settings.BiasAugmented, BiasScale: scale},
			weights: []float32{1, 2, 0, 1},
			r2:      func(w, n float64) float64 { return w*n + scale*scale },
			t0:      func(w, n float64) float64 { return w * (w*n + w*scale*scale) }},
		{s: settings.Settings{Loss: "squared-hinge"}, largest: true,
			t0: func(w, n float64) float64 { return 2 * n }},
		{s: settings.Settings{Loss: "squared-hinge", Bias: settings.BiasUnregularised}, largest: true,
			weights: []float32{1, 2, 0, 1},
			t0:      func(w, n float64) float64 { return 2 * w * (n + 1) }},
	} {
		c.s.Lambda = lambda
		r := newSession(t, weightedJob(t, x, y, c.weights, c.s)).Runs[0]
		r2, t0, rows := 0.0, 0.0, 4.0
		weight := func(i int) float64 { return 1 }
		if c.weights != nil { // divided by their mean over the rows with weight
			rows = 3
			weight = func(i int) float64 { return float64(c.weights[i]) * 3 / 4 }
		}
		for i, n := range norms {
			w := weight(i)
			if w == 0 {
				continue
			}
			if c.r2 == nil {
				r2 += w * n / rows
			} else {
				r2 += c.r2(w, n) / rows
			}
			if c.largest {
				t0 = max(t0, c.t0(w, n)/lambda)
			} else {
				t0 += c.t0(w, n) / rows / lambda
			}
		}
		if near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }; !near(r.R2, r2) ||
			!near(r.Learners[0].T0, t0) || r.Lambda != lambda {
			t.Errorf("%+v, weights %v: R2 %v, want %v, t0 %v, want %v", c.s, c.weights, r.R2, r2,
				r.Learners[0].T0, t0)
		}
	}
}

func TestPeriod(t *testing.T) {
	for _, c := range []struct {
		total int64
		cols  int
		want  int64
	}{
		{1, 1, 1}, {31, 1, 1}, {32, 1, 2}, {1000, 10, 62}, {1024, 10, 64}, {1 << 30, 256, 64},
		{1 << 30, 264, 66}, {1 << 30, 40_000, 10_000}, {16_000, 40_000, 1000},
	} {
		if have := engine.Period(c.total, c.cols); have != c.want {
			t.Errorf("%d steps, %d columns: the period is %d, want %d", c.total, c.cols, have, c.want)
		}
	}
}

func TestSegment(t *testing.T) {
	for _, c := range []struct {
		classes, cols, threads int
		joint, sparse          bool
		want                   int
	}{
		{2, 8, 1, false, false, sgd.Segment(8)},
		{300, 8, 1, false, false, min(sgd.Segment(8), 1<<20/300)},
		{300, 8, 2, false, false, min(sgd.Segment(8), 1<<21/300)},
		{300, 8, 2, true, false, min(sgd.Segment(8), 1<<20/300)},
		{300, 9000, 2, false, false, min(sgd.Segment(9000), 1<<21/300)},
		{300, 9000, 2, false, true, min(sgd.Segment(9000), 9000)},
	} {
		x, y := dense.New(c.classes, c.cols), make([]float32, c.classes)
		for i := range y {
			y[i], x.Row(i)[0] = float32(i), 1
		}
		var examples store.Examples = x
		if c.sparse {
			examples = sample.ToSparse(x)
		}
		s := settings.Settings{Lambda: 0.1}
		if c.joint {
			s.Multiclass = settings.CrammerSinger
		}
		job := newJob(t, examples, y, s)
		job.Threads = c.threads
		if have := newSession(t, job).Runs[0].Segment(); have != c.want {
			t.Errorf("%+v: a segment has %d steps", c, have)
		}
	}
	x, y := dense.New(12_000, 4), make([]float32, 12_000)
	for i := range y {
		y[i], x.Row(i)[0] = float32(i%300), 1
	}
	s := settings.Settings{Lambda: 0.1, Offset: settings.OffsetR2} // no pauses to adapt t0
	r := newSession(t, newJob(t, x, y, s)).Runs[0]
	ctx := &doneAfter{Context: t.Context(), calls: 3}
	if err := r.Advance(ctx, 1<<50); err != nil || r.T != 3*int64(r.Segment()) {
		t.Errorf("%v: %d steps, want 3 segments of %d", err, r.T, r.Segment())
	}
}

func TestReadAhead(t *testing.T) {
	const rows, cols = 20_000, 3
	g := rand.New(rand.NewPCG(1, 1))
	y, starts := make([]float32, rows), []int64{0}
	var values []float32
	var indices []int32
	full := dense.New(rows, cols)
	for i := range rows {
		y[i] = float32(g.IntN(2))
		j, v := g.IntN(cols), 1+float32(g.IntN(9))
		indices, values = append(indices, int32(j)), append(values, v)
		starts = append(starts, int64(len(values)))
		full.Row(i)[j] = v
	}
	inFile := map[string]func(f matrices.WillNeed) (store.Examples, error){
		"dense": func(f matrices.WillNeed) (store.Examples, error) {
			padded, _ := (*matrices.Dense)(full).Padded()
			m, err := matrices.LazyDense(rows, cols, padded, matrices.Check{Shift: 6, WillNeed: f})
			return (*dense.Matrix)(m), err
		},
		"sparse": func(f matrices.WillNeed) (store.Examples, error) {
			m, err := matrices.Lazy(cols, starts, indices, values,
				matrices.Check{Shift: 6, WillNeed: f})
			return (*sparse.Matrix)(m), err
		},
	}
	for name, open := range inFile {
		for _, s := range []settings.Settings{
			{Order: order.Blocks, Block: 100}, {Order: order.Blocks, Block: 100, Batch: 7},
			{Order: order.Sequential}, {Order: order.IID},
		} {
			s.Lambda, s.Epochs = 1e-2, 2
			inMemory, err := open(nil)
			if err != nil {
				t.Fatal(err)
			}
			want := digest(train(t, newJob(t, inMemory, y, s)))
			announced, calls := make([]int, rows), 0
			x, err := open(func(first, end int) {
				calls++
				for i := first; i < end; i++ {
					announced[i]++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if digest(train(t, newJob(t, x, y, s))) != want {
				t.Errorf("%s, %+v: another point", name, s)
			}
			most, sum := 0, 0
			for _, n := range announced {
				most, sum = max(most, n), sum+n
			}
			if s.Order == order.IID {
				if sum > 0 {
					t.Errorf("%s, %+v: %d rows announced", name, s, sum)
				}
				continue
			}
			if most > s.Epochs || sum < s.Epochs*(rows-8192-7) || sum >= s.Epochs*rows {
				t.Errorf("%s, %+v: %d rows announced, one of them %d times", name, s, sum, most)
			}
			if s.Order == order.Blocks && calls > sum/50 {
				t.Errorf("%s, %+v: %d calls for %d rows", name, s, calls, sum)
			}
		}
	}
}

func TestPreparedStepsFailWhereStepsDo(t *testing.T) {
	defer func(old int) { store.MinConstantSize = old }(store.MinConstantSize)
	const rows, cols = 200, 21
	for _, bad := range []int{0, 1, 64 - 1, 64, 64 + 1, rows - 1, rows} {
		starts, y, all := []int64{0}, make([]float32, rows), make([]uint32, rows)
		var indices []int32
		var values []float32
		for i := range rows {
			row := []int32{int32(i % 7), int32(7 + i%5)}
			if i >= bad {
				row = append(row, cols-1)
			}
			for _, j := range row {
				indices, values = append(indices, j), append(values, 8)
			}
			starts, y[i], all[i] = append(starts, int64(len(indices))), float32(i%3%2), uint32(i)
		}
		x, err := sparse.New(cols, starts, indices, values)
		if err != nil {
			t.Fatal(err)
		}
		var ends []string
		for k, from := range []int{math.MaxInt, 0} {
			store.MinConstantSize = from
			s := newSession(t, newJob(t, x, y,
				settings.Settings{Lambda: 1e-4, Order: order.Sequential}))
			l := s.Runs[0].Learners[0]
			if prepared := l.X.Steps() != nil; prepared != (k == 1) {
				t.Fatalf("rows are a %T", l.X)
			}
			l.Binary.V[cols-1] = math.MaxFloat32
			l.TakeSteps(all, nil)
			if (l.Err != nil) != (bad < rows) || l.T != int64(bad) {
				t.Errorf("row %d: %v after %d steps", bad, l.Err, l.T)
			}
			if l.Err != nil {
				l.Binary.V = nil // undefined after an error
			}
			ends = append(ends, fmt.Sprint(l.Err, l.Violations, l.Binary.V))
		}
		if ends[0] != ends[1] {
			t.Errorf("row %d: single steps give %s, prepared steps %s", bad, ends[0], ends[1])
		}
	}
}

// Equal numbers added to a large float32 are all rounded in the same direction. The tracked norm
// and v must still be accurate after many steps.
func TestLongRun(t *testing.T) {
	steps := int64(2_000_000)
	if testing.Short() {
		steps = 200_000
	}
	data := sample.Random(74, 500, 6, 2, 1)
	s := newSession(t, newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 0.01, Steps: steps,
		Average: settings.LastIterate, Project: true, Offset: settings.OffsetNone}))
	r := s.Runs[0]
	l := r.Learners[0]
	v, worst := make([]float64, 6), 0.0
	for l.T < steps {
		for _, i := range r.Order.Next(500) {
			before, factor := l.Violations, l.Factor
			l.TakeSteps([]uint32{i}, nil)
			if l.Violations > before {
				name := l.SetRow(i)
				for j, x := range data.Dense.Row(name) {
					v[j] += float64(2*data.Y[name]-1) * float64(x) / factor
				}
			}
		}
		tracked := l.Norm2
		if r.Order.AtEnd() {
			r.Epoch++
			l.EndEpoch(r.Epoch)
		}
		worst = max(worst, math.Abs(tracked-l.Norm2)/l.Norm2)
	}
	sum, far := 0.0, 0.0
	for j, want := range v {
		sum += want * want
		far += (float64(l.Binary.V[j]) - want) * (float64(l.Binary.V[j]) - want)
	}
	if worst > 1e-5 || far > 1e-6*sum {
		t.Errorf("the norm was off by %v of it, v by %v of its length at the end", worst,
			math.Sqrt(far/sum))
	}
	r.T = l.T
	if m := s.Point(); !(m.Result.Gap < 1e-2) {
		t.Errorf("want a gap below 1e-2: %+v", m.Result)
	}
}

func TestNotFinite(t *testing.T) {
	x, err := dense.FromSlice(2, 1, []float32{1e18, 1e18})
	if err != nil {
		t.Fatal(err)
	}
	s := settings.Settings{Lambda: options.MinLambda, Steps: 1, Order: order.Sequential,
		Offset: settings.OffsetNone, Average: settings.LastIterate}
	m, stopped, err := newSession(t, newJob(t, x, []float32{1, -1}, s)).Train(t.Context())
	var bad *iterate.Error
	if m != nil || stopped || !errors.As(err, &bad) || bad.Step != 1 || bad.Row != -1 ||
		!strings.Contains(err.Error(), "not finite") {
		t.Errorf("Train returned %v, stopped %v, error %v", m, stopped, err)
	}
}

func TestWeightNotFinite(t *testing.T) {
	data := sample.Random(25, 20, 3, 2, 0) // rows without values
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := newSession(t, newJob(t, data.Sparse, data.Y, settings.Settings{}))
		s.Runs[0].Learners[0].Vectors[0][2] = float32(bad)
		var e *iterate.Error
		if m, _, err := s.Train(t.Context()); m != nil || !errors.As(err, &e) || e.Step != 20 {
			t.Errorf("%v in v: %v", bad, err)
		}
	}
}

func TestRadius(t *testing.T) {
	data, weights := sample.Random(61, 80, 6, 2, 1), rowWeights(80)
	for _, s := range []settings.Settings{{}, {Loss: "log", Bias: settings.BiasAugmented},
		{Loss: "squared-hinge"}, {Loss: "squared", Bias: settings.BiasUnregularised},
		{Loss: "eps-insensitive", Epsilon: 0.1}, {Bias: settings.BiasUnregularised}} {
		for _, withPrior := range []bool{false, true} {
			p := data
			if s.Regression() {
				p = targets(data)
			}
			s.Lambda, s.Project, s.Offset = 0.3, true, settings.OffsetNone
			q := problemOf(p, weights, s)
			job := weightedJob(t, p.Dense, p.Y, weights, s)
			w, b := [][]float64{make([]float64, 6)}, make([]float64, 1)
			if withPrior {
				prior := &engine.Point{Weights: [][]float32{{0.5, -1, 0.25, 0, 2, -0.5}}}
				if q.Bias {
					prior.Bias, b[0] = []float64{0.75}, 0.75
				}
				for j, v := range prior.Weights[0] {
					w[0][j] = float64(v)
				}
				job.Prior, q.Prior, q.PriorBias = prior, prior.Weights, b
			}
			have := newSession(t, job).Runs[0].Learners[0].Radius
			if want := math.Sqrt(q.Objective(w, b) / 0.3); math.Abs(have-want) > 1e-5*want {
				t.Errorf("%+v, prior %v: radius %v, want %v", s, withPrior, have, want)
			}
		}
	}
}

// Newton's method reads the original rows, not the copies in another order.
func TestNewtonRows(t *testing.T) {
	defer func(before int) { store.MinCopySize = before }(store.MinCopySize)
	store.MinCopySize = 1
	data := sample.Random(83, 3000, 30, 5, 0.8)
	s := newSession(t, newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 1e-3, Epochs: 9,
		Multiclass: settings.OneVsRest}))
	l := s.Runs[0].Learners[0]
	if l.SetRows == nil {
		t.Fatal("the run has no copies of its rows")
	}
	n := l.ForNewton(&s.Newtons, 0)
	if len(n.At) != 3000 {
		t.Errorf("Newton's method reads %d rows, want 3000", len(n.At))
	}
	have, want := make([]float32, 30), make([]float32, 30)
	for j, i := range n.At {
		clear(have)
		clear(want)
		n.X.Axpy(int(i), 1, have)
		l.X.Axpy(int(n.Rows[j]), 1, want)
		side, _ := l.Binary.Of.Label(n.Rows[j])
		if !slices.Equal(have, want) || float32(n.Side[j]) != side || int(i) != j {
			t.Fatalf("row %d of the data, in place %d: another row or label", i, j)
		}
	}
}

func TestMultinomialOverflow(t *testing.T) {
	data := sample.Random(7, 9, 2, 3, 1)
	s := newSession(t, newJob(t, data.Dense, data.Y, settings.Settings{Loss: "log",
		Multiclass: settings.Multinomial}))
	j := &s.Runs[0].Learners[0].Joint.Of
	i := uint32(slices.Index(j.Class, 1))
	for _, size := range []float64{1e4, 1e30, math.MaxFloat64 / 4} {
		z, b := []float64{size, -size, 0}, make([]float64, 3)
		if loss := j.Loss(z, 1); loss != 2*size {
			t.Errorf("%v: loss %v, want %v", z, loss, 2*size)
		}
		if !j.Coefficients(z, b, i) || b[0] != 1 || b[1] != 0 || b[2] != 0 {
			t.Errorf("scores %v: the coefficients are %v", z, b)
		}
		if loss := j.Loss(z, 0); loss != 0 {
			t.Errorf("%v: loss %v of the right class", z, loss)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	data := sample.Random(5, 40, 3, 2, 1)
	many := make([]float32, settings.MaxPairClasses+1)
	for i := range many {
		many[i] = float32(i)
	}
	for field, job := range map[string]engine.Job{
		"Batch":  newJob(t, data.Dense, data.Y, settings.Settings{Batch: 41}),
		"C":      newJob(t, data.Dense, data.Y, settings.Settings{C: 1e30}),
		"Epochs": newJob(t, data.Dense, data.Y, settings.Settings{Epochs: math.MaxInt}),
		"Multiclass": newJob(t, dense.New(len(many), 1), many,
			settings.Settings{Multiclass: settings.OneVsOne}),
	} {
		var rule options.Rule
		if _, err := engine.New(job); !errors.As(err, &rule) || rule.Field != field {
			t.Errorf("bad %s: New returned %v", field, err)
		}
	}
	newSession(t, newJob(t, data.Dense, data.Y, settings.Settings{Batch: 40}))

	far := &engine.Point{Weights: [][]float32{{3e38, 3e38, 3e38}}}
	job := newJob(t, data.Dense, data.Y, settings.Settings{})
	job.Prior = far
	var row *store.RowError
	if _, err := engine.New(job); !errors.As(err, &row) {
		t.Errorf("a prior of %v: New returned %v", far.Weights, err)
	}
	job.Prior, job.Start = nil, train(t, newJob(t, data.Dense, data.Y,
		settings.Settings{Bias: settings.BiasAugmented, Epochs: 1}))
	var rule options.Rule
	if _, err := engine.New(job); !errors.As(err, &rule) || rule.Field != "Start" {
		t.Errorf("a start with a bias: New returned %v", err)
	}
}

func TestCosts(t *testing.T) {
	data := sample.Random(6, 30, 3, 3, 1)
	for want, costs := range map[string][][]float64{
		"":                               {{0, 1, 2}, {math.MaxFloat32, 0, 1}, {1, 0x1p-60, 0}},
		"have 2 rows":                    {{0, 1, 1}, {1, 0, 1}},
		"row 1 has 2":                    {{0, 1, 1}, {1, 0}, {1, 1, 0}},
		"have 1 in row 1, column 1 ":     {{0, 1, 1}, {1, 1, 1}, {1, 1, 0}},
		"have 0 in row 1, column 2 ":     {{0, 1, 1}, {1, 0, 0}, {1, 1, 0}},
		"have -1 in row 1, column 0 ":    {{0, 1, 1}, {-1, 0, 1}, {1, 1, 0}},
		"have 1e+39 in row 2, column 1 ": {{0, 1, 1}, {1, 0, 1}, {1, 1e39, 0}},
	} {
		job := newJob(t, data.Dense, data.Y, settings.Settings{Multiclass: settings.CrammerSinger})
		job.Costs = costs
		if _, err := engine.New(job); want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: %v, want %q", costs, err, want)
		}
	}
	job := newJob(t, data.Dense, data.Y, settings.Settings{})
	job.Costs = [][]float64{}
	if _, err := engine.New(job); err == nil {
		t.Error("costs without Crammer-Singer are accepted")
	}
}

func TestAdapt(t *testing.T) {
	data := sample.Random(31, 90, 4, 3, 1)
	for name, s := range map[string]settings.Settings{
		"rest": {Bias: settings.BiasAugmented}, "pairs": {Multiclass: settings.OneVsOne},
		"iid": {Order: order.IID}, "tol": {Tol: 1e-6},
	} {
		s.Lambda, s.Epochs = 0.01, 60
		job := newJob(t, data.Dense, data.Y, s)
		session := newSession(t, job)
		m, _, err := session.Train(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for _, r := range session.Runs {
			for _, l := range r.Learners {
				if l.T0 > l.LeastT0 && l.LeastT0 > 0 {
					changed++
				}
			}
		}
		if changed == 0 {
			t.Errorf("%s: no t0 has changed", name)
		}
		want := digest(m)
		for _, pauses := range [][]int64{{1023}, {1024}, {1025}, {2048, 2049}, {90, 1024, 3000}} {
			if have := resumed(t, job, pauses...); have != want {
				t.Errorf("%s, paused after %d steps: %s, want %s", name, pauses, have, want)
			}
		}
		job.Threads, job.Early = 3, []float64{0.1, 0.5}
		job.Progress = func(engine.Progress) {}
		if have := digest(train(t, job)); have != want {
			t.Errorf("%s, 3 goroutines: %s, want %s", name, have, want)
		}
		job.Offset = settings.OffsetR2
		fixed := newSession(t, job)
		job.Offset, job.Start = "", m
		started := newSession(t, job)
		for _, s := range []*engine.Session{fixed, started} {
			if _, _, err := s.Train(t.Context()); err != nil {
				t.Fatal(err)
			}
			if l := s.Runs[0].Learners[0]; l.LeastT0 != 0 || l.Gradients != 0 {
				t.Errorf("%s: adapts t0, from %v", name, l.LeastT0)
			}
		}
	}
}
