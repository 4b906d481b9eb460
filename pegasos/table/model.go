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
	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// A Model predicts rows of cells: it is an encoder, and what was trained on its rows.
type Model struct {
	modelio.Predictor // whose file has the encoder
	Encoder           *Encoder
	coder             *Coder
}

// New returns the model of tables that a model from [modelio.Read], such as the command's, is.
func New(p modelio.Predictor) (*Model, error) {
	e, err := Decode(p.Head().Table)
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
// is [pegasos.ScaleNone], for the encoder scales.
func Train(ctx context.Context, names []string, rows [][]string, label string, cfg pegasos.Config,
) (*Model, error) {
	at := slices.Index(names, label)
	switch {
	case at < 0:
		return nil, fmt.Errorf("table: no column is called %q", escape.Cut(label))
	case slices.Contains(names[at+1:], label):
		return nil, fmt.Errorf("table: two columns are called %q", escape.Cut(label))
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if err := errors.Join(w.Write(names), w.WriteAll(rows)); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	opt := dataset.Options{Context: ctx, Header: dataset.HeaderYes,
		LabelColumn: strconv.Itoa(at)} // by number, as a name may be 0, or last
	read := func(opt dataset.Options) (*dataset.Set, error) {
		return dataset.ReadFrom(bytes.NewReader(text.Bytes()), "table.csv", opt)
	}
	e, err := new(Fitter).Fit(opt, read)
	if err != nil {
		return nil, err
	}
	e.Options(&opt)
	set, err := read(opt)
	if err != nil {
		return nil, err
	}
	cfg.Scale = cmp.Or(cfg.Scale, pegasos.ScaleNone)
	m, err := pegasos.Train(ctx, set.Examples(), set.Y, cfg)
	if err != nil {
		return nil, err
	}
	m.Names, m.IndexBase = set.Names, set.IndexBase
	if m.Table, err = json.Marshal(e); err != nil {
		return nil, err
	}
	return New(m)
}

// Score returns the scores of a row, whose cells are in the order of Encoder.Columns; see
// [Encoder.Order].
func (m *Model) Score(cells []string) ([]float64, error) {
	if len(cells) != len(m.Encoder.Columns) {
		return nil, fmt.Errorf("table: %d cells, want %d", len(cells), len(m.Encoder.Columns))
	}
	cells = slices.Clone(cells)
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell) // as those of training rows were
	}
	columns, values, bad, reason := m.coder.Encode(cells, nil, nil)
	if reason != "" {
		return nil, fmt.Errorf("table: column %q: cell %q: %s",
			escape.Cut(m.Encoder.Columns[bad].Name), escape.Cut(cells[bad]), reason)
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
