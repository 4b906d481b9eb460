package tables

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

func says(err error, words string) bool {
	return err != nil && strings.Contains(err.Error(), words)
}

func cells(n int, cell func(i int) string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = cell(i)
	}
	return all
}

func plus(n int) func(i int) string { return func(i int) string { return fmt.Sprint(n + i) } }

func shuffled(all []string) []string {
	all = slices.Clone(all)
	r := rand.New(rand.NewPCG(uint64(len(all)), 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func times(n int, words ...string) (all []string) {
	for range n {
		all = append(all, words...)
	}
	return all
}

func words(line string) []string { return strings.Fields(line) }

var noLabels = dataset.Options{Labels: dataset.LabelsNo}

// The set is nil unless the last pass encoded the rows.
func fitTo(f *Fitter, opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	e *Encoder, set *dataset.Set, err error,
) {
	e, whole, err := f.Fit(func(enc form.Encoder) (err error) {
		opt.Encoder = enc
		set, err = read(opt)
		return err
	})
	if !whole {
		set = nil
	}
	return e, set, err
}

func refit(e *Encoder, opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	*Encoder, error,
) {
	return new(Fitter).Refit(e, func(enc form.Encoder) error {
		opt.Encoder = enc
		_, err := read(opt)
		return err
	})
}

func settled(t testing.TB, name string, all []string, given Given) (*Column, *Fitter, *Encoder) {
	t.Helper()
	f := &Fitter{Inspect: true}
	if given.Kind != "" {
		f.Overrule = map[string]Given{"*": given}
	}
	e, _, err := fitTo(f, noLabels, columns([]string{name}, all))
	if err != nil {
		t.Fatal(err)
	}
	return &e.Columns[0], f, e
}

// columns returns a reader of columns of cells, without labels, and without a header if names is
// nil.
func columns(names []string, all ...[]string) func(dataset.Options) (*dataset.Set, error) {
	return func(opt dataset.Options) (*dataset.Set, error) {
		opt.Encoder.Begin(source(opt, &dataset.Table{Columns: names, LabelAt: -1}))
		row := make([]string, len(all))
		for i := range all[0] {
			for k := range all {
				row[k] = all[k][i]
			}
			opt.Encoder.Encode(row, nil, nil)
		}
		return nil, nil
	}
}

func source(opt dataset.Options, t *dataset.Table) form.Source {
	s := form.Source{Table: t}
	if opt.Decimal != "" {
		s.Decimal = opt.Decimal[0]
	}
	return s
}

func reading(text string) func(dataset.Options) (*dataset.Set, error) {
	return func(opt dataset.Options) (*dataset.Set, error) {
		opt.Separator, opt.Quote = ",", `"`
		return dataset.ReadFrom(strings.NewReader(text), "a.csv", opt)
	}
}

func fitted(t testing.TB, text string) *Encoder {
	t.Helper()
	e, _, err := fitTo(new(Fitter), dataset.Options{}, reading(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func encoded(e *Encoder, text string, opt dataset.Options) (*dataset.Set, error) {
	opt.Encoder = e.Coder()
	return reading(text)(opt)
}

func written(t testing.TB, rows [][]string) string {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func asJSON(t testing.TB, e *Encoder) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func rowOf(s *dataset.Set, i int) []float32 {
	row := make([]float32, s.Cols())
	if s.Dense != nil {
		copy(row, s.Dense.Row(i))
		return row
	}
	columns, values := s.Sparse.Row(i)
	for k, j := range columns {
		row[j] = values[k]
	}
	return row
}

func (e *Encoder) featuresOfRow() (all []Feature) {
	for j := range e.Cols() {
		all = append(all, e.Feature(j))
	}
	return all
}
