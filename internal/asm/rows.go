package asm

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

//go:noinline
func rowsTooShort(elements, stride, count, n int) any {
	return misuse.Of("len(rows) = %d, too few for %d rows of %d elements, %d apart", elements,
		count, n, stride)
}

// DotRows sets dst[i] to Dot(rows[i*stride:][:len(x)], x).
func DotRows(dst, rows []float32, stride int, x []float32) {
	checkOperands(dst, rows, stride, x)
	sumRows[dotSum](dst, rows, stride, nil, x)
}

// CheckRows panics unless a slice of the given number of elements holds count rows of n elements
// whose starts are stride elements apart. Without rows, it does not panic.
func CheckRows(elements, stride, count, n int) {
	if count > 0 && (stride < 0 || n > elements || !Fit(count-1, stride, elements-n)) {
		panic(rowsTooShort(elements, stride, count, n))
	}
}

// Fit reports whether count*stride <= n; none of the three may be negative.
func Fit(count, stride, n int) bool {
	high, low := bits.Mul64(uint64(count), uint64(stride))
	return high == 0 && low <= uint64(n)
}

// CheckMatrix panics unless lda >= cols and a holds the given number of rows of cols elements,
// whose starts are lda elements apart. name and leading are the names of a and lda in the message.
func CheckMatrix(name string, a []float32, leading string, lda, rows, cols int) {
	if lda < cols || rows > 0 && cols > 0 && (len(a) < cols || !Fit(rows-1, lda, len(a)-cols)) {
		panic(matrixTooShort(name, len(a), leading, lda, rows, cols))
	}
}

//go:noinline
func matrixTooShort(name string, n int, leading string, lda, rows, cols int) any {
	if lda < cols {
		return misuse.Of("%s = %d, less than %d columns", leading, lda, cols)
	}
	return misuse.Of("len(%s) = %d, too few for %d rows of %d elements, %d apart", name, n, rows,
		cols, lda)
}

type Index interface{ ~int32 | ~uint32 }

// DotRowsAt sets dst[i] to Dot(rows[j*stride:][:len(x)], x) for j = idx[i].
func DotRowsAt[I Index](dst, rows []float32, stride int, idx []I, x []float32) {
	sumRows[dotSum](dst, rows, stride, checkOperandsAt(dst, rows, stride, idx, x), x)
}

// SquaredDistanceRowsAt is DotRowsAt with SquaredDistance in place of Dot.
func SquaredDistanceRowsAt[I Index](dst, rows []float32, stride int, idx []I, x []float32) {
	sumRows[distanceSum](dst, rows, stride, checkOperandsAt(dst, rows, stride, idx, x), x)
}

func CosineRowsAt[I Index](dst, rows []float32, stride int, idx []I, x []float32) {
	n, xx := len(x), SumSquares(x)
	picks := checkOperandsAt(dst, rows, stride, idx, x)
	if len(rows) < beyondL3 {
		for i := range dst {
			dst[i] = Cosine(x, row(rows, stride, picks, i, n))
		}
		return
	}
	for len(dst) > 0 {
		some := dst[:min(max(beyondL1/max(n, 1)&^3, 4), len(dst))]
		sumRows[dotSum](some, rows, stride, picks, x)
		for i, xy := range some {
			v := row(rows, stride, picks, i, n)
			some[i] = CosineOf(x, v, xy, xx, SumSquares(v))
		}
		dst, picks = dst[len(some):], picks[len(some):]
	}
}

// checkOperandsAt returns idx as CheckRowsAt does.
func checkOperandsAt[E any, I Index](dst []float32, rows []E, stride int, idx []I,
	x []float32) []uint32 {
	misuse.CheckEqual("len(dst)", len(dst), "len(idx)", len(idx))
	picks := CheckRowsAt(len(rows), stride, idx, len(x))
	if race {
		raceReads(idx)
		raceOperands(dst, rows, stride, picks, x)
	}
	return picks
}

// rowsInside reports whether CheckRowsAt accepts its arguments. An index that does not fit into an
// int is outside even if stride is 0.
func rowsInside[I Index](elements, stride int, idx []I, n int) bool {
	if len(idx) == 0 {
		return true
	}
	if stride < 0 || n > elements {
		return false
	}
	last := uint(math.MaxInt) // greatest valid row index
	if stride > 0 {
		last = uint((elements - n) / stride)
	}
	for _, j := range idx {
		if uint(j) > last { // a negative j becomes greater than MaxInt
			return false
		}
	}
	return true
}

//go:noinline
func rowsOutside[I Index](elements, stride int, idx []I, n int) any {
	for k, j := range idx {
		if stride >= 0 && n <= elements && !rowsInside(elements, stride, idx[k:k+1], n) {
			return misuse.Of("idx[%d] = %d, a row of %d elements, %d apart, outside len(rows) = %d",
				k, j, n, stride, elements)
		}
	}
	return rowsTooShort(elements, stride, len(idx), n)
}

// CheckRowsAt panics unless the rows whose indices are in idx all lie within a slice of the given
// number of elements. A row has n elements, from element index*stride on. CheckRowsAt returns idx
// as unsigned integers in the same memory.
func CheckRowsAt[I Index](elements, stride int, idx []I, n int) []uint32 {
	if !rowsInside(elements, stride, idx, n) {
		panic(rowsOutside(elements, stride, idx, n))
	}
	return *(*[]uint32)(unsafe.Pointer(&idx))
}

// RowsAtOnce returns the number of rows of n elements that one call into assembly may process: the
// greatest multiple of four for which the rows have at most Block elements in all, or four if there
// is none.
func RowsAtOnce(n int) int { return max(Block/max(n, 1)&^3, 4) }

// Thresholds of oneByOne. beyondL1 to beyondL3 are numbers of float32s, the others are lengths of
// rows.
const (
	beyondL1    = 12 << 10  // 48 KB, the L1 cache of a Zen 5
	beyondL2    = 256 << 10 // 1 MB, the L2 cache of a Zen 5
	beyondL3    = 1 << 20   // 4 MB, an assumed share of the L3 cache
	shortRow    = 128
	mediumRow   = 256
	longRow     = 512
	veryLongRow = 2048
)

// oneByOne reports whether to read count rows of n elements one after the other rather than four at
// a time. Four rows at a time share loads of x, but registers of less than 512 bits cannot hold the
// lanes of four rows, so that several passes read the rows.
func oneByOne(rows []float32, idx []uint32, count, n int) bool {
	size := count * n
	switch {
	case n <= lanes || size <= beyondL1:
		return false
	case active == AVX512:
		return likeZen5 && idx == nil && n >= shortRow
	case likeZen5 && idx != nil:
		return n > veryLongRow && len(rows) <= 2*beyondL3
	case likeZen5 && n < shortRow:
		// A call may read a small part of a matrix in memory, whose size only len(rows) shows.
		return size > beyondL2 && len(rows) > 4*beyondL3
	case likeZen5:
		return size > beyondL2 || n > veryLongRow || n >= longRow && active == AVX2
	case idx != nil:
		return n >= longRow && size > 2*beyondL2 && len(rows) <= 2*beyondL3
	}
	return n >= longRow || n >= mediumRow && size > 2*beyondL2 && size < beyondL3
}

// rowSum is a type whose size selects the sum. The size is a constant in each instance of sumRows,
// so that a program that needs only one of the sums does not link the kernels of the other one.
type rowSum interface{ dotSum | distanceSum }

type (
	dotSum      [1]byte // the sum of Dot
	distanceSum [2]byte // the sum of SquaredDistance
)

func isDot[S rowSum]() bool { return unsafe.Sizeof(*new(S)) == 1 }

// sumRows is DotRowsAt or SquaredDistanceRowsAt without checks, or DotRows or SquaredDistanceRows
// if idx is nil.
func sumRows[S rowSum](dst, rows []float32, stride int, idx []uint32, x []float32) {
	n, done := len(x), 0
	one := oneByOne(rows, idx, len(dst), n)
	if !isDot[S]() && idx == nil && !likeZen5 {
		one = n > lanes // squared distances of four rows at a time were measured on a Zen 5 only
	}
	switch {
	case n == 0 || n > Block:
	case !one:
		done = len(dst) &^ 3
		sumFourRows[S](dst[:done], rows, stride, idx, x)
	case idx == nil:
		done = len(dst)
		for i, step := 0, RowsAtOnce(n); i < done; i += step {
			some, here := dst[i:min(i+step, done)], rows[i*stride:]
			if isDot[S]() {
				dotEachRowActive(some, here, stride, x)
			} else {
				squaredDistanceEachRowActive(some, here, stride, x)
			}
		}
	}
	for i := done; i < len(dst); i++ {
		v := row(rows, stride, idx, i, n)
		if isDot[S]() {
			dst[i] = Dot(v, x)
		} else {
			dst[i] = SquaredDistance(v, x)
		}
	}
}

// len(dst) must be a multiple of four.
func sumFourRows[S rowSum](dst, rows []float32, stride int, idx []uint32, x []float32) {
	step := RowsAtOnce(len(x))
	for first := 0; first < len(dst); first += step {
		some, here, picks := dst[first:min(first+step, len(dst))], rows, idx
		if idx == nil {
			here = rows[first*stride:]
		} else {
			picks = idx[first:]
		}
		if isDot[S]() {
			dotRowsActive(some, here, stride, picks, x)
		} else {
			squaredDistanceRowsActive(some, here, stride, picks, x)
		}
	}
}

func dotRowsGeneric(dst, rows []float32, stride int, idx []uint32, x []float32) {
	for i := range dst {
		dst[i] = dotGeneric(row(rows, stride, idx, i, len(x)), x)
	}
}

func squaredDistanceRowsGeneric(dst, rows []float32, stride int, idx []uint32, x []float32) {
	for i := range dst {
		dst[i] = squaredDistanceGeneric(row(rows, stride, idx, i, len(x)), x)
	}
}

func dotEachRowGeneric(dst, rows []float32, stride int, x []float32) {
	dotRowsGeneric(dst, rows, stride, nil, x)
}

func squaredDistanceEachRowGeneric(dst, rows []float32, stride int, x []float32) {
	squaredDistanceRowsGeneric(dst, rows, stride, nil, x)
}

func cosineEachRowGeneric(dst, rows []float32, stride int, x []float32, xx float32) {
	for i := range dst {
		v := row(rows, stride, nil, i, len(x))
		dst[i] = CosineOf(x, v, dotGeneric(x, v), xx, sumSquaresGeneric(v))
	}
}

// SquaredDistanceRows sets dst[i] to SquaredDistance(rows[i*stride:][:len(x)], x).
func SquaredDistanceRows(dst, rows []float32, stride int, x []float32) {
	checkOperands(dst, rows, stride, x)
	sumRows[distanceSum](dst, rows, stride, nil, x)
}

// CosineRows sets dst[i] to Cosine(x, rows[i*stride:][:len(x)]).
func CosineRows(dst, rows []float32, stride int, x []float32) {
	n, xx := len(x), SumSquares(x)
	checkOperands(dst, rows, stride, x)
	if n <= lanes || n > Block || !inSafeRange(xx) {
		for i := range dst {
			dst[i] = Cosine(x, row(rows, stride, nil, i, n))
		}
		return
	}
	for i, step := 0, RowsAtOnce(n); i < len(dst); i += step {
		cosineEachRowActive(dst[i:min(i+step, len(dst))], rows[i*stride:], stride, x, xx)
	}
	for i, v := range dst {
		if v != v { // the assembly stores NaN for rows that only Cosine can compute
			dst[i] = Cosine(x, row(rows, stride, nil, i, n))
		}
	}
}

func checkOperands[D, E, X any](dst []D, rows []E, stride int, x []X) {
	CheckRows(len(rows), stride, len(dst), len(x))
	if race {
		raceOperands(dst, rows, stride, nil, x)
	}
}

func raceOperands[D, E, X any](dst []D, rows []E, stride int, idx []uint32, x []X) {
	raceReads(x)
	raceReadRows(rows, stride, idx, len(dst), len(x))
	raceWrites(dst)
}

func row[E any](rows []E, stride int, idx []uint32, i, n int) []E {
	if idx != nil {
		i = int(idx[i])
	}
	return rows[i*stride:][:n]
}

// AxpyRows computes
//
//	for i, j := range idx {
//		Axpy(a[i], rows[j*stride:][:len(y)], y)
//	}
func AxpyRows[I Index](a, rows []float32, stride int, idx []I, y []float32) {
	misuse.CheckEqual("len(a)", len(a), "len(idx)", len(idx))
	picks := CheckRowsAt(len(rows), stride, idx, len(y))
	if race {
		raceReads(a)
		raceReads(idx)
		raceReadRows(rows, stride, picks, len(idx), len(y))
		raceWrites(y)
	}
	axpyRows(1, a, rows, stride, picks, y)
}

// GemvT computes
//
//	for i, v := range x {
//		Axpy(alpha*v, rows[i*stride:][:len(y)], y)
//	}
func GemvT(alpha float32, rows []float32, stride int, x, y []float32) {
	CheckRows(len(rows), stride, len(x), len(y))
	if race {
		raceReads(x)
		raceReadRows(rows, stride, nil, len(x), len(y))
		raceWrites(y)
	}
	axpyRows(alpha, x, rows, stride, nil, y)
}

// axpyRows adds, for each i, alpha*a[i] times a row to y: row idx[i], or row i if idx is nil.
func axpyRows(alpha float32, a, rows []float32, stride int, idx []uint32, y []float32) {
	if len(a) > 0 && len(y) > 0 && Fit(len(a), len(y), Block) {
		axpyRowsActive(alpha, a, rows, stride, idx, y)
	} else {
		axpyRowsParts(alpha, a, rows, stride, idx, y)
	}
}

func axpyRowsParts(alpha float32, a, rows []float32, stride int, idx []uint32, y []float32) {
	for start := 0; start < len(y); start += Block {
		part := y[start:min(start+Block, len(y))]
		step := RowsAtOnce(len(part))
		for first := 0; first < len(a); first += step {
			some := a[first:min(first+step, len(a))]
			if idx == nil {
				axpyRowsActive(alpha, some, rows[first*stride+start:], stride, nil, part)
			} else {
				axpyRowsActive(alpha, some, rows[start:], stride, idx[first:], part)
			}
		}
	}
}

func axpyRowsGeneric(alpha float32, a, rows []float32, stride int, idx []uint32, y []float32) {
	for i, v := range a {
		axpyGeneric(float32(alpha*v), row(rows, stride, idx, i, len(y)), y)
	}
}

// Ger does nothing if alpha is 0, and otherwise computes
//
//	for i, v := range x {
//		Axpy(alpha*v, y, a[i*lda:][:len(y)])
//	}
//
// It panics if lda is less than len(y) or a is too short for len(x) rows.
func Ger(alpha float32, x, y, a []float32, lda int) {
	CheckMatrix("a", a, "lda", lda, len(x), len(y))
	if alpha == 0 || len(x) == 0 || len(y) == 0 {
		return
	}
	if race {
		raceReads(x, y)
		raceWriteRows(a, lda, len(x), len(y))
	}
	if Fit(len(x), len(y), Block) {
		gerActive(alpha, x, y, a, lda, len(x)*len(y))
	} else {
		gerParts(alpha, x, y, a, lda)
	}
}

func gerParts(alpha float32, x, y, a []float32, lda int) {
	for start := 0; start < len(y); start += Block {
		part := y[start:min(start+Block, len(y))]
		step := RowsAtOnce(len(part))
		for first := 0; first < len(x); first += step {
			some := x[first:min(first+step, len(x))]
			gerActive(alpha, some, part, a[first*lda+start:], lda, len(x)*len(y))
		}
	}
}

func gerGeneric(alpha float32, x, y, a []float32, stride, _ int) {
	for i, v := range x {
		axpyGeneric(float32(alpha*v), y, row(a, stride, nil, i, len(y)))
	}
}
