package dataset

import (
	"fmt"
	"io"
	"math"
	"sync"
)

// progressStep is about how many bytes are read between two calls of Options.Progress.
const progressStep = 1 << 20

// A meter counts the bytes that are read from one or more readers, reports their number, and looks
// for cancellation. Compressed files are read by goroutines of their own.
type meter struct {
	opt               Options
	mu                sync.Mutex // for read and told; held during calls of Options.Progress
	read, told, total int64
}

func newMeter(opt Options, total int64) *meter { return &meter{opt: opt, told: -1, total: total} }

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
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read += int64(n)
	if m.opt.Progress != nil && (m.read-m.told >= progressStep || last && m.read > m.told) {
		m.told = m.read
		m.opt.Progress(m.read, m.total)
	}
}

// limit returns a reader that fails when r has more than MaxBytes, and counts them.
func (o Options) limit(r io.Reader) io.Reader {
	n := o.MaxBytes
	if n == 0 {
		n = math.MaxInt64
	}
	return &limited{r: r, n: n, total: o.bytes}
}

type limited struct {
	r     io.Reader
	n     int64
	total *int64 // of all files that are read
}

func (l *limited) Read(p []byte) (int, error) {
	left := l.n - *l.total
	if int64(len(p))-1 > left {
		p = p[:left+1] // one more, to see whether there is more
	}
	n, err := l.r.Read(p)
	if int64(n) > left {
		n = int(left)
		err = fmt.Errorf("more than %d bytes (MaxBytes)", l.n)
	}
	*l.total += int64(n)
	return n, err
}
