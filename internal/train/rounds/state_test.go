package rounds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func newRounds(t *testing.T, kind loss.Kind, method Method, shards int) *Rounds {
	t.Helper()
	r, err := New(settings.Settings{Loss: kind.Name(), Lambda: 0.01,
		Bias: settings.BiasAugmented, BiasScale: 2, Scale: scale.None, Epochs: 10, Tol: 0.1},
		method, statistics(), shards)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func statistics() *scale.Statistics {
	return &scale.Statistics{Columns: scale.Columns{Rows: 1000, Nonzeros: 2500,
		MaxAbs: []float32{1, 2, 0.75}, Squares: []float64{0.5, 2, 5}}, Cols: 3,
		Classes: []float32{0, 1}, Counts: []int64{600, 400},
		Sizes: map[scale.Kind]scale.RowSizes{scale.None: {MaxSquare: 5, MeanSquare: 2}}}
}

// The sums are 0.
func taskOf(t *testing.T, r *Rounds, s *State) *task {
	t.Helper()
	tasks, size, err := r.tasks(s)
	if err != nil || len(tasks) != 1 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	return &splitSums(tasks, make([]int64, size))[0]
}

func (t *task) setMean(r *Rounds, i int, q segment, v float64) {
	t.sum[i] = int64(v * r.weightedRows * q.inverse)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(math.Abs(a)+math.Abs(b)) }

func TestBounds(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 3)
	if r.vars != 4 || r.biasScale != 2 || r.weightedRows != 1000 || r.weightSum != 0 ||
		r.meanSquare != 6 || r.maxLength != 3*(1+0x1p-20) || r.Shards != 3 {
		t.Errorf("the bounds are wrong: %+v", r)
	}
	if want := []float64{1. / 2, 1. / 4, 1, 1. / 4}; !slices.Equal(r.scale, want) {
		t.Errorf("scales %v, want %v", r.scale, want)
	}
	r.Scale = &scale.Scale{Kind: scale.Standard, Shift: []float32{-3, 1, 0},
		Factor: []float32{2, 0.5, 1}}
	for j, want := range []float64{8, 1.5, 0.75} {
		if have := r.maxScaled(j); have != want {
			t.Errorf("standardized, column %d: %v, want %v", j, have, want)
		}
	}
	r.Scale = &scale.Scale{Kind: scale.MaxAbs, Factor: []float32{1, 0.5, 2}}
	r.maxAbs = []float32{1, 2, 0}
	for j, want := range []float64{1, 1, 0} {
		if have := r.maxScaled(j); have != want {
			t.Errorf("divided by the largest, column %d: %v, want %v", j, have, want)
		}
	}
	r.Scale = &scale.Scale{Kind: scale.Unit}
	for j, want := range []float64{1, 1, 0} {
		if have := r.maxScaled(j); have != want {
			t.Errorf("rows of norm 1, column %d: %v, want %v", j, have, want)
		}
	}
}

func TestSparseHessian(t *testing.T) {
	for _, c := range []struct {
		nonzeros float64 // per row
		cols     int
		dense    bool
		want     bool
	}{
		{4, 3, false, true}, {4.2, 3, false, false}, {4, 3, true, true}, {1, 5, true, false},
		{15, 112, false, true}, {15, 111, false, false},
	} {
		s := statistics()
		s.Cols, s.Nonzeros, s.Dense = c.cols, int(1000*c.nonzeros), c.dense
		s.MaxAbs = make([]float32, c.cols)
		r, err := New(settings.Settings{Loss: loss.Hinge.Name(), Lambda: 1, Bias: settings.BiasNone,
			Scale: scale.None}, Newton, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if r.sparseHessian != c.want {
			t.Errorf("%+v: sparseHessian is %v", c, r.sparseHessian)
		}
	}
}

func TestRowBounds(t *testing.T) {
	for _, c := range []struct {
		kind                loss.Kind
		row, dual, dualTerm float64
	}{
		{loss.Hinge, 7, 1, 1}, {loss.Log, 7, 1, 1}, {loss.SquaredHinge, 49, 14, 63},
	} {
		r := newRounds(t, c.kind, Newton, 1)
		row, dual, dualTerm := r.rowBounds(2) // weights of norm 2, rows of norms up to 3
		if math.Abs(row-c.row) > 1e-3 || math.Abs(dual-c.dual) > 1e-3 ||
			math.Abs(dualTerm-c.dualTerm) > 1e-3 || row < c.row || dual < c.dual {
			t.Errorf("%s: %v, %v, %v, want %+v", c.kind.Name(), row, dual, dualTerm, c)
		}
	}
	for kind, want := range map[loss.Kind]float64{loss.Hinge: 1, loss.SquaredHinge: 1024} {
		limits := newRounds(t, kind, Dual, 1).limits
		if limits.meanDual != want || limits.meanDualTerm != want*want {
			t.Errorf("%s: mean dual variables up to %v, terms up to %v", kind.Name(), limits.meanDual,
				limits.meanDualTerm)
		}
	}
}

func TestQuantum(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	for _, bound := range []float64{1e-9, 0.5, 1, 1.024, 2, 1e9} {
		q := r.quantum(bound)
		largest := 1000 * bound * q.inverse
		if q.unit*q.inverse != 1 || largest < 0x1p60 || largest >= 0x1p61 {
			t.Errorf("bound %v: %v quanta of %v", bound, largest, q.unit)
		}
	}
	q := segment{quantum: r.quantum(1)}
	if have := r.mean(int64(q.inverse*250), q); have != 0.25 {
		t.Errorf("a mean of %v, want 0.25", have)
	}
	v := int64(q.inverse * 500)
	have := r.meanVector(q, []int64{v, v, v, -v}, []int64{0, v, 0, v})
	if want := []float64{1, 4, 0.5, 0}; !slices.Equal(have, want) {
		t.Errorf("means of %v in unscaled variables, want %v", have, want)
	}
}

func TestAddTruncated(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	w := &worker{reader: reader{r: r}}
	sums := []int64{1, 1, 1, 1, 1}
	w.addTruncated(sums, []float64{1.3, -1.3, 0.2, -0.2, 2}, segment{quantum: quantum{inverse: 4}})
	if want := []int64{6, -4, 1, 1, 9}; !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v", sums, want)
	}
	sums = make([]int64, 8)
	w.addTruncated(sums, []float64{8, 8, 8, 8, 8, 8, 8, 8}, segment{quantum{inverse: 1}, 8, true})
	if want := []int64{4, 2, 8, 2, 4, 2, 8, 2}; !slices.Equal(sums, want) {
		t.Errorf("scaled sums %v, want %v", sums, want)
	}
	for _, v := range []float64{0x1p62, -0x1p62, math.NaN(), math.Inf(1)} {
		w.err = nil
		if w.addTruncated(sums, []float64{v}, segment{quantum: quantum{inverse: 1}}); w.err == nil {
			t.Errorf("a sum of %v is accepted", v)
		}
	}
	w.err = nil
	w.addTruncated(sums, []float64{0x1p61}, segment{quantum: quantum{inverse: 1}})
	if w.err != nil || sums[0] != 4+1<<61 {
		t.Errorf("a sum of 2^61: %v, %v", sums[0], w.err)
	}
}

func TestRemainder(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1) // 4 blocks
	if have := r.remainderScale(); have != 0x1p58 {
		t.Errorf("%v units in a quantum, want 2^58", have)
	}
	for v, want := range map[float64]int64{0: 0, 3: 0, 3.25: 1 << 56, 3.5: 1 << 57,
		-3.5: -1 << 57, 0x1p40 + 0.5: 1 << 57} {
		if have := r.remainder(2*v, segment{quantum: quantum{inverse: 0.5}}); have != want {
			t.Errorf("%v: %v, want %v", v, have, want)
		}
	}
}

func TestSegments(t *testing.T) {
	const triangle = 10 // elements of the upper triangle of a 4 x 4 matrix
	for _, c := range []struct {
		loss            loss.Kind
		method          Method
		kind            Kind
		size, blockSums int
		bounds          []float64 // bounds on the segments' mean addends; 0 for counts
	}{
		{loss.Hinge, Newton, Sums, 1 + 3 + 3 + 12 + 3*triangle, 19, []float64{7, 1, 0, 1}},
		{loss.SquaredHinge, Newton, Sums, 1 + 1 + 1 + 4 + triangle, 7, []float64{49, 63, 0, 14}},
		{loss.Hinge, Newton, Proof, 1 + 1 + 1 + 4 + 1, 7, []float64{1, 1, 1, 1}},
		{loss.SquaredHinge, Newton, Proof, 8, 7, []float64{1, 195, 676, 26}},
		{loss.SquaredHinge, Dual, Ascent, 1 + 1 + 4, 1, []float64{49, 1 << 20, 1 << 10}},
		{loss.SquaredHinge, Dual, Proof, 8, 1, []float64{1, 1 << 20, 1 << 20, 1 << 10}},
		{loss.Hinge, Dual, Ascent, 6, 1, []float64{7, 1, 1}},
	} {
		r := newRounds(t, c.loss, c.method, 2)
		s := r.Start()
		s.Kind = c.kind
		s.Problems[0].W[1], s.Problems[0].DualW[2] = 2, 4
		task := taskOf(t, r, s)
		if task.size != c.size || task.blockSums != c.blockSums || len(task.sum) != c.size {
			t.Errorf("%s, %s: %d sums, %d by blocks, want %d, %d", c.loss.Name(), c.kind, task.size,
				task.blockSums, c.size, c.blockSums)
		}
		for k, q := range task.segments {
			want := quantum{1, 1}
			if c.bounds[k] > 0 {
				want = r.quantum(c.bounds[k] * (1 + 0x1p-20))
			}
			if q.quantum != want || q.scaled != (k == len(task.segments)-1) {
				t.Errorf("%s, %s: segment %d: %+v, want %+v", c.loss.Name(), c.kind, k, q, want)
			}
		}
	}
	r := newRounds(t, loss.SquaredHinge, Newton, 1)
	s := r.Start()
	s.Kind, s.Problems[0].W[1], s.Problems[0].Direction[0] = Line, 2, 0.5
	task := taskOf(t, r, s)
	for l, q := range task.segments {
		m := 1 + 3*(2+stepLengths[l]*0.5) // largest distance of a margin from 0, plus 1
		if want := r.quantum(3 * 0.5 * 2 * m * (1 + 0x1p-18)); q.quantum != want || q.size != 1 {
			t.Errorf("step %v: %+v, want %+v", stepLengths[l], q, want)
		}
	}
	if task.size != len(stepLengths) || task.blockSums != task.size {
		t.Errorf("a line: %d sums, %d by blocks", task.size, task.blockSums)
	}
}

func TestTasks(t *testing.T) {
	r := newRounds(t, loss.Hinge, Dual, 1)
	r.labels = []float32{0, 1, 2}
	s := r.Start()
	s.Problems[1].Done = true
	for kind, want := range map[Kind]string{Ascent: "[0 2]", Proof: "[0 1 2]"} {
		s.Kind = kind
		tasks, size, err := r.tasks(s)
		var numbers []int
		for _, task := range tasks {
			numbers = append(numbers, task.vector)
			size -= task.size
		}
		if err != nil || fmt.Sprint(numbers) != want || size != 0 {
			t.Errorf("%s: tasks %v, want %s, %d more sums, %v", kind, numbers, want, size, err)
		}
	}
	if s.Done = true; r.Check(s) != nil {
		t.Error(r.Check(s))
	}
	if _, _, err := r.tasks(s); err == nil {
		t.Error("a round follows the last")
	}
}

func TestStart(t *testing.T) {
	r := newRounds(t, loss.Log, Newton, 1)
	s := r.Start()
	p := s.Problems[0]
	if s.Objective != math.Ln2 || p.Objective != math.Ln2 || p.Falling != math.Ln2 ||
		s.Kind != Sums || p.Width != 3 || p.DualWidth != 3 || s.Target != targetShare*0.1 ||
		s.Round != 0 || s.Done {
		t.Errorf("the first state is %+v", s)
	}
	for shards, want := range map[int]float64{1: 1, 2: 1.2, 10: 6} {
		s := newRounds(t, loss.Hinge, Dual, shards).Start()
		if s.Kind != Ascent || math.Abs(s.Problems[0].Sigma-want) > 1e-12 {
			t.Errorf("%d shards: %+v, want sigma' of %v", shards, s, want)
		}
	}
}

func TestUpdateDone(t *testing.T) {
	problem := func(objective, bound, targetBound, falling float64) Problem {
		return Problem{Objective: objective, Bound: bound, TargetBound: targetBound,
			Stall: newton.Stall{Falling: falling}}
	}
	for name, c := range map[string]struct {
		p           Problem
		done, stuck bool
	}{
		"gap too large":    {problem(1.11, 1, 0, 9), false, false},
		"gap reached":      {problem(1.1, 1, 0, 9), true, false},
		"no bound":         {problem(1, 0, 0, 9), false, false},
		"bound not enough": {problem(1, 0.99, 0.995, 9), false, false},
		"bound reached":    {problem(2, 1, 1, 9), true, false},
		"stalled":          {problem(2, 1, 0, 1.05), true, true},
		"falling":          {problem(2, 1, 0, 1.2), false, false},
		"stalled at last":  {problem(1.1, 1, 0, 0.1), true, false},
	} {
		s := &State{Iterations: 5, Target: 0.1000001}
		s.updateDone(&c.p, 5)
		if c.p.Done != c.done || c.p.Stuck != c.stuck {
			t.Errorf("%s: done %v, stuck %v", name, c.p.Done, c.p.Stuck)
		}
	}
}

func TestScheduleProof(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	for _, c := range []struct {
		iterations  int
		first, last bool
		want        bool
	}{
		{1, true, true, true}, {1, true, false, false}, {1, false, true, false},
		{9, false, false, false}, {10, false, false, true}, {11, true, false, true},
	} {
		s := &State{Kind: Sums, Iterations: c.iterations,
			Problems: []Problem{{Done: c.first}, {Done: c.last}}}
		if have := r.scheduleProof(s); have != c.want || (s.Kind == Proof) != c.want {
			t.Errorf("%+v: scheduleProof returned %v, the next kind is %s", c, have, s.Kind)
		}
	}
}

func TestObjective(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	s := r.Start()
	s.Problems[0].W = []float64{3, 0, 4, 0}
	task := taskOf(t, r, s)
	for _, c := range []struct{ mean, objective, least, best float64 }{
		{1, 1.125, 1, 0}, {0.875, 1, 1, 0}, {0.5, 0.625, 0.625, 3}, {0.75, 0.875, 0.625, 3},
	} {
		task.setMean(r, 0, task.segments[0], c.mean)
		if p := r.objective(task); !near(p, c.objective) || !near(task.Objective, c.least) ||
			task.BestW[0] != c.best {
			t.Errorf("%+v: %v, smallest %v, weights %v", c, p, task.Objective, task.BestW)
		}
	}
}

func TestUpdateFromPass(t *testing.T) {
	for _, c := range []struct {
		sigma, mean, bound    float64
		sigmaThen, failed, w0 float64
		rolledBack            bool
	}{
		{2, 0.75, 0.625, 2, 0, 5, false}, {2, 0.5, 0.5, 3, 2, 7, true}, {3, 0.5, 0.5, 4, 3, 7, true},
		{4, 0.5, 0.5, 4, 0, 5, false}, {2, 0.625, 0.5, 2, 0, 5, false},
	} {
		r := newRounds(t, loss.Hinge, Dual, 4)
		s := r.Start()
		p := &s.Problems[0]
		p.Sigma, p.Bound, p.W = c.sigma, 0.5, []float64{7, 0, 0, 0}
		task := taskOf(t, r, s)
		task.setMean(r, 1, task.segments[1], c.mean)
		u := []float64{0.05, 0, 0, 0} // |u|^2/(2 lambda) is 0.125
		for j, v := range u {
			task.setMean(r, 2+j, task.segments[2], v*r.scale[j])
		}
		r.updateFromPass(task)
		if task.RolledBack != c.rolledBack || task.Sigma != c.sigmaThen ||
			task.FailedSigma != c.failed || !near(task.Bound, c.bound) || !near(task.W[0], c.w0) {
			t.Errorf("%+v: the problem is %+v", c, task.Problem)
		}
	}
}

func TestPickWidth(t *testing.T) {
	wide := func(rows float64) widthSums { return widthSums{rows: rows, rest: 1, smoothing: 1} }
	fine := func(rows float64) widthSums { return widthSums{rows: rows, rest: 3, smoothing: 1} }
	for _, c := range []struct {
		vars   int
		widths []widthSums
		want   int
	}{
		{4, []widthSums{fine(500), fine(99), fine(50)}, 0},
		{4, []widthSums{fine(500), fine(100), fine(99)}, 1},
		{4, []widthSums{fine(500), fine(200), fine(150)}, 2},
		{4, []widthSums{wide(500), fine(20), fine(10)}, 1},
		{4, []widthSums{wide(50), wide(20), wide(10)}, 2},
		{50, []widthSums{fine(500), fine(149), fine(149)}, 0},
		{50, []widthSums{fine(500), fine(150), fine(149)}, 1},
		{500, []widthSums{fine(1000), fine(1000), fine(999)}, 1},
		{4, []widthSums{fine(1000)}, 0},
	} {
		r := &Rounds{weightedRows: 1000, vars: c.vars}
		if have := r.pickWidth(c.widths); have != c.want {
			t.Errorf("%+v: picked width %d", c, have)
		}
	}
}

func TestStepLengths(t *testing.T) {
	last := 0.0
	for _, s := range stepLengths {
		if s <= last || last > 1./8 && s < 1.5 && s-last != 1./16 || last > 0 && s > 4*last ||
			s*256 != math.Trunc(s*256) || s != 1./256 && s < 1 && s*64 != math.Trunc(s*64) {
			t.Errorf("step %v after %v", s, last)
		}
		last = s
	}
	if !slices.Contains(stepLengths, 1) || last != 64 || len(stepLengths) != 36 {
		t.Errorf("%d step lengths up to %v, want 36 up to 64, and 1 among them", len(stepLengths), last)
	}
}

func (t *task) fillLine(r *Rounds, slope func(s float64) float64) {
	for l, s := range stepLengths {
		t.setMean(r, l, t.segments[l], slope(s))
	}
}

func TestNextLine(t *testing.T) {
	for _, c := range []struct {
		slope float64 // slope of the objective at step length 0
		zero  float64 // step at which the slope is 0
		want  float64
	}{{-1, 0.001, 0.001}, {-1, 0.7, 0.7}, {-0.5, 1, 1}, {-1, 5, 5}, {-2, 50, 50}, {-1, 1e3, 64}} {
		r := newRounds(t, loss.Hinge, Newton, 1)
		s := r.Start()
		p := &s.Problems[0]
		s.Kind, p.W, p.Direction, p.Slope = Line, []float64{1, 2, 3, 4}, []float64{1, 0, -1, 1}, c.slope
		line := taskOf(t, r, s)
		// The penalty's slope at step length l is lambda*(2 + 3 l).
		line.fillLine(r, func(l float64) float64 {
			return c.slope*(1-l/c.zero) - 0.01*(2+3*l)
		})
		if err := r.nextLine(s, []task{*line}); err != nil || s.Kind != Sums {
			t.Errorf("next %s, %v", s.Kind, err)
		}
		for j, w := range []float64{1, 2, 3, 4} {
			want := w + c.want*p.Direction[j]
			if math.Abs(p.W[j]-want) > 1e-9 {
				t.Errorf("%+v: variable %d is %v, want %v", c, j, p.W[j], want)
			}
		}
	}
}

func TestNextErrors(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	s := r.Start()
	s.Round = 4
	if _, err := r.Next(s, make([]int64, 3)); err == nil ||
		!strings.Contains(err.Error(), "round 5: got 3 sums, want 49") {
		t.Error(err)
	}
}
