package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/murmur"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

type rules struct {
	first       uint64 // smallest valid index
	limit       uint64 // largest index allowed by Features or MaxFeatures, unless hashed
	ignore      bool   // whether features beyond limit are left out; otherwise they are an error
	hashBits    uint
	unsorted    Unsorted
	maxFeatures int

	high  uint64 // smallest index for which ignores must be called
	wrong uint64 // smallest index that is too large
	most  uint64 // largest index of the format: 2^31-1, or 2^64-2 if indices are hashed

	anyOrder   bool // whether a row's columns may be out of order or repeat
	unlabelled bool
	round      bool // Options.RoundLabels
}

func newRules(opt Options) *rules {
	r := &rules{
		first: 1, limit: uint64(opt.MaxFeatures), most: math.MaxInt32,
		hashBits: uint(opt.HashBits), unsorted: opt.Unsorted, maxFeatures: opt.MaxFeatures,
		anyOrder: opt.HashBits > 0 || opt.Unsorted != UnsortedError, round: opt.RoundLabels,
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
	r.high = min(r.limit, math.MaxInt32) + 1
	if opt.IndexBase == BaseAuto {
		r.high-- // limit is for base 1, and one too large if the base turns out to be 0
	}
	if r.hashBits > 0 {
		r.limit, r.high, r.most = math.MaxUint64, math.MaxUint64, math.MaxUint64-1
		r.ignore = false
	}
	r.wrong = r.most + 1
	if !r.ignore {
		r.wrong = min(r.most, r.limit) + 1
	}
	return r
}

// scratch is memory that one thread reuses.
type scratch struct {
	y    []float32
	ends []int
	idx  []int32
	val  []float32
	keys []uint64  // for merge: column<<32 | position
	old  []float32 // for merge: the values before sorting
}

type parser struct {
	*rules
	*scratch
	data  []byte
	start int // offset in data of the current line
	nnz   int
	block block
}

// parse parses whole lines. If a line is invalid, the block has the error and no rows. The rows are
// valid until s is used again.
func (r *rules) parse(data []byte, s *scratch) block {
	// A feature takes at least 4 bytes of text, "1:1 ", which bounds the number of features.
	if most := cap(data)/4 + 1; len(s.idx) < most {
		s.idx, s.val = make([]int32, most), make([]float32, most)
	}
	s.y, s.ends = s.y[:0], s.ends[:0]
	c := parser{rules: r, scratch: s, data: data}
	for p := 0; p < len(data); {
		next, ok := c.line(p)
		if !ok {
			return c.block
		}
		p = next
	}
	b := c.block
	b.y, b.ends, b.idx, b.val = s.y, s.ends, s.idx[:c.nnz], s.val[:c.nnz]
	return b
}

func (c *parser) fail(p int, reason string) { c.block.err = c.syntaxError(p, reason) }

func (c *parser) syntaxError(p int, reason string) *SyntaxError {
	token := escape.Cut(c.data[p:cell.TokenEnd(c.data, p)])
	return &SyntaxError{Line: c.block.lines, Column: p - c.start + 1, Token: token, Reason: reason}
}

func (c *parser) line(p int) (next int, ok bool) {
	c.start = p
	c.block.lines++
	p = skipBlanks(c.data, p)
	if c.data[p] == '#' || c.data[p] == '\n' && !c.unlabelled {
		return nextLine(c.data, p), true
	}
	y, next, reason := c.label(p)
	if reason != "" {
		c.fail(p, reason)
		return p, false
	}
	from := c.nnz
	if next, ok = c.features(next); !ok {
		return p, false
	}
	if c.anyOrder {
		once := c.unsorted == UnsortedSort && c.hashBits == 0
		n, again, reason := c.merge(c.idx[from:c.nnz], c.val[from:c.nnz], once)
		if reason != "" {
			c.block.err = c.rowError(again, reason)
			return p, false
		}
		c.nnz = from + n
	}
	c.y = append(c.y, y)
	c.ends = append(c.ends, c.nnz)
	return next, true
}

func (c *parser) label(p int) (y float32, next int, reason string) {
	if c.unlabelled {
		token := c.data[p:cell.TokenEnd(c.data, p)]
		if len(token) > 0 && bytes.IndexByte(token, ':') < 0 {
			return 0, p, "want index:value: the data are read without labels"
		}
		return 0, p, ""
	}
	y, next, reason = cell.ParseFloat32(c.data, p)
	if reason == "" {
		v := y
		if y, reason = cell.ExactLabel(c.data[p:next], y); reason != "" && c.round {
			c.block.rounded++
			y, reason = v, ""
		}
	}
	if reason != "" {
		reason = badLabel(c.data[p:next], reason)
	}
	return y, next, reason
}

func (c *parser) features(p int) (next int, ok bool) {
	data, idx, val, nnz := c.data, c.idx, c.val, c.nnz
	high, anyOrder, hashBits := c.high, c.anyOrder, c.hashBits
	afterLabel := p
	least, top := c.first, uint64(0) // least: last index plus 1, or else c.first
	for {
		if !anyOrder && least <= high {
			next, stored, after := plainFeatures(data, p, idx[nnz:], val[nnz:], max(least, 1), high)
			if next > p {
				p, least, top = next, after, after
				nnz += stored
			}
		}
		token := skipBlanks(data, p)
		if endsRow(data[token]) {
			c.nnz = nnz
			c.block.size = max(c.block.size, int64(top))
			return nextLine(data, token), true
		}
		j, next := cell.Digits(data, token, 0)
		v, reason := float32(0), ""
		if !isIndex(data, token, next) {
			if j, next, reason = slowIndex(data, token); reason == isQid && p == afterLabel {
				p = next
				continue
			}
		}
		if reason == "" {
			if v, p, reason = cell.ParseFloat32(data, next+1); reason != "" {
				reason = badValue(data[next+1:p], reason)
			}
		}
		if reason == "" && (j < least || j >= c.wrong) {
			reason = c.check(j, least)
		}
		if reason != "" {
			c.fail(token, reason)
			return p, false
		}
		least = j + 1
		if j >= high && c.ignores(token, j, v) {
			top = max(top, c.limit+1)
			continue
		}
		top = max(top, least)
		c.block.zero = c.block.zero || j == 0
		if hashBits > 0 {
			j, v = hashed(j, v, hashBits)
		}
		if v != 0 || anyOrder {
			idx[nnz], val[nnz] = int32(j), v
			nnz++
		}
	}
}

// isIndex reports whether a colon follows the digits b[p:colon] and these are 1 to 19, which a
// uint64 can hold.
func isIndex(b []byte, p, colon int) bool {
	n := colon - p
	return b[colon] == ':' && n > 0 && n <= 19
}

// ignores reports whether to leave out the feature at data[p:], whose index j is at least high, and
// counts nonzero values left out. If a feature is not left out and block.last is nil, it sets
// block.last.
func (c *parser) ignores(p int, j uint64, v float32) bool {
	if j <= c.limit {
		if c.block.last == nil {
			c.block.last = c.syntaxError(p, c.tooMany())
		}
		return false
	}
	if v != 0 {
		c.block.ignored++
	}
	return true
}

func (r *rules) check(j, least uint64) (reason string) {
	switch {
	case j < r.first || j < least && r.unsorted == UnsortedError:
		return r.badOrder(j, least-1)
	case j > r.most:
		return r.tooLarge(j)
	case j > r.limit && !r.ignore:
		return r.tooMany()
	}
	return ""
}

// plainFeatures parses features from data[p:] on while they have the common form: at most one
// space, an index of at most 7 digits from least to high-1, a colon and a value. It stops near the
// end of data. least must be at least 1. It stores the n nonzero features in idx and val. next is
// the position where parsing stopped; after is the last index plus 1, or least without a feature.
func plainFeatures(
	data []byte, p int, idx []int32, val []float32, least, high uint64,
) (next, n int, after uint64) {
	const ahead = 32 // more bytes than the loop reads for a feature without ParseFloat32
	plain := true    // whether no value so far needed ParseFloat32
	for len(data)-p >= ahead {
		start := p
		s := (*[ahead]byte)(data[p:])
		q := uint(0)
		if s[0] == ' ' {
			q = 1
		}
		x := binary.LittleEndian.Uint64(s[q:]) ^ cell.ASCIIZeros
		k := cell.CountDigits(x)
		if q += k; k-1 > 6 || s[q&15] != ':' {
			break
		}
		j := cell.JoinDigits(x, k)
		if j < least || j >= high {
			break
		}
		q++
		token := p + int(q)
		v, known := float32(0), false
		minus := uint(0)
		if s[q&15] == '-' {
			minus = 1
		}
		q += minus
		x = binary.LittleEndian.Uint64(s[q&15:]) ^ cell.ASCIIZeros
		if d, end := s[q&15]-'0', s[(q+1)&15]; d <= 9 && endsValue(end) {
			v, known = float32(d), true
			q++
		} else if k = cell.CountDigits(x); plain && k-1 < 7 {
			m := cell.JoinDigits(x, k)
			q += k
			if end := s[q&31]; end == ' ' || end == '\n' {
				v, known = float32(m), true // exact: m < 10^7
			} else if end == '.' {
				q++
				x = binary.LittleEndian.Uint64(s[q&31:]) ^ cell.ASCIIZeros
				f := cell.CountDigits(x)
				if end = s[(q+f)&31]; f-1 < 7 && (end == ' ' || end == '\n') {
					q += f
					v, known = cell.Scale(m*cell.PowersOfTen[f&15]+cell.JoinDigits(x, f), -int(f))
				}
			}
		}
		v = math.Float32frombits(math.Float32bits(v) | uint32(minus)<<31)
		if p += int(q); !known {
			var reason string
			if v, p, reason = cell.ParseFloat32(data, token); reason != "" {
				p = start
				break
			}
			plain = false
		}
		least = j + 1
		if v != 0 {
			idx[n], val[n] = int32(j), v
			n++
		}
	}
	return p, n, least
}

func endsValue(c byte) bool { return c == ' ' || c == '\n' }

func hashed(j uint64, v float32, bits uint) (column uint64, value float32) {
	h := murmur.Mix64(j)
	return h & (1<<bits - 1), math.Float32frombits(math.Float32bits(v) ^ uint32(h>>63)<<31)
}

// merge sorts a row's columns, adds the values of each column, drops zeros, and returns the number
// of columns left. If once is set, a repeated column is an error; again is this column, or -1 if a
// sum is not finite.
func (s *scratch) merge(idx []int32, val []float32, once bool) (n int, again int32, reason string) {
	if !slices.IsSorted(idx) {
		s.keys = s.keys[:0]
		for k, j := range idx {
			s.keys = append(s.keys, uint64(j)<<32|uint64(k)) // k keeps equal columns in order
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
				return 0, j, fmt.Sprintf("index %d twice in a line (-unsorted sum adds the values)", j)
			}
			sum += val[k]
		}
		if !floats.IsFinite(sum) {
			return 0, -1, "adding the values of a column overflows float32"
		}
		if sum != 0 {
			idx[n], val[n] = j, sum
			n++
		}
	}
	return n, 0, ""
}

// rowError returns an error for the row parsed last: at the second token with index again, or for
// the whole line if again is -1.
func (c *parser) rowError(again int32, reason string) *SyntaxError {
	e := &SyntaxError{Line: c.block.lines, Reason: reason}
	data, twice := c.data, again < 0
	var end int
	for p := skipBlanks(data, c.start); !endsRow(data[p]); p = skipBlanks(data, end) {
		end = cell.TokenEnd(data, p)
		j, next := cell.Digits(data, p, 0)
		if data[next] != ':' || next == p || again < 0 || j != uint64(again) {
			continue
		}
		if twice {
			e.Column, e.Token = p-c.start+1, escape.Cut(data[p:end])
			return e
		}
		twice = true
	}
	return e
}

func endsRow(c byte) bool { return c == '\n' || c == '#' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func skipBlanks(b []byte, p int) int {
	for isBlank(b[p]) {
		p++
	}
	return p
}

func nextLine(b []byte, p int) int {
	if b[p] == '\n' {
		return p + 1
	}
	return p + bytes.IndexByte(b[p:], '\n') + 1
}

const isQid = "qid:N must come once, before the features"

// slowIndex parses the index of the token at b[p:] and returns the position of the colon after it.
// For qid:N, the reason is isQid and next is the token's end.
func slowIndex(b []byte, p int) (j uint64, next int, reason string) {
	token := b[p:cell.TokenEnd(b, p)]
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
		return 0, p, "index is not written in digits only"
	}
	j, err := strconv.ParseUint(string(index), 10, 64)
	if err != nil {
		j = math.MaxUint64 // larger than any valid index
	}
	return j, p + len(index), ""
}

func badLabel(token []byte, reason string) string {
	if _, next := cell.Digits(token, 0, 0); next > 0 && next < len(token) && token[next] == ':' {
		return "a feature where the label should be"
	}
	if bytes.IndexByte(token, ',') >= 0 {
		return "a comma in the label: want one label; the decimal mark is a point"
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

func (r *rules) badOrder(j, last uint64) string {
	switch {
	case j < r.first:
		return "index 0: indices start at 1; if the data count from 0, set the index base to 0 or " +
			"auto (-index-base)"
	case j == last:
		return fmt.Sprintf("index %d twice in a line (-unsorted sum adds the values)", j)
	}
	return fmt.Sprintf("index %d after %d: indices have to ascend (-unsorted sort, or sum)",
		j, last)
}

func (r *rules) tooLarge(j uint64) string {
	if r.hashBits > 0 {
		return "index larger than 18446744073709551614"
	}
	reason := "index larger than 2147483647"
	if !r.ignore && j < math.MaxUint64 { // Features is 0, and the index can be hashed
		reason += "; -hash-bits hashes larger indices"
	}
	return reason
}

func (r *rules) tooMany() string {
	return fmt.Sprintf("index beyond the limit of %s (-max-features); -hash-bits hashes larger "+
		"indices", plural.Count(r.maxFeatures, "feature"))
}
