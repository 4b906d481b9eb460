package store

import (
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/parallel"
)

// Pixels is rows whose values are all k/N for a whole k from 0 to 255 and one whole N, as bytes:
// the k of a row, and behind them a 1, for sums of the values themselves.
type Pixels struct {
	N      float64
	cols   int
	values []byte // of all rows, cols+1 each; nil to read them when they are asked for
	x      Rows
	code   *code
}

// A PixelReader reads Pixels, for one goroutine.
type PixelReader struct {
	*Pixels
	floats []float32
}

// PixelsOf returns the rows of x as bytes, made by the given number of goroutines, or false if x
// has other values, which it finds soon. The bytes depend on the values alone. Rows that need not
// be in memory are not copied.
func PixelsOf(x Rows, threads int) (*Pixels, bool) {
	if b, ok := x.(*bytes); ok {
		return b.pixels(threads), true
	}
	p := &Pixels{cols: x.Cols(), x: x}
	n := x.Rows()
	first := p.Reader()
	if p.code = codeOf(n, p.cols, first.read); p.code == nil {
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

// MayBePixels reports whether PixelsOf has to read all rows of x to know.
func MayBePixels(x Rows) bool {
	if _, ok := x.(*bytes); ok {
		return true
	}
	p := &Pixels{cols: x.Cols(), x: x}
	return codeOf(x.Rows(), p.cols, p.Reader().read) != nil
}

// pixels returns the rows, which are bytes already, with the 1 behind them.
func (b *bytes) pixels(threads int) *Pixels {
	p := &Pixels{N: float64(b.code.n), cols: b.cols, x: b, code: b.code,
		values: make([]byte, b.rows*(b.cols+1))}
	threads = max(1, threads)
	parallel.For(threads, threads, func(_, k int) {
		for i := k * b.rows / threads; i < (k+1)*b.rows/threads; i++ {
			row := p.Row(i)
			row[copy(row, b.packed.row(i)[:b.cols])] = 1
		}
	})
	return p
}

// Reader returns a reader.
func (p *Pixels) Reader() *PixelReader {
	return &PixelReader{&Pixels{p.N, p.cols, p.values, p.x.ForWorker(), p.code},
		make([]float32, p.cols)}
}

// Cols returns the number of bytes of a row.
func (p *Pixels) Cols() int { return p.cols + 1 }

// Size returns how many bytes are in memory.
func (p *Pixels) Size() int { return len(p.values) }

// Row returns row i, which must not be changed. It is for rows that are in memory.
func (p *Pixels) Row(i int) []byte { return p.values[i*(p.cols+1):][:p.cols+1] }

// Read writes row i to dst.
func (r *PixelReader) Read(dst []byte, i int) {
	if r.values != nil {
		copy(dst, r.Row(i))
		return
	}
	r.pack(dst, r.read(i)) // all rows were found to fit
}

// read returns the values of row i, valid until the next call. They are what the row adds to zeros,
// however it is held.
func (r *PixelReader) read(i int) []float32 {
	clear(r.floats)
	r.x.Axpy(i, 1, r.floats)
	return r.floats
}

// pack writes a row and the 1 to dst. It reports whether each byte gives the value to the bit.
func (p *Pixels) pack(dst []byte, row []float32) bool {
	dst[p.cols] = 1
	return p.code.pack(dst[:p.cols], row)
}
