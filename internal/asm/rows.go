package asm

import "github.com/pegasimd/pegasimd/internal/misuse"

//go:noinline
func rowsTooShort(rows []float32, stride, count, n int) any {
	return misuse.Of("len(rows) = %d, too few for %d rows of %d elements, %d apart", len(rows),
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
	checkRows(dst, rows, stride, x)
	dotRows(dst, rows, stride, nil, x)
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
	if !rowsInside(rows, stride, idx, len(x)) {
		panic(rowsOutside(rows, stride, idx, len(x)))
	}
	if race {
		raceReads(x)
		raceReads(idx)
		for i := range dst {
			raceReads(row(rows, stride, idx, i, len(x)))
		}
		raceWrites(dst)
	}
	dotRows(dst, rows, stride, idx, x)
}

// rowsInside reports whether rows holds n elements from each row at idx on. It is small enough to
// be inlined.
func rowsInside(rows []float32, stride int, idx []int32, n int) bool {
	if len(idx) == 0 {
		return true
	}
	if stride < 0 || n > len(rows) {
		return false
	}
	last := uint(len(idx)) // any row will do where all are the same
	if stride > 0 {
		last = uint((len(rows) - n) / stride)
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
func rowsOutside(rows []float32, stride int, idx []int32, n int) any {
	for k, j := range idx {
		if stride >= 0 && n <= len(rows) && !rowsInside(rows, stride, idx[k:k+1], n) {
			return misuse.Of("idx[%d] = %d, a row of %d elements, %d apart, outside len(rows) = %d",
				k, j, n, stride, len(rows))
		}
	}
	return rowsTooShort(rows, stride, len(idx), n)
}

// CheckRowsAt panics where DotRowsAt would, for what is to be done row by row.
func CheckRowsAt(rows []float32, stride int, idx []int32, n int) {
	if !rowsInside(rows, stride, idx, n) {
		panic(rowsOutside(rows, stride, idx, n))
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
	checkRows(dst, rows, stride, x)
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
	checkRows(dst, rows, stride, x)
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

// checkRows panics unless rows holds a row for each element of dst.
func checkRows(dst, rows []float32, stride int, x []float32) {
	if len(dst) == 0 {
		return
	}
	if stride < 0 || len(x) > len(rows) || stride > 0 && len(dst)-1 > (len(rows)-len(x))/stride {
		panic(rowsTooShort(rows, stride, len(dst), len(x)))
	}
	if race {
		raceReads(x)
		for i := range dst {
			raceReads(row(rows, stride, nil, i, len(x)))
		}
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
	if !rowsInside(rows, stride, idx, len(y)) {
		panic(rowsOutside(rows, stride, idx, len(y)))
	}
	if race {
		raceReads(a)
		raceReads(idx)
		for i := range idx {
			raceReads(row(rows, stride, idx, i, len(y)))
		}
		raceWrites(y)
	}
	for start := 0; start < len(y); start += Block {
		part := y[start:min(start+Block, len(y))]
		axpyRows(a, rows[start:], stride, idx, part)
	}
}

// axpyRows takes four rows at a time, so that y is read and written a quarter as often.
func axpyRows(a, rows []float32, stride int, idx []int32, y []float32) {
	n, quads := len(y), len(idx)&^3
	if active == Generic {
		quads = 0
	}
	for i := 0; i < quads; i += 4 {
		x0, x1 := &rows[int(idx[i])*stride], &rows[int(idx[i+1])*stride]
		x2, x3 := &rows[int(idx[i+2])*stride], &rows[int(idx[i+3])*stride]
		switch active {
		case AVX512:
			axpy4AVX512(&a[i], x0, x1, x2, x3, &y[0], n)
		case AVX512x256:
			axpy4AVX512x256(&a[i], x0, x1, x2, x3, &y[0], n)
		case AVX2:
			axpy4AVX2(&a[i], x0, x1, x2, x3, &y[0], n)
		case NEON:
			axpy4NEON(&a[i], x0, x1, x2, x3, &y[0], n)
		}
	}
	for i := quads; i < len(idx); i++ {
		Axpy(a[i], row(rows, stride, idx, i, n), y)
	}
}
