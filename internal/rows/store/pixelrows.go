package store

import (
	"math"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// MinPixelSize and minPixelVisits are the least Size of dense rows, in bytes, and the least visits
// to each row at which packing them into bytes pays.
var MinPixelSize = 16 << 20 // variable for tests

const minPixelVisits = 12

// A value is about k/n for its byte k and one integer n for all rows.
type pixelRows struct {
	defaults
	rows, cols, stride int // stride: bytes per row, cols padded with zeros to a multiple of 8
	values             []byte
	code               *code
	row                []float32 // last unpacked row, padded with zeros to stride elements
	at                 int       // -1 for none
}

func newPixelRows(x *dense.Matrix, threads int) (Rows, bool) {
	c := guessCode(x.Rows(), x.Cols(), x.Row)
	if c == nil {
		return nil, false
	}
	b := (&pixelRows{cols: x.Cols(), stride: (x.Cols() + 7) &^ 7, code: c}).empty(x.Rows())
	return b, packRows(b.rows, threads, func() func(i int) bool {
		return func(i int) bool { return c.pack(b.bytes(i), x.Row(i)) }
	})
}

func (b *pixelRows) empty(rows int) *pixelRows {
	return &pixelRows{rows: rows, cols: b.cols, stride: b.stride, code: b.code,
		values: make([]byte, rows*b.stride), row: dense.New(1, b.stride).Row(0), at: -1}
}

// packRows calls pack for the rows until a call returns false, and reports whether none did.
// newPack returns a pack for one goroutine.
func packRows(rows, threads int, newPack func() (pack func(i int) bool)) bool {
	const block = 256
	var wrong atomic.Bool
	packs := make([]func(int) bool, max(1, threads))
	parallel.For(len(packs), (rows+block-1)/block, func(worker, k int) {
		if packs[worker] == nil {
			packs[worker] = newPack()
		}
		for i := k * block; i < min((k+1)*block, rows) && !wrong.Load(); i++ {
			if !packs[worker](i) {
				wrong.Store(true)
			}
		}
	})
	return !wrong.Load()
}

func (b *pixelRows) bytes(i int) []byte { return b.values[i*b.stride:][:b.stride:b.stride] }

// The result is valid until a method reads another row.
func (b *pixelRows) float32s(i int) []float32 {
	if i != b.at {
		asm.Unpack(b.row, b.bytes(i), b.code.hi, b.code.lo)
		b.at = i
	}
	return b.row[:b.cols]
}

func (b *pixelRows) Rows() int { return b.rows }
func (b *pixelRows) Cols() int { return b.cols }
func (b *pixelRows) Size() int { return len(b.values) }

func (b *pixelRows) Row(i int) (index []int32, values []float32) { return nil, b.float32s(i) }

func (b *pixelRows) Dot(i int, w []float32) float32 {
	if i == b.at {
		return dense.Dot(b.float32s(i), w)
	}
	b.at = i
	return asm.UnpackDot(b.row, b.bytes(i), b.code.hi, b.code.lo, w)
}

func (b *pixelRows) Axpy(i int, a float32, w []float32) { dense.Axpy(a, b.float32s(i), w) }
func (b *pixelRows) SumSquares(i int) float32           { return dense.SumSquares(b.float32s(i)) }

func (b *pixelRows) Prefetch(i int)        { asm.Prefetch(b.bytes(i)) }
func (b *pixelRows) PrefetchDistance() int { return 2 }
func (b *pixelRows) FastBatches() bool     { return true }
func (b *pixelRows) ReorderGain() Gain     { return SmallGain }

func (b *pixelRows) Clone() Rows {
	c := b.empty(0)
	c.rows, c.values = b.rows, b.values
	return c
}

func (b *pixelRows) Take(rows []uint32) Rows {
	t := b.empty(len(rows))
	const ahead = 2
	for k, i := range rows {
		if k+ahead < len(rows) {
			b.Prefetch(int(rows[k+ahead]))
		}
		copy(t.bytes(k), b.bytes(int(i)))
	}
	return t
}

func (b *pixelRows) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(b, dst, rows, w) }
func (b *pixelRows) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(b, a, rows, w) }

func (b *pixelRows) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	vectors.DotRows(dst, first, b.float32s(i))
}

func (b *pixelRows) DotError(int) float64             { return denseError(b.cols) }
func (b *pixelRows) Dot64(i int, w []float64) float64 { return dot64(b, i, w) }
func (b *pixelRows) AddTo(u []float64, s Sum)         { addTo(b, u, s) }

// code maps byte k to table[k], about k/n.
type code struct {
	n, hi, lo float32 // hi + lo is about 1/n, split as asm.Unpack expects
	table     [256]float32
}

// hi has 16 significant bits, so its product with a byte is exact. The sum of the products of hi
// and lo rounds to the float32 quotient k/n for all but a few n.
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

// guessCode returns a code that represents all values of the first rows, or nil. It tries for n the
// integer nearest to 1/v, where v is their smallest positive value; then 255; then 1.
func guessCode(rows, cols int, row func(i int) []float32) *code {
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

// pack encodes row in dst and reports whether the bytes decode to the same bits. dst may be longer
// than row.
func (c *code) pack(dst []byte, row []float32) bool {
	dst = dst[:len(row)]
	wrong := uint32(0)
	for j, v := range row {
		// A value out of range converts to an arbitrary byte, which the comparison rejects.
		k := byte(int32(float32(v*c.n) + 0.5))
		dst[j] = k
		wrong |= math.Float32bits(v) ^ math.Float32bits(c.table[k])
	}
	return wrong == 0
}
