package choose_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

func TestMulticlass(t *testing.T) {
	// If tight is a scheme, no run with it fits in memory; if it is "all", no run at all.
	for _, c := range []struct {
		rows, cols, classes int
		fill                float64
		loss, tight, want   string
	}{
		{210, 6, 3, 1, "", "", settings.OneVsOne},
		{209, 6, 3, 1, "", "", settings.CrammerSinger},
		{209, 6, 3, 1, "log", "", settings.Multinomial},
		{209, 6, 3, 1, "squared-hinge", "", settings.OneVsOne},
		{210, 6, 3, 1, "", settings.OneVsOne, settings.CrammerSinger},
		{209, 6, 3, 1, "", settings.CrammerSinger, settings.OneVsOne},
		{210, 6, 3, 1, "", "all", settings.OneVsOne},
		{140, 6, 2, 1, "", "", settings.OneVsRest},
		{600, 300, 3, 0.1, "", "", settings.OneVsOne},
		{597, 300, 3, 0.1, "", "", settings.CrammerSinger},
		{210, 300, 3, 0.5, "", "", settings.OneVsOne},
		{210, 256, 3, 0.1, "", "", settings.OneVsOne},
		{210, 257, 3, 0.1, "", "", settings.CrammerSinger},
		{200, 201, 200, 1, "squared-hinge", "", settings.OneVsOne},
		{200, 202, 200, 1, "squared-hinge", "", settings.OneVsRest},
		{2048, 1, 2048, 1, "squared-hinge", "", settings.OneVsOne},
		{2049, 1, 2049, 1, "squared-hinge", "", settings.OneVsRest},
	} {
		p := sample.Random(8, c.rows, c.cols, 2, c.fill)
		for i := range p.Y {
			p.Dense.Row(i)[i%c.cols] = 1 // few empty columns
			p.Y[i] = float32(i % c.classes)
		}
		open := choose.Open{Settings: settings.Settings{Loss: c.loss},
			Need: func(s settings.Settings, set *store.Set) float64 {
				if s.Multiclass == c.tight || c.tight == "all" {
					return 4<<30 + 1
				}
				return 4 << 30
			}}
		x := store.Examples(p.Dense)
		if c.fill < 1 {
			x = sample.ToSparse(p.Dense)
		}
		if have := settled(t, x, p.Y, store.SetOptions{}, open).Multiclass; have != c.want {
			t.Errorf("%+v: the scheme is %s", c, have)
		}
	}
	p := sample.Random(8, 300, 6, 3, 1)
	have := settled(t, p.Dense, p.Y, store.SetOptions{}, choose.Open{Costs: true})
	if have.Multiclass != settings.CrammerSinger {
		t.Errorf("with costs of mistakes: %s", have.Multiclass)
	}
	open := choose.Open{Settings: settings.Settings{Multiclass: settings.Multinomial}}
	if have := settled(t, p.Dense, p.Y, store.SetOptions{}, open); have.Loss != "log" {
		t.Errorf("multinomial with the loss %s", have.Loss)
	}
}

func TestEnd(t *testing.T) {
	two := unequalColumns(1, 300, 6, 2)
	large := sample.Random(6, 1500, 600, 2, 1)
	columns := func(cols int) *dense.Matrix { return sample.Random(6, 300, cols, 2, 1).Dense }
	for name, c := range map[string]struct {
		x    *dense.Matrix
		open choose.Open
		want settings.Settings // only Finish, Tol, Epochs and Steps are compared
	}{
		"nothing given": {two.Dense, choose.Open{},
			settings.Settings{Finish: "auto", Tol: 0.01, Epochs: 555}},
		"epochs": {two.Dense, choose.Open{Settings: settings.Settings{Epochs: 3}},
			settings.Settings{Epochs: 3}},
		"steps": {two.Dense, choose.Open{Settings: settings.Settings{Steps: 3}},
			settings.Settings{Steps: 3}},
		"tol": {two.Dense, choose.Open{Settings: settings.Settings{Tol: 0.3}},
			settings.Settings{Finish: "auto", Tol: 0.3, Epochs: 2000}},
		"tol and epochs": {two.Dense, choose.Open{Settings: settings.Settings{Tol: 0.3, Epochs: 9}},
			settings.Settings{Finish: "auto", Tol: 0.3, Epochs: 9}},
		"tol and batches": {two.Dense, choose.Open{Settings: settings.Settings{Tol: 0.3, Batch: 2}},
			settings.Settings{Tol: 0.3, Epochs: 2000}},
		"batches": {two.Dense, choose.Open{Settings: settings.Settings{Batch: 2}},
			settings.Settings{Finish: "none", Tol: 0.01, Epochs: 555}},
		"plain steps": {two.Dense, choose.Open{Settings: settings.Settings{Finish: "none"}},
			settings.Settings{Finish: "none", Tol: 0.01, Epochs: 555}},
		"dual": {two.Dense, choose.Open{Settings: settings.Settings{Finish: "dual"}},
			settings.Settings{Finish: "dual", Epochs: 555}},
		"newton": {two.Dense, choose.Open{Settings: settings.Settings{Finish: "newton"}},
			settings.Settings{Finish: "newton", Epochs: 200}},
		"patience": {two.Dense, choose.Open{Settings: settings.Settings{Patience: 2}},
			settings.Settings{Epochs: 555}},
		"iid": {two.Dense, choose.Open{Settings: settings.Settings{Order: "iid"}},
			settings.Settings{Epochs: 555}},
		"prior": {two.Dense, choose.Open{Prior: true},
			settings.Settings{Finish: "none", Tol: 0.01, Epochs: 555}},
		"start": {two.Dense, choose.Open{Start: true},
			settings.Settings{Finish: "auto", Tol: 0.01, Epochs: 555}},
		"resumed": {two.Dense, choose.Open{Resumed: true},
			settings.Settings{Finish: "none", Tol: 0.01, Epochs: 555}},
		"tolerant regression": {two.Dense,
			choose.Open{Settings: settings.Settings{Loss: "eps-insensitive"}},
			settings.Settings{Finish: "none", Tol: 0.01, Epochs: 555}},
		"least squares": {columns(256), choose.Open{Settings: settings.Settings{Loss: "squared"}},
			settings.Settings{Finish: "newton", Epochs: 200}},
		"least squares of many columns": {columns(257),
			choose.Open{Settings: settings.Settings{Loss: "squared"}},
			settings.Settings{Finish: "auto", Tol: 0.01, Epochs: 1083}},
		"least squares without memory": {columns(9),
			choose.Open{Settings: settings.Settings{Loss: "squared", Lambda: 1},
				Need: func(s settings.Settings, _ *store.Set) float64 {
					if s.Finish == settings.FinishNewton {
						return 5 << 30
					}
					return 0
				}},
			settings.Settings{Finish: "auto", Tol: 0.01, Epochs: 370}},
		"no memory for a proof": {two.Dense,
			choose.Open{Need: func(s settings.Settings, _ *store.Set) float64 {
				if s.Finish == settings.FinishAuto {
					return 5 << 30
				}
				return 0
			}},
			settings.Settings{Finish: "none", Tol: 0.01, Epochs: 555}},
		"costly proof": {large.Dense, choose.Open{Settings: settings.Settings{Lambda: 1e-9}},
			settings.Settings{Epochs: 20}},
		"more passes for a proof": {large.Dense, choose.Open{Settings: settings.Settings{Lambda: 0.25}},
			settings.Settings{Finish: "auto", Tol: 0.01, Epochs: 24}},
		"C": {large.Dense, choose.Open{Settings: settings.Settings{C: 1 / (0.25 * 1500)}},
			settings.Settings{Finish: "auto", Tol: 0.01, Epochs: 24}},
	} {
		y := two.Y
		if len(y) != c.x.Rows() {
			y = large.Y
		}
		have := ended(t, c.x, y, c.open).Settings
		if have.Finish != c.want.Finish || have.Tol != c.want.Tol || have.Epochs != c.want.Epochs ||
			have.Steps != c.want.Steps {
			t.Errorf("%s: finish %q, tol %v, %d epochs, %d steps", name, have.Finish, have.Tol,
				have.Epochs, have.Steps)
		}
		if have != have.Plain() {
			t.Errorf("%s: open settings are left in %+v", name, have)
		}
	}
	c := ended(t, large.Dense, large.Y, choose.Open{Settings: settings.Settings{Lambda: 1e-9}})
	if c.Scale.Note != "not up to a proof: tol 0.01 is estimated to take 0.032 s" {
		t.Errorf("the note is %q", c.Scale.Note)
	}
}

func TestEpochs(t *testing.T) {
	none := choose.Open{Settings: settings.Settings{Finish: settings.FinishNone}}
	for _, c := range []struct {
		x      store.Examples
		epochs int
		tol    float64
	}{
		{sample.Random(1, 40, 2, 2, 1).Dense, 2000, 0.01},
		{sample.Random(1, 1000, 10, 2, 1).Dense, 100, 0},
		{sample.Random(1, 990, 10, 2, 1).Dense, 101, 0.01},
		{sample.Random(1, 4000, 20, 2, 1).Dense, 20, 0},
		{words(2, 9000, 700, true).Sparse, 10, 0},
	} {
		have := ended(t, c.x, classes(c.x.Rows(), 2), none)
		if have.Epochs != c.epochs || have.Tol != c.tol {
			t.Errorf("%d rows of %d columns: %d epochs, tol %v, want %d, %v", c.x.Rows(), c.x.Cols(),
				have.Epochs, have.Tol, c.epochs, c.tol)
		}
	}
}

func TestPath(t *testing.T) {
	two := unequalColumns(1, 300, 6, 2)
	many := sample.Random(9, 4000, 12, 2, 1)
	for i := range many.Y {
		many.Y[i] = float32(i % 40)
	}
	of := func(rows, cols int) *dense.Matrix { return sample.Random(9, rows, cols, 2, 1).Dense }
	logistic := choose.Open{Settings: settings.Settings{Loss: "log"}}
	rest := choose.Open{Settings: settings.Settings{Multiclass: settings.OneVsRest}}
	for name, c := range map[string]struct {
		x             store.Examples
		y             []float32
		open          choose.Open
		lambdas, rows int // 0 for no search
	}{
		"small":      {two.Dense, two.Y, choose.Open{}, 6, 300},
		"39 rows":    {two.Dense.Take(upTo(39)), two.Y[:39], choose.Open{}, 0, 0},
		"40 rows":    {two.Dense.Take(upTo(40)), two.Y[:40], choose.Open{}, 6, 40},
		"larger":     {many.Dense, classes(4000, 2), choose.Open{}, 4, 4000},
		"10 classes": {of(400, 4), classes(400, 10), choose.Open{}, 6, 400},
		"few folds":  {of(2000, 12), classes(2000, 12), choose.Open{}, 3, 2000},
		"log":        {of(400, 4), classes(400, 10), logistic, 6, 400},
		"1000 rows":  {of(1000, 12), classes(1000, 5), choose.Open{}, 6, 1000},
		"5 classes":  {of(400, 40), classes(400, 5), choose.Open{}, 6, 400},
		"3 classes":  {of(400, 40), classes(400, 3), choose.Open{}, 6, 400},
		"rest":       {of(400, 40), classes(400, 3), rest, 5, 400},
		"40 classes": {many.Dense, many.Y, choose.Open{}, 0, 0},
		"lambda":     {two.Dense, two.Y, choose.Open{Settings: settings.Settings{Lambda: 0.1}}, 0, 0},
		"C":          {two.Dense, two.Y, choose.Open{Settings: settings.Settings{C: 1}}, 0, 0},
		"resumed":    {two.Dense, two.Y, choose.Open{Resumed: true}, 0, 0},
		"start":      {two.Dense, two.Y, choose.Open{Start: true}, 0, 0},
		"prior":      {two.Dense, two.Y, choose.Open{Prior: true}, 0, 0},
		"costs":      {two.Dense, two.Y, choose.Open{Costs: true}, 0, 0},
		"user rows":  {sample.UserRows(two.Dense), two.Y, choose.Open{}, 0, 0},
		"zeros":      {dense.New(60, 3), classes(60, 2), choose.Open{}, 0, 0},
		"no memory": {two.Dense, two.Y, choose.Open{
			Need: func(s settings.Settings, _ *store.Set) float64 {
				if s.Finish == settings.FinishAuto && s.Tol == 0.05 {
					return 5 << 30
				}
				return 0
			}}, 0, 0},
	} {
		rule := settled(t, c.x, c.y, store.SetOptions{}, c.open)
		search := rule.Search()
		if search == nil {
			if c.lambdas > 0 {
				t.Errorf("%s: no search", name)
			}
			continue
		}
		p, folds := search.Paths[0], choose.Parts
		if name == "few folds" {
			folds = 2 // the budget is too small for more with 66 pairs
		}
		switch {
		case len(p.Lambdas) != c.lambdas || search.Folds != folds || search.Rows != c.rows ||
			search.Tol != 0.05:
			t.Errorf("%s: %d lambdas by %d folds of %d rows, %d choices, tol %v", name, len(p.Lambdas),
				search.Folds, search.Rows, len(search.Choices), search.Tol)
		case p.Rule != 1 || p.Lambdas[1] != rule.Lambda || p.Lambdas[0] != 10*rule.Lambda ||
			p.Lambdas[2] != 0.1*rule.Lambda:
			t.Errorf("%s: the lambdas are %v, the rule's is %v", name, p.Lambdas, rule.Lambda)
		}
	}
}

func classes(n, k int) []float32 {
	y := make([]float32, n)
	for i := range y {
		y[i] = float32(i % k)
	}
	return y
}

func upTo(n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

func TestUse(t *testing.T) {
	p := unequalColumns(1, 300, 6, 2)
	y := slices.Clone(p.Y)
	for i := range y {
		y[i] += float32(i%7) / 9
	}
	for at, moved := range []bool{true, false} {
		c := settled(t, p.Dense, y, store.SetOptions{},
			choose.Open{Settings: settings.Settings{Loss: "eps-insensitive", Curves: "none"}})
		search := c.Search()
		path := search.Paths[0]
		c.Scale.Note = "before"
		want := "before; chosen by 5 folds: lambda of 6 values"
		if at == 1 {
			search.Rows = 100
			want = "before; chosen by 5 folds of about 100 rows in all: lambda of 6 values"
		}
		c.Use(search, path.Lambdas[at])
		c.End()
		// An eps-insensitive run gets a solver only if Use changed its lambda.
		if c.Lambda != path.Lambdas[at] || c.Scale.Note != want ||
			(c.Finish == settings.FinishAuto) != moved {
			t.Errorf("lambda %d: %v, %q, finish %q", at, c.Lambda, c.Scale.Note, c.Finish)
		}
	}
}

func TestScaleKinds(t *testing.T) {
	two := unequalColumns(1, 300, 6, 2)
	unit, counts := words(4, 400, 700, true), words(5, 400, 700, false)
	long := counts.Dense.Take(upTo(400))
	for i := range 4 {
		dense.Scale(1000, long.Row(100*i))
	}
	images := sample.Random(6, 200, 300, 2, 1)
	tiny := images.Dense.Take(upTo(200))
	for i := range 200 {
		dense.Scale(0x1p-70, tiny.Row(i))
	}
	const leftOut = ": scaling (standard) was left out"
	for name, c := range map[string]struct {
		x     store.Examples
		max   int64
		scale scale.Kind
		note  string
	}{
		"unequal columns":        {two.Dense, 0, "standard", ""},
		"unequal sparse columns": {two.Sparse, 0, "standard", ""},
		"words of length 1":      {unit.Sparse, 0, "none", ""},
		"words, held dense":      {unit.Dense, 0, "none", ""},
		"rows of unequal length": {long, 0, "unit", ""},
		"images":                 {images.Dense, 0, "none", ""},
		"tiny images":            {tiny, 0, "max-abs", ""},
		"zeros":                  {dense.New(400, 3), 0, "none", ""},
		"user rows": {sample.UserRows(two.Dense), 0, "none",
			"rows of a user-defined type, which are not copied" + leftOut},
		"half of the memory": {two.Dense, 2 * 4 * 300 * 6, "standard", ""},
		"too little memory": {two.Dense, 2*4*300*6 - 2, "none",
			"a copy of the rows would take more than 0.007199 MB, half of the memory limit" + leftOut},
	} {
		y := append(slices.Clone(two.Y), two.Y...)[:c.x.Rows()]
		have := settled(t, c.x, y, store.SetOptions{}, choose.Open{MaxMemory: c.max})
		if have.Open.Scale != c.scale || have.Scale.Kind != c.scale || have.Scale.Note != c.note {
			t.Errorf("%s: %s, %q, want %s, %q", name, have.Open.Scale, have.Scale.Note, c.scale,
				c.note)
		}
		if c.max > 0 && c.scale != "none" && have.MaxMemory != c.max-4*300*6 {
			t.Errorf("%s: %d bytes are left of %d", name, have.MaxMemory, c.max)
		}
	}
}

// mapped returns x as a lazy matrix, as if mapped from a file.
func mapped(t *testing.T, x *sparse.Matrix) *sparse.Matrix {
	t.Helper()
	starts, indices, values := []int64{0}, []int32{}, []float32{}
	for i := range x.Rows() {
		index, value := x.Row(i)
		indices, values = append(indices, index...), append(values, value...)
		starts = append(starts, int64(len(indices)))
	}
	lazy, err := matrices.Lazy(x.Cols(), starts, indices, values, matrices.Check{
		Verify: func(int, int) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return (*sparse.Matrix)(lazy)
}

func TestScaleGrowth(t *testing.T) {
	for _, c := range []struct {
		nonzeros, cols int // nonzeros of all 16 rows, and columns
		want           scale.Kind
	}{
		{16, 8, "standard"}, {15, 8, "max-abs"},
		{16, 8 + 1<<14, "standard"}, {16, 9 + 1<<14, "max-abs"},
	} {
		x := dense.New(16, c.cols)
		for i := range c.nonzeros {
			x.Row(i)[i%8] = float32(1 + 99*(i%2))
		}
		sparseRows := sample.ToSparse(x)
		for name, x := range map[string]store.Examples{"in memory": sparseRows,
			"mapped": mapped(t, sparseRows)} {
			have := settled(t, x, classes(16, 2), store.SetOptions{}, choose.Open{})
			if have.Open.Scale != c.want {
				t.Errorf("%+v, %s: the scale is %s", c, name, have.Open.Scale)
			}
		}
	}
}

func TestScaleLengths(t *testing.T) {
	for _, c := range []struct {
		first float32 // value of the first row's first column; 1 in similar rows
		want  scale.Kind
	}{
		{1, "none"}, {0.996, "none"}, {0.99, "max-abs"},
	} {
		x := dense.New(300, 300)
		for i := range 300 {
			x.Row(i)[i%150] = 1
			x.Row(i)[150+i%150] = 0.01
		}
		x.Row(0)[0] = c.first
		have := settled(t, sample.ToSparse(x), classes(300, 2), store.SetOptions{}, choose.Open{})
		if have.Open.Scale != c.want {
			t.Errorf("first value %v: %s, want %s", c.first, have.Open.Scale, c.want)
		}
	}
}

func TestScaleLargest(t *testing.T) {
	// 4095^2 + 90^2 + 9^2 + 3^2 is 2^24 - 1. With all values times 2^52 it is math.MaxFloat32.
	for last, want := range map[float32]scale.Kind{3: "none", 4: "max-abs"} {
		x := dense.New(400, 400)
		for i := range 400 {
			for k, v := range []float32{4095, 90, 9, last} {
				x.Row(i)[(i+k)%400] = v * 0x1p52
			}
		}
		have := settled(t, sample.ToSparse(x), classes(400, 2), store.SetOptions{}, choose.Open{})
		if have.Open.Scale != want {
			t.Errorf("last value %v: %s, want %s", last, have.Open.Scale, want)
		}
	}
}

func TestMemoryForCopies(t *testing.T) {
	p := sample.Random(3, 100, 10, 2, 0.2)
	nonzeros := 0
	for i := range 100 {
		for _, v := range p.Dense.Row(i) {
			if v != 0 {
				nonzeros++
			}
		}
	}
	for _, c := range []struct {
		x     store.Examples
		scale scale.Kind
		bytes int
	}{
		{p.Dense, "standard", 4000}, {p.Dense, "unit", 4000}, {p.Sparse, "standard", 4000},
		{p.Sparse, "max-abs", 8*nonzeros + 800}, {p.Sparse, "unit", 8*nonzeros + 800},
	} {
		open := choose.Open{Settings: settings.Settings{Scale: c.scale}}
		open.MaxMemory = int64(c.bytes)
		_, err := tryRows(t, c.x, p.Y, store.SetOptions{}, open)
		var rule options.Rule
		if !errors.As(err, &rule) || rule.Field != "MaxMemory" ||
			!strings.Contains(rule.Reason, "0.00") && !strings.Contains(rule.Reason, "0 MB") {
			t.Errorf("%s of %T: %v", c.scale, c.x, err)
		}
		const advice = `: Scale "none" makes no copy`
		curved := open
		curved.Curves = "products"
		_, refused := tryRows(t, c.x, p.Y, store.SetOptions{}, curved)
		if !strings.HasSuffix(rule.Reason, advice) || !errors.As(refused, &rule) ||
			rule.Field != "MaxMemory" || strings.Contains(rule.Reason, advice) {
			t.Errorf("%s of %T: %v; with curves: %v", c.scale, c.x, err, refused)
		}
		open.MaxMemory++
		if have, err := tryRows(t, c.x, p.Y, store.SetOptions{}, open); err != nil ||
			have.MaxMemory != 1 {
			t.Errorf("%s of %T: %v", c.scale, c.x, err)
		}
		open.MaxMemory, options.Allowed = 0, int64(c.bytes) // as programs may set it
		_, err = tryRows(t, c.x, p.Y, store.SetOptions{}, open)
		if options.Allowed = options.DefaultMaxMemory; err == nil {
			t.Errorf("%s of %T: a copy above the memory allowed without MaxMemory", c.scale, c.x)
		}
	}
}

func TestKnownScale(t *testing.T) {
	p := unequalColumns(1, 300, 6, 2)
	known := &scale.Scale{Kind: "max-abs", Folded: true, Factor: []float32{2, 3, 4, 5},
		Note: "an older note"}
	open := choose.Open{Settings: settings.Settings{Scale: "max-abs"}, Known: known}
	c := settled(t, p.Dense, p.Y, store.SetOptions{}, open)
	if want := []float32{2, 3, 4, 5, 1, 1}; !slices.Equal(c.Scale.Factor, want) ||
		c.Scale.Note != "" || len(known.Factor) != 4 {
		t.Errorf("the known scale became %+v", c.Scale)
	}
	open.Resumed = true
	if c := settled(t, p.Dense, p.Y, store.SetOptions{}, open); c.Scale.Note != known.Note {
		t.Errorf("resumed: the note is %q, want %q", c.Scale.Note, known.Note)
	}
	open.Resumed = false
	open.Scale = "unit"
	if c := settled(t, p.Dense, p.Y, store.SetOptions{}, open); c.Scale.Kind != "unit" {
		t.Errorf("the scale is %+v, want the kind unit", c.Scale)
	}
}

func TestFits(t *testing.T) {
	p := unequalColumns(1, 300, 6, 2)
	y := make([]float32, 300)
	for i := range y {
		y[i] = 10 + float32(i%5)
	}
	never := func() bool { return false }
	for _, loss := range []string{"", "squared"} {
		set := newSet(t, p.Dense, y, loss, store.SetOptions{})
		for _, kind := range []scale.Kind{"none", "standard", "max-abs", "unit"} {
			c := settled(t, p.Dense, y, store.SetOptions{},
				choose.Open{Settings: settings.Settings{Loss: loss, Scale: kind}})
			s := *c.Scale
			if fits, err := choose.Fits(&s, set, nil, 1, never); !fits || err != nil {
				t.Errorf("%s, %q: Fits returned %v, %v", kind, loss, fits, err)
			}
			if s.Factor != nil {
				s.Factor = slices.Clone(s.Factor)
				s.Factor[2] *= 2
			} else {
				s.Folded = !s.Folded
			}
			if fits, err := choose.Fits(&s, set, nil, 1, never); fits || err != nil {
				t.Errorf("%s, %q, changed: Fits returned %v, %v", kind, loss, fits, err)
			}
			if loss == "" {
				continue
			}
			for _, change := range []func(*scale.Scale){
				func(s *scale.Scale) { s.Centre++ }, func(s *scale.Scale) { s.Spread *= 2 },
			} {
				s := *c.Scale
				change(&s)
				if fits, err := choose.Fits(&s, set, nil, 1, never); fits || err != nil {
					t.Errorf("%s, targets, changed: Fits returned %v, %v", kind, fits, err)
				}
			}
		}
	}
	p.Dense.Row(3)[1] = float32(math.NaN())
	set := newSet(t, p.Dense, y, "", store.SetOptions{})
	if _, err := choose.Fits(&scale.Scale{Kind: "max-abs"}, set, nil, 1, never); err == nil {
		t.Error("a row with NaN is no error")
	}
}

func TestFitsCurves(t *testing.T) {
	p := unequalColumns(1, 300, 6, 2)
	set := newSet(t, p.Dense, p.Y, "", store.SetOptions{})
	never := func() bool { return false }
	for _, kind := range []curves.Kind{curves.Products, curves.Pieces} {
		s := *settled(t, p.Dense, p.Y, store.SetOptions{}, choose.Open{
			Settings: settings.Settings{Scale: "standard"}}).Scale
		x := s.Rows(set.X, 1, never)
		s.Folded = false
		for name, c := range map[string]struct {
			trained, verified []int
			change            func(*curves.Expansion)
			want              bool
		}{
			"same":        {want: true},
			"some":        {trained: []int{1, 3, 4}, verified: []int{1, 3, 4}, want: true},
			"fewer":       {trained: []int{1, 3, 4}},
			"more":        {verified: []int{1, 3, 4}},
			"none":        {verified: []int{}},
			"a term less": {change: func(e *curves.Expansion) { e.Terms = e.Terms[1:] }},
			"another knot or term": {change: func(e *curves.Expansion) {
				if e.Terms[0][0]++; e.Knots != nil {
					e.Terms[0][0]--
					e.Knots[0] -= 0.01
				}
			}},
		} {
			e := scale.Terms(kind, x, c.trained, nil, never)
			if c.change != nil {
				if c.change(e); e.Knots != nil {
					e.Knots = e.Knots[:len(e.Terms)]
				}
			}
			s.Expansion = scale.FitTerms(e, x, nil, 1, never)
			if fits, err := choose.Fits(&s, set, c.verified, 1, never); fits != c.want || err != nil {
				t.Errorf("%s, %s: Fits returned %v, %v", kind, name, fits, err)
			}
		}
	}
}

func TestTargets(t *testing.T) {
	p := sample.Random(3, 4, 2, 2, 1)
	y := []float32{1, 3, 1, 3} // mean 2, deviation 1
	times := func(a float32) []float32 {
		return []float32{y[0] * a, y[1] * a, y[2] * a, y[3] * a}
	}
	for name, c := range map[string]struct {
		y                          []float32
		s                          settings.Settings
		known                      *scale.Scale
		center, deviation, epsilon float64 // wanted Centre, Spread and RawEpsilon
		run                        float64 // wanted epsilon for the scaled targets
	}{
		"scaled":  {times(4), settings.Settings{Loss: "eps-insensitive"}, nil, 8, 4, 0.4, 0.1},
		"epsilon": {times(4), settings.Settings{Loss: "eps-insensitive", Epsilon: 2}, nil, 8, 4, 2, 0.5},
		"squared": {times(4), settings.Settings{Loss: "squared"}, nil, 8, 4, 0, 0},
		"equal":   {[]float32{5, 5, 5, 5}, settings.Settings{Loss: "squared"}, nil, 5, 1, 0, 0},
		"unscaled": {times(4), settings.Settings{Loss: "eps-insensitive", TargetScale: "none"}, nil,
			0, 0, 0, 0},
		"classes": {y, settings.Settings{}, nil, 0, 0, 0, 0},
		"known": {times(4), settings.Settings{Loss: "squared", Scale: "none"},
			&scale.Scale{Kind: "none", Centre: 1, Spread: 2}, 1, 2, 0, 0},
		"known, unscaled": {times(4), settings.Settings{Loss: "squared", Scale: "none",
			TargetScale: "none"}, &scale.Scale{Kind: "none", Centre: 1, Spread: 2}, 0, 0, 0, 0},
	} {
		have := settled(t, p.Dense, c.y, store.SetOptions{}, choose.Open{Settings: c.s, Known: c.known})
		s := have.Scale
		if s.Centre != c.center || s.Spread != c.deviation || have.RawEpsilon != c.epsilon ||
			have.Epsilon != c.run {
			t.Errorf("%s: center %v, deviation %v, epsilon %v, of the run %v", name, s.Centre,
				s.Spread, have.RawEpsilon, have.Epsilon)
		}
		if want := (float64(c.y[0]) - s.Centre) / s.TargetUnit(); float64(have.Rows.Y[0]) != want {
			t.Errorf("%s: target %v, want %v", name, have.Rows.Y[0], want)
		}
	}
	tiny := &scale.Scale{Kind: "none", Spread: 1e-39}
	_, err := tryRows(t, p.Dense, y, store.SetOptions{}, choose.Open{Known: tiny,
		Settings: settings.Settings{Loss: "squared", Scale: "none"}})
	var row *store.RowError
	if !errors.As(err, &row) || row.Row != 0 {
		t.Errorf("targets beyond float32: %v", err)
	}
}

func TestWeights(t *testing.T) {
	p := unequalColumns(9, 300, 5, 2)
	weights := make([]float32, 300)
	for i := range 200 {
		weights[i] = 1 + float32(i%4)
	}
	have := settled(t, p.Dense, p.Y, store.SetOptions{Weights: weights}, choose.Open{})
	want := settled(t, p.Dense.Take(upTo(200)), p.Y[:200], store.SetOptions{}, choose.Open{})
	if !have.Scale.Same(want.Scale) || have.Scale.R2 != want.Scale.R2 || have.Lambda != want.Lambda ||
		have.Settings != want.Settings {
		t.Errorf("rows of weight 0, or the size of weights, count: %+v, want %+v", have.Settings,
			want.Settings)
	}
	set := newSet(t, p.Dense, p.Y, "", store.SetOptions{Weights: weights})
	if shares := choose.Shares(set); len(shares) != 2 || shares[0]+shares[1] != 1 ||
		shares[0] != float64(set.CountClasses()[0])/200 {
		t.Errorf("the classes' shares are %v", shares)
	}
	stopped := choose.Open{Threads: 1, Stopped: func() bool { return true }}
	if c, err := choose.Settings(stopped, set); c != nil {
		t.Errorf("%v, %v once it is stopped", c, err)
	}
	p.Dense.Row(7)[2] = float32(math.NaN())
	var row *store.RowError
	if _, err := tryRows(t, p.Dense, p.Y, store.SetOptions{}, choose.Open{}); !errors.As(err, &row) ||
		row.Row != 7 {
		t.Error(err)
	}
}

// A few empty columns change no choice, except for roundings of lambda and BiasScale.
func TestEmptyColumns(t *testing.T) {
	for seed := range uint64(60) {
		g := rand.New(rand.NewPCG(seed, 39))
		n, cols := 60+g.IntN(200), 2+g.IntN(40)
		p := sample.Random(seed, n, cols, 2+g.IntN(3), 0.05+0.95*g.Float64())
		for j := range cols {
			unit := float32(math.Pow(10, 2*g.Float64()))
			for i := range n {
				p.Dense.Row(i)[j] *= unit
			}
		}
		wide := dense.New(n, cols+1+g.IntN(60))
		for i := range n {
			copy(wide.Row(i), p.Dense.Row(i))
		}
		for _, held := range [][2]store.Examples{{p.Dense, wide},
			{sample.ToSparse(p.Dense), sample.ToSparse(wide)}} {
			want := settled(t, held[0], p.Y, store.SetOptions{}, choose.Open{})
			have := settled(t, held[1], p.Y, store.SetOptions{}, choose.Open{})
			same := func(what string) {
				a, b := have.Settings, want.Settings
				if !near(a.Lambda, b.Lambda) || !near(a.BiasScale, b.BiasScale) {
					t.Errorf("seed %d, %T: %+v, want %+v", seed, held[0], a, b)
				}
				a.Lambda, a.BiasScale = b.Lambda, b.BiasScale
				if a != b || have.Scale.Kind != want.Scale.Kind || have.Cols() != want.Cols() {
					t.Errorf("seed %d, %T, %d columns, %d with empty ones, %s: %+v, want %+v", seed,
						held[0], cols, wide.Cols(), what, a, b)
				}
			}
			same("before the path")
			a, b := have.Search(), want.Search()
			if (a == nil) != (b == nil) || a != nil && (len(a.Paths) != len(b.Paths) ||
				len(a.Paths[0].Lambdas) != len(b.Paths[0].Lambdas) || a.Rows != b.Rows) {
				t.Errorf("seed %d, %T: the path is %+v, want %+v", seed, held[0], a, b)
			}
			have.End()
			want.End()
			same("at the end")
		}
	}
}

// The rules for Multiclass hold for a scheme that the costs require, too.
func TestCosts(t *testing.T) {
	p := sample.Random(2, 60, 3, 3, 1)
	for field, s := range map[string]settings.Settings{
		"":           {},
		"Finish":     {Finish: settings.FinishNewton},
		"Multiclass": {Loss: "log"},
		"Tol":        {Tol: 0.1, Bias: settings.BiasUnregularised},
	} {
		c, err := tryRows(t, p.Dense, p.Y, store.SetOptions{}, choose.Open{Settings: s, Costs: true})
		var rule options.Rule
		if field == "" && (err != nil || c.Multiclass != settings.CrammerSinger) ||
			field != "" && (!errors.As(err, &rule) || rule.Field != "Costs" ||
				!strings.Contains(rule.Reason, `; `+field+": ")) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// Rule 2 of docs/spec.md chooses standard, so the constant columns are known, although rows of a
// user-defined type then stay unscaled.
func TestConstantColumnsOfUserRows(t *testing.T) {
	const rows, cols, constant = 5000, 600, 200
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		y[i] = float32(i % 2)
		for j, row := 0, x.Row(i); j < cols; j++ {
			if row[j] = 1; j >= constant {
				row[j] = float32(math.Pow(10, float64(j%3)) * math.Sin(float64(i*cols+j)))
			}
		}
	}
	c := settled(t, sample.UserRows(x), y, store.SetOptions{}, choose.Open{})
	want := 1e-4 * 10 * (cols - constant) / rows * c.Scale.R2
	if c.Scale.Kind != scale.None || math.Abs(c.Lambda/want-1) > 1e-12 {
		t.Errorf("%s, lambda %v, want %v", c.Scale.Kind, c.Lambda, want)
	}
}
