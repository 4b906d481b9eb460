// Package htmlreport writes an HTML page about a model and its predictions. The page loads no
// other files and has no scripts.
package htmlreport

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/internal/app/chart"
	"github.com/pegasimd/pegasimd/modelio"
)

// Origin says how the measured rows relate to the training of the model.
type Origin int

const (
	Unknown  Origin = iota // not determined; Input.Reason says why
	Training               // the model was trained on the measured rows
	HeldOut                // training held the measured rows out
	Other                  // the rows, their order, labels or weights differ from the training set
)

// Mark begins every page, so that pegasimd report recognizes files that it may overwrite.
const Mark = "<!DOCTYPE html>\n<!-- Written by pegasimd report -->\n"

// Input is the content of the page. The page escapes its texts.
type Input struct {
	Model, Data string
	Label       string // name of the label column; "" if it has none
	Predictor   modelio.Predictor
	Verify      string

	Origin   Origin
	Reason   string // why Origin is Unknown, as part of a sentence
	FileRows int    // rows to predict, of which the page may measure a part
	Warnings []string

	// Truth and Predicted have an index into Classes for each measured row. The model knows the
	// first Known classes. Classes, Truth and Predicted are nil for a regression.
	Classes          []string
	Known            int
	Truth, Predicted []int
	Y                []float32
	Scores           []float64
	Weights          []float32 // weight of each row; nil means 1 for each row
	// ClassScores returns the scores of a class for all rows. It is nil for a regression, or if the
	// model does not know all classes.
	ClassScores func(class int) []float64
	// Probability stores the probabilities of the Known classes for a row in dst and returns dst.
	// It is nil if ClassScores is nil or the model has no probabilities.
	Probability func(row int, dst []float64) []float64
	Measures    Measures

	Form     string // how the text of a table was read; "" for other files
	Features int
	Columns  []Column
	Vectors  []Vector // one for each weight vector, or one for the means over pairs of classes
	Ranked   string   // sentences that say how the weights of Vectors are ranked
	Details  [][2]string
}

// Measures are the measures of the predictions; NaN if undefined.
type Measures struct {
	Accuracy, ROCAUC, AveragePrecision, LogLoss, RMSE, MAE, R2 float64
	Classes                                                    []Class
}

type Class struct {
	Precision, Recall, F1, ROCAUC, AveragePrecision float64
	Rows                                            float64 // sum of weights, if rows have weights
}

type Column struct{ Name, Kind, Why, Values, Gaps string }

// Vector lists the heaviest weights of a weight vector, or the largest means over several vectors.
type Vector struct {
	// For is the class of positive scores, and Against the class of negative scores, "" for all
	// others. A regression does not use For.
	For, Against string
	Title        string // "" for a default title
	Weights      []Weight
	Nonzero      int // weights that are not 0; 0 if unknown
}

// Weight is the weight of a feature, times its column's spread if that is known.
type Weight struct {
	Name  string
	Value float64
}

const (
	maxColumns  = 100
	maxVectors  = 12
	maxMatrix   = 20
	maxClasses  = 40
	maxMistakes = 12
	maxCurves   = 10
	maxDots     = 600
	maxWarnings = 50
)

//go:embed report.html
var pageText string

//go:embed report.css
var styleSheet string

var page = template.Must(template.New("report").Parse(pageText))

type view struct {
	*Input
	Style     template.CSS
	Subject   string
	Tiles     []tile
	Note      string
	Optimism  bool
	Matrix    *matrix
	Mistakes  *table
	ByClass   *table
	Figures   []*chart.Figure
	Numbers   *table
	Missing   template.HTML
	Decisive  []bars
	MoreBars  string
	Table     []Column
	HasGaps   bool
	MoreTable string
	Shape     string
	Chosen    []fact
	Estimate  string
	Proof     proofView
	Left      string
}

// Error is the standard error, or "".
type tile struct{ Name, Value, Error, Note string }

type fact struct{ Name, Value, Why string }

type table struct {
	Caption string
	Head    []string
	Texts   int
	Rows    [][]string
	Note    string
}

type matrix struct {
	Caption string
	Across  []string
	Rows    []matrixRow
}

type matrixRow struct {
	Name  string
	Cells []cell
}

type cell struct {
	Text  string
	Shade template.CSS // share of the true class, as the CSS variable --s; "" for 0
	Right bool
}

type bars struct {
	Title   string
	OneSide bool // no weight is negative: bars begin at the left
	Rows    []bar
	Open    bool
}

type bar struct {
	Name, Value string
	Style       template.CSS
	Negative    bool
}

func Write(w io.Writer, in *Input) error {
	v := &view{Input: in, Style: template.CSS(chart.Sheet + styleSheet)}
	v.describe()
	v.origin()
	if in.Classes == nil {
		v.numbers()
	} else {
		v.classes()
	}
	v.decisive()
	v.columns()
	v.chosen()
	v.prove()
	if n := len(in.Warnings) - maxWarnings; n > 0 {
		v.Left = thousands(n) + " more are not shown."
		short := *in
		short.Warnings = in.Warnings[:maxWarnings]
		v.Input = &short
	}
	var b bytes.Buffer
	b.WriteString(Mark)
	if err := page.Execute(&b, v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (v *view) describe() {
	what := "the label"
	if v.Label != "" {
		what = "“" + v.Label + "”"
	}
	switch n := v.Known; {
	case v.Classes == nil:
		v.Subject = fmt.Sprintf("The model predicts %s, a number, from %s.", what, v.inputs())
	case n <= 4:
		v.Subject = fmt.Sprintf("The model predicts %s, one of %s, from %s.", what,
			strings.Join(v.Classes[:n-1], ", ")+" and "+v.Classes[n-1], v.inputs())
	default:
		v.Subject = fmt.Sprintf("The model predicts %s, one of %d classes, from %s.", what, n, v.inputs())
	}
}

func (v *view) inputs() string {
	used := 0
	for _, c := range v.Columns {
		if c.Kind != "left out" {
			used++
		}
	}
	if used == 0 {
		return count(v.Features, "feature")
	}
	return fmt.Sprintf("%s (%s)", count(used, "column"), count(v.Features, "feature"))
}

func (v *view) rows() int { return max(len(v.Truth), len(v.Y)) }

func (v *view) origin() {
	rows := count(v.rows(), "row")
	switch v.Origin {
	case Training:
		v.Optimism = true
		v.Note = fmt.Sprintf("The model was trained on the %s of %s: the model's file has their "+
			"fingerprint. Expect worse predictions of new rows than the measures here show.", rows, v.Data)
	case HeldOut:
		v.Note = fmt.Sprintf("The measures are of the %s that training held out of the %s of %s. The "+
			"model's file has the fingerprint of the other rows.", rows, count(v.FileRows, "row"), v.Data)
	case Other:
		v.Note = fmt.Sprintf("The model's file does not have the fingerprint of the %s of %s: the rows, "+
			"their order, labels or weights differ from the training set. If training rows are among "+
			"them, expect worse predictions of new rows than the measures here show.", rows, v.Data)
	default:
		v.Optimism = true
		v.Note = fmt.Sprintf("It is not known whether the model was trained on the %s of %s: %s. If it "+
			"was, expect worse predictions of new rows than the measures here show.", rows, v.Data,
			v.Reason)
	}
	if v.Weights != nil {
		v.Note += " The measures, tables and charts of the predictions count each row by its weight; " +
			"rows of weight 0 are left out."
	}
}

func (v *view) place() string {
	switch rows := count(v.rows(), "row"); v.Origin {
	case Training:
		return rows + " of the training set"
	case HeldOut:
		return rows + " held out of training"
	case Other:
		return rows + ", not exactly the training set"
	default:
		return rows + " that may be the training set"
	}
}

func (v *view) decisive() {
	for i, vector := range v.Vectors {
		if i == maxVectors {
			v.MoreBars = thousands(len(v.Vectors)-maxVectors) +
				" more classes are not shown: pegasimd inspect -json prints their weights."
			break
		}
		largest, least := 0.0, 0.0
		for _, w := range vector.Weights {
			largest, least = max(largest, math.Abs(w.Value)), min(least, w.Value)
		}
		b := bars{Open: i == 0 || len(v.Vectors) <= 3, OneSide: least == 0}
		switch {
		case vector.Title != "":
			b.Title = vector.Title
		case v.Classes == nil && b.OneSide:
			b.Title = "Raise the prediction"
		case v.Classes == nil:
			b.Title = "Raise the prediction (right) or lower it (left)"
		case b.OneSide:
			b.Title = "For " + vector.For
		case vector.Against != "":
			b.Title = fmt.Sprintf("For %s (right) and for %s (left)", vector.For, vector.Against)
		default:
			b.Title = fmt.Sprintf("For %s (right) and against it (left)", vector.For)
		}
		if n := vector.Nonzero - len(vector.Weights); n > 0 {
			b.Title += fmt.Sprintf(": the heaviest %d of %s weights", len(vector.Weights),
				thousands(vector.Nonzero))
		}
		if vector.Title == "" && vector.Nonzero == 0 && len(vector.Weights) == 0 {
			b.Title += ": no weight other than 0"
		}
		for _, w := range vector.Weights {
			share, left, value := 50*math.Abs(w.Value)/largest, 50.0, signed(w.Value)
			switch {
			case b.OneSide:
				share, left, value = 2*share, 0, digits(w.Value, 3)
			case w.Value < 0:
				left -= share
			}
			b.Rows = append(b.Rows, bar{w.Name, value, template.CSS(fmt.Sprintf(
				"left:%.2f%%;width:%.2f%%", left, share)), w.Value < 0})
		}
		v.Decisive = append(v.Decisive, b)
	}
}

func (v *view) columns() {
	v.Shape = fmt.Sprintf("%s: %s.", v.Data, count(v.FileRows, "row"))
	if v.Form != "" {
		v.Shape = fmt.Sprintf("%s: %s; format: %s.", v.Data, count(v.FileRows, "row"), v.Form)
	}
	v.Table = v.Columns[:min(maxColumns, len(v.Columns))]
	if n := len(v.Columns) - len(v.Table); n > 0 {
		v.MoreTable = thousands(n) + " more columns are not shown: pegasimd inspect prints up to 1,000."
	}
	for _, c := range v.Table {
		v.HasGaps = v.HasGaps || c.Gaps != ""
	}
}
