package misuse_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

func vec(n int) []float32 { return make([]float32, n) }

// Functions that never panic have nil.
func invalidCalls(t *testing.T) map[string][]call {
	d := dense.New(3, 4)
	s, err := sparse.New(4, []int64{0, 1, 1, 2}, []int32{0, 3}, vec(2))
	if err != nil {
		t.Fatal(err)
	}
	row := []int32{0, 3}
	hits := make([]dense.Hit, 2)
	return map[string][]call{
		"dense.Dot":      {{func() { dense.Dot(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.DotNorms": {{func() { dense.DotNorms(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Axpy":     {{func() { dense.Axpy(1, vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Axpby":    {{func() { dense.Axpby(1, vec(3), 2, vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.SquaredDistance": {
			{func() { dense.SquaredDistance(vec(70000), vec(4)) }, "len(x) = 70000, len(y) = 4"}},
		"dense.Exp":        {{func() { dense.Exp(vec(3), vec(4)) }, "len(dst) = 3, len(x) = 4"}},
		"dense.SumSquares": nil, "dense.Scale": nil, "dense.Norm": nil,
		"dense.Sum": nil, "dense.SumAbs": nil,
		"dense.Min": nil, "dense.Max": nil, "dense.ArgMin": nil, "dense.ArgMax": nil,
		"dense.L1Distance": {
			{func() { dense.L1Distance(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.DotNorms64": {
			{func() { dense.DotNorms64(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.SquaredDistance64": {
			{func() { dense.SquaredDistance64(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Cosine64": {{func() { dense.Cosine64(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Float32s": nil,
		"dense.AppendFloat32s": {
			{func() { dense.AppendFloat32s(nil, make([]byte, 6)) }, "len(b) = 6, not a multiple of 4"}},
		"dense.TopBytes": {
			{func() { dense.TopBytes(hits, 0, make([]byte, 24), 11, vec(3)) },
				"rows of 12 elements, 11 apart"},
			{func() { dense.TopBytes(hits, 0, make([]byte, 43), 16, vec(3)) },
				"len(rows) = 43 ends inside row 2: rows of 12 elements, 16 apart"}},
		"dense.TopByteSlices": {
			{func() { dense.TopByteSlices(hits, 0, [][]byte{make([]byte, 11)}, vec(3)) },
				"len(rows[0]) = 11, 4*len(x) = 12"}},
		"dense.Dot64":  {{func() { dense.Dot64(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Cosine": {{func() { dense.Cosine(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Distance": {
			{func() { dense.Distance(vec(3), vec(4)) }, "len(x) = 3, len(y) = 4"}},
		"dense.Normalize": {
			{func() { dense.Normalize(vec(3), vec(4)) }, "len(dst) = 3, len(x) = 4"},
			{func() { dense.Normalize(vec(3), []float32{1}) }, "len(dst) = 3, len(x) = 1"}},
		"dense.Add": {
			{func() { dense.Add(vec(3), vec(4), vec(4)) }, "len(dst) = 3, len(x) = 4"},
			{func() { dense.Add(vec(4), vec(4), vec(3)) }, "len(x) = 4, len(y) = 3"}},
		"dense.Sub": {
			{func() { dense.Sub(vec(3), vec(4), vec(4)) }, "len(dst) = 3, len(x) = 4"},
			{func() { dense.Sub(vec(4), vec(4), vec(3)) }, "len(x) = 4, len(y) = 3"}},
		"dense.Mul": {
			{func() { dense.Mul(vec(3), vec(4), vec(4)) }, "len(dst) = 3, len(x) = 4"},
			{func() { dense.Mul(vec(4), vec(4), vec(3)) }, "len(x) = 4, len(y) = 3"}},
		"dense.ScaleTo": {
			{func() { dense.ScaleTo(vec(3), 1, vec(4)) }, "len(dst) = 3, len(x) = 4"}},
		"dense.AxpyTo": {
			{func() { dense.AxpyTo(vec(3), 1, vec(4), vec(4)) }, "len(dst) = 3, len(x) = 4"},
			{func() { dense.AxpyTo(vec(4), 1, vec(4), vec(3)) }, "len(x) = 4, len(y) = 3"}},
		"dense.Softmax": {
			{func() { dense.Softmax(vec(3), vec(4)) }, "len(dst) = 3, len(x) = 4"}},
		"dense.LogSumExp": nil,
		"dense.FromFloat64": {
			{func() { dense.FromFloat64(vec(3), make([]float64, 4)) },
				"len(dst) = 3, len(src) = 4"}},
		"dense.DotRows": {
			{func() { dense.DotRows(vec(3), vec(11), 4, vec(4)) },
				"len(rows) = 11, too few for 3 rows of 4 elements, 4 apart"},
			{func() { dense.DotRows(vec(3), vec(11), -4, vec(4)) },
				"len(rows) = 11, too few for 3 rows of 4 elements, -4 apart"},
		},
		"dense.DotRowsAt": {
			{func() { dense.DotRowsAt(vec(3), vec(12), 4, row, vec(4)) },
				"len(dst) = 3, len(idx) = 2"},
			{func() { dense.DotRowsAt(vec(2), vec(12), 4, row, vec(4)) },
				"idx[1] = 3, a row of 4 elements, 4 apart, outside len(rows) = 12"},
			{func() { dense.DotRowsAt(vec(1), vec(12), 4, []int32{-1}, vec(4)) }, "idx[0] = -1, a"},
			{func() { dense.DotRowsAt(vec(1), vec(12), 4, []uint32{1<<32 - 1}, vec(4)) },
				"idx[0] = 4294967295, a"},
		},
		"dense.SquaredDistanceRows": {
			{func() { dense.SquaredDistanceRows(vec(3), vec(11), 4, vec(4)) },
				"len(rows) = 11, too few for 3 rows of 4 elements, 4 apart"},
		},
		"dense.SquaredDistanceRowsAt": {
			{func() { dense.SquaredDistanceRowsAt(vec(3), vec(12), 4, row, vec(4)) },
				"len(dst) = 3, len(idx) = 2"},
			{func() { dense.SquaredDistanceRowsAt(vec(2), vec(12), 4, row, vec(4)) },
				"idx[1] = 3, a row of 4 elements, 4 apart, outside len(rows) = 12"},
		},
		"dense.CosineRows": {
			{func() { dense.CosineRows(vec(3), vec(11), 4, vec(4)) },
				"len(rows) = 11, too few for 3 rows of 4 elements, 4 apart"},
		},
		"dense.CosineRowsAt": {
			{func() { dense.CosineRowsAt(vec(3), vec(12), 4, row, vec(4)) },
				"len(dst) = 3, len(idx) = 2"},
			{func() { dense.CosineRowsAt(vec(2), vec(12), 4, row, vec(4)) },
				"idx[1] = 3, a row of 4 elements, 4 apart, outside len(rows) = 12"},
		},
		"dense.AxpyRows": {
			{func() { dense.AxpyRows(vec(3), vec(12), 4, row, vec(4)) }, "len(a) = 3, len(idx) = 2"},
			{func() { dense.AxpyRows(vec(2), vec(12), 4, row, vec(4)) },
				"idx[1] = 3, a row of 4 elements, 4 apart, outside len(rows) = 12"},
		},
		"dense.Top": {
			{func() { dense.Top(hits, dense.ByDot, vec(12), 2, vec(3)) },
				"rows of 3 elements, 2 apart"},
			{func() { dense.Top(hits, dense.ByDot, vec(12), 3, nil) },
				"rows of 0 elements, 3 apart"},
			{func() { dense.Top(hits, dense.ByDot, vec(12), -3, vec(3)) },
				"rows of 3 elements, -3 apart"},
			{func() { dense.Top(hits, 4, vec(12), 3, vec(3)) }, "there is no metric 4"},
			{func() { dense.Top(hits, dense.ByDot, vec(12), 5, vec(5)) },
				"len(rows) = 12 ends inside row 2: rows of 5 elements, 5 apart"},
			{func() { dense.Top(hits, dense.ByDot, vec(2), 5, vec(3)) },
				"len(rows) = 2 ends inside row 0: rows of 3 elements, 5 apart"},
		},
		"dense.TopAt": {
			{func() { dense.TopAt(hits, dense.ByDistance, vec(12), 4, row, vec(4)) },
				"idx[1] = 3, a row of 4 elements, 4 apart, outside len(rows) = 12"},
		},
		"dense.TopSlices": {
			{func() { dense.TopSlices(hits, dense.ByDot, [][]float32{vec(3), vec(2)}, vec(3)) },
				"len(rows[1]) = 2, len(x) = 3"},
		},
		"dense.TopMany": {
			{func() { dense.TopMany([][]dense.Hit{hits}, 0, vec(12), 3, nil, 1) },
				"len(dst) = 1, len(queries) = 0"},
			{func() {
				dense.TopMany([][]dense.Hit{hits}, 0, vec(13), 3, [][]float32{vec(3)}, 1)
			}, "len(rows) = 13 ends inside row 4: rows of 3 elements, 3 apart"},
			{func() {
				queries := [][]float32{vec(3), vec(2)}
				dense.TopMany([][]dense.Hit{hits, hits}, 0, vec(12), 3, queries, 1)
			}, "len(queries[1]) = 2, len(queries[0]) = 3"},
		},
		"dense.Gemv": {
			{func() { dense.Gemv(1, vec(11), 4, vec(4), 0, vec(3)) },
				"len(a) = 11, too few for 3 rows of 4 elements, 4 apart"},
			{func() { dense.Gemv(1, vec(12), 3, vec(4), 0, vec(3)) }, "lda = 3, less than 4 columns"},
		},
		"dense.GemvT": {
			{func() { dense.GemvT(1, vec(11), 4, vec(3), 0, vec(4)) },
				"len(a) = 11, too few for 3 rows of 4 elements, 4 apart"},
		},
		"dense.Ger": {
			{func() { dense.Ger(1, vec(3), vec(4), vec(11), 4) },
				"len(a) = 11, too few for 3 rows of 4 elements, 4 apart"},
		},
		"dense.Gemm": {
			{func() {
				dense.Gemm(2, 3, -1, 1, dense.Factor{}, dense.Factor{}, 0, vec(6), 3, 1)
			}, "m = 2, n = 3, k = -1, want 0 or more"},
			{func() {
				a, b := dense.Factor{Data: vec(7), Stride: 4}, dense.Factor{Data: vec(12), Stride: 3}
				dense.Gemm(2, 3, 4, 1, a, b, 0, vec(6), 3, 1)
			}, "len(a.Data) = 7, too few for 2 rows of 4 elements, 4 apart"},
			{func() {
				a, b := dense.Factor{Data: vec(8), Stride: 4}, dense.Factor{Data: vec(12), Stride: 3}
				b.Transposed = true
				dense.Gemm(2, 3, 4, 1, a, b, 0, vec(6), 3, 1)
			}, "b.Stride = 3, less than 4 columns"},
			{func() {
				a, b := dense.Factor{Data: vec(8), Stride: 4}, dense.Factor{Data: vec(12), Stride: 3}
				dense.Gemm(2, 3, 4, 1, a, b, 0, vec(5), 3, 1)
			}, "len(c) = 5, too few for 2 rows of 3 elements, 3 apart"},
		},
		"dense.Matrix.Top": {
			{func() { d.Top(hits, dense.ByDot, vec(3)) }, "len(x) = 3, Cols = 4"},
		},
		"dense.New": {
			{func() { dense.New(-1, 2) }, "-1 rows of 2"},
			{func() { dense.New(math.MaxInt/4, 100) },
				fmt.Sprintf("%d rows of 100 columns are too many", math.MaxInt/4)},
		},
		"dense.FromSlice": nil, "dense.Matrix.Rows": nil, "dense.Matrix.Cols": nil,
		"dense.Matrix.Err": nil,
		"dense.Matrix.Row": {
			{func() { d.Row(3) }, "row 3 of 3"},
			{func() { d.Row(-1) }, "row -1 of 3"},
		},
		"dense.Matrix.Dot": {
			{func() { d.Dot(3, vec(4)) }, "row 3 of 3"},
			{func() { d.Dot(0, vec(3)) }, "len(x) = 4, len(y) = 3"},
		},
		"dense.Matrix.Axpy": {
			{func() { d.Axpy(3, 1, vec(4)) }, "row 3 of 3"},
			{func() { d.Axpy(0, 1, vec(3)) }, "len(x) = 4, len(y) = 3"},
		},
		"dense.Matrix.SumSquares": {{func() { d.SumSquares(3) }, "row 3 of 3"}},
		"dense.Matrix.DotRows": {
			{func() { d.DotRows(vec(2), 0, vec(5)) }, "len(w) = 5, Cols = 4"},
			{func() { d.DotRows(vec(2), 2, vec(4)) }, "first = 2, len(dst) = 2, Rows = 3"},
		},
		"dense.Matrix.DotRowsAt": {
			{func() { d.DotRowsAt(vec(2), row, vec(5)) }, "len(w) = 5, Cols = 4"},
			{func() { d.DotRowsAt(vec(2), row, vec(4)) }, "idx[1] = 3, a row of 4"},
		},
		"dense.Matrix.AxpyRows": {
			{func() { d.AxpyRows(vec(2), row, vec(5)) }, "len(w) = 5, Cols = 4"},
			{func() { d.AxpyRows(vec(2), row, vec(4)) }, "idx[1] = 3, a row of 4"},
		},
		"dense.Matrix.Take": {{func() { d.Take([]uint32{3}) }, "row 3 of 3"}},

		"sparse.Dot": {
			{func() { sparse.Dot(row, vec(3), vec(4)) }, "len(idx) = 2, len(val) = 3"},
			{func() { sparse.Dot(row, vec(2), vec(3)) }, "idx[1] = 3, outside of 3 features"},
			{func() { sparse.Dot([]int32{-1}, vec(1), vec(3)) },
				"idx[0] = -1, outside of 3 features"},
		},
		"sparse.Axpy": {
			{func() { sparse.Axpy(1, row, vec(3), vec(4)) }, "len(idx) = 2, len(val) = 3"},
			{func() { sparse.Axpy(1, row, vec(2), vec(3)) }, "idx[1] = 3, outside of 3 features"},
		},
		"sparse.DotK": {
			{func() { sparse.DotK(vec(7), row, vec(2), vec(28)) }, "7 interleaved vectors"},
			{func() { sparse.DotK(vec(8), row, vec(3), vec(32)) }, "len(idx) = 2, len(val) = 3"},
			{func() { sparse.DotK(vec(8), row, vec(2), vec(31)) },
				"idx[1] = 3, outside of 3 features"},
		},
		"sparse.AxpyK": {
			{func() { sparse.AxpyK(vec(7), row, vec(2), vec(28)) }, "7 interleaved vectors"},
			{func() { sparse.AxpyK(vec(8), row, vec(3), vec(32)) }, "len(idx) = 2, len(val) = 3"},
			{func() { sparse.AxpyK(vec(8), row, vec(2), vec(31)) },
				"idx[1] = 3, outside of 3 features"},
		},
		"sparse.New": nil, "sparse.NewShared": nil, "sparse.Matrix.Rows": nil,
		"sparse.Matrix.Cols": nil, "sparse.Matrix.NNZ": nil, "sparse.Matrix.Err": nil,
		"sparse.Matrix.Row": {
			{func() { s.Row(3) }, "row 3 of 3"},
			{func() { s.Row(-1) }, "row -1 of 3"},
		},
		"sparse.Matrix.Nonzeros": {{func() {
			for range s.Nonzeros(3) {
				break
			}
		}, "row 3 of 3"}},
		"sparse.Matrix.Dot": {
			{func() { s.Dot(0, vec(3)) }, "len(w) = 3, Cols = 4"},
			{func() { s.Dot(3, vec(4)) }, "row 3 of 3"},
		},
		"sparse.Matrix.Axpy": {
			{func() { s.Axpy(0, 1, vec(3)) }, "len(w) = 3, Cols = 4"},
			{func() { s.Axpy(3, 1, vec(4)) }, "row 3 of 3"},
		},
		"sparse.Matrix.SumSquares": {{func() { s.SumSquares(3) }, "row 3 of 3"}},
		"sparse.Matrix.DotK": {
			{func() { s.DotK(0, vec(8), vec(31)) }, "len(w) = 31, want 8 vectors of 4 (Cols) elements"},
		},
		"sparse.Matrix.AxpyK": {
			{func() { s.AxpyK(0, vec(8), vec(31)) }, "len(w) = 31, want 8 vectors of 4 (Cols) elements"},
		},
		"sparse.Matrix.Take": {{func() { s.Take([]uint32{3}) }, "row 3 of 3"}},
	}
}

type call struct {
	f    func()
	want string
}

func TestPanics(t *testing.T) {
	calls := invalidCalls(t)
	for _, pkg := range []string{"dense", "sparse"} {
		for _, name := range functions(t, pkg) {
			all, ok := calls[pkg+"."+name]
			if !ok {
				t.Errorf("%s.%s is not tested", pkg, name)
			}
			for _, c := range all {
				want := "pegasimd: " + c.want
				if have := recovered(c.f); !strings.HasPrefix(have, want) {
					t.Errorf("%s.%s panics with %q, want %q", pkg, name, have, want)
				}
			}
		}
	}
}

func recovered(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return
}

func functions(t *testing.T, pkg string) (names []string) {
	t.Helper()
	dir := "../../../" + pkg
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				name = "Matrix." + name
			}
			names = append(names, name)
		}
	}
	return names
}
