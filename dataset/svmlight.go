package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

// chunkSize is about how many bytes a thread parses at a time: few enough to stay in the second-level cache.
const chunkSize = 1 << 18

// ReadSvmlight reads the svmlight form, which is also LIBSVM's: a line an example,
//
//	label index:value index:value ... # comment
//
// with indices from 1 (or as opt.IndexBase says) that ascend within a line; features that are not there are 0. name
// stands for the input in errors.
//
//   - Labels are decimal numbers, one a line, and compared as such: 1, +1 and 1.0 are one class. An integer that
//     float32 can't hold exactly is an error.
//   - Values are decimal numbers and get the float32 nearest to them. Infinities, NaN and hexadecimal are errors.
//   - Lines end in LF or CRLF, the last one perhaps in nothing, and may be of any length. Blanks are spaces, tabs and
//     CR. Lines without a label are skipped. A byte order mark at the start is skipped.
//   - "qid:3" right after the label is accepted and ignored.
//
// The number of columns is that up to the largest index in the data, also of a zero, unless opt.Features gives it.
func ReadSvmlight(r io.Reader, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	return readSvmlight(opt.metered(r), name, opt, chunkSize)
}

func readSvmlight(r io.Reader, name string, opt Options, chunkSize int) (*Set, error) {
	p := svmlight{lines: lines{r: r, size: chunkSize}, rules: newRules(opt)}
	if opt.Threads == 1 {
		p.work()
	} else {
		var wg sync.WaitGroup
		for range opt.Threads {
			wg.Add(1)
			go func() {
				defer wg.Done()
				p.work()
			}()
		}
		wg.Wait()
	}

	// The first error in the file's order is the one to report, whoever found it when. A read error comes after those
	// of the text: the blocks have what was read before it.
	size, line, zero := int64(0), 0, opt.IndexBase == BaseZero
	var last *SyntaxError
	for _, b := range p.blocks {
		for _, e := range []*SyntaxError{b.err, b.last} {
			if e != nil {
				e.File = name
				e.Line += line
			}
		}
		if b.err != nil {
			return nil, b.err
		}
		if last == nil {
			last = b.last
		}
		line += b.lines
		size = max(size, b.size)
		zero = zero || b.zero
	}
	if p.err != io.EOF {
		return nil, fail(name, p.err)
	}
	base := 1
	if zero {
		base = 0
		if last != nil && opt.Features == 0 {
			return nil, last
		}
	}
	cols := int(max(size-int64(base), 0))
	if opt.Features > 0 {
		cols = opt.Features
	}
	s, err := assemble(p.blocks, base, cols, opt.Layout)
	if err != nil {
		return nil, fail(name, err)
	}
	return s, nil
}

// svmlight is a file being read by some threads. Each takes the next chunk of lines, under the lock, and parses it
// without. What a line means does not depend on the lines before it, so neither the chunks' size nor the number of
// threads matters.
type svmlight struct {
	rules rules

	mu     sync.Mutex
	lines  lines
	blocks []block // in the file's order
	err    error   // that ended the reading: io.EOF if all went well
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
		data, p.err = p.lines.next(data)
		p.stop = p.err != nil
		i := len(p.blocks)
		p.blocks = append(p.blocks, block{})
		p.mu.Unlock()

		b := p.rules.parse(data, &s)

		p.mu.Lock()
		p.blocks[i] = b
		p.stop = p.stop || b.err != nil
		p.mu.Unlock()
	}
}

// lines cuts a stream into chunks of whole lines.
type lines struct {
	r    io.Reader
	size int    // of a chunk, if no line is longer
	rest []byte // read, and not yet given out
	read bool   // the first chunk
}

// next returns the next chunk, in buf if that is large enough, and an error if it is the last. It ends in a newline,
// which is added to the last line of the stream; it is empty if there is nothing left. At an error other than io.EOF
// the chunk has the whole lines before it.
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

// rules are what a line is held against.
type rules struct {
	first       int64 // the smallest index
	limit       int64 // the largest one
	ignore      bool  // what is beyond limit: else it is an error
	auto        bool  // base 0 may come out, and limit is then one too large
	maxFeatures int   // for messages
}

func newRules(opt Options) rules {
	r := rules{first: 1, limit: int64(opt.MaxFeatures), auto: opt.IndexBase == BaseAuto, maxFeatures: opt.MaxFeatures}
	if opt.Features > 0 {
		r.limit = int64(opt.Features)
		r.ignore = true
	}
	switch opt.IndexBase {
	case BaseAuto:
		r.first = 0
	case BaseZero:
		r.first = 0
		r.limit--
	}
	return r
}

// scratch is memory that a thread uses again for each chunk.
type scratch struct {
	y    []float32
	ends []int
	idx  []int32
	val  []float32
}

// parse turns whole lines, each with its newline, into rows.
func (r rules) parse(data []byte, s *scratch) (b block) {
	// A feature takes 4 bytes or more, "1:1 ": there is room for all.
	if most := cap(data)/4 + 1; len(s.idx) < most {
		s.idx, s.val = make([]int32, most), make([]float32, most)
	}
	y, ends, idx, val := s.y[:0], s.ends[:0], s.idx, s.val
	nnz := 0
	high := min(r.limit, math.MaxInt32) + 1 // indices from here on need a closer look
	if r.auto {
		high--
	}

	p, start := 0, 0 // in data: the next byte, and where the line starts
	at := func(token int, reason string) *SyntaxError {
		return &SyntaxError{
			Line: b.lines, Column: token - start + 1, Token: cut(data[token:tokenEnd(data, token)]), Reason: reason,
		}
	}
	for p < len(data) {
		start = p
		b.lines++
		for isBlank(data[p]) {
			p++
		}
		if c := data[p]; c == '\n' || c == '#' {
			p += bytes.IndexByte(data[p:], '\n') + 1
			continue
		}

		v, next, reason := number(data, p)
		if reason == "" {
			v, reason = label(data[p:next], v)
		}
		if reason != "" {
			b.err = at(p, badLabel(data[p:next], reason))
			return b
		}
		y = append(y, v)
		p = next

		last := r.first - 1
		for n := 0; ; n++ { // features so far
			for isBlank(data[p]) {
				p++
			}
			if c := data[p]; c == '\n' || c == '#' {
				p += bytes.IndexByte(data[p:], '\n') + 1
				break
			}

			token := p
			m, next := digits(data, p, 0)
			j := int64(m)
			if count := next - p; data[next] != ':' || count == 0 || count > 10 {
				j, next, reason = slowIndex(data, p)
			}
			if reason == isQid && n == 0 {
				p, reason = next, ""
				continue
			}
			if reason == "" {
				p = next + 1
				if v, next, reason = number(data, p); reason != "" {
					reason = badValue(data[p:next], reason)
				} else if j <= last {
					reason = r.badOrder(j, last)
				} else if j > math.MaxInt32 {
					reason = indexTooLarge
				} else if j > r.limit && !r.ignore {
					reason = r.tooMany()
				}
			}
			if reason != "" {
				b.err = at(token, reason)
				return b
			}
			p, last = next, j
			if j >= high {
				if j > r.limit {
					if v != 0 {
						b.ignored++
					}
					continue
				}
				if b.last == nil {
					b.last = at(token, r.tooMany())
				}
			}
			if v != 0 {
				idx[nnz], val[nnz] = int32(j), v
				nnz++
			}
			b.zero = b.zero || j == 0
		}
		ends = append(ends, nnz)
		b.size = max(b.size, min(last, r.limit)+1)
	}
	s.y, s.ends = y, ends
	b.y, b.ends, b.idx, b.val = slices.Clone(y), slices.Clone(ends), slices.Clone(idx[:nnz]), slices.Clone(val[:nnz])
	return b
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// isEnd tells whether a token ends before c.
func isEnd(c byte) bool { return isBlank(c) || c == '\n' || c == '#' }

func tokenEnd(b []byte, p int) int {
	for p < len(b) && !isEnd(b[p]) {
		p++
	}
	return p
}

const (
	isQid         = "qid:N must stand right after the label"
	indexTooLarge = "index larger than 2147483647"
)

// slowIndex reads the index of the token at b[p:]. It returns the position of the colon after it.
func slowIndex(b []byte, p int) (j int64, next int, reason string) {
	token := b[p:tokenEnd(b, p)]
	index, value, colon := bytes.Cut(token, []byte(":"))
	digitsOnly := func(s []byte) bool {
		return len(s) > 0 && len(bytes.Trim(s, "0123456789")) == 0
	}
	switch {
	case !colon:
		return 0, p, "want index:value, without blanks"
	case len(index) == 0:
		return 0, p, "no index before the colon"
	case string(index) == "qid" && digitsOnly(value):
		return 0, p + len(token), isQid
	case index[0] == '-' && digitsOnly(index[1:]):
		return 0, p, "index is negative"
	case !digitsOnly(index):
		return 0, p, "index is not a whole number"
	}
	significant := bytes.TrimLeft(index, "0")
	if len(significant) > 10 {
		return 0, p, indexTooLarge
	}
	m, _ := digits(significant, 0, 0)
	return int64(m), p + len(index), ""
}

func badLabel(token []byte, reason string) string {
	if bytes.IndexByte(token, ',') >= 0 {
		return "several labels: want one"
	}
	return "label is " + reason
}

func badValue(token []byte, reason string) string {
	if len(token) == 0 {
		return "no value after the colon"
	}
	if bytes.IndexByte(token, ':') >= 0 {
		return "more than one colon"
	}
	return "value is " + reason
}

func (r rules) badOrder(j, last int64) string {
	switch {
	case j < r.first:
		return "index 0: indices start at 1; for a file that counts from 0 the index base has to be 0 or auto (-index-base)"
	case j == last:
		return fmt.Sprintf("index %d twice in a line", j)
	}
	return fmt.Sprintf("index %d after %d: indices have to ascend", j, last)
}

func (r rules) tooMany() string {
	return fmt.Sprintf("index beyond the limit of %d features (-max-features)", r.maxFeatures)
}
