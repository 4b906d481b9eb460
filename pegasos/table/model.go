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
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// A Model predicts rows of cells: it is an encoder, and what was trained on its rows.
type Model struct {
	modelio.Predictor // whose file has the encoder
	encoder           *tables.Encoder
	coder             *tables.Coder
}

// New returns the model of tables that a model from [modelio.Read], such as the command's, is.
func New(p modelio.Predictor) (*Model, error) {
	e, err := tables.Decode(p.Head().Table)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, errors.New("table: the model is of rows of numbers")
	case e.Cols() != p.Cols():
		return nil, fmt.Errorf("table: an encoder of %d features for a model of %d", e.Cols(),
			p.Cols())
	}
	return &Model{p, e, e.Coder()}, nil
}

// Train fits an encoder on a table, and trains a linear model on its rows. Each row has a cell for
// each name, one of which is the label's: the name of a class, or a number. If cfg has no Scale it
// is [pegasos.ScaleNone], for the encoder scales, unless all columns are of plain numbers.
func Train(ctx context.Context, names []string, rows [][]string, label string, cfg pegasos.Config,
) (*Model, error) {
	at := slices.Index(names, label)
	switch {
	case at < 0:
		return nil, fmt.Errorf("table: no column is called %q", escape.Cut(label))
	case slices.Contains(names[at+1:], label):
		return nil, fmt.Errorf("table: two columns are called %q", escape.Cut(label))
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return nil, fmt.Errorf("table: row %d: %d cells, want %d", i, len(row), len(names))
		}
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if err := errors.Join(w.Write(names), w.WriteAll(rows)); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	opt := dataset.Options{Context: ctx, Header: dataset.HeaderYes, Encoding: "utf-8", Separator: ",",
		Quote: `"`, Comment: "none", SkipLines: -1, KeepRows: true, // nothing is to be detected
		LabelColumn: strconv.Itoa(at)} // by number, as a name may be 0, or last
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

// Fit fits an encoder on a CSV file that read reads. With the options that Fit returns the file can
// be read again as rows of numbers. [New] takes a model that was trained on them if its Table is
// the encoder.
func Fit(opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	dataset.Options, json.RawMessage, error,
) {
	_, encoder, err := fit(&opt, read)
	return opt, encoder, err
}

// fit fits an encoder to the table that read reads, and sets opt.Encoder to its Coder. It returns
// the encoder's JSON, and the set of encoded rows, or nil if the table must be read again.
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

// A Column is a column of the table, its label's apart.
type Column struct {
	Name   string
	Kind   string // number, category, date, text or left out
	Reason string // how its cells are read
}

// Columns returns the columns, in the order of the training's table.
func (m *Model) Columns() (all []Column) {
	for i, c := range m.encoder.Columns {
		all = append(all, Column{c.Name, string(c.Kind), m.encoder.Describe(i)})
	}
	return all
}

// Order converts a row given as a map from column names to cells into a slice. Columns that the
// model does not have are ignored, and columns that it does not use may be missing.
func (m *Model) Order(named map[string]string) ([]string, error) {
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

// Score returns the scores of a row, whose cells are in the order of the columns; see
// [Model.Order].
func (m *Model) Score(cells []string) ([]float64, error) {
	if len(cells) != len(m.encoder.Columns) {
		return nil, fmt.Errorf("table: %d cells, want %d", len(cells), len(m.encoder.Columns))
	}
	cells = slices.Clone(cells)
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell) // as those of training rows were
	}
	columns, values, bad, reason := m.coder.Encode(cells, nil, nil)
	if reason != "" {
		return nil, fmt.Errorf("table: column %q: cell %q: %s",
			escape.Cut(m.encoder.Columns[bad].Name), escape.Cut(cells[bad]), reason)
	}
	row, err := sparse.NewShared(m.Cols(), []int64{0, int64(len(values))}, columns, values)
	if err != nil {
		return nil, err
	}
	scores := m.DecisionAll(row)
	if i := floats.FirstNotFinite(scores); i >= 0 {
		return nil, fmt.Errorf("table: the score is %v", scores[i])
	}
	return scores, nil
}

// Predict returns the class that a row's scores speak for, or the number as text.
func (m *Model) Predict(cells []string) (string, error) {
	scores, err := m.Score(cells)
	if err != nil {
		return "", err
	}
	if m.Head().Classes == nil {
		return pegasos.FormatLabel(float32(scores[0])), nil
	}
	return m.ClassName(m.Class(scores)), nil
}
