package asm

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/misuse"
)

// Block is the number of elements after which a sum starts anew and a call into assembly ends. It
// bounds the time in one call, which can't be pre-empted, to some tens of microseconds, and keeps
// the rounding error of long sums small.
const Block = 65536

const (
	lanes       = 64 // of a dense sum
	sparseLanes = 8  // of a sparse sum
)

// Lengths and rows are checked here and nowhere else: dense calls these functions and does nothing
// before, so that it is inlined. Of most kernels it is the assembly that checks: dotActive compares
// the lengths and works like dotGeneric, on the path in use. It calls dotRare where they differ, for
// long vectors and on the path without assembly. Panics name the function that the caller sees: see
// package misuse.

// mismatch returns what to panic with. It is not inlined, like the others that do so, to keep its
// code out of the kernels'; that it doesn't panic itself tells the compiler that nothing comes
// after.
//
//go:noinline
func mismatch(a string, n int, b string, m int) any {
	return misuse.Lengths(a, n, b, m)
}

func vectorsDiffer(x, y []float32) any {
	return mismatch("len(x)", len(x), "len(y)", len(y))
}

// Dot is
//
//	for i, v := range x {
//		lane[i%64] += float32(v * y[i])
//	}
//
// with the lanes folded as the package comment says. It panics if the lengths differ.
func Dot(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return dotActive(x, y)
}

func dotRare(x, y []float32) float32 {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) > Block {
		return dotBlocks(x, y)
	}
	return dotGeneric(x, y)
}

// inMemory is a number of elements, 32 MB of two vectors, that no cache holds but the largest.
const inMemory = 4 << 20

func dotBlocks(x, y []float32) (sum float32) {
	if len(x) >= inMemory {
		for len(x) >= 2*Block {
			two := dotTwo(x[:2*Block], y[:2*Block])
			sum += two[0]
			sum += two[1]
			x, y = x[2*Block:], y[2*Block:]
		}
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += Dot(x[i:j], y[i:j])
	}
	return sum
}

// dotTwo returns the sums of two blocks of equal length, a multiple of 64, one behind the other.
func dotTwo(x, y []float32) (sum [2]float32) {
	n := len(x) / 2
	switch active {
	case AVX512, AVX512x256:
		dotTwoAVX512x256(&sum[0], &x[0], &y[0], n)
	case AVX2:
		dotTwoAVX2(&sum[0], &x[0], &y[0], n)
	case NEON:
		dotTwoNEON(&sum[0], &x[0], &y[0], n)
	default:
		sum = [2]float32{dotGeneric(x[:n], y[:n]), dotGeneric(x[n:], y[n:])}
	}
	return sum
}

// dotGeneric takes eight lanes at a time, so that they stay in registers, and walks the vectors
// eight times. That is faster than the naive loop, whose one sum waits for itself at every
// addition.
func dotGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for g := 0; g < lanes && g < len(x); g += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		i := g
		for ; i+8 <= len(x); i += lanes {
			a, b := (*[8]float32)(x[i:]), (*[8]float32)(y[i:])
			s0 += float32(a[0] * b[0])
			s1 += float32(a[1] * b[1])
			s2 += float32(a[2] * b[2])
			s3 += float32(a[3] * b[3])
			s4 += float32(a[4] * b[4])
			s5 += float32(a[5] * b[5])
			s6 += float32(a[6] * b[6])
			s7 += float32(a[7] * b[7])
		}
		*(*[8]float32)(lane[g:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
		for l := g; i < len(x); i, l = i+1, l+1 {
			lane[l] += float32(x[i] * y[i])
		}
	}
	// The lanes that a short vector does not reach are +0, and adding +0 to what a sum can be
	// changes nothing.
	n := lanes
	for n/2 >= len(x) && n > 1 {
		n /= 2
	}
	return fold(lane[:n])
}

// fold adds the upper half of the lanes to the lower half until one is left.
func fold(lane []float32) float32 {
	for n := len(lane) / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

// SumSquares is Dot(x, x) in half the loads.
func SumSquares(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return sumSquaresActive(x)
}

func sumSquaresRare(x []float32) float32 {
	if len(x) > Block {
		return sumSquaresBlocks(x)
	}
	return sumSquaresGeneric(x)
}

func sumSquaresBlocks(x []float32) (sum float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += SumSquares(x[i:j])
	}
	return sum
}

func sumSquaresGeneric(x []float32) float32 { return dotGeneric(x, x) }

// Axpy is
//
//	for i, v := range x {
//		y[i] += float32(a * v)
//	}
//
// It panics if the lengths differ. x and y may be the same slice.
func Axpy(a float32, x, y []float32) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpyActive(a, x, y)
}

func axpyRare(a float32, x, y []float32) {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) > Block {
		axpyBlocks(a, x, y)
		return
	}
	axpyGeneric(a, x, y)
}

func axpyBlocks(a float32, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Axpy(a, x[i:j], y[i:j])
	}
}

func axpyGeneric(a float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float32(a * v)
	}
}

// Scale is
//
//	for i := range x {
//		x[i] *= a
//	}
func Scale(a float32, x []float32) {
	if race {
		raceWrites(x)
	}
	scaleActive(a, x)
}

func scaleRare(a float32, x []float32) {
	if len(x) > Block {
		scaleBlocks(a, x)
		return
	}
	scaleGeneric(a, x)
}

func scaleBlocks(a float32, x []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Scale(a, x[i:j])
	}
}

func scaleGeneric(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

func rowDiffers(idx []int32, val []float32) any {
	return mismatch("len(idx)", len(idx), "len(val)", len(val))
}

// DotSparse is
//
//	for k, j := range idx {
//		lane[k%8] += float32(val[k] * w[j])
//	}
//
// with the 8 lanes folded. It panics if idx and val differ in length. Every index must lie in [0,
// len(w)): the assembly trusts it.
func DotSparse(idx []int32, val, w []float32) float32 {
	if race {
		raceReads(idx)
		raceReads(val)
		raceReadsAt(w, idx, 1)
	}
	return dotSparseActive(idx, val, w)
}

func dotSparseRare(idx []int32, val, w []float32) float32 {
	if len(idx) != len(val) {
		panic(rowDiffers(idx, val))
	}
	if len(idx) > Block {
		return dotSparseBlocks(idx, val, w)
	}
	return dotSparseGeneric(idx, val, w)
}

func dotSparseBlocks(idx []int32, val, w []float32) (sum float32) {
	for i := 0; i < len(idx); i += Block {
		j := min(i+Block, len(idx))
		sum += DotSparse(idx[i:j], val[i:j], w)
	}
	return sum
}

func dotSparseGeneric(idx []int32, val, w []float32) float32 {
	val = val[:len(idx)]
	var lane [sparseLanes]float32
	for k, j := range idx {
		lane[k%sparseLanes] += float32(val[k] * w[j])
	}
	return fold(lane[:])
}

// AxpySparse is
//
//	for k, j := range idx {
//		w[j] += float32(a * val[k])
//	}
//
// It panics if idx and val differ in length. Every index must lie in [0, len(w)): the assembly
// trusts it. Indices may repeat; val must not overlap w.
func AxpySparse(a float32, idx []int32, val, w []float32) {
	if race {
		raceReads(idx)
		raceReads(val)
		raceWritesAt(w, idx, 1)
	}
	axpySparseActive(a, idx, val, w)
}

func axpySparseRare(a float32, idx []int32, val, w []float32) {
	if len(idx) != len(val) {
		panic(rowDiffers(idx, val))
	}
	if len(idx) > Block {
		axpySparseBlocks(a, idx, val, w)
		return
	}
	axpySparseGeneric(a, idx, val, w)
}

func axpySparseBlocks(a float32, idx []int32, val, w []float32) {
	for i := 0; i < len(idx); i += Block {
		j := min(i+Block, len(idx))
		AxpySparse(a, idx[i:j], val[i:j], w)
	}
}

func axpySparseGeneric(a float32, idx []int32, val, w []float32) {
	val = val[:len(idx)]
	for k, j := range idx {
		w[j] += float32(a * val[k])
	}
}

// DotSame is DotSparse of a row whose values are all a, to the bit:
//
//	for k, j := range idx {
//		lane[k%8] += float32(a * w[j])
//	}
//
// with the 8 lanes folded. The indices must be strictly ascending, so that there are at most Block
// of them, and less than len(w): the assembly trusts them.
func DotSame(a float32, idx []uint16, w []float32) float32 {
	if race {
		raceReads(idx)
		raceReadsAt(w, idx, 1)
	}
	return dotSameActive(a, idx, w)
}

func dotSameRare(a float32, idx []uint16, w []float32) float32 {
	return dotSameGeneric(a, idx, w)
}

// dotSameGeneric is not inlined, nor is axpySameGeneric: DotSame would keep registers for it, which
// short rows notice.
//
//go:noinline
func dotSameGeneric(a float32, idx []uint16, w []float32) float32 {
	var lane [sparseLanes]float32
	for k, j := range idx {
		lane[k%sparseLanes] += float32(a * w[j])
	}
	return fold(lane[:])
}

// AxpySame is AxpySparse of a row whose products are all a, to the bit:
//
//	for _, j := range idx {
//		w[j] += a
//	}
//
// The indices must be strictly ascending, so that there are at most Block of them, and less than
// len(w): the assembly trusts them.
func AxpySame(a float32, idx []uint16, w []float32) {
	if race {
		raceReads(idx)
		raceWritesAt(w, idx, 1)
	}
	axpySameActive(a, idx, w)
}

func axpySameRare(a float32, idx []uint16, w []float32) {
	axpySameGeneric(a, idx, w)
}

//go:noinline
func axpySameGeneric(a float32, idx []uint16, w []float32) {
	for _, j := range idx {
		w[j] += a
	}
}

// A Step is one that StepsSame takes.
type Step struct {
	Start, Count uint32  // of the row's indices
	Value        float32 // of the row, times its label
	Update       float32 // what is added at the row's indices if Margin < Least
	Least        float32
	Margin       float32 // set by StepsSame
}

// StepsSame takes steps of the hinge loss with rows of one value, one after the other:
//
//	for i := range steps {
//		s := &steps[i]
//		row := indices[s.Start:][:s.Count]
//		s.Margin = DotSame(s.Value, row, w)
//		if s.Margin is infinite or NaN {
//			break
//		}
//		update := 0
//		if s.Margin < s.Least {
//			update = s.Update
//		}
//		AxpySame(update, row, w)
//	}
//
// Where there is no update 0 is added: which rows have one is known late, and hard to predict. The
// rows are as in AxpySame.
func StepsSame(steps []Step, indices []uint16, w []float32) {
	if len(steps) == 0 {
		return
	}
	if race {
		raceWrites(unsafe.Slice(&steps[0].Value, 6*len(steps)-2))
		for i := range steps {
			row := indices[steps[i].Start:][:steps[i].Count]
			raceReads(row)
			raceWritesAt(w, row, 1)
		}
	}
	first := &steps[0].Start
	switch active {
	case AVX512, AVX512x256:
		stepsSameAVX512x256(first, len(steps), unsafe.SliceData(indices), unsafe.SliceData(w))
	case AVX2:
		stepsSameAVX2(first, len(steps), unsafe.SliceData(indices), unsafe.SliceData(w))
	case NEON:
		stepsSameNEON(first, len(steps), unsafe.SliceData(indices), unsafe.SliceData(w))
	default:
		stepsSameGeneric(steps, indices, w)
	}
}

func stepsSameGeneric(steps []Step, indices []uint16, w []float32) {
	for i := range steps {
		s := &steps[i]
		row := indices[s.Start:][:s.Count]
		s.Margin = dotSameGeneric(s.Value, row, w)
		if s.Margin-s.Margin != 0 {
			break
		}
		update := float32(0)
		if s.Margin < s.Least {
			update = s.Update
		}
		axpySameGeneric(update, row, w)
	}
}

// SquaredDistance is
//
//	for i, v := range x {
//		d := v - y[i]
//		lane[i%64] += float32(d * d)
//	}
//
// with the lanes folded as the package comment says. It panics if the lengths differ.
func SquaredDistance(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return squaredDistanceActive(x, y)
}

func squaredDistanceRare(x, y []float32) float32 {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) > Block {
		return squaredDistanceBlocks(x, y)
	}
	return squaredDistanceGeneric(x, y)
}

func squaredDistanceBlocks(x, y []float32) (sum float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += SquaredDistance(x[i:j], y[i:j])
	}
	return sum
}

func squaredDistanceGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for len(x) >= lanes {
		a, b := (*[lanes]float32)(x), (*[lanes]float32)(y)
		for l := range lane {
			d := a[l] - b[l]
			lane[l] += float32(d * d)
		}
		x, y = x[lanes:], y[lanes:]
	}
	for l, v := range x {
		d := v - y[l]
		lane[l] += float32(d * d)
	}
	return fold(lane[:])
}

// DotNorms returns Dot(x, y), SumSquares(x) and SumSquares(y), to the bit, in one pass over both.
// It panics if the lengths differ.
func DotNorms(x, y []float32) (xy, xx, yy float32) {
	if race {
		raceReads(x, y)
	}
	var sums [4]float32 // the last one means nothing
	dotNormsActive(&sums[0], x, y)
	return sums[0], sums[1], sums[2]
}

func dotNormsRare(dst *float32, x, y []float32) {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	sums := unsafe.Slice(dst, 3)
	if len(x) > Block {
		sums[0], sums[1], sums[2] = dotNormsBlocks(x, y)
		return
	}
	sums[0], sums[1], sums[2] = dotNormsGeneric(x, y)
}

func dotNormsBlocks(x, y []float32) (xy, xx, yy float32) {
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		dot, squaresX, squaresY := DotNorms(x[start:end], y[start:end])
		xy += dot
		xx += squaresX
		yy += squaresY
	}
	return xy, xx, yy
}

func dotNormsGeneric(x, y []float32) (xy, xx, yy float32) {
	return dotGeneric(x, y), dotGeneric(x, x), dotGeneric(y, y)
}

// Sum is
//
//	for i, v := range x {
//		lane[i%64] += v
//	}
//
// with the lanes folded as the package comment says.
func Sum(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return sumActive(x)
}

func sumRare(x []float32) float32 {
	if len(x) > Block {
		return sumBlocks(x)
	}
	return sumGeneric(x)
}

func sumBlocks(x []float32) (sum float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += Sum(x[i:j])
	}
	return sum
}

func sumGeneric(x []float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += v
	}
	return fold(lane[:])
}

// SumAbs is Sum of the absolute values.
func SumAbs(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return sumAbsActive(x)
}

func sumAbsRare(x []float32) float32 {
	if len(x) > Block {
		return sumAbsBlocks(x)
	}
	return sumAbsGeneric(x)
}

func sumAbsBlocks(x []float32) (sum float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += SumAbs(x[i:j])
	}
	return sum
}

func sumAbsGeneric(x []float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += abs(v)
	}
	return fold(lane[:])
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// L1Distance is
//
//	for i, v := range x {
//		lane[i%64] += |v - y[i]|
//	}
//
// with the lanes folded as the package comment says. It panics if the lengths differ.
func L1Distance(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return l1DistanceActive(x, y)
}

func l1DistanceRare(x, y []float32) float32 {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) > Block {
		return l1DistanceBlocks(x, y)
	}
	return l1DistanceGeneric(x, y)
}

func l1DistanceBlocks(x, y []float32) (sum float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += L1Distance(x[i:j], y[i:j])
	}
	return sum
}

func l1DistanceGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += abs(v - y[i])
	}
	return fold(lane[:])
}

const doubleLanes = 32 // of a sum of float64

// Dot64 is
//
//	for i, v := range x {
//		lane[i%32] += float64(v) * float64(y[i])
//	}
//
// in lanes of float64, folded as other lanes are. Each product is exact, so that it makes no
// difference whether it is fused with the addition. It panics if the lengths differ.
func Dot64(x, y []float32) float64 {
	if race {
		raceReads(x, y)
	}
	return dot64Active(x, y)
}

func dot64Rare(x, y []float32) (sum float64) {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) <= Block {
		return dot64Generic(x, y)
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += Dot64(x[i:j], y[i:j])
	}
	return sum
}

func dot64Generic(x, y []float32) float64 {
	y = y[:len(x)]
	var lane [doubleLanes]float64
	for i, v := range x {
		lane[i%doubleLanes] += float64(v) * float64(y[i])
	}
	for n := doubleLanes / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

// Axpy64 is
//
//	for i, v := range x {
//		y[i] += float64(a * float64(v))
//	}
//
// It panics if the lengths differ.
func Axpy64(a float64, x []float32, y []float64) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpy64Active(&a, x, y)
}

func axpy64Rare(a *float64, x []float32, y []float64) {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if len(x) <= Block {
		axpy64Generic(*a, x, y)
		return
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		axpy64Active(a, x[i:j], y[i:j])
	}
}

func axpy64Generic(a float64, x []float32, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * float64(v))
	}
}

// Min returns the least number in x, and +Inf if there is none: NaN is no number. A zero is
// returned as +0.
func Min(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return minActive(x)
}

func minRare(x []float32) float32 {
	if len(x) > Block {
		least := float32(math.Inf(1))
		for start := 0; start < len(x); start += Block {
			least = min(least, Min(x[start:min(start+Block, len(x))]))
		}
		return least
	}
	return minGeneric(x)
}

func minGeneric(x []float32) float32 {
	least := float32(math.Inf(1))
	for _, v := range x {
		if v < least {
			least = v
		}
	}
	if least == 0 {
		return 0
	}
	return least
}

// Max returns the greatest number in x, and -Inf if there is none: NaN is no number. A zero is
// returned as +0.
func Max(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return maxActive(x)
}

func maxRare(x []float32) float32 {
	if len(x) > Block {
		greatest := float32(math.Inf(-1))
		for start := 0; start < len(x); start += Block {
			greatest = max(greatest, Max(x[start:min(start+Block, len(x))]))
		}
		return greatest
	}
	return maxGeneric(x)
}

func maxGeneric(x []float32) float32 {
	greatest := float32(math.Inf(-1))
	for _, v := range x {
		if v > greatest {
			greatest = v
		}
	}
	if greatest == 0 {
		return 0
	}
	return greatest
}

// ArgMin returns the index of the first element that equals Min(x), and -1 if there is no number.
// Zeros of both signs are equal.
func ArgMin(x []float32) int {
	first, least := 0, float32(math.Inf(1))
	for start := 0; start < len(x); start += Block {
		if m := Min(x[start:min(start+Block, len(x))]); m < least {
			first, least = start, m
		}
	}
	return findFrom(x, first, least)
}

// ArgMax returns the index of the first element that equals Max(x), and -1 if there is no number.
// Zeros of both signs are equal.
func ArgMax(x []float32) int {
	first, greatest := 0, float32(math.Inf(-1))
	for start := 0; start < len(x); start += Block {
		if m := Max(x[start:min(start+Block, len(x))]); m > greatest {
			first, greatest = start, m
		}
	}
	return findFrom(x, first, greatest)
}

func findFrom(x []float32, first int, v float32) int {
	i := Find(x[first:], v)
	if i < 0 {
		return -1
	}
	return first + i
}

// Find returns the least i for which x[i] == v, and -1 if there is none, as for a v that is NaN.
func Find(x []float32, v float32) int {
	if race {
		raceReads(x)
	}
	for start := 0; start < len(x); start += Block {
		part := x[start:min(start+Block, len(x))]
		near := 0 // elements that are not v; it is among the first after them, or at the very end
		if n := len(part) &^ 15; n > 0 {
			near = findActive(part[:n], v)
		}
		for i, w := range part[near:] {
			if w == v {
				return start + near + i
			}
		}
	}
	return -1
}

// findRare passes nothing over.
func findRare(x []float32, v float32) int { return 0 }

//go:noinline
func threeDiffer(dst, x, y []float32) any {
	if len(x) != len(y) {
		return vectorsDiffer(x, y)
	}
	return mismatch("len(dst)", len(dst), "len(x)", len(x))
}

// Add is
//
//	for i, v := range x {
//		dst[i] = v + y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func Add(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	addActive(dst, x, y)
}

func addRare(dst, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(threeDiffer(dst, x, y))
	}
	if len(x) > Block {
		addBlocks(dst, x, y)
		return
	}
	addGeneric(dst, x, y)
}

func addBlocks(dst, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Add(dst[i:j], x[i:j], y[i:j])
	}
}

func addGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v + y[i]
	}
}

// Sub is
//
//	for i, v := range x {
//		dst[i] = v - y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func Sub(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	subActive(dst, x, y)
}

func subRare(dst, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(threeDiffer(dst, x, y))
	}
	if len(x) > Block {
		subBlocks(dst, x, y)
		return
	}
	subGeneric(dst, x, y)
}

func subBlocks(dst, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Sub(dst[i:j], x[i:j], y[i:j])
	}
}

func subGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v - y[i]
	}
}

// Mul is
//
//	for i, v := range x {
//		dst[i] = v * y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func Mul(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	mulActive(dst, x, y)
}

func mulRare(dst, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(threeDiffer(dst, x, y))
	}
	if len(x) > Block {
		mulBlocks(dst, x, y)
		return
	}
	mulGeneric(dst, x, y)
}

func mulBlocks(dst, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Mul(dst[i:j], x[i:j], y[i:j])
	}
}

func mulGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// ScaleTo is
//
//	for i, v := range x {
//		dst[i] = a * v
//	}
//
// It panics if the lengths differ. dst may be x.
func ScaleTo(dst []float32, a float32, x []float32) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	scaleToActive(dst, a, x)
}

func scaleToRare(dst []float32, a float32, x []float32) {
	if len(dst) != len(x) {
		panic(mismatch("len(dst)", len(dst), "len(x)", len(x)))
	}
	if len(x) > Block {
		scaleToBlocks(dst, a, x)
		return
	}
	scaleToGeneric(dst, a, x)
}

func scaleToBlocks(dst []float32, a float32, x []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		ScaleTo(dst[i:j], a, x[i:j])
	}
}

func scaleToGeneric(dst []float32, a float32, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = a * v
	}
}

// AxpyTo is
//
//	for i, v := range x {
//		dst[i] = float32(a*v) + y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func AxpyTo(dst []float32, a float32, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	axpyToActive(dst, a, x, y)
}

func axpyToRare(dst []float32, a float32, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(threeDiffer(dst, x, y))
	}
	if len(x) > Block {
		axpyToBlocks(dst, a, x, y)
		return
	}
	axpyToGeneric(dst, a, x, y)
}

func axpyToBlocks(dst []float32, a float32, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		AxpyTo(dst[i:j], a, x[i:j], y[i:j])
	}
}

func axpyToGeneric(dst []float32, a float32, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = float32(a*v) + y[i]
	}
}

// Axpby is
//
//	for i, v := range x {
//		y[i] = float32(a*v) + float32(b*y[i])
//	}
//
// It panics if the lengths differ. x and y may be the same slice.
func Axpby(a float32, x []float32, b float32, y []float32) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpbyActive(a, x, b, y)
}

func axpbyRare(a float32, x []float32, b float32, y []float32) {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) > Block {
		axpbyBlocks(a, x, b, y)
		return
	}
	axpbyGeneric(a, x, b, y)
}

func axpbyBlocks(a float32, x []float32, b float32, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Axpby(a, x[i:j], b, y[i:j])
	}
}

func axpbyGeneric(a float32, x []float32, b float32, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = float32(a*v) + float32(b*y[i])
	}
}

// Exp is
//
//	for i, v := range x {
//		dst[i] = e^v
//	}
//
// to within 1.1 units in the last place, with the bits of expGeneric: +Inf where e^v overflows,
// rounded subnormals and 0 where it underflows, NaN for NaN. It panics if the lengths differ. dst
// and x may be the same slice.
func Exp(dst, x []float32) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	expActive(dst, x, &expTable[0])
}

func expRare(dst, x []float32, _ *float32) {
	if len(dst) != len(x) {
		panic(mismatch("len(dst)", len(dst), "len(x)", len(x)))
	}
	if len(x) > Block {
		expBlocks(dst, x)
		return
	}
	expGeneric(dst, x)
}

func expBlocks(dst, x []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Exp(dst[i:j], x[i:j])
	}
}

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
	if len(dst) == 0 {
		return
	}
	if stride < 0 || len(x) > len(rows) || stride > 0 && len(dst)-1 > (len(rows)-len(x))/stride {
		panic(rowsTooShort(rows, stride, len(dst), len(x)))
	}
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

// rowsAtOnce is how many rows of n elements one call takes, a multiple of four: about Block
// elements or four rows.
func rowsAtOnce(n int) int { return max(Block/max(n, 1)&^3, 4) }

// Numbers of elements: what the second cache holds (2 MB), and the third (8 MB); rows of up to
// shortRow are taken four at a time wherever they are, those of longRow and more only from the
// first two. prefetched is the longest row that is asked for while the one before is read.
const (
	nearby     = 512 << 10
	cached     = 2 << 20
	shortRow   = 256
	longRow    = 512
	prefetched = 4096
)

// oneByOne tells whether all rows of n elements are better taken one after the other than four at a
// time. Registers of 512 bits hold the lanes of four rows; others pass over them four times, which
// is slow where rows are long and come from the third cache or from memory. Gathered rows from
// memory have more to gain by four streams.
func oneByOne(rows []float32, idx []int32, count, n int) bool {
	switch {
	case active == AVX512 || idx != nil && len(rows) > cached:
		return false
	case n > shortRow && count*n > cached:
		return true
	}
	return n >= longRow && count*n > nearby && active != NEON // where that was not measured
}

// dotRows is given indices or, for consecutive rows, nil.
func dotRows(dst, rows []float32, stride int, idx []int32, x []float32) {
	if race {
		raceReads(x)
		raceReads(idx)
		for i := range dst {
			raceReads(row(rows, stride, idx, i, len(x)))
		}
		raceWrites(dst)
	}
	n, quads := len(x), len(dst)&^3
	if active == Generic || n == 0 || n > Block || oneByOne(rows, idx, quads, n) {
		quads = 0
	}
	step, path := rowsAtOnce(n), active
	if path == AVX512 && n <= 8 {
		path = AVX512x256 // half of the wider registers would be empty
	}
	for first := 0; first < quads; first += step {
		count := min(step, quads-first)
		from, at := first*stride, (*int32)(nil)
		if idx != nil {
			from, at = 0, &idx[first]
		}
		switch path {
		case AVX512:
			dotRowsAVX512(&dst[first], &rows[from], 4*stride, at, count, &x[0], n)
		case AVX512x256:
			dotRowsAVX512x256(&dst[first], &rows[from], 4*stride, at, count, &x[0], n)
		case AVX2:
			dotRowsAVX2(&dst[first], &rows[from], 4*stride, at, count, &x[0], n)
		case NEON:
			dotRowsNEON(&dst[first], &rows[from], 4*stride, at, count, &x[0], n)
		}
	}
	dotEach(dst, rows, stride, idx, x, quads)
}

// dotEach takes rows one after the other, from the first on. Where all come from memory it asks for
// the next one ahead, at whose start the CPU's own prefetching has to begin anew.
func dotEach(dst, rows []float32, stride int, idx []int32, x []float32, first int) {
	n := len(x)
	ahead := first == 0 && shortRow < n && n <= prefetched && len(dst)*n > cached
	for i := first; i < len(dst); i++ {
		if ahead && i+1 < len(dst) {
			Prefetch(row(rows, stride, idx, i+1, n))
		}
		dst[i] = Dot(row(rows, stride, idx, i, n), x)
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

// TileRows and TileCols are the shape of what RankK adds to, and BlockRows the number of rows after
// which its sums start anew.
const (
	TileRows  = 12
	TileCols  = 32
	BlockRows = 256
)

// RankK adds A'B to the tile of TileRows x TileCols elements in c whose rows are stride apart. A
// has k rows of TileRows elements and B as many of TileCols:
//
//	for r := range k {
//		sum[i][j] += float32(a[r*TileRows+i] * b[r*TileCols+j])
//	}
//	c[i*stride+j] += sum[i][j]
//
// with all sums from +0, and each BlockRows rows by themselves. It panics if a and b differ in
// rows, or c is too short. c must not overlap a or b.
func RankK(c []float32, stride int, a, b []float32) {
	k := len(a) / TileRows
	if len(a) != k*TileRows || len(b) != k*TileCols {
		panic(mismatch("len(a)/TileRows", k, "len(b)/TileCols", len(b)/TileCols))
	}
	if stride < TileCols || len(c) < (TileRows-1)*stride+TileCols {
		panic(tileTooShort(len(c), stride))
	}
	if race {
		raceReads(a, b)
		for i := range TileRows {
			raceWrites(c[i*stride:][:TileCols])
		}
	}
	for ; k > 0; k -= BlockRows {
		rows := min(k, BlockRows)
		rankK(c, stride, a[:rows*TileRows], b[:rows*TileCols])
		a, b = a[rows*TileRows:], b[rows*TileCols:]
	}
}

// rankK takes 1 to BlockRows rows.
func rankK(c []float32, stride int, a, b []float32) {
	k := len(a) / TileRows
	switch active {
	case AVX512:
		rankKAVX512(&a[0], &b[0], k, &c[0], 4*stride)
	case AVX512x256:
		rankKAVX512x256(&a[0], &b[0], k, &c[0], 4*stride)
	case AVX2:
		rankKAVX2(&a[0], &b[0], k, &c[0], 4*stride)
	case NEON:
		rankKNEON(&a[0], &b[0], k, &c[0], 4*stride)
	default:
		rankKGeneric(c, stride, a, b)
	}
}

// RankKPairs is RankK for pairs of rows of int16 in integers of 32 bits, the first of each in the
// lower half:
//
//	for r := range k {
//		x, y := a[r*TileRows+i], b[r*TileCols+j]
//		c[i*stride+j] += int32(int16(x))*int32(int16(y)) + int32(int16(x>>16))*int32(int16(y>>16))
//	}
//
// modulo 2^32, so that the order of the rows is nobody's concern.
func RankKPairs(c []int32, stride int, a, b []uint32) {
	k := len(a) / TileRows
	if len(a) != k*TileRows || len(b) != k*TileCols {
		panic(mismatch("len(a)/TileRows", k, "len(b)/TileCols", len(b)/TileCols))
	}
	if stride < TileCols || len(c) < (TileRows-1)*stride+TileCols {
		panic(tileTooShort(len(c), stride))
	}
	if race {
		raceReads(a, b)
		for i := range TileRows {
			raceWrites(c[i*stride:][:TileCols])
		}
	}
	for ; k > 0; k -= BlockRows {
		rows := min(k, BlockRows)
		rankKPairs(c, stride, a[:rows*TileRows], b[:rows*TileCols])
		a, b = a[rows*TileRows:], b[rows*TileCols:]
	}
}

//go:noinline
func tileTooShort(n, stride int) any {
	return misuse.Of("len(c) = %d, too few for %d rows of %d elements, %d apart", n, TileRows,
		TileCols, stride)
}

func rankKPairs(c []int32, stride int, a, b []uint32) {
	k := len(a) / TileRows
	switch active {
	case AVX512:
		rankKPairsAVX512(&a[0], &b[0], k, &c[0], 4*stride)
	case AVX512x256:
		rankKPairsAVX512x256(&a[0], &b[0], k, &c[0], 4*stride)
	case AVX2:
		rankKPairsAVX2(&a[0], &b[0], k, &c[0], 4*stride)
	case NEON:
		rankKPairsNEON(&a[0], &b[0], k, &c[0], 4*stride)
	default:
		rankKPairsGeneric(c, stride, a, b)
	}
}

// Pack is
//
//	for i, v := range x {
//		dst[i/width*step+i%width] = float32(c * v)
//	}
//
// It brings a row into panels for RankK, and panics if width is neither TileRows nor TileCols, or
// dst ends before the last panel does. dst must not overlap x.
func Pack(dst []float32, width, step int, c float32, x []float32) {
	if width != TileRows && width != TileCols {
		panic(mismatch("width", width, "TileRows or TileCols", TileCols))
	}
	if n := len(x); n == 0 {
		return
	} else if last := (n - 1) / width; step < width || len(dst) < last*step+n-last*width {
		panic(rowsTooShort(dst, step, last+1, width))
	}
	if race {
		raceReads(x)
		for i := 0; i < len(x); i += width {
			raceWrites(dst[i/width*step:][:min(width, len(x)-i)])
		}
	}
	for ; len(x) > packBlock; x, dst = x[packBlock:], dst[packBlock/width*step:] {
		pack(dst, width, step, c, x[:packBlock])
	}
	pack(dst, width, step, c, x)
}

// packBlock is a number of whole panels that one call takes at most.
const packBlock = Block / (TileRows * TileCols) * (TileRows * TileCols)

func pack(dst []float32, width, step int, c float32, x []float32) {
	switch active {
	case AVX512:
		packAVX512(&dst[0], width, 4*step, c, &x[0], len(x))
	case AVX512x256:
		packAVX512x256(&dst[0], width, 4*step, c, &x[0], len(x))
	case AVX2:
		packAVX2(&dst[0], width, 4*step, c, &x[0], len(x))
	case NEON:
		packNEON(&dst[0], width, 4*step, c, &x[0], len(x))
	default:
		packGeneric(dst, width, step, c, x)
	}
}

//go:noinline
func notInterleaved(k int) any {
	return misuse.Of("%d interleaved vectors: want a multiple of 8", k)
}

// DotSparseK is DotSparse for k = len(dst) vectors at once, to the bit:
//
//	for c := range dst {
//		for i, j := range idx {
//			lane[i%8] += float32(val[i] * w[j*k+c])
//		}
//		dst[c] = the folded lanes
//	}
//
// It panics if k is not a multiple of 8 or idx and val differ in length. Every index must lie in
// [0, len(w)/k): the assembly trusts it. dst must not overlap val or w.
func DotSparseK(dst []float32, idx []int32, val, w []float32) {
	if len(dst)%8 != 0 {
		panic(notInterleaved(len(dst)))
	}
	if len(idx) != len(val) {
		panic(rowDiffers(idx, val))
	}
	if race {
		raceReads(idx)
		raceReads(val)
		raceReadsAt(w, idx, len(dst))
		raceWrites(dst)
	}
	k := len(dst)
	var sum [16]float32
	for c, width := 0, 0; c < k; c += width {
		width = 8
		if active == AVX512 && k-c >= 16 {
			width = 16
		}
		out := dst[c:][:width]
		if len(idx) == 0 {
			clear(out)
			continue
		}
		first := min(Block, len(idx))
		dotSparseK(out, idx[:first], val[:first], w[c:], k)
		for start := first; start < len(idx); start += Block {
			end := min(start+Block, len(idx))
			dotSparseK(sum[:width], idx[start:end], val[start:end], w[c:], k)
			for l := range out {
				out[l] += sum[l]
			}
		}
	}
}

// dotSparseK is for 8 vectors or, in the path of wide registers, for 16.
func dotSparseK(dst []float32, idx []int32, val, w []float32, k int) {
	switch {
	case len(dst) == 16:
		dotSparseKAVX512(&dst[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	case active == AVX512 || active == AVX512x256:
		dotSparseKAVX512x256(&dst[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	case active == AVX2:
		dotSparseKAVX2(&dst[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	case active == NEON:
		dotSparseKNEON(&dst[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	default:
		dotSparseKGeneric((*[8]float32)(dst), idx, val, w, k)
	}
}

func dotSparseKGeneric(dst *[8]float32, idx []int32, val, w []float32, k int) {
	var lane [sparseLanes][8]float32
	for i, j := range idx {
		l, v, feature := &lane[i%sparseLanes], val[i], (*[8]float32)(w[int(j)*k:])
		for c := range l {
			l[c] += float32(v * feature[c])
		}
	}
	for n := sparseLanes / 2; n > 0; n /= 2 {
		for l := range n {
			for c := range lane[l] {
				lane[l][c] += lane[n+l][c]
			}
		}
	}
	*dst = lane[0]
}

// AxpySparseK is AxpySparse for k = len(a) vectors at once, to the bit:
//
//	for i, j := range idx {
//		for c := range a {
//			w[j*k+c] += float32(a[c] * val[i])
//		}
//	}
//
// It panics if k is not a multiple of 8 or idx and val differ in length. Every index must lie in
// [0, len(w)/k): the assembly trusts it. w must not overlap a or val.
func AxpySparseK(a []float32, idx []int32, val, w []float32) {
	if len(a)%8 != 0 {
		panic(notInterleaved(len(a)))
	}
	if len(idx) != len(val) {
		panic(rowDiffers(idx, val))
	}
	if race {
		raceReads(idx)
		raceReads(a, val)
		raceWritesAt(w, idx, len(a))
	}
	for c := 0; c < len(a); c += 8 {
		for start := 0; start < len(idx); start += Block {
			end := min(start+Block, len(idx))
			axpySparseK((*[8]float32)(a[c:]), idx[start:end], val[start:end], w[c:], len(a))
		}
	}
}

func axpySparseK(a *[8]float32, idx []int32, val, w []float32, k int) {
	switch active {
	case AVX512, AVX512x256:
		axpySparseKAVX512x256(&a[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	case AVX2:
		axpySparseKAVX2(&a[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	case NEON:
		axpySparseKNEON(&a[0], &idx[0], &val[0], len(idx), &w[0], 4*k)
	default:
		axpySparseKGeneric(a, idx, val, w, k)
	}
}

func axpySparseKGeneric(a *[8]float32, idx []int32, val, w []float32, k int) {
	for i, j := range idx {
		v, feature := val[i], (*[8]float32)(w[int(j)*k:])
		for c := range feature {
			feature[c] += float32(a[c] * v)
		}
	}
}

// Unpack is
//
//	for i, b := range src {
//		dst[i] = float32(float32(b)*hi) + float32(float32(b)*lo)
//	}
//
// It panics if the lengths differ.
func Unpack(dst []float32, src []byte, hi, lo float32) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	unpackActive(dst, src, hi, lo)
}

func unpackRare(dst []float32, src []byte, hi, lo float32) {
	if len(dst) != len(src) {
		panic(mismatch("len(dst)", len(dst), "len(src)", len(src)))
	}
	if len(dst) > Block {
		unpackBlocks(dst, src, hi, lo)
		return
	}
	unpackGeneric(dst, src, hi, lo)
}

func unpackBlocks(dst []float32, src []byte, hi, lo float32) {
	for i := 0; i < len(dst); i += Block {
		j := min(i+Block, len(dst))
		Unpack(dst[i:j], src[i:j], hi, lo)
	}
}

func unpackGeneric(dst []float32, src []byte, hi, lo float32) {
	dst = dst[:len(src)]
	for i, b := range src {
		v := float32(b)
		dst[i] = float32(v*hi) + float32(v*lo)
	}
}

// UnpackDot is
//
//	Unpack(dst, src, hi, lo)
//	return Dot(dst[:len(w)], w)
//
// to the bit. src and dst have as many elements as w, rounded up to a multiple of eight; the bytes
// behind those are 0. It panics if the lengths are others. hi and lo must be finite. dst must not
// overlap w.
func UnpackDot(dst []float32, src []byte, hi, lo float32, w []float32) float32 {
	n := len(w)
	if len(dst) != (n+7)&^7 {
		panic(mismatch("len(dst)", len(dst), "len(w) rounded up", (n+7)&^7))
	}
	if len(src) != len(dst) {
		panic(mismatch("len(dst)", len(dst), "len(src)", len(src)))
	}
	if race {
		raceReads(src)
		raceWrites(dst)
		raceReads(w)
	}
	if n > 0 && n <= Block {
		switch active {
		case AVX512:
			return unpackDotAVX512(unsafe.SliceData(dst), unsafe.SliceData(src), hi, lo,
				unsafe.SliceData(w), n)
		case AVX512x256:
			return unpackDotAVX512x256(unsafe.SliceData(dst), unsafe.SliceData(src), hi, lo,
				unsafe.SliceData(w), n)
		case AVX2:
			return unpackDotAVX2(unsafe.SliceData(dst), unsafe.SliceData(src), hi, lo,
				unsafe.SliceData(w), n)
		case NEON:
			return unpackDotNEON(unsafe.SliceData(dst), unsafe.SliceData(src), hi, lo,
				unsafe.SliceData(w), n)
		}
	}
	Unpack(dst, src, hi, lo)
	return Dot(dst[:n], w)
}

// Bytes that stand for numbers. Sums over a block are made in 32 bits, modulo 2^32, which is exact
// in any order, and added in 64. The functions are alike up to the names that they call: through
// one that is told what to call, the vectors would escape to the heap.

// DotInt8 is the sum of x[i]*y[i], exactly. It panics if the lengths differ.
func DotInt8(x, y []int8) int64 {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x, y)
	}
	if len(x) > Block {
		return dotInt8Blocks(x, y)
	}
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	n := len(x) &^ 15 // the assembly's share
	var s int32
	switch active {
	case AVX512:
		if vnni {
			return int64(dotInt8VNNIAVX512(px, py, len(x)))
		}
		s = dotInt8AVX512(px, py, n)
	case AVX512x256:
		if vnni {
			return int64(dotInt8VNNIAVX512x256(px, py, len(x)))
		}
		s = dotInt8AVX512x256(px, py, n)
	case AVX2:
		s = dotInt8AVX2(px, py, n)
	case NEON:
		s = dotInt8NEON(px, py, n)
	default:
		n = 0
	}
	if n < len(x) {
		s += dotBytesGeneric(x[n:], y[n:])
	}
	return int64(s)
}

func dotInt8Blocks(x, y []int8) (sum int64) {
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		sum += DotInt8(x[start:end], y[start:end])
	}
	return sum
}

// DotUint8 is the sum of x[i]*y[i], exactly. It panics if the lengths differ.
func DotUint8(x, y []uint8) int64 {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x, y)
	}
	if len(x) > Block {
		return dotUint8Blocks(x, y)
	}
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	n := len(x) &^ 15 // the assembly's share
	var s int32
	switch active {
	case AVX512:
		if vnni {
			return int64(uint32(dotUint8VNNIAVX512(px, py, len(x))))
		}
		s = dotUint8AVX512(px, py, n)
	case AVX512x256:
		if vnni {
			return int64(uint32(dotUint8VNNIAVX512x256(px, py, len(x))))
		}
		s = dotUint8AVX512x256(px, py, n)
	case AVX2:
		s = dotUint8AVX2(px, py, n)
	case NEON:
		s = dotUint8NEON(px, py, n)
	default:
		n = 0
	}
	if n < len(x) {
		s += dotBytesGeneric(x[n:], y[n:])
	}
	return int64(uint32(s))
}

func dotUint8Blocks(x, y []uint8) (sum int64) {
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		sum += DotUint8(x[start:end], y[start:end])
	}
	return sum
}

// SquaredDistanceInt8 is the sum of (x[i]-y[i])^2, exactly. It panics if the lengths differ.
func SquaredDistanceInt8(x, y []int8) int64 {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x, y)
	}
	if len(x) > Block {
		return squaredDistanceInt8Blocks(x, y)
	}
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	n := len(x) &^ 15 // the assembly's share
	var s int32
	switch active {
	case AVX512:
		s = squaredDistanceInt8AVX512(px, py, n)
	case AVX512x256:
		s = squaredDistanceInt8AVX512x256(px, py, n)
	case AVX2:
		s = squaredDistanceInt8AVX2(px, py, n)
	case NEON:
		s = squaredDistanceInt8NEON(px, py, n)
	default:
		n = 0
	}
	if n < len(x) {
		s += squaredDistanceBytesGeneric(x[n:], y[n:])
	}
	return int64(uint32(s))
}

func squaredDistanceInt8Blocks(x, y []int8) (sum int64) {
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		sum += SquaredDistanceInt8(x[start:end], y[start:end])
	}
	return sum
}

// SquaredDistanceUint8 is the sum of (x[i]-y[i])^2, exactly. It panics if the lengths differ.
func SquaredDistanceUint8(x, y []uint8) int64 {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x, y)
	}
	if len(x) > Block {
		return squaredDistanceUint8Blocks(x, y)
	}
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	n := len(x) &^ 15 // the assembly's share
	var s int32
	switch active {
	case AVX512:
		s = squaredDistanceUint8AVX512(px, py, n)
	case AVX512x256:
		s = squaredDistanceUint8AVX512x256(px, py, n)
	case AVX2:
		s = squaredDistanceUint8AVX2(px, py, n)
	case NEON:
		s = squaredDistanceUint8NEON(px, py, n)
	default:
		n = 0
	}
	if n < len(x) {
		s += squaredDistanceBytesGeneric(x[n:], y[n:])
	}
	return int64(uint32(s))
}

func squaredDistanceUint8Blocks(x, y []uint8) (sum int64) {
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		sum += SquaredDistanceUint8(x[start:end], y[start:end])
	}
	return sum
}

// DotFloatInt8 is
//
//	for i, v := range x {
//		lane[i%64] += float32(v * float32(y[i]))
//	}
//
// with the lanes folded as the package comment says: Dot of x and the floats of y, to the bit. It
// panics if the lengths differ.
func DotFloatInt8(x []float32, y []int8) (sum float32) {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x)
		raceReads(y)
	}
	for len(x) > Block {
		sum += dotFloatInt8(x[:Block], y[:Block])
		x, y = x[Block:], y[Block:]
	}
	return sum + dotFloatInt8(x, y)
}

// dotFloatInt8 is for one block.
func dotFloatInt8(x []float32, y []int8) float32 {
	if active == Generic {
		return dotFloatBytesGeneric(x, y)
	}
	n := len(x) &^ (lanes - 1)
	if n == len(x) {
		return dotFloatInt8End(x, y, n, nil, nil, 0)
	}
	var endX [lanes]float32
	var endY [lanes]int8
	copy(endX[:], x[n:])
	copy(endY[:], y[n:])
	return dotFloatInt8End(x, y, n, &endX[0], &endY[0], lanes)
}

// dotFloatInt8End adds up the first n products and those of end elements elsewhere.
func dotFloatInt8End(x []float32, y []int8, n int, endX *float32, endY *int8, end int) float32 {
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	switch active {
	case AVX512:
		return dotFloatInt8AVX512(px, py, n, endX, endY, end)
	case AVX512x256:
		return dotFloatInt8AVX512x256(px, py, n, endX, endY, end)
	case AVX2:
		return dotFloatInt8AVX2(px, py, n, endX, endY, end)
	}
	return dotFloatInt8NEON(px, py, n, endX, endY, end)
}

// DotFloatUint8 is DotFloatInt8 for bytes without sign.
func DotFloatUint8(x []float32, y []uint8) (sum float32) {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x)
		raceReads(y)
	}
	for len(x) > Block {
		sum += dotFloatUint8(x[:Block], y[:Block])
		x, y = x[Block:], y[Block:]
	}
	return sum + dotFloatUint8(x, y)
}

// dotFloatUint8 is for one block.
func dotFloatUint8(x []float32, y []uint8) float32 {
	if active == Generic {
		return dotFloatBytesGeneric(x, y)
	}
	n := len(x) &^ (lanes - 1)
	if n == len(x) {
		return dotFloatUint8End(x, y, n, nil, nil, 0)
	}
	var endX [lanes]float32
	var endY [lanes]uint8
	copy(endX[:], x[n:])
	copy(endY[:], y[n:])
	return dotFloatUint8End(x, y, n, &endX[0], &endY[0], lanes)
}

// dotFloatUint8End adds up the first n products and those of end elements elsewhere.
func dotFloatUint8End(x []float32, y []uint8, n int, endX *float32, endY *uint8, end int) float32 {
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	switch active {
	case AVX512:
		return dotFloatUint8AVX512(px, py, n, endX, endY, end)
	case AVX512x256:
		return dotFloatUint8AVX512x256(px, py, n, endX, endY, end)
	case AVX2:
		return dotFloatUint8AVX2(px, py, n, endX, endY, end)
	}
	return dotFloatUint8NEON(px, py, n, endX, endY, end)
}

func dotFloatBytesGeneric[T int8 | uint8](x []float32, y []T) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for len(x) >= lanes {
		for l, v := range x[:lanes] {
			lane[l] += float32(v * float32(y[l]))
		}
		x, y = x[lanes:], y[lanes:]
	}
	for l, v := range x {
		lane[l] += float32(v * float32(y[l]))
	}
	return fold(lane[:])
}

func dotBytesGeneric[T int8 | uint8](x, y []T) (sum int32) {
	y = y[:len(x)]
	for i, v := range x {
		sum += int32(v) * int32(y[i])
	}
	return sum
}

func squaredDistanceBytesGeneric[T int8 | uint8](x, y []T) (sum int32) {
	y = y[:len(x)]
	for i, v := range x {
		d := int32(v) - int32(y[i])
		sum += d * d
	}
	return sum
}

// Prefetch asks for x to be brought into the caches. It has no other effect, and none at all in
// plain Go.
func Prefetch[T float32 | int32 | uint16 | int8 | byte](x []T) {
	n := min(len(x)*int(unsafe.Sizeof(*new(T)))/4, Block) // of whole floats
	if n == 0 {
		return
	}
	p := (*float32)(unsafe.Pointer(unsafe.SliceData(x)))
	switch active {
	case AVX512, AVX512x256:
		prefetchAVX512x256(p, n)
	case AVX2:
		prefetchAVX2(p, n)
	case NEON:
		prefetchNEON(p, n)
	}
}
