package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// penalties returns nil if no flag names a lambda or C.
func penalties(f *flags.Set) (all []cvPoint, err error) {
	var values []float64
	given := slices.DeleteFunc(strings.Fields("lambda c lambdas cs"),
		func(name string) bool { return !f.Given(name) })
	if len(given) > 1 {
		return nil, flags.Usagef("only one of -lambda, -c, -lambdas and -cs can be given")
	}
	switch strings.Join(given, "") {
	case "lambda":
		return []cvPoint{{Lambda: number(f.Lambda)}}, nil
	case "c":
		return []cvPoint{{C: number(f.C)}}, nil
	case "lambdas":
		values, err = positiveNumbers("lambdas", f.Lambdas, "1e-3,1e-4")
		for _, v := range slices.Backward(values) {
			all = append(all, cvPoint{Lambda: number(v)})
		}
	case "cs":
		values, err = positiveNumbers("cs", f.Cs, "1e-3,1e-4")
		for _, v := range values {
			all = append(all, cvPoint{C: number(v)})
		}
	}
	return all, err
}

// The list may be a range: see geometric.
func positiveNumbers(flag, list, example string) (values []float64, err error) {
	if strings.Contains(list, ":") {
		return geometric(flag, list)
	}
	for _, word := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return nil, flags.Usagef("-%s: %q: want positive finite numbers, such as %s", flag,
				word, example)
		}
		values = append(values, v)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

const mostPoints = 1000

// geometric returns the progression of a range from:to:count, rounded to six digits between the
// ends. Equal neighbors are merged.
func geometric(flag, list string) (values []float64, err error) {
	var from, to float64
	var n int
	var rest string
	if read, _ := fmt.Sscanf(list, "%g:%g:%d%s", &from, &to, &n, &rest); read != 3 || n < 2 ||
		n > mostPoints || !(from > 0 && to > from && to <= math.MaxFloat64) {
		return nil, flags.Usagef("-%s: %q: want from:to:count with 0 < from < to and a count of 2 to "+
			"%d, such as 1e-6:1e-2:9", flag, list, mostPoints)
	}
	for i := range n - 1 {
		part := float64(i) / float64(n-1)
		v := from * floats.Exp(float64(part*(floats.Log(to)-floats.Log(from))))
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
		values = append(values, min(max(v, from), to))
	}
	values[0] = from
	return slices.Compact(append(values, to)), nil
}

type cvReport struct {
	Metric   string   `json:"metric"`
	Folds    int      `json:"folds"`
	FoldRows []int    `json:"fold_rows"`
	Rows     int      `json:"rows"`
	Features int      `json:"features"`
	Labels   []string `json:"labels"` // null for regression
	// MeanSquare is the mean squared length of the scaled rows, without the bias, or 1 if that is
	// 0. With -kernel it is 0.
	MeanSquare number    `json:"mean_squared_length"`
	Grid       []cvPoint `json:"grid"`
	Best       cvPoint   `json:"best"`
	Load       float64   `json:"load_seconds"`
	Seconds    float64   `json:"seconds"` // wall-clock time of all runs
	ISA        string    `json:"isa"`
	Layout     string    `json:"layout"`
	Seed       uint64    `json:"seed"`
	Model      string    `json:"model,omitempty"`
	Hash       string    `json:"model_hash,omitempty"`
	Command    string    `json:"command"` // trains the best point on all rows
	Warnings   []string  `json:"warnings,omitempty"`
	Gap        *number   `json:"model_gap,omitempty"`
	Config     any       `json:"config"` // of the best point, except settings that depend on the rows
}

type cvPoint struct {
	Gamma float64 `json:"gamma,omitempty"` // 0 without -kernel, or if chosen from the data
	// The grid sets Lambda or C. The other is the mean over the folds, NaN if it differs between
	// pairs of classes, or 0 with -kernel.
	Lambda    number    `json:"lambda"`
	C         number    `json:"c"`
	Share     number    `json:"lambda_of_r2"` // Lambda / MeanSquare of the report
	Mean      number    `json:"mean"`
	Spread    number    `json:"spread"` // sample standard deviation over the folds
	Scores    []float64 `json:"scores"`
	Objective number    `json:"objective"`
	Gap       number    `json:"gap"`
	Seconds   float64   `json:"train_seconds"` // sum over the folds

	cfg  pegasos.Config
	mark string
}

func (p *cvPoint) config(cfg pegasos.Config) pegasos.Config {
	cfg.Lambda, cfg.C = float64(p.Lambda), float64(p.C)
	return cfg
}

func (p *cvPoint) kernelConfig(cfg kernelsvm.Config) kernelsvm.Config {
	cfg.Gamma, cfg.Lambda, cfg.C = p.Gamma, float64(p.Lambda), float64(p.C)
	return cfg
}

type search struct {
	*call
	cfg               pegasos.Config
	kernel            kernelsvm.Config
	classWeight       string // cfg.ClassWeight with names of classes in place of labels
	modelOut, jsonOut *output

	reader  *dataReader
	set     *dataset.Set
	encoded []*dataset.Set // for each fold; nil if features depend on no other row
	curved  [][]int        // for each set in encoded, the columns that curves may expand
	loading time.Duration
	weights []float32 // nil means 1 for each row
	memory  int64     // bytes that all parallel runs may use; 0 means the machine's memory
	fold    []int     // fold of each row; -1 for rows of weight 0
	sizes   []int
	labels  []string // nil for regression
	rare    []string
	metric  *cvMetric
	r2      float64 // MeanSquare of the report
	grid    []cvPoint
	out     cvReport
}

// rows returns all rows, encoded for training without the given fold.
func (v *search) rows(fold int) pegasos.Examples {
	if v.encoded != nil {
		return v.encoded[fold].Examples()
	}
	return v.set.Examples()
}

func (v *search) trainer(cfg pegasos.Config) pegasos.Trainer {
	return pegasos.Trainer{
		Config: cfg, Threads: v.flags.Data.Threads, Weights: v.weights, MaxMemory: v.memory,
		Fingerprint: true, CurveColumns: v.reader.curveColumns(),
	}
}

func (v *search) kernelTrainer(p *cvPoint) kernelsvm.Trainer {
	return kernelsvm.Trainer{
		Config: p.kernelConfig(v.kernel), Threads: v.flags.Data.Threads,
		CacheMB: v.cacheMB(), MaxMemory: v.memory, Fingerprint: true,
	}
}
