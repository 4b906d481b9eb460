package kernelsvm

import (
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

func matrixOf(x store.Examples) store.Matrix {
	m, ok := store.MatrixOf(x)
	if !ok {
		panic("no matrix")
	}
	return m
}
