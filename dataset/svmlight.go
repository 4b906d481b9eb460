package dataset

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

// chunkSize is the approximate number of bytes that a thread parses at a time: few enough for the
// second-level cache.
const chunkSize = 1 << 18

func readSvmlight(from *sources, opt Options, chunkSize int) (*Set, error) {
	p := svmlight{
		chunks: chunks{from: from, size: chunkSize}, rules: newRules(opt), labels: opt.Labels,
	}
	parallel.For(opt.Threads, opt.Threads, func(_, _ int) { p.work() })

	t := newTotals(opt)
	for i := range p.blocks {
		if err := t.add(&p.blocks[i], from.names); err != nil {
			return nil, err
		}
	}
	name := from.name()
	if p.err != io.EOF {
		return nil, fail(name, p.err)
	}
	base, first, cols, err := t.columns(opt, name)
	if err != nil {
		return nil, err
	}
	s, err := assemble(p.blocks, first, cols, opt)
	if err != nil {
		return nil, fail(name, err)
	}
	s.IndexBase, s.HashBits, s.Unlabelled = base, opt.HashBits, p.labels == LabelsNo
	s.Bytes = *opt.bytes
	return s, nil
}

// totals combines the results of the blocks.
type totals struct {
	file      int // index of the file of the last block
	lines     int // of that file
	rows, nnz int
	size      int64        // the largest index and one more
	zero      bool         // the base is 0
	last      *SyntaxError // see block
}

func newTotals(opt Options) totals { return totals{zero: opt.IndexBase == BaseZero} }

// add adds the next block in the files' order. The first error in that order is reported, no matter
// which thread finds it first. A read error is reported after errors in the text before it.
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
	t.rows += len(b.y)
	t.nnz += len(b.val)
	t.size = max(t.size, b.size)
	t.zero = t.zero || b.lowest == 0
	return nil
}

// columns returns the index base, the index of column 0, and the number of columns.
func (t *totals) columns(opt Options, name string) (base, first, cols int, err error) {
	base = 1
	if t.zero {
		base = 0
		if t.last != nil && opt.Features == 0 {
			return 0, 0, 0, t.last
		}
	}
	switch {
	case opt.HashBits > 0:
		return base, 0, 1 << opt.HashBits, nil
	case opt.Features > 0:
		return base, base, opt.Features, nil
	}
	if cols, err = opt.columns(int(max(t.size-int64(base), 0)), t.nnz); err != nil {
		return 0, 0, 0, fail(name, err)
	}
	return base, base, cols, nil
}

// svmlight is text being read by several threads. Each takes the next chunk of lines, under the
// lock, and parses it without the lock. Lines don't depend on each other, so neither the size of
// chunks nor the number of threads changes the result.
type svmlight struct {
	rules *rules

	mu     sync.Mutex
	chunks chunks
	labels Labels  // LabelsAuto until there is a line that tells
	blocks []block // in the file's order
	err    error   // the error that ended reading: io.EOF at the end of the file
	stop   bool
}

func (p *svmlight) work() {
	var data []byte
	var s scratch
	for {
		p.mu.Lock()
		if p.stop {
			p.mu.Unlock()
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
		i := len(p.blocks)
		p.blocks = append(p.blocks, block{})
		p.mu.Unlock()

		b := rules.parse(data, &s)

		p.mu.Lock()
		b.file = file
		p.blocks[i] = b
		p.stop = p.stop || b.err != nil
		p.mu.Unlock()
	}
}

// labelsOf returns LabelsYes or LabelsNo, by whether the first line of the text begins with a
// label, or LabelsAuto if all lines are empty.
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
	size int
	now  lines // of the open file
	open bool
}

// next returns the next chunk, as lines.next does, and the index of its file.
func (c *chunks) next(buf []byte) (data []byte, file int, err error) {
	if !c.open {
		f, err := c.from.next()
		if err != nil {
			return buf[:0], c.from.at, err
		}
		c.now, c.open = lines{r: f.r, size: c.size}, true
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
	size int    // of a chunk, if no line is longer
	rest []byte // read, but not yet returned
	read bool   // the first chunk was read
}

// next returns the next chunk, in buf if that is large enough, and an error with the last chunk. A
// chunk ends in a newline, which is added to the last line of the stream if it lacks one; it is
// empty if no data are left. With an error other than io.EOF the chunk has the whole lines before
// the error.
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
