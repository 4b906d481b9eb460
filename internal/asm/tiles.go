package asm

import "github.com/pegasimd/pegasimd/internal/base/misuse"

// TileRows and TileCols are the dimensions of the tile of C that RankK updates. BlockRows is the
// number of rows of A and B that RankK sums before it adds the sums to C.
const (
	TileRows  = 12
	TileCols  = 32
	BlockRows = 256
)

// RankK adds A'B, the product of the transpose of A with B, to c, a tile of TileRows x TileCols
// elements whose rows are stride apart. A, in a, has k rows of TileRows elements, and B, in b, has
// k rows of TileCols elements:
//
//	for r := range k {
//		sum[i][j] += float32(a[r*TileRows+i] * b[r*TileCols+j])
//	}
//	c[i*stride+j] += sum[i][j]
//
// All sums start from +0, and start anew after every BlockRows rows. RankK panics unless a and b
// have the same whole number of rows, stride is at least TileCols and c holds the tile.
func RankK(c []float32, stride int, a, b []float32) {
	k := checkTile(len(c), stride, len(a), len(b))
	if race {
		raceReads(a, b)
		raceWriteRows(c, stride, TileRows, TileCols)
	}
	for ; k > 0; k -= BlockRows {
		rows := min(k, BlockRows)
		gemmActive(c, stride, a, 1, TileRows, b, TileCols, TileRows, TileCols, rows)
		a, b = a[rows*TileRows:], b[rows*TileCols:]
	}
}

// Gemm computes
//
//	for l := range k {
//		sum[i][j] += float32(a[i*aRow+l*aStep] * b[l*bStep+j])
//	}
//	c[i*stride+j] += sum[i][j]
//
// for i < rows and j < cols. All sums start from +0. Gemm does nothing if rows, cols or k is less
// than 1. It panics if neither aRow nor aStep is 1 (with aStep 1 the rows of A are contiguous, with
// aRow 1 its columns), or if c, a or b is too short. The rows of c must not overlap each other.
func Gemm(c []float32, stride int, a []float32, aRow, aStep int, b []float32,
	bStep, rows, cols, k int) {
	if rows < 1 || cols < 1 || k < 1 {
		return
	}
	CheckRows(len(c), stride, rows, cols)
	CheckRows(len(b), bStep, k, cols)
	lines, length, apart := rows, k, aRow // number, length and distance of a's contiguous vectors
	if aStep != 1 {
		lines, length, apart = k, rows, aStep
	}
	if CheckRows(len(a), apart, lines, length); aRow != 1 && aStep != 1 {
		panic(misuse.Of("aRow = %d, aStep = %d, neither is 1", aRow, aStep))
	}
	if race {
		raceReadRows(a, apart, nil, lines, length)
		raceReadRows(b, bStep, nil, k, cols)
		raceWriteRows(c, stride, rows, cols)
	}
	gemmActive(c, stride, a, aRow, aStep, b, bStep, rows, cols, k)
}

// RankKPairs is RankK for int16 elements and int32 sums. Each uint32 of a and b holds a pair of
// elements from two consecutive rows, the first one in the lower half:
//
//	for r := range k {
//		x, y := a[r*TileRows+i], b[r*TileCols+j]
//		c[i*stride+j] += int32(int16(x))*int32(int16(y)) + int32(int16(x>>16))*int32(int16(y>>16))
//	}
//
// The sums are modulo 2^32, so the order of the rows does not matter.
func RankKPairs(c []int32, stride int, a, b []uint32) {
	k := checkTile(len(c), stride, len(a), len(b))
	if race {
		raceReads(a, b)
		raceWriteRows(c, stride, TileRows, TileCols)
	}
	for ; k > 0; k -= BlockRows {
		rows := min(k, BlockRows)
		rankKPairsActive(c, stride, a, b, rows)
		a, b = a[rows*TileRows:], b[rows*TileCols:]
	}
}

// The parameters c, a and b are lengths of slices; k is the number of rows of A and B.
func checkTile(c, stride, a, b int) (k int) {
	k = a / TileRows
	if a != k*TileRows || b != k*TileCols {
		panic(misuse.Of("len(a) = %d, len(b) = %d, want %d*k and %d*k", a, b, TileRows, TileCols))
	}
	if stride < TileCols || c < (TileRows-1)*stride+TileCols {
		panic(misuse.Of("len(c) = %d, too few for %d rows of %d elements, %d apart", c, TileRows,
			TileCols, stride))
	}
	return k
}

// Pack copies a row x, times c, into panels for RankK, which begin step elements apart:
//
//	for i, v := range x {
//		dst[i/width*step+i%width] = float32(c * v)
//	}
//
// It panics if width is neither TileRows nor TileCols or, unless x is empty, if step is less than
// width or dst is too short.
func Pack(dst []float32, width, step int, c float32, x []float32) {
	if width != TileRows && width != TileCols {
		panic(misuse.Of("width = %d, want %d or %d", width, TileRows, TileCols))
	}
	if n := len(x); n == 0 {
		return
	} else if last := (n - 1) / width; step < width || len(dst) < last*step+n-last*width {
		panic(misuse.Of("len(dst) = %d, step = %d, too small for %d elements in panels of %d",
			len(dst), step, n, width))
	}
	if race {
		raceReads(x)
		for i := 0; i < len(x); i += width {
			raceWrites(dst[i/width*step:][:min(width, len(x)-i)])
		}
	}
	for ; len(x) > packBlock; x, dst = x[packBlock:], dst[packBlock/width*step:] {
		packActive(dst, width, step, c, x[:packBlock])
	}
	packActive(dst, width, step, c, x)
}

// PackColumns copies columns, times c, into a panel:
//
//	for j := range cols {
//		for i, v := range x[j*stride:][:n] {
//			dst[i*width+j] = float32(c * v)
//		}
//	}
//
// It does nothing if cols or n is less than 1, and otherwise panics if x or dst is too short.
func PackColumns(dst []float32, width int, c float32, x []float32, stride, cols, n int) {
	if cols < 1 || n < 1 {
		return
	}
	CheckRows(len(x), stride, cols, n)
	CheckRows(len(dst), width, n, cols)
	if race {
		raceReadRows(x, stride, nil, cols, n)
		raceWriteRows(dst, width, n, cols)
	}
	packColumnsActive(dst, width, c, x, stride, cols, n)
}

const packBlock = Block / (TileRows * TileCols) * (TileRows * TileCols)

func gemmGeneric(c []float32, stride int, a []float32, aRow, aStep int, b []float32,
	bStep, rows, cols, k int) {
	for i := 0; i+1 < rows; i += 2 {
		for j := 0; j+3 < cols; j += 4 {
			var s00, s01, s02, s03, s10, s11, s12, s13 float32
			x, y := a[i*aRow:], b[j:]
			for l := k; ; {
				u, v, w := x[0], x[aRow], (*[4]float32)(y)
				s00 += float32(u * w[0])
				s01 += float32(u * w[1])
				s02 += float32(u * w[2])
				s03 += float32(u * w[3])
				s10 += float32(v * w[0])
				s11 += float32(v * w[1])
				s12 += float32(v * w[2])
				s13 += float32(v * w[3])
				if l--; l == 0 {
					break
				}
				x, y = x[aStep:], y[bStep:]
			}
			p, q := (*[4]float32)(c[i*stride+j:]), (*[4]float32)(c[(i+1)*stride+j:])
			p[0], p[1], p[2], p[3] = p[0]+s00, p[1]+s01, p[2]+s02, p[3]+s03
			q[0], q[1], q[2], q[3] = q[0]+s10, q[1]+s11, q[2]+s12, q[3]+s13
		}
	}
	for i := range rows {
		first := cols &^ 3
		if i == rows&^1 {
			first = 0
		}
		for j := first; j < cols; j++ {
			var sum float32
			for l := range k {
				sum += float32(a[i*aRow+l*aStep] * b[l*bStep+j])
			}
			c[i*stride+j] += sum
		}
	}
}

func rankKPairsGeneric(c []int32, stride int, a, b []uint32, k int) {
	for i := range TileRows {
		row := c[i*stride:][:TileCols]
		for r := range k {
			x := a[r*TileRows+i]
			low, high := int32(int16(x)), int32(int16(x>>16))
			for j, y := range b[r*TileCols:][:TileCols] {
				row[j] += low*int32(int16(y)) + high*int32(int16(y>>16))
			}
		}
	}
}

func packGeneric(dst []float32, width, step int, c float32, x []float32) {
	for len(x) > 0 {
		n := min(width, len(x))
		panel := dst[:n]
		for i, v := range x[:n] {
			panel[i] = float32(c * v)
		}
		if x = x[n:]; len(x) > 0 {
			dst = dst[step:]
		}
	}
}

func packColumnsGeneric(dst []float32, width int, c float32, x []float32, stride, cols, n int) {
	for j := range cols {
		at := j
		for _, v := range x[j*stride:][:n] {
			dst[at] = float32(c * v)
			at += width
		}
	}
}
