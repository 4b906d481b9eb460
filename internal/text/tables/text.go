package tables

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/murmur"
	"github.com/pegasimd/pegasimd/internal/sys/budget"
)

const (
	// leastRows is the number of rows that a level or a bucket needs where one row is not enough.
	leastRows    = 2
	maxGramsOnce = 1 << (textBits - 3) // most buckets in use for which one row is enough
	textBits     = 20                  // binary logarithm of the number of buckets
	textGrams    = 2                   // default of Fitter.Grams
	maxGrams     = 8
	maxTexts     = 64
	maxLength    = 1 << 16
	// Least means per cell of a column that counts as text.
	textSpaces = 3
	textBytes  = 40
	textAlone  = 8
)

// Words describe how the cells of a column of text become features. docs/spec.md of Pegasimd
// defines n-grams, buckets and the encoding of Buckets.
type Words struct {
	Bits    int    `json:"bits"`
	Grams   int    `json:"grams"`
	Buckets []byte `json:"buckets"`
	// Length is the Euclidean length of a cell's features, if it has any; 0 means 1.
	Length float64 `json:"length,omitempty"`
	// Words has n-grams of some buckets.
	Words map[uint32]string `json:"words,omitempty"`

	at     []uint32
	counts []uint32
	all    float64
}

func (t *Words) unpack(rows int) error {
	bad := errors.New("the buckets of a text are invalid")
	if t.Bits < 1 || t.Bits > textBits || t.Grams < 1 || t.Grams > maxGrams {
		return fmt.Errorf("n-grams of up to %d words in 2^%d buckets, want 1 to %d words and 2^1 to "+
			"2^%d buckets",
			t.Grams, t.Bits, maxGrams, textBits)
	}
	if t.Length != 0 && !(t.Length > 1 && t.Length <= maxLength) {
		return fmt.Errorf("the length of a text's features is %g, want more than 1 and at most %g, or 0",
			t.Length, float64(maxLength))
	}
	ends := 0 // number of bytes that end a uvarint
	for _, b := range t.Buckets {
		ends += 1 - int(b>>7)
	}
	t.at, t.counts = make([]uint32, 0, ends/2), make([]uint32, 0, ends/2)
	before := int64(-1)
	for b := t.Buckets; len(b) > 0; {
		step, n := binary.Uvarint(b)
		if n <= 0 || step == 0 || step > 1<<t.Bits {
			return bad
		}
		count, m := binary.Uvarint(b[n:])
		if before += int64(step); m <= 0 || count == 0 || count > uint64(rows) || before >= 1<<t.Bits {
			return bad
		}
		b = b[n+m:]
		t.at, t.counts = append(t.at, uint32(before)), append(t.counts, uint32(count))
	}
	return nil
}

func (t *Words) name(j int) string {
	if gram := t.Words[t.at[j]]; gram != "" {
		return gram
	}
	return fmt.Sprintf("bucket %d", t.at[j])
}

func (t *Words) length() float64 { return cmp.Or(t.Length, 1) }

func (t *Words) sumCounts() {
	t.all = 0
	for _, count := range t.counts {
		t.all += float64(count)
	}
}

func (t *Words) typical(rows int) float64 {
	return float64(t.length() * math.Sqrt(float64(rows)/max(t.all, 1)))
}

type textStats struct {
	few    map[uint32]bucketStats
	all    []bucketStats // of each bucket; nil while few is used
	paid   *budget.Account
	taken  int64
	reader gramReader
}

// last is the last row, from 1, with an n-gram in the bucket.
type bucketStats struct{ rows, last uint32 }

const arrayBytes = 8 << textBits

const (
	fewBuckets  = 1 << 12
	mostBuckets = 1 << (textBits - 2)
)

func newTextStats(grams int, paid *budget.Account) *textStats {
	t := &textStats{few: map[uint32]bucketStats{}, paid: paid,
		reader: gramReader{grams: grams, wide: textBits}}
	t.widen()
	return t
}

// widen replaces the map by the array if the map is large or the account has enough memory for two
// arrays: the array of the previous pass may still be in memory.
func (t *textStats) widen() {
	if t.paid.Take(2 * arrayBytes) {
		t.taken = 2 * arrayBytes
	} else if len(t.few) < mostBuckets {
		return
	}
	t.all = make([]bucketStats, 1<<textBits)
	for b, of := range t.few {
		t.all[b] = of
	}
	t.few = nil
}

func (t *textStats) drop() { t.paid.Return(t.taken) }

func (t *textStats) add(cell string, row int) {
	t.reader.begin(cell)
	for buckets := t.reader.next(); len(buckets) > 0; buckets = t.reader.next() {
		if t.all == nil {
			t.addFew(buckets, uint32(row))
			continue
		}
		for _, b := range buckets {
			of, first := &t.all[b], uint32(0) // branch-free
			if of.last != uint32(row) {
				first = 1
			}
			of.rows += first
			of.last = uint32(row)
		}
	}
}

func (t *textStats) addFew(buckets []uint32, row uint32) {
	for _, b := range buckets {
		if of := t.few[b]; of.last != row {
			t.few[b] = bucketStats{of.rows + 1, row}
		}
	}
	if len(t.few) >= fewBuckets {
		t.widen()
	}
}

func (t *textStats) least() uint32 {
	used := len(t.few)
	for _, of := range t.all {
		if of.rows > 0 {
			used++
		}
	}
	if used > maxGramsOnce {
		return leastRows
	}
	return 1
}

func (t *textStats) words() *Words {
	text := &Words{Bits: textBits, Grams: t.reader.grams}
	before, least := -1, t.least()
	add := func(b int, of bucketStats) {
		if of.rows < least {
			return
		}
		text.at, text.counts = append(text.at, uint32(b)), append(text.counts, of.rows)
		text.Buckets = binary.AppendUvarint(text.Buckets, uint64(b-before))
		text.Buckets = binary.AppendUvarint(text.Buckets, uint64(of.rows))
		before = b
	}
	for b, of := range t.all {
		add(b, of)
	}
	for _, b := range slices.Sorted(maps.Keys(t.few)) {
		add(int(b), t.few[b])
	}
	text.sumCounts()
	return text
}

type wordHash uint64

const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

func (h wordHash) add(c byte) wordHash { return (h ^ wordHash(c)) * fnvPrime }

func (h wordHash) addRune(r rune) wordHash {
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		h = h.add(c)
	}
	return h
}

func hashText(text string) wordHash {
	h := wordHash(fnvOffset)
	for i := range len(text) {
		h = h.add(text[i])
	}
	return h
}

// A gramHash computes the hashes of the n-grams that end with the latest word. docs/spec.md of
// Pegasimd defines the hash.
type gramHash struct {
	mixed [maxGrams]uint64 // element k: mixed hash of the n-gram of the last k+1 words
	n     int              // elements of mixed in use
}

func (g *gramHash) add(word wordHash, grams int) int {
	g.n = min(g.n+1, grams)
	for k := g.n - 1; k > 0; k-- {
		g.mixed[k] = murmur.Mix64(g.mixed[k-1]*fnvPrime ^ uint64(word))
	}
	g.mixed[0] = murmur.Mix64(uint64(word))
	return g.n
}

// A gramReader finds the buckets of the n-grams of a cell.
type gramReader struct {
	rest        string
	grams, wide int
	hash        gramHash
	buckets     [1 << 10]uint32
}

func (r *gramReader) begin(cell string) { r.rest, r.hash.n = cell, 0 }

// next returns the next buckets, with repetitions, and none at the end.
func (r *gramReader) next() []uint32 {
	n, h, within := 0, wordHash(fnvOffset), false
	for i := 0; i < len(r.rest); {
		if c := r.rest[i]; c < utf8.RuneSelf {
			i++
			if lower := asciiWord[c]; lower != 0 {
				h, within = h.add(lower), true
				continue
			}
		} else {
			c, size := utf8.DecodeRuneInString(r.rest[i:])
			i += size
			switch {
			case standsAlone(c):
				if within {
					n = r.word(h, n)
				}
				h, within = wordHash(fnvOffset).addRune(c), true
			case isWord(c):
				h, within = h.addRune(toLower(c)), true
				continue
			}
		}
		if within {
			n = r.word(h, n)
			if h, within = fnvOffset, false; n > len(r.buckets)-2*maxGrams {
				r.rest = r.rest[i:]
				return r.buckets[:n]
			}
		}
	}
	if within {
		n = r.word(h, n)
	}
	r.rest = ""
	return r.buckets[:n]
}

func (r *gramReader) word(h wordHash, n int) int {
	for k := range r.hash.add(h, r.grams) {
		r.buckets[n] = uint32(r.hash.mixed[k] >> (64 - r.wide))
		n++
	}
	return n
}

type textCoder struct {
	*Words
	index []bucketWord // element k describes buckets 64k to 64k+63
	// inverse lists the distinct inverse document frequencies. which has, for each feature, the
	// index of its frequency in inverse.
	inverse []float64
	which   []uint32
	pool    sync.Pool // scratch for encodeText
}

type bucketWord struct {
	bits   uint64 // a bit for each of 64 buckets, set if the bucket has a feature
	before uint32
}

// feature returns the feature of a bucket, or the number of features if the bucket has none.
func (c *textCoder) feature(b uint32) int32 {
	w := &c.index[b>>6]
	bit := uint64(1) << (b & 63)
	j, last := int32(w.before)+int32(bits.OnesCount64(w.bits&(bit-1))), int32(len(c.at))
	return last + (j-last)*int32(w.bits>>(b&63)&1) // branch-free
}

type textScratch struct {
	reader gramReader
	of     []gramCount // by feature, and one more for buckets without a feature
	some   []uint64    // a bit for each gramCount whose count is not 0
	groups []uint64    // a bit for each element of some that is not 0
	found  []int32
	values []float64
}

// A gramCount is the number of a cell's n-grams for a feature, and the feature's index in
// textCoder.inverse.
type gramCount struct{ n, which uint32 }

func (c *textCoder) newScratch() *textScratch {
	words := len(c.at)/64 + 1
	s := &textScratch{
		reader: gramReader{grams: c.Grams, wide: c.Bits}, of: make([]gramCount, len(c.at)+1),
		some: make([]uint64, words), groups: make([]uint64, (words+63)/64),
	}
	for j, which := range c.which {
		s.of[j].which = which
	}
	return s
}

// count stores the numbers of the cell's n-grams by feature in s.of, and the features that occur,
// ascending, in s.found.
func (s *textScratch) count(cell string, c *textCoder) {
	s.reader.begin(cell)
	for buckets := s.reader.next(); len(buckets) > 0; buckets = s.reader.next() {
		s.found = s.found[:0]
		for _, b := range buckets {
			s.found = append(s.found, c.feature(b)) // a separate loop hides the latency of memory
		}
		for _, j := range s.found {
			s.of[j].n++
			s.some[j>>6] |= 1 << (j & 63)
			s.groups[j>>12] |= 1 << (j >> 6 & 63)
		}
	}
	s.found = s.found[:0]
	for g, group := range s.groups {
		s.groups[g] = 0
		for ; group != 0; group &= group - 1 {
			k := g<<6 + bits.TrailingZeros64(group)
			for some := s.some[k]; some != 0; some &= some - 1 {
				s.found = append(s.found, int32(k<<6+bits.TrailingZeros64(some)))
			}
			s.some[k] = 0
		}
	}
	if n, last := len(s.found), len(s.of)-1; n > 0 && int(s.found[n-1]) == last {
		s.found, s.of[last].n = s.found[:n-1], 0
	}
}

var log1 = func() (table [256]float64) {
	for n := range table {
		table[n] = 1 + floats.Log(float64(n))
	}
	return table
}()

func newTextCoder(t *Words, rows int) *textCoder {
	c := &textCoder{Words: t, index: make([]bucketWord, 1<<max(0, t.Bits-6)),
		which: make([]uint32, len(t.at))}
	of := map[uint32]uint32{}
	for j, b := range t.at {
		c.index[b>>6].bits |= 1 << (b & 63)
		which, found := of[t.counts[j]]
		if !found {
			which = uint32(len(c.inverse))
			of[t.counts[j]] = which
			c.inverse = append(c.inverse, 1+floats.Log(float64(1+rows)/float64(1+t.counts[j])))
		}
		c.which[j] = which
	}
	before := 0
	for k := range c.index {
		w := &c.index[k]
		w.before = uint32(before)
		before += bits.OnesCount64(w.bits)
	}
	c.pool.New = func() any { return c.newScratch() }
	return c
}

// encodeText appends the features of a cell. docs/spec.md of Pegasimd defines their values, where N
// is the argument rows of newTextCoder.
func (c *textCoder) encodeText(cell string, first int32, columns []int32, values []float32) (
	[]int32, []float32,
) {
	s := c.pool.Get().(*textScratch)
	defer c.pool.Put(s)
	s.count(cell, c)
	s.values = s.values[:0]
	sum := 0.0
	for _, j := range s.found {
		of := &s.of[j]
		v := c.inverse[of.which]
		if of.n < uint32(len(log1)) {
			v = float64(v * log1[of.n])
		} else {
			v = float64(v * (1 + floats.Log(float64(of.n))))
		}
		of.n = 0
		sum += float64(v * v)
		columns, s.values = append(columns, first+j), append(s.values, v)
	}
	length := math.Sqrt(sum) / c.length()
	for _, v := range s.values {
		values = append(values, float32(v/length))
	}
	return columns, values
}

func (t *Words) eachGram(cell string, f func(bucket uint32, gram string)) {
	var g gramHash
	words := wordsOf(cell)
	for i, word := range words {
		word = strings.Map(toLower, word)
		words[i] = word
		for k := range g.add(hashText(word), t.Grams) {
			f(uint32(g.mixed[k]>>(64-t.Bits)), strings.Join(words[i-k:i+1], " "))
		}
	}
}

func wordsOf(cell string) (words []string) {
	for _, part := range strings.FieldsFunc(cell, func(r rune) bool {
		return r == utf8.RuneError || !isWord(r)
	}) {
		begin := 0
		for i, r := range part {
			if standsAlone(r) {
				if begin < i {
					words = append(words, part[begin:i])
				}
				begin = i + utf8.RuneLen(r)
				words = append(words, part[i:begin])
			}
		}
		if begin < len(part) {
			words = append(words, part[begin:])
		}
	}
	return words
}
