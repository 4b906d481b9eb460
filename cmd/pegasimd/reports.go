package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file has what -json writes: each report is one object, whose keys are in the tags. Numbers
// that are not known, or not finite, are null.

// A number is a float64 that JSON has as null if it is not finite: there is none.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if !floats.IsFinite(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String is for the eye: six digits.
func (n number) String() string { return n.format("%.6g") }

// short is for tables: four decimals.
func (n number) short() string { return n.format("%.4f") }

func (n number) format(format string) string {
	if !floats.IsFinite(float64(n)) {
		return "none"
	}
	return fmt.Sprintf(format, float64(n))
}

// most is standing in the cell of a table.
func most(gap float64) string {
	switch {
	case math.IsNaN(gap):
		return "no bound"
	case !proof.Useful(gap):
		return "not known yet"
	}
	return "at most " + proof.Percent(gap)
}

// A runReport is what a model tells of its training.
type runReport struct {
	Objective     number  `json:"objective"`
	DualObjective number  `json:"dual_objective"`
	Gap           number  `json:"gap"`
	Lambda        float64 `json:"lambda"`
	worstReport
	Steps      int64   `json:"steps"`
	Epochs     float64 `json:"epochs"`
	Violations int64   `json:"violations"`
	Solver     string  `json:"solver,omitempty"` // as in pegasos.Result
	R2         float64 `json:"r2"`               // mean |x|^2
	T0         float64 `json:"t0"`
}

// A trainReport is what train writes.
type trainReport struct {
	runReport
	C           number            `json:"c"` // null with -kernel, and if each pair has its own
	Rows        int               `json:"rows"`
	Features    int               `json:"features"`
	NNZ         int               `json:"nnz"`
	Classes     int               `json:"classes"`
	Labels      []string          `json:"labels"`
	Replaced    int               `json:"replaced,omitempty"` // as in pegasos.Result
	LoadSeconds float64           `json:"load_seconds"`
	Train       float64           `json:"train_seconds"`
	Measure     float64           `json:"measure_seconds"`
	ISA         string            `json:"isa"`
	Layout      string            `json:"layout"`
	Seed        uint64            `json:"seed"`
	IndexBase   int               `json:"index_base"`
	ModelHash   string            `json:"model_hash"`
	Model       string            `json:"model"`
	Interrupted bool              `json:"interrupted"`
	TolReached  *bool             `json:"tol_reached,omitempty"` // with -tol, of a whole run
	Validation  *validationReport `json:"validation,omitempty"`  // with -valid
	Settings    string            `json:"settings,omitempty"`    // what was chosen or given, in a line
	Fit         *fitReport        `json:"fit,omitempty"`
	// CrossValidated is of the folds that chose settings, if there were any.
	CrossValidated *pegasos.Estimate `json:"cross_validated,omitempty"`
	// HeldOutEstimate and HeldOut are of the rows of -holdout, HeldOut as eval -json has it.
	HeldOutEstimate *pegasos.Estimate `json:"held_out,omitempty"`
	HeldOut         *evalReport       `json:"held_out_eval,omitempty"`
	Warnings        []string          `json:"warnings,omitempty"`
	Command         string            `json:"command,omitempty"` // that trains the model again
	Curve           []curvePoint      `json:"curve,omitempty"`   // with -plot
	*kernelReport
	Config any `json:"config"` // a pegasos.Config, or with -kernel a kernelsvm.Config

	advice  string   // what brings a better bound
	heldOut *heldOut // of HeldOut
}

// A kernelReport is what train -kernel writes in addition.
type kernelReport struct {
	Problems     int   `json:"problems"`
	SupportRows  int   `json:"support_rows"`
	Passes       int   `json:"passes"`
	KernelValues int64 `json:"kernel_values"`
}

// A worstReport is about the problem of the largest gap, where there are several.
type worstReport struct {
	WorstGap   *number `json:"worst_gap,omitempty"`
	WorstClass string  `json:"worst_class,omitempty"`
}

// A validationReport is about the data of -valid and the model, with -patience the best on them.
type validationReport struct {
	Metric string  `json:"metric"` // accuracy or rmse
	Value  number  `json:"value"`
	Rows   int     `json:"rows"`
	Epochs float64 `json:"epochs"` // after which it is of this value

	// Stopped is the epoch after which -patience ended the run, or 0.
	Stopped int `json:"stopped_after_epochs"`
}

// A fitReport says how well a model predicts the rows that it was trained on, beside what a
// constant reaches: the largest class, or the mean.
type fitReport struct {
	Accuracy *number `json:"training_accuracy,omitempty"`
	Constant *number `json:"largest_class,omitempty"` // its share of the rows
	Largest  string  `json:"-"`
	// Never has the classes that have rows, but as which no row is predicted.
	Never []string `json:"never_predicted,omitempty"`

	rows, neverRows int // of a weight above 0: all, and of the classes of Never

	R2 *number `json:"training_r2,omitempty"` // a constant reaches 0
}

// A cvReport is what cv writes.
type cvReport struct {
	Metric   string   `json:"metric"` // as -metric has it
	Folds    int      `json:"folds"`
	FoldRows []int    `json:"fold_rows"`
	Rows     int      `json:"rows"`
	Features int      `json:"features"`
	Labels   []string `json:"labels"` // null for numbers to predict
	// MeanSquare is R^2, the mean squared length of the rows as they are scaled, without a bias; 0
	// with -kernel.
	MeanSquare number    `json:"mean_squared_length"`
	Grid       []cvPoint `json:"grid"` // ascending by gamma, and descending by lambda
	Best       cvPoint   `json:"best"`
	Load       float64   `json:"load_seconds"`
	Seconds    float64   `json:"seconds"` // of all runs, side by side
	ISA        string    `json:"isa"`
	Layout     string    `json:"layout"`
	Seed       uint64    `json:"seed"`
	Model      string    `json:"model,omitempty"`
	Hash       string    `json:"model_hash,omitempty"`
	Warnings   []string  `json:"warnings,omitempty"`
	Gap        *number   `json:"model_gap,omitempty"`
	Config     any       `json:"config"` // of the best; what is left out goes by the rows
}

// A cvPoint is a setting that cv tries, and what its runs gave.
type cvPoint struct {
	Gamma     float64   `json:"gamma,omitempty"` // with -kernel, unless the data decide
	Lambda    number    `json:"lambda"`          // with C the mean over the folds, 0 with -kernel
	C         number    `json:"c"`               // with lambda the mean over the folds, 0 with -kernel
	Share     number    `json:"lambda_of_r2"`
	Mean      number    `json:"mean"`
	Spread    number    `json:"spread"` // standard deviation over the folds, of n-1
	Scores    []float64 `json:"scores"` // of each fold
	Objective number    `json:"objective"`
	Gap       number    `json:"gap"`
	Seconds   float64   `json:"train_seconds"` // of all folds

	cfg  pegasos.Config
	mark string // behind it in the table
}

// A modelReport is what inspect writes of a model.
type modelReport struct {
	File      string   `json:"file"`
	Bytes     int64    `json:"bytes"` // 0 of standard input
	Hash      string   `json:"model_hash"`
	Labels    []string `json:"labels"`
	Features  int      `json:"features"`
	Terms     int      `json:"terms,omitempty"` // curves of the features
	IndexBase int      `json:"index_base"`
	Columns   []string `json:"columns,omitempty"`      // the features' names
	Label     string   `json:"label_column,omitempty"` // the label's name
	runReport
	Prior       string            `json:"prior,omitempty"`
	Start       string            `json:"start,omitempty"`
	Command     string            `json:"command,omitempty"` // as in the model's file
	Calibration []pegasos.Sigmoid `json:"calibration,omitempty"`
	Config      any               `json:"config"`             // a pegasos.Config or a kernelsvm.Config
	Settings    string            `json:"settings,omitempty"` // as in the report of training
	Checkpoint  bool              `json:"checkpoint"`         // a run can go on from it
	// CrossValidated and HeldOut are claims of the model: see pegasos.Result.
	CrossValidated *pegasos.Estimate `json:"cross_validated,omitempty"`
	HeldOut        *pegasos.Estimate `json:"held_out,omitempty"`

	Vectors []vectorReport `json:"vectors,omitempty"` // of a linear model
	// Means has the largest means over the pairs of one-vs-one, of absolute values.
	Means []weight `json:"largest_means,omitempty"`

	Table *tables.Encoder `json:"table,omitempty"` // what makes features of a table's cells

	scaled bool // the spread of the columns is known
	// scaling is the model's if it has an Expansion, otherwise nil. The weights of the terms follow
	// those of the features.
	scaling *pegasos.Scaling
	spread  []float64 // of the features, by the table

	// Of a kernel machine.
	Passes   int             `json:"passes,omitempty"`
	Support  int             `json:"support_rows,omitempty"`
	Layout   string          `json:"layout,omitempty"`
	Problems []kernelProblem `json:"problems,omitempty"`
}

// A vectorReport is about one weight vector.
type vectorReport struct {
	For      string   `json:"for"`               // the class
	Against  string   `json:"against,omitempty"` // the other, if there is just one
	Nonzero  int      `json:"nonzero"`
	Norm     float64  `json:"norm"`
	Bias     *float64 `json:"bias,omitempty"`
	Heaviest []weight `json:"largest"`
}

type weight struct {
	Feature int     `json:"feature"`
	Name    string  `json:"name,omitempty"` // of its column
	Weight  float64 `json:"weight"`
	// Effect is the weight times the column's spread by the model's scaling; null where it has none.
	Effect number `json:"weight_times_spread"`
}

// A kernelProblem is one of a kernel model's.
type kernelProblem struct {
	For     string  `json:"for"` // what a score above 0 speaks for: of a pair "b:a", b and not a
	Support int     `json:"support_rows"`
	Largest float64 `json:"largest"` // coefficient, without its sign
}

// inspectReport is what -json writes of data.
type inspectReport struct {
	Rows      int          `json:"rows"`
	Features  int          `json:"features"`
	NNZ       int          `json:"nnz"`
	Fill      float64      `json:"fill"`
	Layout    string       `json:"layout"`
	IndexBase int          `json:"index_base"`
	HashBits  int          `json:"hash_bits"`
	Mapped    bool         `json:"mapped"`
	Labels    []labelCount `json:"labels"` // null if there are more than 1,000
	Distinct  int          `json:"distinct_labels"`
	Constant  int          `json:"constant_features"`
	Warnings  []string     `json:"warnings"`
	Seconds   float64      `json:"load_seconds"`

	Form    *formReport     `json:"form,omitempty"`
	Label   string          `json:"label_column,omitempty"` // that train would take
	Table   *tables.Encoder `json:"table,omitempty"`
	Reports []tables.Report `json:"column_reports,omitempty"` // of the table, the first 1,000
	Columns []columnReport  `json:"columns"`                  // the first 1,000; null with a table

	label  string // describes the column of Label
	reader *dataReader
	set    *dataset.Set
}

// A formReport says how the text of a table was read: see dataset.Form.
type formReport struct {
	Format    string `json:"format"`
	Encoding  string `json:"encoding"`
	Separator string `json:"separator"` // a character, or none
	Quote     string `json:"quote"`     // the same
	Comment   string `json:"comment"`   // the same
	SkipLines int    `json:"skip_lines"`
	Header    bool   `json:"header"`
	Units     bool   `json:"units"`
	Decimal   string `json:"decimal"`
}

// newFormReport returns the report on a form; nil for nil.
func newFormReport(f *dataset.Form) *formReport {
	if f == nil {
		return nil
	}
	return &formReport{f.Format, f.Encoding, characterWord(f.Separator), characterWord(f.Quote),
		characterWord(f.Comment), f.SkipLines, f.Header, f.Units, string(f.Decimal)}
}

type columnReport struct {
	Feature int     `json:"feature"`
	Name    string  `json:"name,omitempty"`
	From    float32 `json:"from"`
	To      float32 `json:"to"`
	Zeros   int     `json:"zeros"`
}

type labelCount struct {
	Label string `json:"label"`
	Rows  int    `json:"rows"`
}

// evalReport is what -json writes.
type evalReport struct {
	Accuracy         number        `json:"accuracy"`
	Error            number        `json:"error"`
	ROCAUC           number        `json:"roc_auc"`
	AveragePrecision number        `json:"average_precision"`
	LogLoss          number        `json:"log_loss"`
	RMSE             number        `json:"rmse"`
	MAE              number        `json:"mae"`
	R2               number        `json:"r2"`
	Objective        number        `json:"objective"`
	Penalty          number        `json:"penalty"`
	MeanLoss         number        `json:"mean_loss"`
	Lambda           float64       `json:"lambda"`
	Rows             int           `json:"rows"`
	Weight           float64       `json:"weight,omitempty"` // sum of -weights; 0 without
	Features         int           `json:"features"`
	Ignored          int64         `json:"ignored_values"`
	Macro            *classReport  `json:"macro"`
	Classes          []classReport `json:"classes"`
	Labels           []string      `json:"labels"`
	Confusion        [][]float64   `json:"confusion"` // rows true, columns predicted
	ISA              string        `json:"isa"`
	Layout           string        `json:"layout"`
	ModelHash        string        `json:"model_hash"`
	Warnings         []string      `json:"warnings,omitempty"`

	unknown bool    // there are labels that the model does not know
	right   float64 // weight of the rows that are predicted right
}

type classReport struct {
	Label            string  `json:"label,omitempty"`
	Precision        number  `json:"precision"`
	Recall           number  `json:"recall"`
	F1               number  `json:"f1"`
	ROCAUC           number  `json:"roc_auc"`
	AveragePrecision number  `json:"average_precision"`
	Support          float64 `json:"support"`
}

// verifyReport is what verify -json writes.
type verifyReport struct {
	Verdict          string   `json:"verdict"`
	Reasons          []string `json:"reasons"` // why it is contradicted, or not confirmed
	Checked          []string `json:"checked"` // parts of the model's file: see verifyparts.go
	NotChecked       []string `json:"not_checked"`
	Unconfirmed      []int    `json:"unconfirmed"`
	WeightVectors    int      `json:"weight_vectors"`
	ModelHash        string   `json:"model_hash"`
	Data             string   `json:"data"`
	DataKnown        bool     `json:"data_known"` // they are those that the model names
	Objective        number   `json:"objective"`
	Bound            number   `json:"dual_objective"`
	Gap              number   `json:"gap"`
	Proof            bool     `json:"proof"`    // the bound is that of -proof
	Sigmoids         bool     `json:"sigmoids"` // they are those of -sigmoids
	ClaimedObjective number   `json:"claimed_objective"`
	ClaimedBound     number   `json:"claimed_dual_objective"`
	ClaimedGap       number   `json:"claimed_gap"`
	Rows             int      `json:"rows"`
	HeldOut          int      `json:"held_out_rows,omitempty"` // of train -holdout, left out of Rows
	Features         int      `json:"features"`

	of    *pegasos.Verification
	model predictor
}
