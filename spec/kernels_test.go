package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/half"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/quant"
	"github.com/pegasimd/pegasimd/sparse"
)

var (
	lengths = []int{0, 1, 2, 3, 7, 8, 9, 15, 31, 54, 63, 64, 65, 100, 127, 128, 129, 300, 784, 1023,
		4096, 65535, 65536, 65537, 70000}
	short  = lengths[:20]                                                // for several rows
	same   = []int{0, 1, 2, 3, 7, 8, 9, 15, 31, 54, 100, 300, 784, 4096} // for 16-bit indices
	blocks = []int{0, 1, 2, 3, 15, 16, 31, 100, 255, 256, 257, 600}      // terms of matrix products
)

type kernel struct {
	name, does string             // does: the operands, and the order of several results
	call       func(n int) string // returns the rest of the line of n in the file
	sizes      []int              // the values of n; lengths if nil
}

func one(v float32) string   { return fmt.Sprintf("%08x", math.Float32bits(v)) }
func one64(v float64) string { return fmt.Sprintf("%016x", math.Float64bits(v)) }

// all returns the SHA-256 of little-endian numbers.
func all(v any) string {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

func x(n int) []float32 { return vector(1, n) }
func y(n int) []float32 { return vector(2, n) }
func w(n int) []float32 { return vector(3, n) }

var a, b = value(4, 0), value(4, 1)

var kernels = []kernel{
	{"dot", "x, y", func(n int) string { return one(dense.Dot(x(n), y(n))) }, nil},
	{"sumsquares", "x", func(n int) string { return one(dense.SumSquares(x(n))) }, nil},
	{"squareddistance", "x, y", func(n int) string {
		return one(dense.SquaredDistance(x(n), y(n)))
	}, nil},
	{"axpy", "a, x, y", updated(func(y []float32) { dense.Axpy(a, x(len(y)), y) }), nil},
	{"axpby", "a, x, b, y", updated(func(y []float32) { dense.Axpby(a, x(len(y)), b, y) }), nil},
	{"scale", "a, x", func(n int) string {
		x := x(n)
		dense.Scale(a, x)
		return all(x)
	}, nil},
	{"dotsparse", "indices, x, w of 3n+1", func(n int) string {
		return one(sparse.Dot(indices(n), x(n), w(3*n+1)))
	}, nil},
	{"axpysparse", "a, indices, x, w of 3n+1", func(n int) string {
		w := w(3*n + 1)
		sparse.Axpy(a, indices(n), x(n), w)
		return all(w)
	}, nil},
	{"dotsame", "a, indices, w of 3n+1", func(n int) string {
		return one(asm.DotSame(a, shorts(n), w(3*n+1)))
	}, same},
	{"axpysame", "a, indices, w of 3n+1", func(n int) string {
		w := w(3*n + 1)
		asm.AxpySame(a, shorts(n), w)
		return all(w)
	}, same},
	{"stepssame", "five steps, indices, w of 3n+1: margins, w", stepsSame, same},
	{"dotnorms", "x, y: x y, x x, y y", func(n int) string {
		xy, xx, yy := dense.DotNorms(x(n), y(n))
		return one(xy) + " " + one(xx) + " " + one(yy)
	}, nil},
	{"sum", "x", func(n int) string { return one(dense.Sum(x(n))) }, nil},
	{"sumabs", "x", func(n int) string { return one(dense.SumAbs(x(n))) }, nil},
	{"l1distance", "x, y", func(n int) string { return one(dense.L1Distance(x(n), y(n))) }, nil},
	{"dot64", "x, y: in f64", func(n int) string {
		return one64(dense.Dot64(x(n), y(n)))
	}, nil},
	{"squareddistance64", "x, y: in f64", func(n int) string {
		return one64(dense.SquaredDistance64(x(n), y(n)))
	}, nil},
	{"dotnorms64", "x, y: three sums in f64", func(n int) string {
		xy, xx, yy := dense.DotNorms64(x(n), y(n))
		return one64(xy) + " " + one64(xx) + " " + one64(yy)
	}, nil},
	{"axpy64", "the f64 quotient a/b, x, y in f64", func(n int) string {
		sum := make([]float64, n)
		for i, v := range y(n) {
			sum[i] = float64(v)
		}
		asm.Axpy64(float64(a)/float64(b), x(n), sum)
		return all(sum)
	}, nil},
	{"sigmoid", "4x in f64", doubles(asm.Sigmoid), nil},
	{"log1pexp", "4x in f64", doubles(asm.Log1pExp), nil},
	{"min", "x", func(n int) string { return one(dense.Min(x(n))) }, nil},
	{"max", "x", func(n int) string { return one(dense.Max(x(n))) }, nil},
	{"argmin", "x", func(n int) string { return fmt.Sprint(dense.ArgMin(x(n))) }, nil},
	{"argmax", "x", func(n int) string { return fmt.Sprint(dense.ArgMax(x(n))) }, nil},
	{"find", "x, number 2n div 3 of stream 1", func(n int) string {
		return fmt.Sprint(asm.Find(x(n), value(1, 2*n/3)))
	}, nil},
	{"add", "x, y", written(func(dst []float32, n int) { dense.Add(dst, x(n), y(n)) }), nil},
	{"sub", "x, y", written(func(dst []float32, n int) { dense.Sub(dst, x(n), y(n)) }), nil},
	{"mul", "x, y", written(func(dst []float32, n int) { dense.Mul(dst, x(n), y(n)) }), nil},
	{"scaleto", "a, x", written(func(dst []float32, n int) { dense.ScaleTo(dst, a, x(n)) }), nil},
	{"axpyto", "a, x, y", written(func(dst []float32, n int) {
		dense.AxpyTo(dst, a, x(n), y(n))
	}), nil},
	{"fromfloat64", "x y in f64", written(func(dst []float32, n int) {
		products, y := floats.Float64s(x(n)), y(n)
		for i, v := range y {
			products[i] *= float64(v)
		}
		dense.FromFloat64(dst, products)
	}), nil},
	{"exp", "x", written(func(dst []float32, n int) { dense.Exp(dst, x(n)) }), nil},
	{"softmax", "x/32", written(func(dst []float32, n int) {
		dense.ScaleTo(dst, 0x1p-5, x(n))
		dense.Softmax(dst, dst)
	}), nil},
	{"logsumexp", "x/32", func(n int) string {
		x := x(n)
		dense.Scale(0x1p-5, x)
		return one(dense.LogSumExp(x))
	}, nil},
	{"dotrows", "5 rows of n, x", ofRows(dense.DotRows), short},
	{"dotrowsat", "6 of 7 rows of n, x", ofPicks(dense.DotRowsAt[int32]), short},
	{"squareddistancerows", "5 rows of n, x", ofRows(dense.SquaredDistanceRows), short},
	{"squareddistancerowsat", "6 of 7 rows of n, x", ofPicks(dense.SquaredDistanceRowsAt[int32]),
		short},
	{"cosinerows", "5 rows of n, x", ofRows(dense.CosineRows), short},
	{"cosinerowsat", "6 of 7 rows of n, x", ofPicks(dense.CosineRowsAt[int32]), short},
	{"axpyrows", "stream 4, 6 of 7 rows of n, y", func(n int) string {
		y := y(n)
		dense.AxpyRows(vector(4, 6), rowsOf(7, n), n+1, picks(), y)
		return all(y)
	}, short},
	{"rankk", "x of n rows of 12, y of n rows of 32, w of 12 rows of 32, 35 apart",
		func(n int) string {
			c := w(11*35 + 32)
			asm.RankK(c, 35, x(12*n), y(32*n))
			return all(c)
		}, blocks},
	{"rankkpairs", "the same of words", func(n int) string {
		c := make([]int32, 11*35+32)
		for i, v := range words(3, len(c)) {
			c[i] = int32(v)
		}
		asm.RankKPairs(c, 35, words(1, 12*n), words(2, 32*n))
		return all(c)
	}, blocks},
	{"pack", "a, x, width 12 and then 32, step width + 3", func(n int) string {
		return packed(n, 12) + " " + packed(n, 32)
	}, nil},
	{"packcolumns", "a, 5 rows of n, width 7", func(n int) string {
		dst := make([]float32, 7*n)
		asm.PackColumns(dst, 7, a, rowsOf(5, n), n+1, 5, n)
		return all(dst)
	}, short},
	{"dotsparsek", "indices, x, w of 3n+1 times 24", func(n int) string {
		dst := make([]float32, 24)
		sparse.DotK(dst, indices(n), x(n), w(24*(3*n+1)))
		return all(dst)
	}, short},
	{"axpysparsek", "24 of stream 4, indices, x, w of 3n+1 times 24", func(n int) string {
		w := w(24 * (3*n + 1))
		sparse.AxpyK(vector(4, 24), indices(n), x(n), w)
		return all(w)
	}, short},
	{"unpack", "bytes 1, a, b", written(func(dst []float32, n int) {
		asm.Unpack(dst, bytesOf(1, n), a, b)
	}), nil},
	{"unpackdot", "bytes 1, a, b, w: the sum, the row", func(n int) string {
		whole := (n + 7) &^ 7
		src, dst := make([]byte, whole), make([]float32, whole)
		copy(src, bytesOf(1, n))
		sum := asm.UnpackDot(dst, src, a, b, w(n))
		return one(sum) + " " + all(dst[:n])
	}, nil},
	{"dotint8", "bytes 1, bytes 2", func(n int) string {
		return fmt.Sprint(asm.DotBytes(bytesOf(1, n), bytesOf(2, n), true))
	}, nil},
	{"dotuint8", "bytes 1, bytes 2", func(n int) string {
		return fmt.Sprint(asm.DotBytes(bytesOf(1, n), bytesOf(2, n), false))
	}, nil},
	{"dotfloatint8", "x, bytes 1", func(n int) string {
		return one(asm.DotFloatBytes(x(n), bytesOf(1, n), true))
	}, nil},
	{"dotfloatuint8", "x, bytes 1", func(n int) string {
		return one(asm.DotFloatBytes(x(n), bytesOf(1, n), false))
	}, nil},
	{"squareddistanceint8", "bytes 1, bytes 2", func(n int) string {
		return fmt.Sprint(asm.SquaredDistanceBytes(bytesOf(1, n), bytesOf(2, n), true))
	}, nil},
	{"squareddistanceuint8", "bytes 1, bytes 2", func(n int) string {
		return fmt.Sprint(asm.SquaredDistanceBytes(bytesOf(1, n), bytesOf(2, n), false))
	}, nil},
	{"packfloat16", "x: halves", packs[half.Float16], nil},
	{"packbfloat16", "x: halves", packs[half.Bfloat16], nil},
	{"unpackfloat16", "y as halves", unpacks[half.Float16], nil},
	{"unpackbfloat16", "y as halves", unpacks[half.Bfloat16], nil},
	{"dotfloat16", "x, y as halves", withHalves(half.Dot[half.Float16]), nil},
	{"dotbfloat16", "x, y as halves", withHalves(half.Dot[half.Bfloat16]), nil},
	{"squareddistancefloat16", "x, y as halves", withHalves(half.SquaredDistance[half.Float16]), nil},
	{"squareddistancebfloat16", "x, y as halves", withHalves(half.SquaredDistance[half.Bfloat16]),
		nil},
	{"cosinefloat16", "x, y as halves", withHalves(half.Cosine[half.Float16]), nil},
	{"cosinebfloat16", "x, y as halves", withHalves(half.Cosine[half.Bfloat16]), nil},
	{"hamming", "mixes 1, mixes 2", func(n int) string {
		return fmt.Sprint(quant.Hamming(mixes(1, n), mixes(2, n)))
	}, nil},
	{"hammingbytes", "bytes 1, bytes 2", func(n int) string {
		return fmt.Sprint(quant.HammingBytes(bytesOf(1, n), bytesOf(2, n)))
	}, nil},
	{"norm", "x", func(n int) string { return one(dense.Norm(x(n))) }, nil},
	{"distance", "x, y", func(n int) string { return one(dense.Distance(x(n), y(n))) }, nil},
	{"cosine", "x, y", func(n int) string { return one(dense.Cosine(x(n), y(n))) }, nil},
	{"normalize", "x", written(func(dst []float32, n int) { dense.Normalize(dst, x(n)) }), nil},
	{"gemv", "a, n rows of 37, 40 apart, x of 37, b, y of n",
		updated(func(y []float32) { dense.Gemv(a, vector(5, 40*len(y)), 40, x(37), b, y) }), short},
	{"gemvt", "a, n rows of 37, 40 apart, x of n, b, y of 37", func(n int) string {
		y := y(37)
		dense.GemvT(a, vector(5, 40*n), 40, x(n), b, y)
		return all(y)
	}, short},
	{"ger", "a, x of n, y of 37, n rows of 37, 40 apart", func(n int) string {
		m := vector(5, 40*n)
		dense.Ger(a, x(n), y(37), m, 40)
		return all(m)
	}, short},
	{"gemm", "a, x of 13 rows of n, y of n rows of 35, b, w of 13 rows of 35", func(n int) string {
		c := w(13 * 35)
		dense.Gemm(13, 35, n, a, dense.Factor{Data: x(13 * n), Stride: n},
			dense.Factor{Data: y(35 * n), Stride: 35}, b, c, 35, 1)
		return all(c)
	}, blocks},
	{"top", "the best 10 of n rows of 9 small numbers: by dot, cosine, distance", top, short},
	{"topends", "the same of rows and query times 2^70, then times 2^-80: row numbers", topEnds,
		short},
	{"topl1", "the same by L1 distance, times 1, 2^70 and 2^126: numbers and scores", topL1, short},
}

func doubles(f func(dst, x []float64)) func(n int) string {
	return func(n int) string {
		wide := floats.Float64s(x(n))
		for i := range wide {
			wide[i] *= 4
		}
		f(wide, wide)
		return all(wide)
	}
}

func halves[T half.Float](v []float32) []T {
	h := make([]T, len(v))
	half.Quantize(h, v)
	return h
}

func packs[T half.Float](n int) string { return all(halves[T](x(n))) }

func unpacks[T half.Float](n int) string {
	dst := make([]float32, n)
	half.Dequantize(dst, halves[T](y(n)))
	return all(dst)
}

func withHalves[T half.Float](sum func(x []float32, y []T) float32) func(n int) string {
	return func(n int) string { return one(sum(x(n), halves[T](y(n)))) }
}

func mixes(s uint32, n int) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = mix(uint64(s)<<32 + uint64(i))
	}
	return v
}

func updated(update func(y []float32)) func(n int) string {
	return func(n int) string {
		y := y(n)
		update(y)
		return all(y)
	}
}

func written(write func(dst []float32, n int)) func(n int) string {
	return func(n int) string {
		dst := make([]float32, n)
		write(dst, n)
		return all(dst)
	}
}

// Rows start n+1 apart.
func rowsOf(count, n int) []float32 { return vector(5, (count-1)*(n+1)+n) }

func ofRows(f func(dst, rows []float32, stride int, x []float32)) func(n int) string {
	return func(n int) string {
		dst := make([]float32, 5)
		f(dst, rowsOf(5, n), n+1, x(n))
		return all(dst)
	}
}

func ofPicks(f func(dst, rows []float32, stride int, idx []int32, x []float32)) func(int) string {
	return func(n int) string {
		dst := make([]float32, 6)
		f(dst, rowsOf(7, n), n+1, picks(), x(n))
		return all(dst)
	}
}

func picks() []int32 {
	idx := make([]int32, 6)
	for i := range idx {
		idx[i] = int32(mix(uint64(i)) % 7)
	}
	return idx
}

func shorts(n int) []uint16 {
	idx := make([]uint16, n)
	for k, j := range indices(n) {
		idx[k] = uint16(j)
	}
	return idx
}

func words(s uint32, n int) []uint32 {
	v := make([]uint32, n)
	for i, z := range mixes(s, n) {
		v[i] = uint32(z >> 32)
	}
	return v
}

func bytesOf(s uint32, n int) []byte {
	v := make([]byte, n)
	for i, word := range words(s, n) {
		v[i] = byte(word >> 24)
	}
	return v
}

func stepsSame(n int) string {
	w, steps := w(3*n+1), make([]asm.Step, 5)
	for i, ends := range [5][2]int{{0, n}, {n / 3, n}, {0, n % 16}, {n / 2, n}, {0, n}} {
		steps[i] = asm.Step{Start: uint32(ends[0]), Count: uint32(ends[1] - ends[0]),
			Value: value(4, 3*i), Update: value(4, 3*i+1), Least: value(4, 3*i+2)}
	}
	asm.StepsSame(steps, shorts(n), w)
	var told strings.Builder
	for i := range steps {
		told.WriteString(one(steps[i].Margin) + " ")
	}
	return told.String() + all(w)
}

func packed(n, width int) string {
	panels := (n + width - 1) / width
	dst := make([]float32, panels*(width+3))
	asm.Pack(dst, width, width+3, a, x(n))
	return all(dst)
}

func smallNumbers(s uint32, n int, scale float32) []float32 {
	v := make([]float32, n)
	for i, word := range words(s, n) {
		v[i] = scale * (float32(word%3) - 1)
	}
	return v
}

// best passes to f, for each metric, the ten best of n rows, or all if n < 10.
func best(n int, scale float32, f func(numbers [10]int32, scores [10]float32),
	metrics ...dense.Metric) {
	rows, query := smallNumbers(5, 9*n, scale), smallNumbers(6, 9, scale)
	for _, by := range metrics {
		var numbers [10]int32
		var scores [10]float32
		for i, hit := range dense.Top(make([]dense.Hit, 10), by, rows, 9, query) {
			numbers[i], scores[i] = int32(hit.Row), hit.Score
		}
		f(numbers, scores)
	}
}

func top(n int) string {
	return strings.Join(hits(n, 1, dense.ByDot, dense.ByCosine, dense.ByDistance), " ")
}

// At the scale 2^126, distances of 4*2^126 or more overflow float32.
func topL1(n int) string {
	var told []string
	for _, scale := range []float32{1, 0x1p70, 0x1p126} {
		told = append(told, hits(n, scale, dense.ByL1)...)
	}
	return strings.Join(told, " ")
}

func hits(n int, scale float32, metrics ...dense.Metric) (told []string) {
	best(n, scale, func(numbers [10]int32, scores [10]float32) {
		told = append(told, all(struct {
			N [10]int32
			S [10]float32
		}{numbers, scores}))
	}, metrics...)
	return told
}

// Squares overflow or underflow float32.
func topEnds(n int) string {
	var told []string
	for _, scale := range []float32{0x1p70, 0x1p-80} {
		best(n, scale, func(numbers [10]int32, _ [10]float32) { told = append(told, all(numbers)) },
			dense.ByDot, dense.ByCosine, dense.ByDistance)
	}
	return strings.Join(told, " ")
}
