package kernelsvm

import (
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// customRows hides the type of the rows, as rows of a type defined by the caller.
type customRows struct{ pegasos.Examples }

func matrixOf(x store.Examples) store.Matrix {
	m, ok := store.MatrixOf(x)
	if !ok {
		panic("no matrix")
	}
	return m
}
