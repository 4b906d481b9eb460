package scale

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

func neverStop() bool { return false }

// mixedScaleRows returns equal dense and sparse rows: four columns that differ in scale, a constant
// column, and a column of zeros.
func mixedScaleRows(t *testing.T, rows int) (*dense.Matrix, *sparse.Matrix) {
	t.Helper()
	g := rand.New(rand.NewPCG(3, uint64(rows)))
	x := dense.New(rows, 6)
	var starts []int64
	var indices []int32
	var values []float32
	starts = append(starts, 0)
	for i := range rows {
		row := x.Row(i)
		for j := range 4 {
			if g.IntN(3) > 0 {
				row[j] = float32(math.Ldexp(g.NormFloat64()+2, 8*j-10))
			}
		}
		row[4] = 7
		for j, v := range row {
			if v != 0 {
				indices, values = append(indices, int32(j)), append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	return x, (*sparse.Matrix)(matrices.Trusted(6, starts, indices, values))
}

func TestMeasure(t *testing.T) {
	const rows = 3*columnRows + 17
	x, thin := mixedScaleRows(t, rows)
	weights := make([]float64, rows)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	for _, weight := range [][]float64{nil, weights} {
		var n, nonzeros int
		var total float64
		mean, variance, most := make([]float64, 6), make([]float64, 6), make([]float32, 6)
		of := func(i int) float64 {
			if weight == nil {
				return 1
			}
			return weight[i]
		}
		for pass := range 2 {
			for i := range rows {
				if of(i) == 0 {
					continue
				}
				for j, v := range x.Row(i) {
					if pass == 1 {
						d := float64(v) - mean[j]
						variance[j] += of(i) * d * d / total
						continue
					}
					mean[j] += of(i) * float64(v)
					most[j] = max(most[j], v, -v)
					if v != 0 {
						nonzeros++
					}
				}
				if pass == 0 {
					n++
					total += of(i)
				}
			}
			if pass == 0 {
				for j := range mean {
					mean[j] /= total
				}
			}
		}
		for name, given := range map[string]store.Examples{"dense": x, "sparse": thin} {
			c := Measure(store.Of(given), weight, true, 2, neverStop)
			if c.Rows != n || c.Nonzeros != nonzeros || !slices.Equal(c.MaxAbs, most) ||
				c.Bad >= 0 ||
				!slices.Equal(c.Constant, []bool{false, false, false, false, true, true}) {
				t.Errorf("%s: %d rows, %d nonzeros, %v, bad %d, constant %v", name, c.Rows,
					c.Nonzeros, c.MaxAbs, c.Bad, c.Constant)
			}
			for j := range mean {
				if math.Abs(c.Mean[j]-mean[j]) > 1e-12*float64(most[j]) ||
					math.Abs(c.Variance[j]-variance[j]) > 1e-11*variance[j] {
					t.Errorf("%s: column %d: %v, %v, want %v, %v", name, j, c.Mean[j],
						c.Variance[j], mean[j], variance[j])
				}
			}
			for i, s := range c.Squares {
				want := 0.0
				for _, v := range x.Row(i) {
					want += float64(float64(v) * float64(v))
				}
				if of(i) == 0 {
					want = 0
				}
				if s != want {
					t.Fatalf("%s: row %d: %v, want %v", name, i, s, want)
				}
			}
			if one := Measure(store.Of(given), weight, true, 1, neverStop); !reflect.DeepEqual(one, c) {
				t.Errorf("%s: the results of one goroutine differ", name)
			}
			less := Measure(store.Of(given), weight, false, 2, neverStop)
			if less.Mean != nil || !slices.Equal(less.Squares, c.Squares) ||
				!slices.Equal(less.MaxAbs, most) || less.Nonzeros != nonzeros {
				t.Errorf("%s: without moments other results, or a mean: %v", name, less.Mean)
			}
			for threads := range 3 {
				less := MeasureConstants(store.Of(given), weight, threads+1, neverStop)
				if less.Mean != nil || less.Nonzeros != nonzeros ||
					!slices.Equal(less.Constant, c.Constant) {
					t.Errorf("%s: MeasureConstants: mean %v, %d nonzeros, constant %v", name, less.Mean,
						less.Nonzeros, less.Constant)
				}
			}
		}
	}
}

func TestMeasureSubset(t *testing.T) {
	x, thin := mixedScaleRows(t, 12)
	_, ones := mixedScaleRows(t, 12)
	m, _ := store.MatrixOf(ones)
	for i := range ones.Rows() {
		_, values := m.Row(i) // aliases the matrix
		for k := range values {
			values[k] = 1
		}
	}
	compact, ok := store.Of(ones).Compact(1)
	if !ok {
		t.Fatal("rows of ones have no compact format")
	}
	at := []uint32{7, 3, 3, 9}
	for _, rows := range []store.Rows{store.Of(x), store.Of(thin), compact,
		store.Of(userExamples{x})} {
		for _, moments := range []bool{false, true} {
			have := Measure(store.Subset(rows, at), nil, moments, 1, neverStop)
			want := Measure(rows.Take(at), nil, moments, 1, neverStop)
			if !reflect.DeepEqual(have, want) {
				t.Errorf("%T, moments %t: %v, want %v", rows, moments, have, want)
			}
		}
	}
}

func TestMeasureConstants(t *testing.T) {
	const rows = 2*columnRows + 3
	x := dense.New(rows, 5)
	for i := range rows {
		copy(x.Row(i), []float32{2, 0, 3, 4, 5})
	}
	x.Row(columnRows + 1)[0] = -2
	x.Row(rows - 1)[1] = 1 // a value among zeros
	x.Row(7)[2] = 0        // a zero among values
	x.Row(9)[3] = 1
	weight := slices.Repeat([]float64{1}, rows)
	weight[9] = 0
	want := []bool{false, false, false, true, true}
	for threads := range 4 {
		for _, c := range []*Columns{MeasureConstants(store.Of(x), weight, threads+1, neverStop),
			Measure(store.Of(x), weight, true, threads+1, neverStop)} {
			if !slices.Equal(c.Constant, want) {
				t.Errorf("%d goroutines: %v, want %v", threads+1, c.Constant, want)
			}
		}
	}
}

func TestMeasureBad(t *testing.T) {
	x, _ := mixedScaleRows(t, 50)
	x.Row(20)[2] = float32(math.NaN())
	x.Row(30)[1] = float32(math.Inf(-1))
	weight := slices.Repeat([]float64{1}, 50)
	for want, zero := range map[int]int{20: 0, 30: 20} {
		weight[zero] = 0
		for _, moments := range []bool{false, true} {
			if c := Measure(store.Of(x), weight, moments, 1, neverStop); c.Bad != want {
				t.Errorf("bad row %d, want %d", c.Bad, want)
			}
		}
		weight[zero] = 1
	}
	for _, bad := range [][]int{{5, columnRows + 5}, {5, 6}, {columnRows + 5, 2*columnRows + 5}} {
		y := dense.New(3*columnRows, 6)
		for _, i := range bad {
			y.Row(i)[0] = float32(math.Inf(1))
		}
		if c := Measure(store.Of(y), nil, false, 2, neverStop); c.Bad != bad[0] {
			t.Errorf("bad row %d, want %d", c.Bad, bad[0])
		}
	}
	x.Row(20)[2], x.Row(30)[1] = math.MaxFloat32, 0
	if c := Measure(store.Of(x), nil, true, 1, neverStop); c.Bad >= 0 {
		t.Errorf("a row with the largest finite number is bad")
	}
}

// Computed as the mean square minus the squared mean, the variance would lose its digits.
func TestMeasureFar(t *testing.T) {
	x := dense.New(4000, 1)
	for i := range 4000 {
		x.Row(i)[0] = 1e7 + float32(i%2)
	}
	c := Measure(store.Of(x), nil, true, 3, neverStop)
	if c.Mean[0] != 1e7+0.5 || math.Abs(c.Variance[0]-0.25) > 1e-9 {
		t.Errorf("%v, %v", c.Mean, c.Variance)
	}
}
