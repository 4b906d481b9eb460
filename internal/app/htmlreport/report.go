// Package htmlreport writes a page of HTML about a model and its predictions for a data file: how
// good they are, which features decide, what the data are, what was chosen, and what is proven. The
// page loads nothing and has no scripts.
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
	Unknown  Origin = iota // it was not determined: see Input.Reason
	Training               // the model was trained on these rows
	HeldOut                // training held these rows out
	Other                  // they are not the training rows, but may share some
)

// Mark begins every page, so that a later one may replace it.
const Mark = "<!DOCTYPE html>\n<!-- Written by pegasimd report -->\n"

// Input is the content of the page. Its texts may be any valid UTF-8: the page escapes them.
type Input struct {
	Model, Data string // names of the files
	Label       string // the column that is predicted; "" if it has no name
	Predictor   modelio.Predictor
	Hash        string
	Verify      string // the command that checks the model

	Origin   Origin
	Reason   string   // why Origin is Unknown
	FileRows int      // rows of the data file, of which the measured rows may be a part
	Warnings []string // about the data

	// The measured rows. Truth and Predicted are classes by their position in Classes, whose first
	// Known ones the model knows; they and Classes are nil for a regression.
	Classes          []string
	Known            int
	Truth, Predicted []int
	Y                []float32 // of a regression
	Scores           []float64 // of a regression: its predictions
	Weights          []float32 // nil for ones
	// ClassScores returns the score of each row for a class. It is nil if a label is unknown to the
	// model.
	ClassScores func(class int) []float64
	// Probability returns the probability of each row for a class that the model knows, given the row.
	// It is nil if the model has no probabilities, or if a label is unknown to it.
	Probability func(row int, dst []float64) []float64
	Measures    Measures

	Form     string // how the text of the data was read; "" if they are no table
	Features int
	Columns  []Column
	Vectors  []Vector // the weight vectors, or the means over the pairs of one-vs-one
	Ranked   string   // a sentence on how the weights of Vectors are ranked
	Details  [][2]string
}

// Measures are the figures of eval for the measured rows. NaN marks an undefined figure.
type Measures struct {
	Accuracy, ROCAUC, AveragePrecision, LogLoss, RMSE, MAE, R2 float64
	Classes                                                    []Class
}

// A Class has the figures of one class, against the rest.
type Class struct {
	Precision, Recall, F1, ROCAUC, AveragePrecision float64
	Rows                                            float64 // their number or weight
}

// A Column is a column of the training table.
type Column struct{ Name, Kind, Why, Values, Gaps string }

// A Vector has the heaviest weights of one weight vector.
type Vector struct {
	For, Against string // the class, and the other if there is just one
	Title        string // in place of For and Against; "" for none
	Weights      []Weight
	Nonzero      int // weights that are not 0
}

// A Weight is the weight of a feature, times the spread of its column if that is known.
type Weight struct {
	Name  string
	Value float64
}

// How much of the data a page shows.
const (
	maxColumns  = 100
	maxVectors  = 12
	maxMatrix   = 20 // classes of a confusion matrix
	maxClasses  = 40 // classes of the table of classes
	maxMistakes = 12
	maxCurves   = 10 // classes with curves
	maxDots     = 600
	maxWarnings = 50
)

//go:embed report.html
var pageText string

//go:embed report.css
var styleSheet string

var page = template.Must(template.New("report").Parse(pageText))

// A view is the page, as the template reads it.
type view struct {
	*Input
	Style     template.CSS
	Title     string
	Subject   string // what is predicted, in a sentence
	Tiles     []tile
	Note      string // about the origin of the rows
	Optimism  bool   // Note warns
	Matrix    *matrix
	Mistakes  *table
	ByClass   *table
	Figures   []*chart.Figure
	Numbers   *table        // of the errors of a regression
	Missing   template.HTML // why there are no curves or no calibration
	Decisive  []bars
	MoreBars  string
	Table     []Column
	HasGaps   bool // a column of Table has gaps
	MoreTable string
	Shape     string
	Chosen    []fact
	Estimate  string
	Proof     proofView
	Left      string // warnings not shown
}

// A tile is one figure of the summary. Error is its standard error, or "".
type tile struct{ Name, Value, Error, Note string }

// A fact is a name, a value and an explanation.
type fact struct{ Name, Value, Why string }

// A table has cells of text. The first Texts columns are aligned left, the others are numbers.
type table struct {
	Caption string
	Head    []string
	Texts   int
	Rows    [][]string
	Note    string
}

// A matrix is a confusion matrix.
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
	Shade template.CSS // the share of the row, as the style sheet reads it
	Right bool
}

// Bars are the heaviest weights of a vector.
type bars struct {
	Title   string
	OneSide bool // no weight is negative, and bars begin at the left
	Rows    []bar
	Open    bool
}

type bar struct {
	Name, Value string
	Style       template.CSS
	Negative    bool
}

// Write writes the page.
func Write(w io.Writer, in *Input) error {
	v := &view{Input: in, Style: template.CSS(chart.Sheet + styleSheet)}
	v.Title = in.Model
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

// describe fills in what the model predicts.
func (v *view) describe() {
	what := "the label"
	if v.Label != "" {
		what = "“" + v.Label + "”"
	}
	switch n := v.Known; {
	case v.Classes == nil:
		v.Subject = fmt.Sprintf("It predicts %s, a number, from %s.", what, v.inputs())
	case n <= 4:
		v.Subject = fmt.Sprintf("It predicts %s, one of %s, from %s.", what,
			strings.Join(v.Classes[:n-1], ", ")+" and "+v.Classes[n-1], v.inputs())
	default:
		v.Subject = fmt.Sprintf("It predicts %s, one of %d classes, from %s.", what, n, v.inputs())
	}
}

// inputs describes what the model predicts from.
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

// origin says how the measured rows relate to training.
func (v *view) origin() {
	rows := count(v.rows(), "row")
	switch v.Origin {
	case Training:
		v.Optimism = true
		v.Note = fmt.Sprintf("The %s of %s are those that the model was trained on: they have the "+
			"fingerprint in its file. A model does better on them than on new rows: do not expect what "+
			"is measured here.", rows, v.Data)
	case HeldOut:
		v.Note = fmt.Sprintf("Measured are %s of the %s rows of %s: those that training held out. The "+
			"others have the fingerprint in the model's file.", thousands(v.rows()),
			thousands(v.FileRows), v.Data)
	case Other:
		v.Note = fmt.Sprintf("The %s of %s are not the model's training rows: their fingerprint is "+
			"another. Some of them may have been among the training rows; the model does not tell.", rows,
			v.Data)
	default:
		v.Optimism = true
		v.Note = fmt.Sprintf("Whether the model was trained on the %s of %s was not determined: %s. If "+
			"it was, what is measured here is better than what to expect of new rows.", rows, v.Data,
			v.Reason)
	}
}

// place names the measured rows in a tile.
func (v *view) place() string {
	switch rows := count(v.rows(), "row"); v.Origin {
	case Training:
		return rows + " it was trained on"
	case HeldOut:
		return rows + " held out of training"
	case Other:
		return rows + ", not those of training"
	default:
		return rows + ", perhaps those of training"
	}
}

// decisive fills in the heaviest weights as bars.
func (v *view) decisive() {
	for i, vector := range v.Vectors {
		if i == maxVectors {
			v.MoreBars = thousands(len(v.Vectors)-maxVectors) +
				" more classes are not shown: pegasimd inspect has them."
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
		case vector.Against != "":
			b.Title = fmt.Sprintf("For %s (right) and for %s (left)", vector.For, vector.Against)
		case v.Classes == nil:
			b.Title = "Raise the prediction (right) or lower it (left)"
		default:
			b.Title = fmt.Sprintf("For %s (right) and against it (left)", vector.For)
		}
		if n := vector.Nonzero - len(vector.Weights); n > 0 {
			b.Title += fmt.Sprintf(": the heaviest %d of %s", len(vector.Weights),
				thousands(vector.Nonzero))
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

// columns fills in the table of columns.
func (v *view) columns() {
	v.Shape = fmt.Sprintf("%s has %s.", v.Data, count(v.FileRows, "row"))
	if v.Form != "" {
		v.Shape = fmt.Sprintf("%s has %s, read as %s.", v.Data, count(v.FileRows, "row"), v.Form)
	}
	v.Table = v.Columns[:min(maxColumns, len(v.Columns))]
	if n := len(v.Columns) - len(v.Table); n > 0 {
		v.MoreTable = thousands(n) + " more columns are not shown: pegasimd inspect has them."
	}
	for _, c := range v.Table {
		v.HasGaps = v.HasGaps || c.Gaps != ""
	}
}
