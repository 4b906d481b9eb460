package store

// Pixels stores rows as bytes: a value is about k/N for its byte k and one integer N for all rows.
// Each row ends in a further byte, 1: a column's dot product with this last column is its sum.
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

// PixelsOf returns the rows of x as bytes, or false if it finds no N from the first rows, or if a
// byte can't represent a value. If x.Size() is 0, PixelReader packs rows on request.
func PixelsOf(x Rows, threads int) (*Pixels, bool) {
	p := newPixels(x)
	if p.code == nil {
		return nil, false
	}
	p.N = float64(p.code.n)
	if x.Size() > 0 {
		p.values = make([]byte, x.Rows()*(p.cols+1))
	}
	return p, packRows(x.Rows(), threads, func() func(i int) bool {
		r, to := p.Reader(), make([]byte, p.cols+1)
		return func(i int) bool {
			if p.values != nil {
				to = p.Row(i)
			}
			return p.pack(to, r.read(i))
		}
	})
}

func newPixels(x Rows) *Pixels {
	p := &Pixels{cols: x.Cols(), x: x}
	if b, ok := x.(*pixelRows); ok {
		p.code = b.code
	} else {
		p.code = guessCode(x.Rows(), p.cols, p.Reader().read)
	}
	return p
}

// MayBePixels reports whether PixelsOf accepts the first rows of x.
func MayBePixels(x Rows) bool { return newPixels(x).code != nil }

func (p *Pixels) Reader() *PixelReader {
	return &PixelReader{&Pixels{p.N, p.cols, p.values, p.x.Clone(), p.code},
		make([]float32, p.cols)}
}

// Cols returns the number of bytes in a row.
func (p *Pixels) Cols() int { return p.cols + 1 }

// Size returns the size of the rows in bytes; 0 if they are packed on request.
func (p *Pixels) Size() int { return len(p.values) }

// Row returns row i, which must not be changed. It requires Size above 0.
func (p *Pixels) Row(i int) []byte { return p.values[i*(p.cols+1):][:p.cols+1] }

func (r *PixelReader) Read(dst []byte, i int) {
	if r.values != nil {
		copy(dst, r.Row(i))
		return
	}
	r.pack(dst, r.read(i)) // PixelsOf checked that all rows fit
}

// The result is valid until the next call.
func (r *PixelReader) read(i int) []float32 {
	clear(r.buffer)
	r.x.Axpy(i, 1, r.buffer)
	return r.buffer
}

func (p *Pixels) pack(dst []byte, row []float32) bool {
	dst[p.cols] = 1
	return p.code.pack(dst[:p.cols], row)
}
