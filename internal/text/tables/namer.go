package tables

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Namer finds the n-grams behind features of text. It is a [form.Encoder] without features.
type Namer struct {
	e    *Encoder
	seen []map[uint32]map[string]int // by column and bucket, the counts of n-grams
}

// Grams returns the features of n-grams of text.
func (e *Encoder) Grams() (features []int) {
	next := 0
	for i := range e.Columns {
		if c := &e.Columns[i]; c.Kind == Text {
			for k := range c.Text.at {
				features = append(features, next+k)
			}
		}
		next += e.FeaturesOf(i)
	}
	return features
}

// Namer returns a Namer for the given features. It ignores features that are not buckets of text.
func (e *Encoder) Namer(features []int) *Namer {
	n := &Namer{e: e, seen: make([]map[uint32]map[string]int, len(e.Columns))}
	for _, j := range features {
		i, j := e.columnOf(j)
		if c := &e.Columns[i]; c.Kind == Text && j < len(c.Text.at) {
			if n.seen[i] == nil {
				n.seen[i] = map[uint32]map[string]int{}
			}
			n.seen[i][c.Text.at[j]] = map[string]int{}
		}
	}
	return n
}

func (n *Namer) Cols() int { return 0 }

func (n *Namer) Features() []string { return nil }

func (n *Namer) Label(string) (form.Label, string) { return form.Label{}, "" }

func (n *Namer) Reads() (*form.Table, []bool) {
	t, uses := n.e.Reads()
	for i := range uses {
		uses[i] = n.seen[i] != nil
	}
	return t, uses
}

func (n *Namer) Begin(form.Source) {}

func (n *Namer) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	for i, wanted := range n.seen {
		if wanted == nil {
			continue
		}
		n.e.Columns[i].Text.eachGram(cells[i], func(bucket uint32, gram string) {
			if grams := wanted[bucket]; grams != nil {
				if grams[gram] == 0 {
					gram = strings.Clone(gram) // do not keep the row in memory
				}
				grams[gram]++
			}
		})
	}
	return columns, values, 0, ""
}

// Name names each feature by its most frequent n-gram in the rows, if any; of equally frequent
// n-grams, by the first in byte order.
func (n *Namer) Name() {
	for i, wanted := range n.seen {
		if wanted == nil {
			continue
		}
		t := n.e.Columns[i].Text
		if t.Words == nil {
			t.Words = map[uint32]string{}
		}
		for bucket, grams := range wanted {
			most := slices.SortedFunc(maps.Keys(grams), func(a, b string) int {
				return cmp.Or(cmp.Compare(grams[b], grams[a]), cmp.Compare(a, b))
			})
			if len(most) > 0 {
				t.Words[bucket] = most[0]
			}
		}
	}
}
