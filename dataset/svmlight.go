package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/pegasimd/pegasimd/internal/floats"
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
//   - Indices that don't ascend are an error unless opt.Unsorted says what to do with them.
//
// With opt.HashBits = n features are hashed: index j, any number below 2^64, becomes column h mod 2^n, and its value is
// negated if h has bit 63 set, where h is the finaliser of MurmurHash3 for 64 bits:
//
//	h := j
//	h ^= h >> 33
//	h *= 0xff51afd7ed558ccd
//	h ^= h >> 33
//	h *= 0xc4ceb9fe1a85ec53
//	h ^= h >> 33
//
// Values of a row that meet in a column are added in the order of the file, in float32.
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

	t := newTotals(opt)
	for i := range p.blocks {
		if err := t.add(&p.blocks[i], name); err != nil {
			return nil, err
		}
	}
	if p.err != io.EOF {
		return nil, fail(name, p.err)
	}
	base, first, cols, err := t.columns(opt)
	if err != nil {
		return nil, err
	}
	s, err := assemble(p.blocks, first, cols, opt.Layout)
	if err != nil {
		return nil, fail(name, err)
	}
	s.IndexBase, s.HashBits = base, opt.HashBits
	return s, nil
}

// totals is what has to be known of all blocks.
type totals struct {
	lines     int
	rows, nnz int
	size      int64        // the largest index and one more
	zero      bool         // the base is 0
	last      *SyntaxError // see block
}

func newTotals(opt Options) totals { return totals{zero: opt.IndexBase == BaseZero} }

// add takes in the next block in the file's order. The first error in that order is the one to report, whoever found it
// when. A read error comes after those of the text: the blocks have what was read before it.
func (t *totals) add(b *block, name string) error {
	for _, e := range []*SyntaxError{b.err, b.last} {
		if e != nil {
			e.File = name
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
	t.zero = t.zero || b.zero
	return nil
}

// columns returns the index base, the index that is column 0, and the number of columns.
func (t *totals) columns(opt Options) (base, first, cols int, err error) {
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
	return base, base, int(max(t.size-int64(base), 0)), nil
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
	first       uint64 // the smallest index
	limit       uint64 // the largest one
	ignore      bool   // what is beyond limit: else it is an error
	auto        bool   // base 0 may come out, and limit is then one too large
	hashBits    uint   // 0 if indices aren't hashed
	unsorted    Unsorted
	maxFeatures int // for messages
}

func newRules(opt Options) rules {
	r := rules{
		first: 1, limit: uint64(opt.MaxFeatures), auto: opt.IndexBase == BaseAuto,
		hashBits: uint(opt.HashBits), unsorted: opt.Unsorted, maxFeatures: opt.MaxFeatures,
	}
	if opt.Features > 0 {
		r.limit = uint64(opt.Features)
		r.ignore = true
	}
	switch opt.IndexBase {
	case BaseAuto:
		r.first = 0
	case BaseZero:
		r.first = 0
		r.limit--
	}
	if r.hashBits > 0 {
		r.limit, r.ignore, r.auto = math.MaxUint64, false, false
	}
	return r
}

// scratch is memory that a thread uses again for each chunk.
type scratch struct {
	y    []float32
	ends []int
	idx  []int32
	val  []float32
	keys []uint64  // of mend
	old  []float32 // of mend
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
	most := uint64(math.MaxInt32) // index
	if r.hashBits > 0 {
		high, most = math.MaxUint64, math.MaxUint64-1
	}
	mend := r.hashBits > 0 || r.unsorted != UnsortedError // rows may have to be sorted

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

		least, top, from := r.first, uint64(0), nnz // the next index allowed, one more than the largest so far
		for n := 0; ; n++ {                         // features so far
			if !mend {
				next, stored, after := plainFeatures(data, p, idx[nnz:], val[nnz:], max(least, 1), high)
				if next > p {
					p, least, top = next, after, after
					nnz += stored
				}
			}
			for isBlank(data[p]) {
				p++
			}
			if c := data[p]; c == '\n' || c == '#' {
				p += bytes.IndexByte(data[p:], '\n') + 1
				break
			}

			token := p
			j, next := digits(data, p, 0)
			reason := ""
			if count := next - p; data[next] != ':' || count == 0 || count > 19 {
				if j, next, reason = slowIndex(data, p); reason == isQid && n == 0 {
					p = next
					continue
				}
			}
			if reason == "" {
				if v, p, reason = number(data, next+1); reason != "" {
					reason = badValue(data[next+1:p], reason)
				}
			}
			if reason != "" {
				b.err = at(token, reason)
				return b
			}
			if j < least {
				if j < r.first || r.unsorted == UnsortedError {
					b.err = at(token, r.badOrder(j, least-1))
					return b
				}
			}
			least = j + 1
			if j >= high {
				switch {
				case j > most:
					b.err = at(token, r.tooLarge())
					return b
				case j > r.limit && !r.ignore:
					b.err = at(token, r.tooMany())
					return b
				case j > r.limit:
					top = max(top, r.limit+1)
					if v != 0 {
						b.ignored++
					}
					continue
				case b.last == nil:
					b.last = at(token, r.tooMany())
				}
			}
			top = max(top, least)
			b.zero = b.zero || j == 0
			if r.hashBits > 0 {
				h := fmix64(j)
				j = h & (1<<r.hashBits - 1)
				v = math.Float32frombits(math.Float32bits(v) ^ uint32(h>>63)<<31)
			}
			if v != 0 || mend {
				idx[nnz], val[nnz] = int32(j), v
				nnz++
			}
		}
		if mend {
			n, again, reason := s.mend(idx[from:nnz], val[from:nnz], r.unsorted == UnsortedSort && r.hashBits == 0)
			if reason != "" {
				b.err = r.rowError(data, start, again, reason)
				b.err.Line = b.lines
				return b
			}
			nnz = from + n
		}
		ends = append(ends, nnz)
		b.size = max(b.size, int64(top))
	}
	s.y, s.ends = y, ends
	b.y, b.ends, b.idx, b.val = slices.Clone(y), slices.Clone(ends), slices.Clone(idx[:nnz]), slices.Clone(val[:nnz])
	return b
}

// plainFeatures reads features from data[p:] on, as long as they are of the common kind: a blank, an index of at most 7
// digits from least, which is 1 or more, to high-1, and a value. It puts those that are not 0 into idx and val. It returns
// the position where it stops, how many there are, and one more than the last index.
//
// It has no branch on how many digits a number has: such branches can't be foreseen, and cost more than the digits.
func plainFeatures(data []byte, p int, idx []int32, val []float32, least, high uint64) (next, n int, after uint64) {
	const room = 32 // more bytes than are looked at before number is called
	plain := true   // so were all values so far
	for len(data)-p >= room {
		start := p
		s := (*[room]byte)(data[p:])
		q := uint(0)
		if s[0] == ' ' {
			q = 1
		}
		x := binary.LittleEndian.Uint64(s[q:]) ^ ascii0
		k := countDigits(x)
		if q += k; k-1 > 6 || s[q&15] != ':' {
			break
		}
		j := joinDigits(x, k)
		if j < least || j >= high {
			break
		}

		q++
		token := p + int(q)
		var v float32
		known := false
		x = binary.LittleEndian.Uint64(s[q&15:]) ^ ascii0
		if d, end := s[q&15]-'0', s[(q+1)&15]; d <= 9 && (end == ' ' || end == '\n') {
			// One digit: easy to foresee, if all values are 1.
			v, known = float32(d), true
			q++
		} else if k = countDigits(x); plain && k-1 < 7 {
			m := joinDigits(x, k)
			q += k
			if end := s[q&31]; end == ' ' || end == '\n' {
				v, known = float32(m), true // exact
			} else if end == '.' {
				q++
				x = binary.LittleEndian.Uint64(s[q&31:]) ^ ascii0
				f := countDigits(x)
				if end = s[(q+f)&31]; f-1 < 7 && (end == ' ' || end == '\n') {
					q += f
					v, known = scale(m*pow10int[f&15]+joinDigits(x, f), -int(f))
				}
			}
		}
		if p += int(q); !known {
			var reason string
			if v, p, reason = number(data, token); reason != "" {
				p = start
				break
			}
			plain = false // others like it will follow
		}
		least = j + 1
		if v != 0 {
			idx[n], val[n] = int32(j), v
			n++
		}
	}
	return p, n, least
}

// fmix64 is the finaliser of MurmurHash3 for 64 bits.
func fmix64(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// mend brings a row's columns into order, adds values that are in the same column, or says which column is there twice if
// that is not allowed, and drops zeros. It returns how many columns there are.
func (s *scratch) mend(idx []int32, val []float32, once bool) (n int, again int32, reason string) {
	if !slices.IsSorted(idx) {
		s.keys = s.keys[:0]
		for k, j := range idx {
			s.keys = append(s.keys, uint64(j)<<32|uint64(k)) // equal ones stay in the file's order
		}
		slices.Sort(s.keys)
		if cap(s.old) < len(val) {
			s.old = make([]float32, len(val))
		}
		old := s.old[:len(val)]
		copy(old, val)
		for k, key := range s.keys {
			idx[k], val[k] = int32(key>>32), old[uint32(key)]
		}
	}
	for k := 0; k < len(idx); {
		j, sum := idx[k], val[k]
		for k++; k < len(idx) && idx[k] == j; k++ {
			if once {
				return 0, j, fmt.Sprintf("index %d twice in a line", j)
			}
			sum += val[k]
		}
		if !floats.IsFinite(sum) {
			return 0, -1, "the sum of the values of a column is too large for float32"
		}
		if sum != 0 {
			idx[n], val[n] = j, sum
			n++
		}
	}
	return n, 0, ""
}

// rowError tells of the row whose line starts at data[start:], and of the token with the index again if that is not
// negative: the second one there.
func (r rules) rowError(data []byte, start int, again int32, reason string) *SyntaxError {
	e := &SyntaxError{Reason: reason}
	met := again < 0
	for p := tokenEnd(data, start); !isNewline(data[p]); p = tokenEnd(data, p) {
		for isBlank(data[p]) {
			p++
		}
		j, next := digits(data, p, 0)
		if data[next] != ':' || next == p || again < 0 || j != uint64(again) {
			continue
		}
		if met {
			e.Column, e.Token = p-start+1, cut(data[p:tokenEnd(data, p)])
			return e
		}
		met = true
	}
	return e
}

func isNewline(c byte) bool { return c == '\n' || c == '#' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// isEnd tells whether a token ends before c.
func isEnd(c byte) bool { return isBlank(c) || c == '\n' || c == '#' }

func tokenEnd(b []byte, p int) int {
	for p < len(b) && !isEnd(b[p]) {
		p++
	}
	return p
}

const isQid = "qid:N must stand right after the label"

// slowIndex reads the index of the token at b[p:]. It returns the position of the colon after it.
func slowIndex(b []byte, p int) (j uint64, next int, reason string) {
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
	j, err := strconv.ParseUint(string(index), 10, 64)
	if err != nil {
		j = math.MaxUint64 // larger than any allowed
	}
	return j, p + len(index), ""
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

func (r rules) badOrder(j, last uint64) string {
	switch {
	case j < r.first:
		return "index 0: indices start at 1; for a file that counts from 0 the index base has to be 0 or auto (-index-base)"
	case j == last:
		return fmt.Sprintf("index %d twice in a line", j)
	}
	return fmt.Sprintf("index %d after %d: indices have to ascend (-unsorted sort, or sum)", j, last)
}

func (r rules) tooLarge() string {
	if r.hashBits > 0 {
		return "index larger than 18446744073709551614"
	}
	return "index larger than 2147483647; -hash-bits hashes larger ones"
}

func (r rules) tooMany() string {
	return fmt.Sprintf("index beyond the limit of %d features (-max-features); -hash-bits hashes larger indices", r.maxFeatures)
}
