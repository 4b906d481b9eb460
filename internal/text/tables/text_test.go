package tables

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

func mails(rows, size int) string {
	r := rand.New(rand.NewPCG(1, 32))
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%s\t", []string{"ham", "spam"}[i%2])
		for end := b.Len() + size; b.Len() < end; {
			n := r.IntN(1 << (1 + r.IntN(17))) // integers, which no machine rounds
			fmt.Fprintf(&b, "%s%x ", []string{"", "Der Ä", "ß-ΣÉ", "It's "}[min(n%29, 3)], 7*n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func linesOf(text string) func(dataset.Options) (*dataset.Set, error) {
	return func(opt dataset.Options) (*dataset.Set, error) {
		opt.Format = dataset.FormatLines
		return dataset.ReadFrom(strings.NewReader(text), "mails", opt)
	}
}

func hashedRows(t testing.TB, text string, grams int) (*Encoder, *dataset.Set) {
	t.Helper()
	f := Fitter{Grams: grams}
	e, _, err := fitTo(&f, dataset.Options{}, linesOf(text))
	if err != nil {
		t.Fatal(err)
	}
	var opt dataset.Options
	opt.Encoder = e.Coder()
	s, err := linesOf(text)(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

func TestTextGolden(t *testing.T) {
	text := mails(500, 600)
	for grams, want := range map[int]string{
		1: "0d3935d925c54795ce76ad35c16bdbd1c67b24531c19363912f9a1e1eaad03ce",
		2: "f5d342441ff51887621cabc736769319f746b579e1c3b3b5c83b97745421fa41",
		5: "e74b47da5cc8d77299cd4d8a4974022a91e600de1b04aab598633bc70e0cdcdd",
	} {
		e, s := hashedRows(t, text, grams)
		if e.Columns[0].Kind != Text || s.Rows() != 500 {
			t.Fatalf("%s, %d rows", e.Columns[0].Kind, s.Rows())
		}
		if have := hashOf(s); have != want {
			t.Errorf("n-grams of %d words: %d features, hash %s, want %s", grams, s.Cols(), have, want)
		}
	}
}

func TestGramsOnce(t *testing.T) {
	for used, want := range map[int]int{maxGramsOnce: maxGramsOnce, maxGramsOnce + 1: 1} {
		few := newTextStats(1, new(budget.Account))
		all := &textStats{all: make([]bucketStats, 1<<textBits), reader: few.reader}
		for b := range used {
			few.few[uint32(b)] = bucketStats{rows: 1}
			all.all[b] = bucketStats{rows: 1}
		}
		few.few[7], all.all[7] = bucketStats{rows: 2}, bucketStats{rows: 2}
		for _, s := range []*textStats{few, all} {
			if have := len(s.words().at); have != want {
				t.Errorf("%d buckets: %d features, want %d", used, have, want)
			}
		}
	}
}

// Texts have the root mean square length of the other features, and at least 1.
func TestTextLength(t *testing.T) {
	var lines []string
	for i := range 60 {
		gap, city := fmt.Sprint(i%7), []string{"Oslo", "Rome", "Lima", ""}[i%4]
		if i%3 > 0 {
			gap = ""
		}
		lines = append(lines, fmt.Sprintf("%d,%d,%s,%s,2026-0%d-%02d,%s %s", i*i%11, 9*(i%5/4), gap, city,
			1+i%3, 1+i%28, "a film that was", []string{"good", "bad", "long"}[i%3]))
	}
	header := "size,spare,gap,city,seen,note\n"
	for name, c := range map[string]struct {
		text string
		is1  bool
	}{
		"all kinds": {header + strings.Join(lines, "\n"), false},
		"text":      {"same,note\n" + strings.Repeat("7,it is good\n7,it is bad\n", 20), true},
	} {
		f := Fitter{Overrule: map[string]Given{"note": {Kind: Text}}}
		opt := dataset.Options{Labels: dataset.LabelsNo}
		read := func(opt dataset.Options) (*dataset.Set, error) {
			return dataset.ReadFrom(strings.NewReader(c.text), "x.csv", opt)
		}
		e, _, err := fitTo(&f, opt, read)
		if err != nil {
			t.Fatal(err)
		}
		opt.Encoder = e.Coder()
		s, err := read(opt)
		if err != nil {
			t.Fatal(err)
		}
		text, other := 0.0, 0.0
		for i := range s.Rows() {
			for j, v := range rowOf(s, i) {
				square := float64(v) * float64(v)
				if of, _ := e.columnOf(j); e.Columns[of].Kind == Text {
					text += square
				} else {
					other += square
				}
			}
		}
		n := float64(s.Rows())
		if text, other = text/n, max(other/n, 1); math.Abs(text-other) > 1e-5 || (other == 1) != c.is1 {
			t.Errorf("%s: the mean square of texts is %g, of the others %g", name, text, other)
		}
	}
}

var odds = []string{" ", "\x00", "\xff", "\xc3", "\xed\xa0\x80", "\r", "e\u0301", "\u0301", "\u200d",
	"\U0001f44d\U0001f3fd", "\ufeff", "\u202e", "İ", "ǅ", "ﬁ", "漢字", "१२", "²", "x\u0000y",
	"\U0010ffff", "the", "The", "THE", "and", "0", "00", "-", "'", "\t", "\n", "\u2028", "\ufffd"}

func oddText(r *rand.Rand, pieces int) string {
	var b strings.Builder
	for range pieces {
		b.WriteString(odds[r.IntN(len(odds))])
	}
	return b.String()
}

// checkText compares the features of a cell with the rule in docs/spec.md.
func checkText(t *testing.T, c *Column, rows int, coder *textCoder, cell string) {
	t.Helper()
	counts := map[int]int{}
	c.Text.eachGram(cell, func(bucket uint32, gram string) {
		if !utf8.ValidString(gram) {
			t.Fatalf("%q: the n-gram %q", cell, gram)
		}
		if j, found := slices.BinarySearch(c.Text.at, bucket); found {
			counts[j]++
		}
	})
	sum := 0.0
	value := func(j int) float64 {
		all := float64(rows - c.Gaps)
		return float64((1 + floats.Log((1+all)/float64(1+c.Text.counts[j]))) *
			(1 + floats.Log(float64(counts[j]))))
	}
	order := slices.Sorted(maps.Keys(counts))
	for _, j := range order {
		v := value(j)
		sum += float64(v * v)
	}
	columns, values := coder.encodeText(cell, 7, nil, nil)
	if len(columns) != len(order) || len(values) != len(order) {
		t.Fatalf("%.200q: %d features, want %d", cell, len(columns), len(order))
	}
	for k, j := range order {
		want := float32(value(j) / math.Sqrt(sum))
		if columns[k] != int32(7+j) || values[k] != want {
			t.Fatalf("%.200q: feature %d is %v, want %d, %v", cell, columns[k], values[k], 7+j, want)
		}
	}
}

func TestTextFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 32))
	for grams := 1; grams <= maxGrams; grams++ {
		s := newStats(assumption{text: true})
		s.grams = grams
		s.text = newTextStats(grams, nil)
		var all []string
		for i := range 300 {
			all = append(all, oddText(r, r.IntN(1<<(i%9))))
		}
		for range 3 {
			all = append(all, oddText(r, 9000), strings.Repeat("the ", 1000), oddText(r, 1000))
		}
		rows := map[uint32]uint32{}
		for _, text := range all {
			s.add(text)
			seen := map[uint32]bool{}
			(&Words{Bits: textBits, Grams: grams}).eachGram(text, func(bucket uint32, _ string) {
				seen[bucket] = true
			})
			for bucket := range seen {
				if !cell.IsMissing(text) {
					rows[bucket]++
				}
			}
		}
		c := &Column{Name: "x"}
		new(Fitter).settle(c, s, verdict{kind: Text}, &Encoder{Rows: s.rows})
		if !slices.Equal(c.Text.at, slices.Sorted(maps.Keys(rows))) {
			t.Fatalf("n-grams of %d words: %d buckets, want %d", grams, len(c.Text.at), len(rows))
		}
		for j, b := range c.Text.at {
			if c.Text.counts[j] != rows[b] {
				t.Fatalf("bucket %d is in %d rows, want %d", b, c.Text.counts[j], rows[b])
			}
		}
		coder := newTextCoder(c.Text, s.rows-c.Gaps)
		for _, cell := range append(all, "unknown words", "", strings.Repeat("a b ", 100_000)) {
			checkText(t, c, s.rows, coder, cell)
		}
	}
}

func FuzzText(f *testing.F) {
	s := newStats(assumption{text: true})
	s.text = newTextStats(2, nil)
	r := rand.New(rand.NewPCG(3, 32))
	for range 400 {
		cell := oddText(r, 30)
		s.add(cell)
		f.Add(cell)
	}
	c := &Column{Name: "x"}
	new(Fitter).settle(c, s, verdict{kind: Text}, &Encoder{Rows: s.rows})
	coder := newTextCoder(c.Text, s.rows-c.Gaps)
	f.Fuzz(func(t *testing.T, cell string) { checkText(t, c, s.rows, coder, cell) })
}

func BenchmarkText(b *testing.B) {
	text := mails(8000, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		hashedRows(b, text, 0)
	}
}

// N-grams have the same counts in a map, in an array, and in an array that replaced a map.
func TestTextCounts(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		for k := range 5 {
			fmt.Fprintf(&b, "the %d of %d is %x,", i%701, i*k%997, i)
		}
		fmt.Fprintf(&b, "%c\n", "pq"[i%2])
	}
	have := fitted(t, b.String())
	want, _, err := fitTo(new(Fitter), dataset.Options{MaxFeatures: 9}, reading(b.String()))
	if err != nil || have.Columns[4].Text == nil || !reflect.DeepEqual(have, want) {
		t.Errorf("%v, other counts", err)
	}
}

func TestManyTexts(t *testing.T) {
	var b strings.Builder
	const columns = 3 * maxTexts
	for i := range 30 {
		for k := range columns {
			fmt.Fprintf(&b, "the %d of %d is,", i, k)
		}
		fmt.Fprintf(&b, "%c\n", "pq"[i%2])
	}
	_, _, err := fitTo(new(Fitter), dataset.Options{}, reading(b.String()))
	if !says(err, "columns of text, more than 64") {
		t.Error(err)
	}
}
