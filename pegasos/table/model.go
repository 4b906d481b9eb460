package table

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// Model is an encoder and a model trained on encoded rows.
type Model struct {
	modelio.Predictor // model of the encoded rows; Head().Table is the encoder's JSON
	encoder           *tables.Encoder
	coder             *tables.Coder
	twice             string // name of two columns, not both left out; "" if there is none
}

// New returns a Model for p, a model of encoded rows. The error says that p has no encoder, or that
// the encoder is invalid or does not fit p.
func New(p modelio.Predictor) (*Model, error) {
	e, err := tables.Decode(p.Head().Table)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, errors.New("table: the model has no encoder: it predicts rows of numbers")
	case e.Cols() != p.Cols():
		return nil, fmt.Errorf("table: the encoder has %s, but the model has %d",
			plural.Count(e.Cols(), "feature"), p.Cols())
	}
	m := &Model{p, e, e.Coder(), ""}
	used := map[string]bool{}
	for _, c := range e.Columns {
		isUsed := c.Kind != tables.LeftOut
		if other, found := used[c.Name]; found && (other || isUsed) {
			m.twice = c.Name
		}
		used[c.Name] = used[c.Name] || isUsed
	}
	return m, nil
}

// Train fits an encoder to a table and trains a linear model on the encoded rows. names are the
// names of the columns, and each row has a cell for each column. The column called label has the
// labels: names of classes, or numbers. A zero cfg.Scale means [pegasos.ScaleNone], unless the
// features are the table's numbers, unscaled. Train returns an error if not exactly one column is
// called label, if a row has too few or too many cells, or if fitting or training fails.
func Train(ctx context.Context, names []string, rows [][]string, label string, cfg pegasos.Config,
) (*Model, error) {
	at := slices.Index(names, label)
	switch {
	case at < 0:
		return nil, fmt.Errorf("table: no column is called %q", escape.Cut(label))
	case slices.Contains(names[at+1:], label):
		return nil, fmt.Errorf("table: several columns are called %q", escape.Cut(label))
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return nil, fmt.Errorf("table: row %d: %s, want %d", i, plural.Count(len(row), "cell"),
				len(names))
		}
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if err := errors.Join(w.Write(names), w.WriteAll(rows)); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	opt := dataset.Options{Context: ctx, Header: dataset.HeaderYes, Encoding: "utf-8", Separator: ",",
		Quote: `"`, Comment: "none", SkipLines: -1, KeepRows: true, // prevent any detection
		LabelColumn: strconv.Itoa(at)} // the number, because "0" and "last" may be names
	read := func(opt dataset.Options) (*dataset.Set, error) {
		return dataset.ReadFrom(bytes.NewReader(text.Bytes()), "table.csv", opt)
	}
	set, encoder, err := fit(&opt, read)
	if err == nil && set == nil {
		set, err = read(opt)
	}
	if err != nil {
		return nil, err
	}
	tr := pegasos.Trainer{Config: cfg}
	if coder := opt.Encoder.(*tables.Coder); !coder.Raw {
		tr.Scale, tr.CurveColumns = cmp.Or(cfg.Scale, pegasos.ScaleNone), coder.NumberFeatures()
	}
	m, err := tr.Train(ctx, set.Examples(), set.Y)
	if err != nil {
		return nil, err
	}
	m.Names, m.IndexBase, m.Table = set.Names, set.IndexBase, encoder
	return New(m)
}

// Fit fits an encoder to a file, which it reads by calling read one or more times. It returns the
// encoder, and options with which read reads the file as encoded rows. [New] accepts a model
// trained on these rows if its field Table is set to the encoder.
func Fit(opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	dataset.Options, json.RawMessage, error,
) {
	_, encoder, err := fit(&opt, read)
	return opt, encoder, err
}

// fit sets opt.Encoder to the Coder of the fitted encoder. set has the encoded rows, or is nil if
// the table must be read again.
func fit(opt *dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	set *dataset.Set, encoder json.RawMessage, err error,
) {
	e, whole, err := new(tables.Fitter).Fit(func(enc form.Encoder) (err error) {
		opt.Encoder = enc
		set, err = read(*opt)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if opt.Encoder = e.Coder(); !whole {
		set = nil
	}
	encoder, err = json.Marshal(e)
	return set, encoder, err
}

// Column describes a column of the training table.
type Column struct {
	Name   string
	Kind   string // number, category, date, text or left out
	Reason string // how the cells are read
}

// Columns describes the columns of the training table in order, without the label column.
func (m *Model) Columns() (all []Column) {
	for i, c := range m.encoder.Columns {
		all = append(all, Column{c.Name, string(c.Kind), m.encoder.Describe(i)})
	}
	return all
}

// Order takes a row as a map from column names to cells, and returns the cells in the order of
// [Model.Columns]. It ignores names that the model lacks. Order returns an error if a column that
// is not of the kind "left out" is missing or shares its name with another column.
func (m *Model) Order(named map[string]string) ([]string, error) {
	if m.twice != "" {
		return nil, fmt.Errorf("table: two columns are called %q: give the cells in the order of Columns",
			escape.Cut(m.twice))
	}
	cells := make([]string, len(m.encoder.Columns))
	for i, c := range m.encoder.Columns {
		cell, found := named[c.Name]
		if !found && c.Kind != tables.LeftOut {
			return nil, fmt.Errorf("table: no cell for the column %q", escape.Cut(c.Name))
		}
		cells[i] = cell
	}
	return cells, nil
}

// Score returns the scores of a row, one for each of the model's Outputs. The cells are in the
// order of [Model.Columns]; see [Model.Order]. Score returns an error if the number of cells is
// wrong or a score is not finite.
func (m *Model) Score(cells []string) ([]float64, error) {
	if len(cells) != len(m.encoder.Columns) {
		return nil, fmt.Errorf("table: %s, want %d", plural.Count(len(cells), "cell"),
			len(m.encoder.Columns))
	}
	cells = slices.Clone(cells)
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell) // as for training
	}
	columns, values, _, _ := m.coder.Encode(cells, nil, nil)
	row, err := sparse.NewShared(m.Cols(), []int64{0, int64(len(values))}, columns, values)
	if err != nil {
		return nil, err
	}
	scores := m.DecisionAll(row)
	if i := floats.FirstNotFinite(scores); i >= 0 {
		return nil, tooLarge(scores[i])
	}
	return scores, nil
}

func tooLarge(score float64) error {
	return fmt.Errorf("table: a score is %v: the row or the model has numbers too large for float32",
		score)
}

// Predict returns the name of the predicted class, or for regression the predicted number as text.
// See [Model.Score] for the cells and the errors; a number beyond float32 is an error, too.
func (m *Model) Predict(cells []string) (string, error) {
	scores, err := m.Score(cells)
	if err != nil {
		return "", err
	}
	if m.Head().Classes == nil {
		z := float32(scores[0])
		if !floats.IsFinite(z) {
			return "", tooLarge(scores[0])
		}
		return pegasos.FormatLabel(z), nil
	}
	return m.ClassName(m.Class(scores)), nil
}
