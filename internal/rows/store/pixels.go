package store

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// Pixels stores rows as bytes. Each value is k/N for an integer k from 0 to 255, which is stored,
// and an integer N, the same for all values. A stored row has its bytes k and, at the end, a byte
// 1. These last bytes are a column of ones: its dot product with another column is the sum of that
// column.
type Pixels struct {
	N      float64
	cols   int
	values []byte // all rows, cols+1 bytes each; nil if rows are packed on request
	x      Rows
	code   *code
}

// PixelReader reads rows of Pixels in one goroutine.
type PixelReader struct {
	*Pixels
	buffer []float32
}

// PixelsOf returns the rows of x as bytes, packed by the given number of goroutines, or false if
// bytes cannot represent a value; goroutines stop soon after the first such value. The bytes depend
// on the values alone. Rows of Size 0 are not copied: PixelReader packs them on request.
func PixelsOf(x Rows, threads int) (*Pixels, bool) {
	if b, ok := x.(*pixelRows); ok {
		return b.pixels(threads), true
	}
	p := &Pixels{cols: x.Cols(), x: x}
	n := x.Rows()
	first := p.Reader()
	if p.code = guessCode(n, p.cols, first.read); p.code == nil {
		return nil, false
	}
	p.N = float64(p.code.n)
	copied := x.Size() > 0
	if copied {
		p.values = make([]byte, n*(p.cols+1))
	}
	const rows = 256
	var wrong atomic.Bool
	readers := make([]*PixelReader, max(1, threads))
	parallel.For(len(readers), (n+rows-1)/rows, func(worker, k int) {
		if readers[worker] == nil {
			readers[worker] = p.Reader()
		}
		to := make([]byte, p.cols+1)
		for i := k * rows; i < min((k+1)*rows, n) && !wrong.Load(); i++ {
			if copied {
				to = p.Row(i)
			}
			if !p.pack(to, readers[worker].read(i)) {
				wrong.Store(true)
			}
		}
	})
	return p, !wrong.Load()
}

// MayBePixels reports whether bytes can represent the values of the first rows of x, at most 64. If
// so, only reading all rows, as PixelsOf does, tells whether all of them are pixels.
func MayBePixels(x Rows) bool {
	if _, ok := x.(*pixelRows); ok {
		return true
	}
	p := &Pixels{cols: x.Cols(), x: x}
	return guessCode(x.Rows(), p.cols, p.Reader().read) != nil
}

// pixels returns the rows with the byte 1 appended to each.
func (b *pixelRows) pixels(threads int) *Pixels {
	p := &Pixels{N: float64(b.code.n), cols: b.cols, x: b, code: b.code,
		values: make([]byte, b.rows*(b.cols+1))}
	threads = max(1, threads)
	parallel.For(threads, threads, func(_, k int) {
		for i := k * b.rows / threads; i < (k+1)*b.rows/threads; i++ {
			row := p.Row(i)
			row[copy(row, b.packedPixels.row(i)[:b.cols])] = 1
		}
	})
	return p
}

// Reader returns a PixelReader for one goroutine.
func (p *Pixels) Reader() *PixelReader {
	return &PixelReader{&Pixels{p.N, p.cols, p.values, p.x.Clone(), p.code},
		make([]float32, p.cols)}
}

// Cols returns the number of bytes in a row.
func (p *Pixels) Cols() int { return p.cols + 1 }

// Size returns the number of bytes that Pixels keeps in memory.
func (p *Pixels) Size() int { return len(p.values) }

// Row returns row i, which must not be changed. It requires rows in memory (Size above 0).
func (p *Pixels) Row(i int) []byte { return p.values[i*(p.cols+1):][:p.cols+1] }

// Read writes row i to dst.
func (r *PixelReader) Read(dst []byte, i int) {
	if r.values != nil {
		copy(dst, r.Row(i))
		return
	}
	r.pack(dst, r.read(i)) // PixelsOf has checked that all rows fit
}

// read returns the values of row i, valid until the next call. It adds the row to zeros, which
// works for every row format.
func (r *PixelReader) read(i int) []float32 {
	clear(r.buffer)
	r.x.Axpy(i, 1, r.buffer)
	return r.buffer
}

// pack writes a row and the byte 1 to dst. It reports whether every byte decodes to exactly the
// same bits as the value.
func (p *Pixels) pack(dst []byte, row []float32) bool {
	dst[p.cols] = 1
	return p.code.pack(dst[:p.cols], row)
}
