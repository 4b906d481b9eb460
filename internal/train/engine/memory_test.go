package engine_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

func manyClasses(rows, cols, classes int) (*dense.Matrix, []float32) {
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		for j := range cols {
			x.Row(i)[j] = float32((i+j)%7) / 8
		}
		y[i] = float32(i % classes)
	}
	return x, y
}

func live() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func TestMemoryEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		s             settings.Settings
		classes, cols int
		sparse, keep  bool
	}{
		"two classes":  {settings.Settings{}, 2, 50_000, false, false},
		"last iterate": {settings.Settings{Average: settings.LastIterate}, 2, 50_000, false, false},
		"one-vs-rest":  {settings.Settings{}, 50, 1000, false, false},
		"sparse":       {settings.Settings{}, 50, 1000, true, false},
		"rows":         {settings.Settings{}, 1000, 4, false, false},
		"state":        {settings.Settings{}, 50, 1000, false, true},
		"finish":       {settings.Settings{Finish: settings.FinishDual}, 100, 100, false, false},
		"newton":       {settings.Settings{Finish: settings.FinishNewton}, 2, 500, false, false},
		"newton floats": {settings.Settings{Finish: settings.FinishNewton, Loss: "log"}, 2, 500, false,
			false},
		"newton classes": {settings.Settings{Finish: settings.FinishNewton}, 10, 300, false, false},
		"newton bias": {settings.Settings{Finish: settings.FinishNewton,
			Bias: settings.BiasUnregularised}, 10, 200, true, true},
		"pairs":    {settings.Settings{Multiclass: settings.OneVsOne}, 20, 500, false, false},
		"balanced": {settings.Settings{ClassWeight: settings.Balanced}, 100, 100, false, false},
		"balanced pairs": {settings.Settings{Multiclass: settings.OneVsOne,
			ClassWeight: settings.Balanced}, 30, 20, false, false},
		"Crammer-Singer": {settings.Settings{Multiclass: settings.CrammerSinger}, 100, 1000, false,
			false},
		"drawn independently": {settings.Settings{Order: order.IID}, 300, 4, false, false},
	} {
		rows := 400
		if c.cols > 10_000 {
			rows = 20
		}
		if c.classes == 1000 {
			rows = 1000
		}
		x, y := manyClasses(rows, c.cols, c.classes)
		var examples store.Examples = x
		if c.sparse {
			examples = sample.ToSparse(x)
		}
		c.s.Epochs, c.s.Lambda = 2, 0.1
		if c.s.Finish == settings.FinishNewton {
			c.s.Epochs, c.s.Tol = 4, 1e-13 // the second epoch has the first iteration
		}
		before := live()
		job := newJob(t, examples, y, c.s)
		job.KeepState, job.Threads = c.keep, 2
		s := newSession(t, job)
		need := s.Memory(1)
		if c.sparse { // no room for copies of the rows, which Memory does not count
			job.MaxMemory = int64(need) + 1
			s = newSession(t, job)
		}
		most := 0.0
		s.Progress = func(p engine.Progress) {
			if p.Epoch != c.s.Epochs-1 {
				return
			}
			m := s.Point() // measuring needs memory, too
			keep := any(nil)
			if c.keep {
				keep = s.Checkpoint()
			}
			most = max(most, live()-before)
			runtime.KeepAlive(m)
			runtime.KeepAlive(keep)
		}
		if _, _, err := s.Train(t.Context()); err != nil {
			t.Fatal(name, err)
		}
		if !(need > 0.75*most && need < 4*most) {
			t.Errorf("%s: %.1f MB, estimated %.1f", name, most/1e6, need/1e6)
		}
	}
}

func TestMaxMemory(t *testing.T) {
	for _, c := range []struct {
		s             settings.Settings
		rows, classes int
		memory        int64
		want          string
	}{
		{settings.Settings{}, 24_000, 24_000, 0,
			"have 4294.97 MB left, but 24000 weight vectors of 2 features"},
		{settings.Settings{Order: order.IID, Average: settings.LastIterate}, 20_000, 20_000, 10e6,
			"have 10 MB left, but 20000 weight vectors"},
		{settings.Settings{Multiclass: settings.CrammerSinger}, 20_000, 20_000, 1e9, "20000 weight"},
		{settings.Settings{Finish: settings.FinishDual}, 600, 150, 21e5,
			`; with Multiclass "crammer-singer" `},
		{settings.Settings{Multiclass: settings.OneVsOne}, 600, 150, 3e6, `; with Multiclass "ovr" `},
		{settings.Settings{Bias: settings.BiasUnregularised, Multiclass: settings.CrammerSinger,
			Loss: "hinge"}, 600, 150, 1, "would take "},
		{settings.Settings{Multiclass: settings.CrammerSinger}, 600, 2, 18e3,
			" MB beside the data"},
	} {
		x, y := manyClasses(c.rows, 2, c.classes)
		c.s.Lambda = 0.1
		job := newJob(t, x, y, c.s)
		job.MaxMemory = c.memory
		before := allocated()
		_, err := engine.New(job)
		var bad options.Rule
		if !errors.As(err, &bad) || bad.Field != "MaxMemory" ||
			!strings.Contains(err.Error(), c.want) &&
				!(c.memory == 0 && strings.Contains(err.Error(), "the machine or control group has")) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
		if err != nil && c.classes == 2 && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("the error for two classes lists other schemes: %v", err)
		}
		if n := allocated() - before; n > 8<<20 {
			t.Errorf("%+v: New allocated %d bytes", c.s, n)
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestNoOtherSchemeForAnotherModel(t *testing.T) {
	x, y := manyClasses(600, 2, 150)
	job := newJob(t, x, y, settings.Settings{Lambda: 0.1, Multiclass: settings.OneVsOne})
	job.MaxMemory, job.Start = 3e6, new(engine.Point)
	_, err := engine.New(job)
	if err == nil || !strings.HasSuffix(err.Error(), " MB beside the data") {
		t.Errorf("with a start: %v", err)
	}
}

func TestLessMemory(t *testing.T) {
	few := sample.Random(76, 300, 400, 4, 1)
	job := newJob(t, few.Dense, few.Y, settings.Settings{Lambda: 0.1, Tol: 1e-3, Epochs: 10,
		Finish: settings.FinishNewton})
	job.Threads = 8
	s := newSession(t, job)
	if s.Newtons.MaxBuffers != 4 {
		t.Errorf("buffers for %d problems, want 4", s.Newtons.MaxBuffers)
	}
	want := digest(train(t, job))
	job.MaxMemory = int64(math.Ceil(s.Memory(2)))
	if s = newSession(t, job); s.Newtons.MaxBuffers != 2 {
		t.Errorf("buffers for %d problems, want 2", s.Newtons.MaxBuffers)
	}
	if digest(train(t, job)) != want {
		t.Error("another point with less memory")
	}
	job.Share = 3
	if _, err := engine.New(job); err == nil {
		t.Error("a third of the memory is not refused")
	}

	x, y := manyClasses(3000, 100, 2)
	job = newJob(t, x, y, settings.Settings{Lambda: 0.1, Epochs: 5, Seed: 7})
	copied := newSession(t, job)
	job.MaxMemory = int64(copied.Memory(1)) + 100_000
	sparing := newSession(t, job)
	if copied.Rows.NoCopies || !sparing.Rows.NoCopies || sparing.Runs[0].SetRows != nil ||
		copied.Runs[0].SetRows == nil {
		t.Errorf("NoCopies is %v with memory for copies, %v without; rows are copied: %v, %v",
			copied.Rows.NoCopies, sparing.Rows.NoCopies, copied.Runs[0].SetRows != nil,
			sparing.Runs[0].SetRows != nil)
	}
	job.MaxMemory = 0
	want = digest(train(t, job))
	job.MaxMemory = int64(copied.Memory(1)) + 100_000
	if digest(train(t, job)) != want {
		t.Error("another point without copies")
	}
}

func TestCopiesBeforeBuffers(t *testing.T) {
	defer func(old int) { store.MinCopySize = old }(store.MinCopySize)
	store.MinCopySize = 0
	data := sample.Random(76, 1000, 400, 4, 0.05)
	// By the estimates neither solver pays from the first step: the run begins with Pegasos steps, for
	// which rows are copied, and may switch to Newton's method.
	job := newJob(t, data.Sparse, data.Y, settings.Settings{Lambda: 1e-3, Tol: 0.01, Epochs: 3,
		Finish: settings.FinishAuto})
	job.Threads = 8
	s := newSession(t, job)
	need, buffers := s.Memory(1), s.Memory(2)-s.Memory(1)
	copies := s.Rows.Copies(false)
	for share, want := range map[float64]int{0.5: 1, 1.5: 2} {
		job.MaxMemory = int64(need + buffers + share*copies)
		s := newSession(t, job)
		if s.Rows.NoCopies || s.Runs[0].SetRows == nil || s.Newtons.MaxBuffers != want {
			t.Errorf("memory for %v of the copies: NoCopies %v, buffers for %d problems, want %d", share,
				s.Rows.NoCopies, s.Newtons.MaxBuffers, want)
		}
	}
}

func TestAutoMemory(t *testing.T) {
	data := sample.Random(75, 100, 900, 2, 0.1)
	job := newJob(t, data.Dense, data.Y, settings.Settings{Finish: settings.FinishAuto, Lambda: 0.1,
		Epochs: 3})
	for most, want := range map[int64]bool{0: true, 10e6: false} {
		job.MaxMemory = most
		if s := newSession(t, job); s.MayUseNewton() != want {
			t.Errorf("with a MaxMemory of %d, MayUseNewton returned %v", most, s.MayUseNewton())
		}
	}
	job.MaxMemory = 0
	job.Patience, job.Quality = 1, func(*engine.Point) float64 { return 0 }
	if newSession(t, job).MayUseNewton() {
		t.Error("MayUseNewton returned true with Patience")
	}
	wide := newJob(t, dense.New(2, newton.MaxColumns+1), []float32{1, 2},
		settings.Settings{Finish: settings.FinishAuto})
	if newSession(t, wide).MayUseNewton() {
		t.Error("MayUseNewton returned true with too many columns")
	}
}

func TestNeed(t *testing.T) {
	data := sample.Random(77, 300, 50, 4, 1)
	for _, s := range []settings.Settings{
		{}, {Finish: settings.FinishNewton}, {Finish: settings.FinishAuto},
		{Multiclass: settings.OneVsOne}, {Bias: settings.BiasAugmented, Finish: settings.FinishDual},
	} {
		s.Lambda = 0.1
		job := newJob(t, data.Dense, data.Y, s)
		session := newSession(t, job)
		session.Newtons.MaxKeptBytes = 0
		if have, want := engine.Need(job), session.Memory(1); have != want {
			t.Errorf("%+v: Need returned %v bytes, want %v", s, have, want)
		}
	}
}

func TestMemoryTerms(t *testing.T) {
	const rows, cols, classes = 400, 50, 4
	const vectors, visits = classes, classes * rows // one-vs-rest
	vector := 4 * float64(matrices.Stride(cols))    // bytes
	x, y := manyClasses(rows, cols, classes)
	memory := func(s settings.Settings, change func(*engine.Job)) float64 {
		job := newJob(t, x, y, s)
		if change != nil {
			change(&job)
		}
		session := newSession(t, job)
		return session.Memory(1)
	}
	joint := settings.Settings{Multiclass: settings.CrammerSinger}
	start := train(t, newJob(t, x, y, settings.Settings{Epochs: 1}))
	for name, c := range map[string]struct {
		from, s settings.Settings
		change  func(*engine.Job)
		want    float64
	}{
		"last iterate": {settings.Settings{}, settings.Settings{Average: settings.LastIterate}, nil,
			-2 * vectors * vector},
		"iid": {settings.Settings{}, settings.Settings{Order: order.IID}, nil, -8 * visits},
		"dual": {settings.Settings{}, settings.Settings{Finish: settings.FinishDual}, nil,
			vectors*vector + 16*visits + dual.FaceBytes(rows, cols)},
		"joint dual": {joint, settings.Settings{Multiclass: settings.CrammerSinger,
			Finish: settings.FinishDual}, nil, vectors*vector + 8*visits},
		"state": {settings.Settings{}, settings.Settings{},
			func(job *engine.Job) { job.KeepState = true }, 6*vectors*vector + 8*visits},
		"patience": {settings.Settings{}, settings.Settings{Patience: 1}, nil, vectors * vector},
		"prior": {settings.Settings{}, settings.Settings{},
			func(job *engine.Job) { job.Prior = start }, 8 * visits},
		"balanced": {settings.Settings{}, settings.Settings{ClassWeight: settings.Balanced}, nil,
			8 * rows},
		"weights": {settings.Settings{}, settings.Settings{}, func(job *engine.Job) {
			*job = weightedJob(t, x, y, slices.Repeat([]float32{2}, rows), job.Settings)
		}, 8 * rows},
		"two goroutines": {settings.Settings{}, settings.Settings{},
			func(job *engine.Job) { job.Threads = 2 }, 2 * vector},
		"many goroutines": {settings.Settings{}, settings.Settings{},
			func(job *engine.Job) { job.Threads = 9 }, 2 * (vectors - 1) * vector},
		// Each of 6 pairs visits 200 rows, half of all.
		"pairs": {settings.Settings{}, settings.Settings{Multiclass: settings.OneVsOne}, nil,
			2*(2048+6*vector) + (6*200-visits)*8 + (6*200-rows)*8 + 6*200*12 + 4*rows},
	} {
		if have := memory(c.s, c.change) - memory(c.from, nil); have != c.want {
			t.Errorf("%s: %v bytes more, want %v", name, have, c.want)
		}
	}
	// one vector, without a copy in a matrix
	x, y = manyClasses(rows, cols, 2)
	if have, want := memory(settings.Settings{}, nil), 2048+(2+2+2)*vector+(8+8+4)*rows; have != want {
		t.Errorf("one vector: %v bytes, want %v", have, want)
	}
	// Sums over many rows are computed in parts.
	x, y = manyClasses(100_000, 1, 2)
	one := memory(settings.Settings{}, nil)
	two := memory(settings.Settings{}, func(job *engine.Job) { job.Threads = 2 })
	if parts := newSession(t, newJob(t, x, y, settings.Settings{})).Rows.Parts(); parts < 3 ||
		two-one != 2*4*float64(matrices.Stride(1)) {
		t.Errorf("%d parts: a goroutine more takes %v bytes", parts, two-one)
	}
}

func TestCompact(t *testing.T) {
	defer func(same, bytes int) {
		store.MinConstantSize, store.MinPixelSize = same, bytes
	}(store.MinConstantSize, store.MinPixelSize)
	store.MinConstantSize, store.MinPixelSize = 0, 0
	p := sample.ZerosAndOnes(sample.Random(78, 90, 12, 3, 0.5))
	two := sample.ZerosAndOnes(sample.Random(79, 90, 12, 2, 0.5))
	_, sparse := store.Of(p.Sparse).CompactThreshold()
	_, dense := store.Of(p.Dense).CompactThreshold()
	few, many := int(math.Ceil(sparse)), int(math.Ceil(dense))
	if few < 1 || many < 3 {
		t.Fatalf("packing pays from %v visits on of sparse rows, %v of dense ones", sparse, dense)
	}
	for _, c := range []struct {
		x    store.Examples
		y    []float32
		s    settings.Settings
		want bool
	}{
		{two.Sparse, two.Y, settings.Settings{Epochs: few}, true},
		{two.Dense, two.Y, settings.Settings{Epochs: many}, true},
		{two.Dense, two.Y, settings.Settings{Epochs: many - 1}, false},
		{two.Dense, two.Y, settings.Settings{Epochs: many, Batch: 2}, false},
		{two.Dense, two.Y, settings.Settings{Epochs: many, Finish: settings.FinishNewton}, false},
		{two.Dense, two.Y, settings.Settings{Steps: int64(90 * many)}, true},
		{two.Dense, two.Y, settings.Settings{Steps: int64(90*many) - 1}, false},
		{p.Sparse, p.Y, settings.Settings{Epochs: few}, false}, // all classes visit a row at once
		{p.Sparse, p.Y, settings.Settings{Epochs: few, Multiclass: settings.CrammerSinger}, true},
		// A row is in two of three pairs.
		{p.Dense, p.Y, settings.Settings{Epochs: (many + 1) / 2, Multiclass: settings.OneVsOne}, true},
		{p.Dense, p.Y, settings.Settings{Epochs: (many+1)/2 - 1, Multiclass: settings.OneVsOne}, false},
		{p.Dense, p.Y, settings.Settings{Steps: int64(90*many+2) / 3, Multiclass: settings.OneVsOne},
			true},
		{p.Dense, p.Y, settings.Settings{Steps: int64(90*many)/3 - 1, Multiclass: settings.OneVsOne},
			false},
	} {
		c.s.Lambda = 0.1
		s := newSession(t, newJob(t, c.x, c.y, c.s))
		if have := s.Rows.Compacted != nil; have != c.want {
			t.Errorf("%T with %+v: packed: %v", c.x, c.s, have)
		}
	}
	store.MinPixelSize = store.Of(two.Dense).Size() + 1
	if newSession(
		t,
		newJob(t, two.Dense, two.Y, settings.Settings{Epochs: many}),
	).Rows.Compacted != nil {
		t.Error("rows of fewer than MinPixelSize bytes are packed")
	}
}
