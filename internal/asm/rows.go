package asm

import (
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/misuse"
)

//go:noinline
func rowsTooShort(elements, stride, count, n int) any {
	return misuse.Of("len(rows) = %d, too few for %d rows of %d elements, %d apart", elements,
		count, n, stride)
}

// DotRows is
//
//	for i := range dst {
//		dst[i] = Dot(rows[i*stride:][:len(x)], x)
//	}
//
// to the bit. It panics if rows ends before its last row does. dst must not overlap rows or x.
func DotRows(dst, rows []float32, stride int, x []float32) {
	enterRows(dst, rows, stride, x)
	dotRows(dst, rows, stride, nil, x)
}

// CheckRows panics unless that many elements hold count rows of n, stride apart.
func CheckRows(elements, stride, count, n int) {
	if count > 0 && (stride < 0 || n > elements || !Fit(count-1, stride, elements-n)) {
		panic(rowsTooShort(elements, stride, count, n))
	}
}

// Fit reports whether count*stride is no more than n, none of which is negative. It does not divide,
// which takes as long as a short row does.
func Fit(count, stride, n int) bool {
	high, low := bits.Mul64(uint64(count), uint64(stride))
	return high == 0 && low <= uint64(n)
}

// CheckMatrix panics unless lda is at least cols and a holds that many rows, which begin lda
// elements apart. name and leading are what the message calls a and lda.
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

// DotRowsAt is
//
//	for i, j := range idx {
//		dst[i] = Dot(rows[j*stride:][:len(x)], x)
//	}
//
// to the bit. It panics if dst and idx differ in length or an index is outside rows. dst must not
// overlap rows or x.
func DotRowsAt(dst, rows []float32, stride int, idx []int32, x []float32) {
	if len(dst) != len(idx) {
		panic(mismatch("len(dst)", len(dst), "len(idx)", len(idx)))
	}
	if !rowsInside(len(rows), stride, idx, len(x)) {
		panic(rowsOutside(len(rows), stride, idx, len(x)))
	}
	if race {
		raceReads(x)
		raceReads(idx)
		raceReadRows(rows, stride, idx, len(dst), len(x))
		raceWrites(dst)
	}
	dotRows(dst, rows, stride, idx, x)
}

// rowsInside reports whether that many elements hold n from each row at idx on. It is small enough
// to be inlined.
func rowsInside(elements, stride int, idx []int32, n int) bool {
	if len(idx) == 0 {
		return true
	}
	if stride < 0 || n > elements {
		return false
	}
	last := uint(len(idx)) // any row will do where all are the same
	if stride > 0 {
		last = uint((elements - n) / stride)
	}
	for _, j := range idx {
		if j < 0 || stride > 0 && uint(j) > last {
			return false
		}
	}
	return true
}

// rowsOutside returns what to panic with where rowsInside is false.
//
//go:noinline
func rowsOutside(elements, stride int, idx []int32, n int) any {
	for k, j := range idx {
		if stride >= 0 && n <= elements && !rowsInside(elements, stride, idx[k:k+1], n) {
			return misuse.Of("idx[%d] = %d, a row of %d elements, %d apart, outside len(rows) = %d",
				k, j, n, stride, elements)
		}
	}
	return rowsTooShort(elements, stride, len(idx), n)
}

// CheckRowsAt panics where DotRowsAt would, for what is to be done row by row.
func CheckRowsAt(elements, stride int, idx []int32, n int) {
	if !rowsInside(elements, stride, idx, n) {
		panic(rowsOutside(elements, stride, idx, n))
	}
}

// RowsAtOnce is how many rows of n elements one call into assembly takes, a multiple of four: about
// Block elements or four rows.
func RowsAtOnce(n int) int { return max(Block/max(n, 1)&^3, 4) }

// Numbers of elements: what is beyond the first cache (64 KB), the second (2 MB) and most processes'
// share of the third (4 MB), and rows long enough to be taken one by one, in the cache with 512
// bits, with 512 bits, and without.
const (
	beyondFirst = 16 << 10
	nearby      = 512 << 10
	fromMemory  = 1 << 20
	shortRow    = 128
	mediumRow   = 256
	longRow     = 512
)

// oneByOne tells whether all rows of n elements are better taken one after the other than four at a
// time. Registers of 512 bits hold the lanes of four rows; others pass over them four times, which
// is slow where rows are long. From memory rows are read sooner in four streams by CPUs that have
// fourStreams, and gathered ones by all.
func oneByOne(rows []float32, idx []int32, count, n int) bool {
	size, wide := count*n, active == AVX512
	switch {
	case n < shortRow || n < mediumRow && (!wide || size >= fromMemory):
		return false
	case idx != nil:
		return !wide && n >= longRow && size > nearby && len(rows) <= 2*fromMemory
	case size >= fromMemory && wide:
		return !fourStreams
	case size >= fromMemory:
		return n >= longRow
	case wide || n >= longRow:
		return size > beyondFirst
	}
	return size > nearby
}

// dotRows is given indices or, for consecutive rows, nil.
func dotRows(dst, rows []float32, stride int, idx []int32, x []float32) {
	n, done := len(x), 0
	switch {
	case n == 0 || n > Block:
	case !oneByOne(rows, idx, len(dst), n):
		done = len(dst) &^ 3
		fourRows(dst[:done], rows, stride, idx, x)
	case idx == nil:
		done = len(dst)
		for i, step := 0, RowsAtOnce(n); i < done; i += step {
			dotEachRowActive(dst[i:min(i+step, done)], rows[i*stride:], stride, x)
		}
	}
	for i := done; i < len(dst); i++ {
		dst[i] = Dot(row(rows, stride, idx, i, n), x)
	}
}

// fourRows takes four rows at a time.
func fourRows(dst, rows []float32, stride int, idx []int32, x []float32) {
	step := RowsAtOnce(len(x))
	for first := 0; first < len(dst); first += step {
		some := dst[first:min(first+step, len(dst))]
		if idx == nil {
			dotRowsActive(some, rows[first*stride:], stride, nil, x)
		} else {
			dotRowsActive(some, rows, stride, idx[first:], x)
		}
	}
}

func dotRowsGeneric(dst, rows []float32, stride int, idx []int32, x []float32) {
	for i := range dst {
		dst[i] = dotGeneric(row(rows, stride, idx, i, len(x)), x)
	}
}

func dotEachRowGeneric(dst, rows []float32, stride int, x []float32) {
	for i := range dst {
		dst[i] = dotGeneric(row(rows, stride, nil, i, len(x)), x)
	}
}

func squaredDistanceEachRowGeneric(dst, rows []float32, stride int, x []float32) {
	for i := range dst {
		dst[i] = squaredDistanceGeneric(row(rows, stride, nil, i, len(x)), x)
	}
}

func cosineEachRowGeneric(dst, rows []float32, stride int, x []float32, xx float32) {
	for i := range dst {
		v := row(rows, stride, nil, i, len(x))
		dst[i] = CosineOf(x, v, dotGeneric(x, v), xx, sumSquaresGeneric(v))
	}
}

// SquaredDistanceRows is
//
//	for i := range dst {
//		dst[i] = SquaredDistance(rows[i*stride:][:len(x)], x)
//	}
//
// to the bit. It panics if rows ends before its last row does. dst must not overlap rows or x.
func SquaredDistanceRows(dst, rows []float32, stride int, x []float32) {
	n := len(x)
	enterRows(dst, rows, stride, x)
	if n <= lanes || n > Block {
		for i := range dst {
			dst[i] = SquaredDistance(row(rows, stride, nil, i, n), x)
		}
		return
	}
	for i, step := 0, RowsAtOnce(n); i < len(dst); i += step {
		squaredDistanceEachRowActive(dst[i:min(i+step, len(dst))], rows[i*stride:], stride, x)
	}
}

// CosineRows is
//
//	for i := range dst {
//		dst[i] = Cosine(x, rows[i*stride:][:len(x)])
//	}
//
// to the bit. It panics if rows ends before its last row does. dst must not overlap rows or x.
func CosineRows(dst, rows []float32, stride int, x []float32) {
	n, xx := len(x), SumSquares(x)
	enterRows(dst, rows, stride, x)
	if n <= lanes || n > Block || !exact(xx) {
		for i := range dst {
			dst[i] = Cosine(x, row(rows, stride, nil, i, n))
		}
		return
	}
	for i, step := 0, RowsAtOnce(n); i < len(dst); i += step {
		cosineEachRowActive(dst[i:min(i+step, len(dst))], rows[i*stride:], stride, x, xx)
	}
	for i, v := range dst {
		if v != v { // the assembly leaves these to Cosine
			dst[i] = Cosine(x, row(rows, stride, nil, i, n))
		}
	}
}

// enterRows panics unless rows holds a row for each element of dst, and tells the race detector what
// is read and written.
func enterRows(dst, rows []float32, stride int, x []float32) {
	CheckRows(len(rows), stride, len(dst), len(x))
	if race {
		raceReads(x)
		raceReadRows(rows, stride, nil, len(dst), len(x))
		raceWrites(dst)
	}
}

func row(rows []float32, stride int, idx []int32, i, n int) []float32 {
	if idx != nil {
		i = int(idx[i])
	}
	return rows[i*stride:][:n]
}

// AxpyRows is
//
//	for i, j := range idx {
//		Axpy(a[i], rows[j*stride:][:len(y)], y)
//	}
//
// to the bit. It panics if a and idx differ in length or an index is outside rows. y must not
// overlap a or rows.
func AxpyRows(a, rows []float32, stride int, idx []int32, y []float32) {
	if len(a) != len(idx) {
		panic(mismatch("len(a)", len(a), "len(idx)", len(idx)))
	}
	if !rowsInside(len(rows), stride, idx, len(y)) {
		panic(rowsOutside(len(rows), stride, idx, len(y)))
	}
	if race {
		raceReads(a)
		raceReads(idx)
		raceReadRows(rows, stride, idx, len(idx), len(y))
		raceWrites(y)
	}
	axpyRows(1, a, rows, stride, idx, y)
}

// GemvT is
//
//	for i, v := range x {
//		Axpy(alpha*v, rows[i*stride:][:len(y)], y)
//	}
//
// to the bit. It panics if rows ends before its last row does. y must not overlap rows or x.
func GemvT(alpha float32, rows []float32, stride int, x, y []float32) {
	CheckRows(len(rows), stride, len(x), len(y))
	if race {
		raceReads(x)
		raceReadRows(rows, stride, nil, len(x), len(y))
		raceWrites(y)
	}
	axpyRows(alpha, x, rows, stride, nil, y)
}

// axpyRows is given indices or, for consecutive rows, nil.
func axpyRows(alpha float32, a, rows []float32, stride int, idx []int32, y []float32) {
	if len(a) > 0 && len(y) > 0 && Fit(len(a), len(y), Block) {
		axpyRowsActive(alpha, a, rows, stride, idx, y)
	} else {
		axpyRowsParts(alpha, a, rows, stride, idx, y)
	}
}

// axpyRowsParts is axpyRows in several calls.
func axpyRowsParts(alpha float32, a, rows []float32, stride int, idx []int32, y []float32) {
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

func axpyRowsGeneric(alpha float32, a, rows []float32, stride int, idx []int32, y []float32) {
	for i, v := range a {
		axpyGeneric(float32(alpha*v), row(rows, stride, idx, i, len(y)), y)
	}
}

// Ger is
//
//	for i, v := range x {
//		Axpy(alpha*v, y, a[i*lda:][:len(y)])
//	}
//
// to the bit, but that nothing happens where alpha is 0. It panics where CheckMatrix does. a must not
// overlap x or y.
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

// gerParts is Ger in several calls.
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
