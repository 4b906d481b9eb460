package dataset

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

const chunkSize = 1 << 18 // approximate bytes of the chunks that threads parse

func readSvmlight(from *sources, opt Options, chunkSize int) (*Set, error) {
	p := svmlight{
		chunks: chunks{from: from, size: chunkSize}, rules: newRules(opt), labels: opt.Labels,
		all: collector{opt: opt}, totals: newTotals(opt),
	}
	p.added.L = &p.order
	parallel.For(opt.Threads, opt.Threads, func(_, _ int) { p.work() })

	if p.fault != nil {
		return nil, p.fault
	}
	name := from.name()
	if p.err != io.EOF {
		return nil, fail(name, p.err)
	}
	base, first, cols, err := p.totals.columns(opt, from.names)
	if err != nil {
		return nil, err
	}
	s, err := p.all.finish(first, cols)
	if err != nil {
		return nil, fail(name, err)
	}
	s.IndexBase, s.HashBits, s.Unlabelled = base, opt.HashBits, p.labels == LabelsNo
	s.Bytes, s.Doubts = *opt.bytes, p.totals.doubts(from.names)
	return s, nil
}

type totals struct {
	file      int // index of the file of the last block
	lines     int // lines of that file so far
	widest    int // index of the first file with the largest size
	rows, nnz int
	size      int64        // largest block.size
	zero      bool         // whether the index base is 0, as far as known
	last      *SyntaxError // first block.last
	filled    map[int]bool // indices of the files with rows
}

func newTotals(opt Options) totals {
	return totals{zero: opt.IndexBase == BaseZero, filled: map[int]bool{}}
}

func (t *totals) doubts(names []string) (doubts []Doubt) {
	for i, name := range names {
		if len(names) > 1 && !t.filled[i] {
			doubts = append(doubts, Doubt{File: name, About: "rows", Text: noRows})
		}
	}
	return doubts
}

func (t *totals) add(b *block, names []string) error {
	if b.file != t.file {
		t.file, t.lines = b.file, 0
	}
	for _, e := range []*SyntaxError{b.err, b.last} {
		if e != nil {
			e.File = names[b.file]
			e.Line += t.lines
		}
	}
	if b.err != nil {
		return b.err
	}
	if t.last == nil {
		t.last = b.last
	}
	t.lines += b.lines
	if t.rows += len(b.y); len(b.y) > 0 {
		t.filled[b.file] = true
	}
	t.nnz += len(b.val)
	if b.size > t.size {
		t.size, t.widest = b.size, b.file
	}
	t.zero = t.zero || b.zero
	return nil
}

func (t *totals) shape(opt Options) (base, first, cols int) {
	base = 1
	if t.zero {
		base = 0
	}
	switch {
	case opt.HashBits > 0:
		return base, 0, 1 << opt.HashBits
	case opt.Features > 0:
		return base, base, opt.Features
	}
	return base, base, int(max(t.size-int64(base), 0))
}

func (t *totals) columns(opt Options, names []string) (base, first, cols int, err error) {
	base, first, cols = t.shape(opt)
	switch {
	case opt.HashBits > 0 || opt.Features > 0:
		return base, first, cols, nil
	case t.zero && t.last != nil:
		return 0, 0, 0, t.last
	}
	if cols, err = opt.columns(cols, t.nnz); err != nil {
		return 0, 0, 0, fail(names[t.widest], err)
	}
	return base, first, cols, nil
}

// svmlight reads text with several threads. Each thread takes the next chunk of lines under mu,
// parses it without a lock, and adds its rows under order, after the rows of earlier chunks. So
// fault is the first block.err in the text, whichever thread is faster.
type svmlight struct {
	rules *rules

	mu     sync.Mutex // guards the fields from chunks to stop
	chunks chunks
	taken  int
	labels Labels // LabelsAuto if not yet known
	err    error  // of reading; io.EOF at the end of the files
	stop   bool

	order  sync.Mutex // guards the fields from turn to fault
	added  sync.Cond
	turn   int // number of the chunk to add next; -1 after a panic
	all    collector
	totals totals
	fault  error
}

func (p *svmlight) work() {
	var data []byte
	var s scratch
	panics := true
	defer func() {
		if panics { // other threads must not wait for this thread's chunk
			p.order.Lock()
			p.turn = -1
			p.order.Unlock()
			p.added.Broadcast()
		}
	}()
	for {
		p.mu.Lock()
		if p.stop {
			p.mu.Unlock()
			panics = false
			return
		}
		var file int
		data, file, p.err = p.chunks.next(data)
		p.stop = p.err != nil
		if p.labels == LabelsAuto {
			p.labels = labelsOf(data)
		}
		rules := *p.rules
		rules.unlabelled = p.labels == LabelsNo
		i, share := p.taken, p.chunks.share(len(data))
		p.taken++
		p.mu.Unlock()

		b := rules.parse(data, &s)
		b.file = file
		if !p.add(i, &b, share) {
			p.mu.Lock()
			p.stop = true
			p.mu.Unlock()
		}
	}
}

// add adds the rows of chunk i, which is the given share of all text, after all earlier chunks. It
// returns false if this or an earlier chunk has an error, or if a thread panicked.
func (p *svmlight) add(i int, b *block, share float64) bool {
	p.order.Lock()
	defer p.added.Broadcast()
	defer p.order.Unlock()
	for p.turn >= 0 && p.turn != i {
		p.added.Wait()
	}
	if p.turn < 0 {
		return false
	}
	if p.turn++; p.fault == nil {
		p.fault = p.totals.add(b, p.chunks.from.names)
	}
	if p.fault != nil {
		return false
	}
	_, first, cols := p.totals.shape(p.all.opt)
	if p.all.opt.HashBits == 0 {
		// If BaseAuto found base 0, rows may have one column beyond Features, which finish drops.
		cols = max(cols, int(p.totals.size)-first)
	}
	p.all.add(&piece{*b, first, cols, share})
	return true
}

// labelsOf returns LabelsNo if the first line that is not blank or a comment begins with a feature,
// else LabelsYes. Without such a line it returns LabelsAuto.
func labelsOf(data []byte) Labels {
	for p := 0; p < len(data); p = nextLine(data, p) {
		if p = skipBlanks(data, p); endsRow(data[p]) {
			continue
		}
		if bytes.IndexByte(data[p:cell.TokenEnd(data, p)], ':') >= 0 {
			return LabelsNo
		}
		return LabelsYes
	}
	return LabelsAuto
}

// chunks cuts the text of files into chunks of whole lines, each of one file.
type chunks struct {
	from *sources
	size int // as in lines
	now  lines
	open bool
	text int64 // bytes of the open file; -1 if unknown
}

func (c *chunks) share(n int) float64 {
	if len(c.from.names) > 1 || c.text <= 0 {
		return 0
	}
	return min(1, float64(n)/float64(c.text))
}

func (c *chunks) next(buf []byte) (data []byte, file int, err error) {
	if !c.open {
		f, err := c.from.next()
		if err != nil {
			return buf[:0], c.from.at, err
		}
		c.now, c.open, c.text = lines{r: f.r, size: c.size}, true, f.size
	}
	data, err = c.now.next(buf)
	if file = c.from.at; err == io.EOF && file < len(c.from.names)-1 {
		c.open, err = false, nil
	}
	return data, file, err
}

// lines splits a stream into chunks of whole lines.
type lines struct {
	r    io.Reader
	size int    // approximate bytes of a chunk; a longer line makes it larger
	rest []byte // read, but not yet returned
	read bool   // whether next was called
}

// next returns the next chunk, in buf if buf is large enough, and an error with the last chunk. A
// chunk is empty or ends in a newline, which next adds to the stream's last line if needed. With
// io.EOF the chunk has the rest of the stream; with another error, the whole lines before the
// error.
func (l *lines) next(buf []byte) ([]byte, error) {
	if n := max(l.size, 2*len(l.rest)); cap(buf) < n {
		buf = make([]byte, 0, n)
	}
	buf = append(buf[:0], l.rest...)
	l.rest = l.rest[:0]
	var err error
	for end := 0; ; {
		start := len(buf)
		for idle := 0; len(buf) < cap(buf) && err == nil; {
			var n int
			n, err = l.r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if idle++; n > 0 {
				idle = 0
			} else if idle == 100 && err == nil {
				err = io.ErrNoProgress
			}
		}
		if err == io.EOF && len(buf) > 0 && buf[len(buf)-1] != '\n' {
			buf = append(buf, '\n')
		}
		if end = start + 1 + bytes.LastIndexByte(buf[start:], '\n'); end > start || err != nil {
			if err == nil {
				l.rest = append(l.rest, buf[end:]...)
			} else if end == start {
				end = 0
			}
			buf = buf[:end]
			break
		}
		buf = slices.Grow(buf, len(buf))
	}
	if !l.read {
		l.read = true
		buf = bytes.TrimPrefix(buf, byteOrderMark)
	}
	return buf, err
}

var byteOrderMark = []byte("\ufeff")
