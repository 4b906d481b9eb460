// Package predictions predicts the rows of a data file with a model, and writes a line for each
// row.
package predictions

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// Ready returns an error for a model whose kernel is a Go function, which the file lacks.
func Ready(m modelio.Predictor) error {
	if m, ok := m.(*kernelsvm.Model); ok && m.Config.Kernel == kernelsvm.Function {
		return errors.New("the model's kernel is a Go function of the program that trained " +
			"it: predict with that program")
	}
	return nil
}

// Encoder returns the model's encoder of tables, or nil if there is none.
func Encoder(head pegasos.Head) (*tables.Encoder, error) {
	e, err := tables.Decode(head.Table)
	if err == nil && e != nil && e.Cols() != head.Features {
		err = fmt.Errorf("an encoder of %s for a model of %d", plural.Count(e.Cols(), "feature"),
			head.Features)
	}
	if err != nil {
		return nil, fmt.Errorf("the model's table: %w", err)
	}
	return e, nil
}

// Options sets the fields of opt that the model determines, but keeps an index base that is set. It
// returns the model's encoder, or nil.
func Options(opt *dataset.Options, head pegasos.Head) (*tables.Encoder, error) {
	e, err := Encoder(head)
	if err != nil {
		return nil, err
	}
	opt.Features = head.Features
	if opt.HashBits != 0 && opt.HashBits != head.HashBits {
		are := fmt.Sprint("hashed to ", plural.Count(head.HashBits, "bit"))
		if head.HashBits == 0 {
			are = "not hashed"
		}
		return nil, fmt.Errorf("-hash-bits %d: the model's indices are %s: leave the flag out",
			opt.HashBits, are)
	}
	opt.HashBits = head.HashBits
	if opt.IndexBase == "" {
		opt.IndexBase = dataset.IndexBase(fmt.Sprint(head.IndexBase))
	}
	if e != nil {
		opt.Encoder = e.Coder()
		return e, nil
	}
	opt.Table, err = Table(head.Table, head.Features)
	return nil, err
}

// Table decodes the JSON of a model's table. It returns nil if text is nil.
func Table(text json.RawMessage, features int) (*dataset.Table, error) {
	if text == nil {
		return nil, nil
	}
	t := new(dataset.Table)
	err := json.Unmarshal(text, t)
	if err == nil {
		err = t.Check(features)
	}
	if err != nil {
		return nil, fmt.Errorf("the model's table: %w", err)
	}
	return t, nil
}

// CheckFinite returns an error if a score is not finite, in float32 for a regression. The error
// names row(i) for the scores of the i-th row.
func CheckFinite(m modelio.Predictor, row func(i int) int, scores []float64) error {
	i := floats.FirstNotFinite(scores)
	if i < 0 && Numbers(m) {
		i = slices.IndexFunc(scores, func(z float64) bool { return !floats.IsFinite(float32(z)) })
	}
	if i < 0 {
		return nil
	}
	return RowOverflows(row(i/m.Outputs()), scores[i])
}

func RowOverflows(row int, score float64) error {
	return fmt.Errorf("row %d, counted from 0: the score is %v, not a finite float32: the row's "+
		"features or the model's weights are too large", row, score)
}

// Numbers reports whether a model is a regression.
func Numbers(m modelio.Predictor) bool { return m.Head().Classes == nil }

func ClassNames(m modelio.Predictor) (names []string) {
	for i := range m.Head().Classes {
		names = append(names, m.ClassName(i))
	}
	return names
}

func WriteNumbers(w *bufio.Writer, scores []float64) {
	for _, z := range scores {
		fmt.Fprintln(w, pegasos.FormatLabel(float32(z)))
	}
}

// Write writes the predicted label of each row of the data file path in a line. It returns the
// numbers of rows and of bytes read. See [Options] for opt.
func Write(w io.Writer, path string, m modelio.Predictor, opt dataset.Options) (
	rows int, size int64, err error,
) {
	head := m.Head()
	if err := Ready(m); err != nil {
		return 0, 0, err
	}
	if _, err := Options(&opt, head); err != nil {
		return 0, 0, err
	}
	set, err := dataset.Read(path, opt)
	if err != nil {
		return 0, 0, err
	}
	defer set.Close()
	scores := m.DecisionAll(set.Examples())
	if err := set.Err(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	if err := CheckFinite(m, func(i int) int { return i }, scores); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	b := bufio.NewWriter(w)
	if Numbers(m) {
		WriteNumbers(b, scores)
		return set.Rows(), set.Bytes, b.Flush()
	}
	n, names := m.Outputs(), escape.Names(ClassNames(m))
	for i := range set.Rows() {
		b.WriteString(names[m.Class(scores[i*n:][:n])])
		b.WriteByte('\n')
	}
	return set.Rows(), set.Bytes, b.Flush()
}
