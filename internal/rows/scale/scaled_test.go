package scale

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

type userExamples struct{ *dense.Matrix }

func TestRows(t *testing.T) {
	const rows = scaleBlock + 30
	x, thin := mixedScaleRows(t, rows)
	columns := Measure(store.Of(x), nil, true, 1, neverStop)
	before := slices.Clone(x.Row(7))
	w := []float64{1, -2, 3, -4, 5, -6}
	for _, kind := range []Kind{Standard, MaxAbs, Unit} {
		s := Fit(kind, columns)
		for name, given := range map[string]store.Examples{"dense": x, "sparse": thin,
			"user": userExamples{x}} {
			scaled := s.Rows(store.Of(given), 2, neverStop)
			if isSparse := scaled.Dense() == nil; isSparse !=
				(name == "sparse" && kind != Standard) {
				t.Errorf("%s, %s: sparse %v", name, kind, isSparse)
			}
			some := []uint32{3, rows - 1, 3, 8}
			of := map[string]store.Rows{"": scaled, "worker": scaled.Clone(),
				"taken":       scaled.Take(some),
				"taken twice": scaled.Take([]uint32{8, 3, rows - 1}).Take([]uint32{1, 2, 1, 0})}
			if fewer, ok := scaled.Compact(1); ok {
				of["compact"] = fewer
			}
			for way, r := range of {
				for k := range r.Rows() {
					i := k
					if r.Rows() == len(some) {
						i = int(some[k])
					}
					compareScaled(t, name+", "+string(kind)+", "+way, r, k, x.Row(i), s, w)
				}
			}
			if Raw(scaled) != scaled.raw || Raw(scaled.Take(some)) == scaled.raw {
				t.Errorf("%s, %s: Raw returns other rows, or the original rows after Take", name, kind)
			}
		}
	}
	if !slices.Equal(x.Row(7), before) {
		t.Error("the original rows have changed")
	}
	if r := store.Of(x); Raw(r) != r {
		t.Error("Raw of rows that were not scaled returns other rows")
	}
}

func compareScaled(t *testing.T, name string, r store.Rows, k int, row []float32, s *Scale,
	w []float64) {
	t.Helper()
	have, sum := make([]float32, len(row)), make([]float64, len(row))
	r.Axpy(k, 1, have)
	r.AddTo(sum, store.Sum{Only: []uint32{uint32(k)}, A: slices.Repeat([]float32{1}, r.Rows())})
	length, dot, size := Length(row), 0.0, 0.0
	for j, v := range row {
		want := float64(v) / length
		if s.Kind != Unit {
			want = s.At(j, v)
		}
		dot += w[j] * want
		size += math.Abs(w[j] * want)
		if have[j] != float32(want) || sum[j] != want {
			t.Fatalf("%s: row %d, column %d: %v, %v, want %v", name, k, j, have[j], sum[j], want)
		}
	}
	if d := r.Dot64(k, w); math.Abs(d-dot) > 1e-14*size {
		t.Fatalf("%s: row %d: %v, want %v", name, k, d, dot)
	}
}

func TestRowsStops(t *testing.T) {
	x, _ := mixedScaleRows(t, 5)
	s := Fit(Standard, Measure(store.Of(x), nil, true, 1, neverStop))
	scaled := s.Rows(store.Of(x), 1, func() bool { return true })
	if have := make([]float32, 6); true {
		scaled.Axpy(0, 1, have)
		if slices.Max(have) != 0 {
			t.Errorf("%v", have)
		}
	}
}

func TestTakeCompact(t *testing.T) {
	thin, err := sparse.New(4, []int64{0, 1, 3, 6, 8}, []int32{0, 1, 2, 0, 2, 3, 1, 3},
		slices.Repeat([]float32{1}, 8))
	if err != nil {
		t.Fatal(err)
	}
	scaled := (&Scale{Kind: Unit}).Rows(store.Of(thin), 1, neverStop)
	compact, ok := scaled.Take([]uint32{3, 2}).Compact(1)
	if !ok {
		t.Fatal("the rows, which have one value each, were not made compact")
	}
	taken := compact.Take([]uint32{1, 0, 1})
	for k, i := range []int{2, 3, 2} {
		index, values := taken.Row(k)
		wantIndex, wantValues := scaled.Row(i)
		if !slices.Equal(index, wantIndex) || !slices.Equal(values, wantValues) {
			t.Errorf("row %d: %v, %v, want %v, %v", k, index, values, wantIndex, wantValues)
		}
	}
}
