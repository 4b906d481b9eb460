package store

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// BytesFrom is the Size from which rows of pixels come from memory, so that they are faster as
// bytes, and bytesVisits how often each has to be visited: packing it takes as long as ten steps
// with it save.
var BytesFrom = 16 << 20 // a variable for the sake of tests

const bytesVisits = 12

// bytes is dense rows that are kept as bytes. The row that was used last is there as float32 too,
// which is why each worker has a bytes of its own.
type bytes struct {
	plain
	*packed
	row []float32 // and zeros up to a multiple of eight
	at  int       // its number; -1 for none
}

func newBytes(p *packed) *bytes {
	return &bytes{packed: p, row: dense.New(1, p.stride).Row(0), at: -1}
}

// floats returns row i as float32, valid until the next call.
func (b *bytes) floats(i int) []float32 {
	if i != b.at {
		b.unpack(i, b.row)
		b.at = i
	}
	return b.row[:b.cols]
}

func (b *bytes) Dot(i int, w []float32) float32 {
	if i == b.at {
		return dense.Dot(b.floats(i), w)
	}
	b.at = i
	return b.unpackDot(i, b.row, w)
}

func (b *bytes) Axpy(i int, a float32, w []float32) { dense.Axpy(a, b.floats(i), w) }
func (b *bytes) SumSquares(i int) float32           { return dense.SumSquares(b.floats(i)) }

func (b *bytes) ForWorker() Rows         { return newBytes(b.packed) }
func (b *bytes) Ahead() int              { return 2 }
func (b *bytes) Contiguous() bool        { return true }
func (b *bytes) TakeGain() Gain          { return GainsLittle }
func (b *bytes) Take(rows []uint32) Rows { return newBytes(b.take(rows)) }

func (b *bytes) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(b, dst, rows, w) }
func (b *bytes) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(b, a, rows, w) }

func (b *bytes) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	vectors.DotRows(dst, first, b.floats(i))
}

func (b *bytes) DotError(int) float64 { return denseError(b.cols) }

func (b *bytes) WideDot(i int, w []float64) float64 { return wideDense(b.floats(i), w) }

func (b *bytes) AddTo(u []float64, s Sum) {
	for i, a := range s.all() {
		addDense(u, a, b.floats(i))
	}
}

// packed is the rows of a dense matrix whose values are all k/n for a whole k from 0 to 255 and one
// whole n: pixels, as they are or divided by 255. It keeps the k.
type packed struct {
	rows, cols, stride int // a row's last bytes, up to a multiple of eight, are 0
	values             []byte
	code               *code
}

// newPacked returns the rows of x as bytes, made by the given number of goroutines, or false if x
// has other values. A goroutine gives up at the first row that has one.
func newPacked(x *dense.Matrix, threads int) (*packed, bool) {
	c := codeOf(x.Rows(), x.Cols(), x.Row)
	if c == nil {
		return nil, false
	}
	b := &packed{rows: x.Rows(), cols: x.Cols(), stride: (x.Cols() + 7) &^ 7, code: c}
	b.values = make([]byte, b.rows*b.stride)
	threads = max(1, min(threads, b.rows))
	fits := make([]bool, threads)
	parallel.For(threads, threads, func(_, k int) {
		for i := k * b.rows / threads; i < (k+1)*b.rows/threads; i++ {
			if !c.pack(b.row(i), x.Row(i)) {
				return
			}
		}
		fits[k] = true
	})
	for _, fit := range fits {
		if !fit {
			return nil, false
		}
	}
	return b, true
}

// A code says what bytes stand for: k for the value table[k], which is k/n.
type code struct {
	n, hi, lo float32 // hi + lo is 1/n, as asm.Unpack has it
	table     [256]float32
}

// newCode returns the code of k/n. hi has 16 bits, so that its product with a byte is exact: the
// sum of both products is a byte's k/n as it would be divided.
func newCode(n float64) *code {
	s := 1 / n
	hi := math.Float32frombits(math.Float32bits(float32(s)) &^ 0xff)
	c := &code{n: float32(n), hi: hi, lo: float32(s - float64(hi))}
	var all [256]byte
	for k := range all {
		all[k] = byte(k)
	}
	asm.Unpack(c.table[:], all[:], c.hi, c.lo)
	return c
}

// codeOf guesses a code by the first rows that have values other than 0. It returns nil if none is
// right for them.
func codeOf(rows, cols int, row func(i int) []float32) *code {
	const some = 64
	least := float32(math.MaxFloat32)
	seen := 0
	for i := 0; i < min(rows, 1000) && seen < some; i++ {
		found := false
		for _, v := range row(i) {
			if v > 0 {
				least, found = min(least, v), true
			}
		}
		if found {
			seen++
		}
	}
	packed := make([]byte, cols)
	for _, n := range []float64{math.Round(1 / float64(least)), 255, 1} {
		if !(n >= 1 && n <= 1<<16) {
			continue
		}
		c, fits := newCode(n), true
		for i := 0; i < min(rows, some) && fits; i++ {
			fits = c.pack(packed, row(i))
		}
		if fits {
			return c
		}
	}
	return nil
}

// pack writes row as bytes to dst, which may be longer. It reports whether each gives the value to
// the bit.
func (c *code) pack(dst []byte, row []float32) bool {
	dst = dst[:len(row)]
	wrong := uint32(0)
	for j, v := range row {
		// Values out of range give anything, which is wrong then.
		k := byte(int32(float32(v*c.n) + 0.5))
		dst[j] = k
		wrong |= math.Float32bits(v) ^ math.Float32bits(c.table[k])
	}
	return wrong == 0
}

func (b *packed) row(i int) []byte { return b.values[i*b.stride:][:b.stride:b.stride] }

func (b *packed) Rows() int { return b.rows }

func (b *packed) Cols() int { return b.cols }

// unpack writes row i to dst, and zeros behind it, up to stride.
func (b *packed) unpack(i int, dst []float32) { asm.Unpack(dst, b.row(i), b.code.hi, b.code.lo) }

// unpackDot is unpack, and returns the dot product of the row and w, which has Cols elements.
func (b *packed) unpackDot(i int, dst, w []float32) float32 {
	return asm.UnpackDot(dst, b.row(i), b.code.hi, b.code.lo, w)
}

func (b *packed) Size() int { return len(b.values) }

// take returns a copy of the given rows, in the given order.
func (b *packed) take(rows []uint32) *packed {
	t := *b
	t.rows, t.values = len(rows), make([]byte, len(rows)*b.stride)
	const ahead = 2
	for k, i := range rows {
		if k+ahead < len(rows) {
			b.Fetch(int(rows[k+ahead]))
		}
		copy(t.row(k), b.row(int(i)))
	}
	return &t
}

func (b *packed) Fetch(i int) { asm.Prefetch(b.row(i)) }
