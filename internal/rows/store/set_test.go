package store_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

func column(values ...float32) *dense.Matrix {
	x, err := dense.FromSlice(len(values), 1, values)
	if err != nil {
		panic(err)
	}
	return x
}

func newSet(t *testing.T, x store.Examples, y []float32, o store.SetOptions) *store.Set {
	t.Helper()
	s, err := store.NewSet(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNew(t *testing.T) {
	x, y := column(1, 2, 3, 4, 5), []float32{7, 3, 7, 9, 3}
	s := newSet(t, x, y, store.SetOptions{Weights: []float32{1, 2, 0.5, 0, 0},
		ByLabel: map[float32]float64{7: 4, 3: 0.25}})
	if !slices.Equal(s.Classes, []float32{3, 7}) || !slices.Equal(s.Class, []int32{1, 0, 1, -1, 0}) ||
		!slices.Equal(s.Weight, []float64{4, 0.5, 2, 0, 0}) {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(s.Counted(), []uint32{0, 1, 2}) || s.Total() != 6.5 ||
		!slices.Equal(s.CountClasses(), []int{1, 2}) {
		t.Errorf("counted rows %v, total weight %v, rows by class %v", s.Counted(), s.Total(),
			s.CountClasses())
	}
	plain := newSet(t, x, y, store.SetOptions{Known: []float32{3, 7, 8, 9}})
	if plain.Weight != nil || plain.Counted() != nil || plain.Total() != 5 ||
		!slices.Equal(plain.Class, []int32{1, 0, 1, 3, 0}) ||
		!slices.Equal(plain.CountClasses(), []int{2, 2, 0, 1}) {
		t.Errorf("%+v", plain)
	}
	if numbers := newSet(t, x, y, store.SetOptions{Regression: true}); numbers.Classes != nil {
		t.Errorf("%+v", numbers)
	}
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		y []float32
		o store.SetOptions
	}{
		"labels":         {y[:4], store.SetOptions{}},
		"weights":        {y, store.SetOptions{Weights: y[:4]}},
		"weight":         {y, store.SetOptions{Weights: []float32{1, 1, -1, 1, 1}}},
		"no weight":      {y, store.SetOptions{Weights: make([]float32, 5)}},
		"label":          {y, store.SetOptions{ByLabel: map[float32]float64{8: 1}}},
		"class":          {y, store.SetOptions{Known: []float32{3, 7}}},
		"NaN":            {[]float32{1, 2, nan, 2, 1}, store.SetOptions{}},
		"NaN to predict": {[]float32{1, 2, nan, 2, 1}, store.SetOptions{Regression: true}},
	} {
		if _, err := store.NewSet(x, c.y, c.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, err := store.NewSet(x, y, store.SetOptions{Weights: []float32{1, 1, -1, 1, 1}})
	var row *store.RowError
	if !errors.As(err, &row) || row.Row != 2 || row.Error() != "row 2: "+row.Reason || row.Scale {
		t.Error(err)
	}
	_, err = store.NewSet(x, y, store.SetOptions{ByLabel: map[float32]float64{8: 1}})
	if unused, ok := err.(labels.Unused); !ok || unused != 8 {
		t.Error(err)
	}
}

func TestTake(t *testing.T) {
	x, y := column(1, 2, 3, 4), []float32{5, 6, 5, 6}
	for _, copies := range []bool{true, false} {
		s := newSet(t, x, y, store.SetOptions{Weights: []float32{1, 2, 3, 4}})
		s = s.Subset([]uint32{3, 0}, copies)
		if s.X.Rows() != 2 || s.X.Dot(0, []float32{1}) != 4 || s.X.Dot(1, []float32{1}) != 1 ||
			!slices.Equal(s.Y, []float32{6, 5}) || !slices.Equal(s.Weight, []float64{4, 1}) ||
			!slices.Equal(s.Class, []int32{1, 0}) || len(s.Classes) != 2 {
			t.Errorf("copies %v: %+v", copies, s)
		}
	}
}

func TestMeasure(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name, c := range map[string]struct {
		values []float32
		row    int // -1 if there is none
		scale  bool
	}{
		"usual":            {[]float32{1, -2, 3}, -1, false},
		"zeros":            {[]float32{0, 0, 0}, -1, false},
		"NaN":              {[]float32{1, nan, 3}, 1, false},
		"infinite":         {[]float32{1, 2, -inf}, 2, false},
		"too large":        {[]float32{1, -1e20, 3}, 1, true},
		"largest":          {[]float32{1, 2, math.MaxFloat32}, 2, true},
		"too small":        {[]float32{0, 1e-22, -1e-30}, 1, true},
		"smallest":         {[]float32{0, 0, 0x1p-149}, 2, true},
		"just large":       {[]float32{0x1p-60, 0x1p-60, 0x1p-60}, -1, false},
		"just too small":   {[]float32{0x1p-60, 0x1p-60, 0x1.ffp-61}, 0, true},
		"small and larger": {[]float32{0, 1e-22, 1}, -1, false},
	} {
		s := newSet(t, column(c.values...), []float32{0, 1, 1}, store.SetOptions{})
		err := s.Measure()
		var row *store.RowError
		if c.row < 0 {
			if err != nil || s.Norms[1] != c.values[1]*c.values[1] {
				t.Errorf("%s: %v, norms %v", name, err, s.Norms)
			}
		} else if !errors.As(err, &row) || row.Row != c.row || row.Scale != c.scale {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestView(t *testing.T) {
	x, y := column(1, 2, 3, 4, 5, 6), []float32{0, 1, 0, 2, 1, 0}
	view := func(weights []float32, pair []int32, balanced bool) (*store.View, float64) {
		t.Helper()
		s := newSet(t, x, y, store.SetOptions{Weights: weights})
		if err := s.Measure(); err != nil {
			t.Fatal(err)
		}
		v, sum, err := s.View(pair, balanced)
		if err != nil {
			t.Fatal(err)
		}
		return &v, sum
	}
	for name, c := range map[string]struct {
		weights  []float32
		pair     []int32
		balanced bool
		values   []float32 // of the view's rows
		want     []float64 // weights of the view's rows; nil if all are 1
		sum      float64
	}{
		"plain": {nil, nil, false, []float32{1, 2, 3, 4, 5, 6}, nil, 0},
		"equal weights": {[]float32{2, 2, 2, 2, 2, 2}, nil, false, []float32{1, 2, 3, 4, 5, 6},
			nil, 12},
		"weights": {[]float32{1, 2, 3, 0, 2, 0}, nil, false, []float32{1, 2, 3, 5},
			[]float64{0.5, 1, 1.5, 1}, 8},
		"pair": {nil, []int32{1, 2}, false, []float32{2, 4, 5}, nil, 0},
		"pair, weights": {[]float32{1, 2, 3, 3, 0, 3}, []int32{0, 1}, false, []float32{1, 2, 3, 6},
			[]float64{4. / 9, 8. / 9, 12. / 9, 12. / 9}, 9},
		"balanced": {nil, nil, true, []float32{1, 2, 3, 4, 5, 6},
			[]float64{2. / 3, 1, 2. / 3, 2, 1, 2. / 3}, 6},
		"pair, balanced": {nil, []int32{0, 1}, true, []float32{1, 2, 3, 5, 6},
			[]float64{5. / 6, 5. / 4, 5. / 6, 5. / 4, 5. / 6}, 5},
		"two of three": {[]float32{1, 2, 1, 0, 2, 2}, nil, true, []float32{1, 2, 3, 5, 6},
			[]float64{5. / 8, 5. / 4, 5. / 8, 5. / 4, 5. / 4}, 8},
	} {
		v, sum := view(c.weights, c.pair, c.balanced)
		if math.Abs(sum-c.sum) > 1e-12 || v.Count() != len(c.values) {
			t.Errorf("%s: sum %v of %d rows", name, sum, v.Count())
			continue
		}
		for j, i := range v.All() {
			value := v.X.Dot(i, []float32{1})
			if i != v.Row(j) || value != c.values[j] || x.Row(v.SetRow(uint32(i)))[0] != value ||
				v.Norms[i] != value*value || y[v.SetRow(uint32(i))] != float32(v.Class[i]) {
				t.Errorf("%s: row %d is %v", name, j, value)
			}
			want := 1.0
			if c.want != nil {
				want = c.want[j]
			}
			if math.Abs(v.RowWeight(i)-want) > 1e-12 || (v.Weight != nil) != (c.want != nil) {
				t.Errorf("%s: row %d weighs %v, want %v", name, j, v.RowWeight(i), want)
			}
		}
	}
	s := newSet(t, x, y, store.SetOptions{Regression: true})
	if v, _, err := s.View(nil, false); err != nil || &v.Target[0] != &y[0] || v.Class != nil {
		t.Errorf("%+v, %v", v, err)
	}
	s = newSet(t, x, y, store.SetOptions{Weights: []float32{1, 1e15, 1e-15, 1, 1, 1},
		ByLabel: map[float32]float64{0: 1e-15, 1: 1e15}})
	var row *store.RowError
	if _, sum, err := s.View(nil, false); !errors.As(err, &row) || row.Row != 2 || sum != 0 {
		t.Errorf("a weight too far below the mean: sum %v, %v", sum, err)
	}
}

func many() (*dense.Matrix, []float32) {
	p := sample.Random(3, 1000, 4, 3, 1)
	return p.Dense, p.Y
}

func TestShuffle(t *testing.T) {
	defer func(old int) { store.MinCopySize = old }(store.MinCopySize)
	x, y := many()
	weights := make([]float32, len(y))
	for i := range weights {
		weights[i] = float32(i % 3)
	}
	var first []int
	for name, c := range map[string]struct {
		from    int
		sparing bool
		visits  store.Visits
		copied  bool
	}{
		"small":     {math.MaxInt, false, store.Visits{Total: 3001, Epoch: 1000}, false},
		"large":     {16 * 1000, false, store.Visits{Total: 3001, Epoch: 1000}, true},
		"smaller":   {16*1000 + 1, false, store.Visits{Total: 3001, Epoch: 1000}, false},
		"1 epoch":   {0, false, store.Visits{Total: 1000, Epoch: 1000}, false},
		"1+ epochs": {0, false, store.Visits{Total: 1001, Epoch: 1000}, true},
		"short":     {0, false, store.Visits{Total: 3001, Epoch: 1000, Short: true}, false},
		"sparing":   {0, true, store.Visits{Total: 3001, Epoch: 1000}, false},
	} {
		store.MinCopySize = c.from
		s := newSet(t, x, y, store.SetOptions{Weights: weights})
		s.NoCopies = c.sparing
		if err := s.Measure(); err != nil {
			t.Fatal(err)
		}
		v, _, err := s.View(nil, false)
		if err != nil {
			t.Fatal(err)
		}
		c.visits.Seed = 5
		s.Shuffle(&v, c.visits)
		if copied := v.SetRows != nil; copied != c.copied ||
			v.Scattered != (!copied && c.from < 16*1000) {
			t.Errorf("%s: copied %v, scattered %v", name, copied, v.Scattered)
		}
		if (v.PrefetchDistance() > 0) != v.Scattered {
			t.Errorf("%s: the prefetch distance is %d", name, v.PrefetchDistance())
		}
		var names []int
		for _, i := range v.All() {
			n := v.SetRow(uint32(i))
			names = append(names, n)
			if v.X.Dot(i, []float32{1, 2, 3, 4}) != s.X.Dot(n, []float32{1, 2, 3, 4}) ||
				v.Norms[i] != s.Norms[n] || v.Class[i] != s.Class[n] ||
				math.Abs(v.RowWeight(i)-float64(n%3)*666/999) > 1e-12 {
				t.Fatalf("%s: row %d differs from row %d of the set", name, i, n)
			}
		}
		if first == nil {
			first = names
		}
		ranked := slices.Sorted(slices.Values(names))
		if !slices.Equal(names, first) || slices.Equal(names, ranked) || len(names) != 666 ||
			len(slices.Compact(ranked)) != 666 {
			t.Errorf("%s: the order differs from another case, is ascending, or lacks or repeats a row",
				name)
		}
		kept := make([]float32, 2*v.X.Rows())
		for _, i := range v.All() {
			kept[2*i], kept[2*i+1] = float32(v.SetRow(uint32(i))), -1
		}
		v.InOrder(kept, func(a []float32) {
			for j, n := range first {
				if a[2*j] != float32(n) || a[2*j+1] != -1 {
					t.Fatalf("%s: place %d has the values %v, want %d and -1", name, j, a[2*j:2*j+2], n)
				}
				a[2*j+1] = float32(j)
			}
		})
		for j, i := range v.All() {
			if kept[2*i+1] != float32(j) {
				t.Fatalf("%s: row %d has the value of place %v, want %d", name, i, kept[2*i+1], j)
			}
		}
	}
}

func TestCopies(t *testing.T) {
	defer func(old int) { store.MinCopySize = old }(store.MinCopySize)
	x, y := many()
	s := newSet(t, x, y, store.SetOptions{})
	size := 16 * 1000
	padded := float64(64 * 1000) // rows are padded to 16 values
	three := dense.New(1000, 3)
	for _, c := range []struct {
		set   *store.Set
		from  int
		pairs bool
		want  float64
	}{
		{s, size, false, padded}, {s, size + 1, false, 0},
		{s, size / 64, true, 2 * padded}, {s, size/64 + 1, true, 0},
		{newSet(t, three, y, store.SetOptions{}), 1, false, padded},
		{newSet(t, three, y, store.SetOptions{Regression: true}), 1, true, padded},
		{newSet(t, dense.New(1000, 2000), y, store.SetOptions{}), 1, false, 0}, // no gain
	} {
		store.MinCopySize = c.from
		if have := c.set.Copies(c.pairs); have != c.want {
			t.Errorf("from %d bytes, pairs %v, %d columns: %v bytes, want %v", c.from, c.pairs,
				c.set.X.Cols(), have, c.want)
		}
	}
}

type storeRows = store.Rows

func TestShufflePairs(t *testing.T) {
	defer func(old int) { store.MinCopySize = old }(store.MinCopySize)
	store.MinCopySize = 1
	p := sample.Random(3, 1000, 600, 3, 0.1)
	long := dense.New(1000, 600)
	for i := range 1000 {
		for j := range 600 {
			long.Row(i)[j] = float32((i+j)%256) / 255
		}
	}
	packed, ok := store.Of(long).Compact(1)
	if !ok || packed.ReorderGain() != store.SmallGain {
		t.Fatal("the pixels are not packed, or do not have a small gain")
	}
	for _, c := range []struct {
		x      store.Rows
		epochs int64
		copied bool
	}{
		{store.Of(p.Sparse), 3, true}, {packed, 15, false}, {packed, 16, true},
		{packed, 17, true}, {store.Of(long), 30, false},
	} {
		s := newSet(t, long, p.Y, store.SetOptions{})
		s.X = c.x
		if err := s.Measure(); err != nil {
			t.Fatal(err)
		}
		v, _, err := s.View([]int32{0, 2}, false)
		if err != nil {
			t.Fatal(err)
		}
		before := v.X
		s.Shuffle(&v, store.Visits{Total: c.epochs * 100, Epoch: 100})
		if copied := v.X != before; copied != c.copied {
			t.Errorf("%T, %d epochs: copied %v", c.x, c.epochs, copied)
		}
	}
}

func TestDotSize(t *testing.T) {
	x := column(3, 4, 0)
	v := store.View{X: store.Of(x), Norms: []float32{9, 16, 0}, Weight: []float64{2, 0.5, 0.5}}
	e := v.X.DotError(0)
	want := 1.001*math.Sqrt((2*9+0.5*16)/3*e*e) + 0x1p-100
	if have := v.DotSize(); math.Abs(have-want) > 1e-12*want {
		t.Errorf("%v, want %v", have, want)
	}
	v.Norms = []float32{0, 0, 0}
	if have := v.DotSize(); have != 0x1p-100 {
		t.Errorf("%v of rows of zeros", have)
	}
}

type mapped struct {
	storeRows
	asked [][2]int
}

func (m *mapped) WillNeed() matrices.WillNeed {
	return func(first, end int) { m.asked = append(m.asked, [2]int{first, end}) }
}

func TestReadAhead(t *testing.T) {
	m := &mapped{storeRows: store.Of(column(1, 2, 3))}
	v := store.View{X: m}
	v.ReadAhead([]uint32{4, 5, 6, 2, 9, 10})
	v.EndReadAhead()
	if want := [][2]int{{4, 7}, {2, 3}, {9, 11}, {0, 0}}; !slices.Equal(m.asked, want) {
		t.Errorf("asked for %v, want %v", m.asked, want)
	}
	v.X = m.storeRows
	v.ReadAhead([]uint32{1})
	v.EndReadAhead()
}

func TestFingerprint(t *testing.T) {
	never := func() bool { return false }
	p := sample.Random(3, 60, 4, 2, 0.5)
	weights := make([]float32, 60)
	for i := range weights {
		weights[i] = 1 + float32(i)
	}
	print := func(x store.Examples, y, weights []float32, prior string, threads int) string {
		s := newSet(t, x, y, store.SetOptions{Weights: weights})
		return s.Fingerprint(s.X, prior, threads, never)
	}
	want := print(p.Dense, p.Y, nil, "", 1)
	if have := print(p.Dense, p.Y, nil, "", 3); have != want || len(have) < 64 {
		t.Errorf("%s with 3 goroutines, %s with one", have, want)
	}
	sparse := print(p.Sparse, p.Y, nil, "", 1)
	if sparse == want || sparse[len(sparse)-64:] != want[len(want)-64:] {
		t.Errorf("%s of sparse rows, %s of dense rows", sparse, want)
	}
	y := slices.Clone(p.Y)
	y[59] = 1 - y[59]
	x := dense.New(60, 4)
	seen := map[string]bool{want: true}
	for name, have := range map[string]string{
		"labels": print(p.Dense, y, nil, "", 1), "weights": print(p.Dense, p.Y, weights, "", 1),
		"prior": print(p.Dense, p.Y, nil, "x", 1), "rows": print(x, p.Y, nil, "", 1),
	} {
		if seen[have] {
			t.Errorf("other %s, but the same fingerprint", name)
		}
		seen[have] = true
	}
	s := newSet(t, p.Dense, p.Y, store.SetOptions{})
	if have := s.Fingerprint(s.X, "", 1, func() bool { return true }); have != "" {
		t.Errorf("Fingerprint is %q after stop", have)
	}
}
