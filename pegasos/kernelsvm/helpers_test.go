package kernelsvm

import (
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// foreign hides the type of the rows, as a user's own type of rows would.
type foreign struct{ pegasos.Examples }

func matrixOf(x store.Examples) store.Matrix {
	m, ok := store.MatrixOf(x)
	if !ok {
		panic("no matrix")
	}
	return m
}
