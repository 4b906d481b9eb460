package dataset

import (
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/pegasimd/pegasimd/internal/base/plural"
)

const progressStep = 1 << 20

type meter struct {
	opt   Options
	mu    sync.Mutex // guards read and told; held during calls of Options.Progress
	read  int64
	told  int64 // value of read at the last call of Options.Progress; -1 before the first
	total int64 // bytes in all; 0 if unknown
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

func (m *meter) count(n int, last bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read += int64(n)
	if m.opt.Progress != nil && (m.read-m.told >= progressStep || last && m.read > m.told) {
		m.told = m.read
		m.opt.Progress(m.read, m.total)
	}
}

func (o Options) limit(r io.Reader) io.Reader {
	n := o.MaxBytes
	if n == 0 {
		n = math.MaxInt64
	}
	return &limited{r: r, n: n, total: o.bytes}
}

func errMaxBytes(n int64) error {
	return fmt.Errorf("the data have more than %s (-max-bytes)", plural.Count(n, "byte"))
}

type limited struct {
	r     io.Reader
	n     int64  // largest total number of bytes
	total *int64 // bytes read so far from all files
}

func (l *limited) Read(p []byte) (int, error) {
	left := l.n - *l.total
	if int64(len(p))-1 > left {
		p = p[:left+1] // one byte more, to notice that r has more
	}
	n, err := l.r.Read(p)
	if int64(n) > left {
		n = int(left)
		err = errMaxBytes(l.n)
	}
	*l.total += int64(n)
	return n, err
}
