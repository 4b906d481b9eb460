package dataset

import (
	"fmt"
	"io"
)

// progressStep is about how many bytes are read between two calls of Options.Progress.
const progressStep = 1 << 20

// A meter counts what is read from one or more readers, one after the other, reports it, and looks
// for cancellation.
type meter struct {
	opt               Options
	read, told, total int64
}

func newMeter(opt Options, total int64) *meter { return &meter{opt: opt, told: -1, total: total} }

func (m *meter) reader(r io.Reader) io.Reader { return &metered{m, r} }

type metered struct {
	m *meter
	r io.Reader
}

func (r *metered) Read(p []byte) (int, error) {
	m := r.m
	if err := m.opt.Context.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(p)
	m.count(n, err == io.EOF)
	return n, err
}

// count counts n bytes, perhaps the last ones.
func (m *meter) count(n int, last bool) {
	m.read += int64(n)
	if m.opt.Progress != nil && (m.read-m.told >= progressStep || last && m.read > m.told) {
		m.told = m.read
		m.opt.Progress(m.read, m.total)
	}
}

// metered returns r under the options' watch.
func (o Options) metered(r io.Reader) io.Reader {
	return limit(newMeter(o, 0).reader(r), o.MaxBytes)
}

// limit returns a reader that fails when r has more than n bytes. n = 0 is no limit.
func limit(r io.Reader, n int64) io.Reader {
	if n == 0 {
		return r
	}
	return &limited{r, n, n}
}

type limited struct {
	r       io.Reader
	n, left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1] // one more, to see whether there is more
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		n = int(l.left)
		err = fmt.Errorf("more than %d bytes (MaxBytes)", l.n)
	}
	l.left -= int64(n)
	return n, err
}
