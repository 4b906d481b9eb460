package store

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	numbers "github.com/pegasimd/pegasimd/internal/floats"
)

// wideLanes is the number of running sums of a WideDot: the product of column j goes to sum j mod
// 4. Zeros change none of them, so that the result does not depend on how a row is held.
const wideLanes = numbers.Lanes

func wideFold(lane [wideLanes]float64) float64 { return numbers.Fold(lane) }

// wideDense is WideDot of a row of all columns.
func wideDense(row []float32, w []float64) float64 { return numbers.Dot(row, w) }

// wideSparse is WideDot of a row of nonzeros.
func wideSparse(m Reader, i int, w []float64) float64 {
	index, values := m.Row(i)
	values = values[:len(index)]
	var lane [wideLanes]float64
	for n, j := range index {
		lane[j&(wideLanes-1)] += float64(w[j] * float64(values[n]))
	}
	return wideFold(lane)
}

// dotError is a bound on the error of a sum of n products in several lanes, which are folded in
// folds additions: each product goes through its own rounding, the additions of its lane, the folds
// and those of the blocks' sums. It includes the excess of k roundings of 2^-24 over k 2^-24.
func dotError(n, lanes, folds int) float64 {
	most := min(n, asm.Block)
	roundings := 1 + (most+lanes-1)/lanes + folds + (n+asm.Block-1)/asm.Block
	return 1.01 * float64(roundings) * 0x1p-24
}

func denseError(cols int) float64      { return dotError(cols, 64, 6) }
func sparseError(nonzeros int) float64 { return dotError(nonzeros, 8, 3) }
