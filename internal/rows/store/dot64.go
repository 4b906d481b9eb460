package store

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	numbers "github.com/pegasimd/pegasimd/internal/base/floats"
)

// dot64Lanes is the number of partial sums of Dot64: the product of column j is added to sum j mod
// 4. Zeros do not change the sums, so the result does not depend on the row format.
const dot64Lanes = numbers.Lanes

func foldDot64(lane [dot64Lanes]float64) float64 { return numbers.Fold(lane) }

// dot64Dense implements Rows.Dot64 for dense rows: it returns the dot product of row and w in
// float64.
func dot64Dense(row []float32, w []float64) float64 { return numbers.Dot(row, w) }

// dot64Sparse implements Rows.Dot64 for sparse rows: it returns the dot product of row i of m and w
// in float64.
func dot64Sparse(m Reader, i int, w []float64) float64 {
	index, values := m.Row(i)
	values = values[:len(index)]
	var lane [dot64Lanes]float64
	for n, j := range index {
		lane[j&(dot64Lanes-1)] += float64(w[j] * float64(values[n]))
	}
	return foldDot64(lane)
}

// dotErrorBound returns a bound on the rounding error of a float32 dot product of length n,
// relative to the sum of the products' magnitudes. Each block of asm.Block products is added up in
// the given number of lanes, whose sums are then combined by the given number of rounds of
// additions (folds). Each product is rounded once itself, then by the additions of its lane, by the
// folds, and by the additions of the blocks. k such roundings, each by at most 2^-24, can have an
// error slightly above k*2^-24: the factor 1.01 covers the excess.
func dotErrorBound(n, lanes, folds int) float64 {
	most := min(n, asm.Block)
	roundings := 1 + (most+lanes-1)/lanes + folds + (n+asm.Block-1)/asm.Block
	return 1.01 * float64(roundings) * 0x1p-24
}

func denseError(cols int) float64      { return dotErrorBound(cols, 64, 6) }
func sparseError(nonzeros int) float64 { return dotErrorBound(nonzeros, 8, 3) }
