package gofile

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

const testRows = 6

type testRow struct {
	Input         []string  // arguments of Predict, as Go expressions
	Label         string    // as a Go expression
	Scores        []float64 // nil if Scores returns an error
	Probabilities []float64 // nil if the model has no probabilities
}

// WriteTest writes a Go test of the file that Write writes for the same arguments. The test
// compares predictions for made-up rows with the model's.
func WriteTest(w io.Writer, m *pegasos.Model, name string, layout dataset.Layout) error {
	s, err := newSource(m, name, layout)
	if err != nil {
		return fmt.Errorf("gofile: %w", err)
	}
	var rows []testRow
	for i := range testRows {
		if e := s.Encoder; e != nil {
			cells := make([]string, len(e.Columns))
			for j := range cells {
				cells[j] = cellOf(&e.Columns[j], i, j)
			}
			rows = append(rows, s.rowOfCells(cells))
			continue
		}
		var index []int32
		var values []float32
		for j := i; j < s.Cols(); j += max(1, s.Cols()/40) + i%2 {
			index, values = append(index, int32(j)), append(values, float32(j%7-3)+float32(i)/4+0.125)
		}
		rows = append(rows, s.rowOfFeatures(index, values))
	}
	return s.writeTest(w, rows)
}

func (s *source) writeTest(w io.Writer, rows []testRow) error {
	var b bytes.Buffer
	err := testPage.Execute(&b, struct {
		*source
		Rows []testRow
	}{s, slices.DeleteFunc(rows, func(r testRow) bool { return r.Scores == nil })})
	if err != nil {
		return fmt.Errorf("gofile: %w", err)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("gofile: test: %w", err)
	}
	_, err = w.Write(text)
	return err
}

func (s *source) rowOfCells(cells []string) testRow {
	index, values, _, _ := s.Encoder.Coder().Encode(cells, nil, nil)
	r := s.rowOfFeatures(index, values)
	var kept []string
	for j, c := range s.Encoder.Columns {
		if c.Kind != tables.LeftOut {
			kept = append(kept, cells[j])
		}
	}
	r.Input = []string{slice("string", kept)}
	return r
}

func (s *source) rowOfFeatures(index []int32, values []float32) (r testRow) {
	x := make([]float32, s.Cols())
	for k, j := range index {
		x[j] = values[k]
	}
	var z []float64
	if s.Sparse {
		z, r.Input = s.ScoreSparse(index, values, nil),
			[]string{slice("int32", index), slice("float32", values)}
	} else {
		z, r.Input = s.Score(x, nil), []string{slice("float32", x)}
	}
	if floats.FirstNotFinite(z) >= 0 || s.Classes == nil && !floats.IsFinite(float32(z[0])) {
		return r
	}
	if r.Scores = z; s.Classes == nil {
		r.Label = pegasos.FormatLabel(float32(z[0]))
		return r
	}
	r.Label = strconv.Quote(s.ClassName(s.Class(z)))
	if s.HasProbabilities() {
		r.Probabilities = s.Model.Probabilities(z, nil)
	}
	if s.Pairs() {
		r.Scores = s.ClassScores(z, nil)
	}
	return r
}

func cellOf(c *tables.Column, i, j int) string {
	if (i+j)%7 == 3 {
		return ""
	}
	switch n := c.Number; c.Kind {
	case tables.Number:
		v := n.Mean * (1 + float64(i-2)/4)
		if n.Factor > 0 {
			v = n.Mean + float64(i-2)/n.Factor
		}
		text := strconv.FormatFloat(v, 'f', 3, 32)
		if n.Format != nil && n.Format.Decimal == "," {
			text = strings.Replace(text, ".", ",", 1)
		}
		return text
	case tables.Date:
		at := time.Unix(0, 0).UTC().Add(time.Duration(math.Mod(n.Mean, 1e5) * 24 * float64(time.Hour)))
		if c.Date.Order == "time" {
			return at.Add(time.Duration(i) * time.Hour).Format(time.TimeOnly)
		}
		return at.AddDate(0, i-2, i).Format(time.DateOnly)
	case tables.Text:
		text := "Not a word of it, but all of the best: 1 & 2, naïve and "
		return text + strings.Repeat("good ", i) + "bad"
	}
	if c.Levels == nil || c.Levels.HashBits > 0 {
		return fmt.Sprintf("word %d", i+j)
	}
	names := c.Levels.Names
	return names[(i*(1+len(names)/testRows)+j)%len(names)]
}

var testPage = template.Must(template.New("").Parse(Header + `
package {{.Package}}

import "testing"

// TestPredict checks that the predictions for a few rows have the same bits as the model's.
func TestPredict(t *testing.T) {
	for i, row := range []struct {
		{{if .Encoder}}cells []string{{else if .Sparse}}index []int32
		values []float32{{else}}x []float32{{end}}
		label {{if .Regression}}float32{{else}}string{{end}}
		scores {{if .HasProbabilities}}, probabilities {{end}}[]float64
	}{
	{{- range .Rows}}
		{
			{{- range .Input}}{{.}}, {{end}}{{.Label}},
			{{printf "%#v" .Scores}}, {{with .Probabilities}}{{printf "%#v" .}},{{end}}
		},
	{{- end}}
	} {
		label, err := Predict({{if .Encoder}}row.cells{{else if .Sparse}}row.index, row.values{{else}}row.x{{end}})
		if err != nil || label != row.label {
			t.Errorf("row %d: label %v, error %v, want %v", i, label, err, row.label)
		}
		{{- $args := "row.x"}}{{if .Encoder}}{{$args = "row.cells"}}{{else if .Sparse}}{{$args = "row.index, row.values"}}{{end}}
		scores, err := Scores({{$args}})
		for k, z := range row.scores {
			if err != nil || scores[k] != z {
				t.Errorf("row %d: scores %v, error %v, want %v", i, scores, err, row.scores)
				break
			}
		}
		{{- if .HasProbabilities}}
		probabilities, err := Probabilities({{$args}})
		for k, p := range row.probabilities {
			if err != nil || probabilities[k] != p {
				t.Errorf("row %d: probabilities %v, error %v, want %v", i, probabilities, err,
					row.probabilities)
				break
			}
		}
		{{- end}}
	}
}
`))
