package dense_test

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

func TestLazyRowOutside(t *testing.T) {
	for name, call := range map[string]func(m *dense.Matrix, idx []int32, v []float32){
		"DotRowsAt": func(m *dense.Matrix, idx []int32, v []float32) {
			m.DotRowsAt(v, idx, []float32{3, 4})
		},
		"AxpyRows": func(m *dense.Matrix, idx []int32, v []float32) {
			m.AxpyRows([]float32{3, 4}, idx, v)
		},
	} {
		for _, outside := range []int32{-1, 2} {
			values, _ := matrices.NewDense(2, 2).Padded()
			for i := range values {
				values[i] = 1
			}
			m, err := matrices.LazyDense(2, 2, values, matrices.Check{})
			if err != nil {
				t.Fatal(err)
			}
			v := []float32{5, 6}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic for row %d", name, outside)
					}
				}()
				call((*dense.Matrix)(m), []int32{0, outside}, v)
			}()
			if !slices.Equal(v, []float32{5, 6}) {
				t.Errorf("%s, row %d: %v was written before the panic", name, outside, v)
			}
		}
	}
}
