package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/floats"
)

const (
	textBits  = 20 // of the bucket of an n-gram
	textGrams = 2  // how many words an n-gram has at most, unless a Fitter says otherwise
	maxGrams  = 8
	// textSpaces is how many blanks a cell of text has in the mean, at least.
	textSpaces = 3
)

// Words say how the cells of a column of text become features: an n-gram of up to Grams words falls
// into one of 2^Bits buckets, and a bucket that Buckets lists has a feature.
type Words struct {
	Bits  int `json:"bits"`
	Grams int `json:"grams"`
	// Buckets has two uvarints for each bucket with a feature, in ascending order: by how much it is
	// above the one before, the first above -1, and how many rows have an n-gram in it.
	Buckets []byte `json:"buckets"`
	// Words are n-grams of some buckets, for people.
	Words map[uint32]string `json:"words,omitempty"`

	at     []uint32 // the buckets with a feature
	counts []uint32
	all    float64 // the sum of the counts, once it is known
}

// unpack fills in what Buckets has.
func (t *Words) unpack(rows int) error {
	bad := errors.New("the buckets of a text are damaged")
	if t.Bits < 1 || t.Bits > textBits || t.Grams < 1 || t.Grams > maxGrams {
		return bad
	}
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

// name returns the n-gram of feature j, if it is known, or its bucket.
func (t *Words) name(j int) string {
	if gram := t.Words[t.at[j]]; gram != "" {
		return gram
	}
	return fmt.Sprintf("bucket %d", t.at[j])
}

// typical returns the root mean square of the features of a row that are not 0: the length of a row
// is 1.
func (t *Words) typical(rows int) float64 {
	if t.all == 0 {
		for _, count := range t.counts {
			t.all += float64(count)
		}
	}
	return math.Sqrt(float64(rows) / max(t.all, 1))
}

// A textStats counts in how many rows the n-grams of each bucket are.
type textStats struct {
	grams   int
	wanted  bool // whatever the cells look like
	of      []bucketStats
	buckets []uint32 // scratch
}

// bucketStats are in how many rows the n-grams of a bucket are, and the number of the last of these,
// counted from 1.
type bucketStats struct{ rows, last uint32 }

func newTextStats(grams int) *textStats {
	return &textStats{grams: grams, of: make([]bucketStats, 1<<textBits)}
}

// add takes in a cell of the row of that number.
func (t *textStats) add(cell string, row int) {
	t.buckets = appendBuckets(t.buckets[:0], cell, t.grams, textBits)
	for _, b := range t.buckets {
		if of := &t.of[b]; of.last != uint32(row) {
			of.last = uint32(row)
			of.rows++
		}
	}
}

// words returns what the cells are encoded by.
func (t *textStats) words() *Words {
	text := &Words{Bits: textBits, Grams: t.grams}
	before := -1
	for b, of := range t.of {
		if of.rows < leastRows {
			continue
		}
		text.at, text.counts = append(text.at, uint32(b)), append(text.counts, of.rows)
		text.Buckets = binary.AppendUvarint(text.Buckets, uint64(b-before))
		text.Buckets = binary.AppendUvarint(text.Buckets, uint64(of.rows))
		before = b
	}
	return text
}

// A wordHash is the 64-bit FNV-1a hash of a word in lower case.
type wordHash uint64

const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// add returns the hash with one more byte.
func (h wordHash) add(c byte) wordHash { return (h ^ wordHash(c)) * fnvPrime }

// addRune returns the hash with one more character.
func (h wordHash) addRune(r rune) wordHash {
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		h = h.add(c)
	}
	return h
}

// A gramHash makes buckets of the words of a cell, in order.
type gramHash struct {
	words [maxGrams]wordHash // the last ones, the latest first
	n     int                // how many of them there are
}

// append appends the buckets of the n-grams that end with the word.
//
// The hash of an n-gram is that of its first word, and for each further one the finaliser of
// MurmurHash3 of it, times the prime of FNV, exclusive or the word's; its bucket is the top bits of
// the finaliser of that.
func (g *gramHash) append(dst []uint32, word wordHash, grams, wide int) []uint32 {
	copy(g.words[1:grams], g.words[:])
	g.words[0] = word
	g.n = min(g.n+1, grams)
	for k := range g.n {
		h := uint64(g.words[k])
		for i := k - 1; i >= 0; i-- {
			h = mixed(h)*fnvPrime ^ uint64(g.words[i])
		}
		dst = append(dst, uint32(mixed(h)>>(64-wide)))
	}
	return dst
}

// mixed is the 64-bit finaliser of MurmurHash3.
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// appendBuckets appends the buckets of the n-grams of a cell, those that come again as well. Words
// are made of letters, marks and numbers; everything else, invalid UTF-8 too, stands between them.
func appendBuckets(dst []uint32, cell string, grams, wide int) []uint32 {
	var g gramHash
	h, within := wordHash(fnvOffset), false
	for i := 0; i < len(cell); {
		if c := cell[i]; c < utf8.RuneSelf {
			i++
			if lower := asciiWord[c]; lower != 0 {
				h, within = h.add(lower), true
				continue
			}
		} else {
			r, size := utf8.DecodeRuneInString(cell[i:])
			i += size
			if isWord(r) {
				h, within = h.addRune(toLower(r)), true
				continue
			}
		}
		if within {
			dst = g.append(dst, h, grams, wide)
			h, within = fnvOffset, false
		}
	}
	if within {
		dst = g.append(dst, h, grams, wide)
	}
	return dst
}

// A textCoder encodes the cells of a column of text.
type textCoder struct {
	*Words
	feature []int32   // of each bucket, or none
	inverse []float64 // document frequency of each feature
	pool    sync.Pool // of scratch
}

// A textScratch counts the n-grams of a cell.
type textScratch struct {
	buckets []uint32
	counts  []uint32 // of each feature
	some    []uint64 // which features there are: a bit for each
	groups  []uint64 // a bit for each word of some that is not 0
	values  []float64
}

func newTextScratch(features int) *textScratch {
	words := (features + 63) / 64
	return &textScratch{counts: make([]uint32, features), some: make([]uint64, words),
		groups: make([]uint64, (words+63)/64)}
}

// add counts an n-gram of feature j.
func (s *textScratch) add(j int32) {
	if s.counts[j]++; s.counts[j] == 1 {
		s.some[j>>6] |= 1 << (j & 63)
		s.groups[j>>12] |= 1 << (j >> 6 & 63)
	}
}

// each calls f with the features there are, in ascending order, and their counts, and clears all.
func (s *textScratch) each(f func(j int32, count uint32)) {
	for g := range s.groups {
		for ; s.groups[g] != 0; s.groups[g] &= s.groups[g] - 1 {
			k := g<<6 + bits.TrailingZeros64(s.groups[g])
			for ; s.some[k] != 0; s.some[k] &= s.some[k] - 1 {
				j := int32(k<<6 + bits.TrailingZeros64(s.some[k]))
				f(j, s.counts[j])
				s.counts[j] = 0
			}
		}
	}
}

// log1 has 1 + log(n).
var log1 = func() (table [256]float64) {
	for n := range table {
		table[n] = 1 + floats.Log(float64(n))
	}
	return table
}()

func newTextCoder(t *Words, rows int) *textCoder {
	c := &textCoder{Words: t, feature: make([]int32, 1<<t.Bits), inverse: make([]float64, len(t.at))}
	for b := range c.feature {
		c.feature[b] = none
	}
	for j, b := range t.at {
		c.feature[b] = int32(j)
		c.inverse[j] = 1 + floats.Log(float64(1+rows)/float64(1+t.counts[j]))
	}
	c.pool.New = func() any { return newTextScratch(len(t.at)) }
	return c
}

// encode appends the features of a cell, the first of which is numbered first. The value of an n-gram
// that comes n times is (1 + log n) (1 + log((1 + rows)/(1 + those with it))), and the values of a
// cell are divided by their length.
func (c *textCoder) encode(cell string, first int32, columns []int32, values []float32) (
	[]int32, []float32,
) {
	s := c.pool.Get().(*textScratch)
	defer c.pool.Put(s)
	s.buckets = appendBuckets(s.buckets[:0], cell, c.Grams, c.Bits)
	for _, b := range s.buckets {
		if j := c.feature[b]; j != none {
			s.add(j)
		}
	}
	s.values = s.values[:0]
	sum := 0.0
	s.each(func(j int32, count uint32) {
		v := c.inverse[j]
		if int(count) < len(log1) {
			v = float64(v * log1[count])
		} else {
			v = float64(v * (1 + floats.Log(float64(count))))
		}
		sum += float64(v * v)
		columns, s.values = append(columns, first+j), append(s.values, v)
	})
	length := math.Sqrt(sum)
	for _, v := range s.values {
		values = append(values, float32(v/length))
	}
	return columns, values
}

// eachGram calls f with the n-grams of a cell, and their buckets.
func (t *Words) eachGram(cell string, f func(bucket uint32, gram string)) {
	var g gramHash
	words := strings.FieldsFunc(cell, func(r rune) bool { return r == utf8.RuneError || !isWord(r) })
	var buckets []uint32
	for i, word := range words {
		word = strings.Map(toLower, word)
		words[i] = word
		h := wordHash(fnvOffset)
		for k := range len(word) {
			h = h.add(word[k])
		}
		buckets = g.append(buckets[:0], h, t.Grams, t.Bits)
		for k, b := range buckets {
			f(b, strings.Join(words[i-k:i+1], " "))
		}
	}
}
