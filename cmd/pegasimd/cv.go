package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/visible"
)

var cvCommand = command{
	name:      "cv",
	arguments: "DATA",
	summary:   "find the best lambda by cross-validation",
	help: `Cv cuts the rows of DATA into folds, each with its share of every class. For each
lambda, and each fold, it trains on the other folds and predicts the fold. It prints the mean
accuracy, or root mean square error, and the standard deviation over the folds, beside the mean
objective in training and how far above the
optimum it is at most. The best lambda is that of the highest mean accuracy, or
the lowest mean error; of equal ones the largest. With -model the model of the best lambda,
trained on all rows, is written.

The lambdas are those of -lambdas, or of -cs: C, where lambda is 1/(C * rows), those trained on.
Without either they are seven powers of ten: 10^k/10 to 10^k/10^7, where 10^k is R^2, the mean
squared norm of the rows, rounded down.

With -kernel every one of -gammas is tried with every lambda or C; without -lambdas and -cs these
are C 0.1, 1, 10, 100.

Each run starts from zero, as train does: what is measured is what train will do. The other flags
are as in train; the same data, flags and seed give the same numbers, but for the times, on every
machine and with any number of threads.

Examples:
  pegasimd cv a9a.svm
  pegasimd cv -lambdas 1e-3,1e-4,1e-5 -folds 10 -loss log -model a9a.model a9a.svm
  pegasimd cv -kernel rbf -gammas 0.01,0.1 -cs 1,10 -model best.model heart.svm
  pegasimd cv -cs 0.1,1,10 -multiclass ovo -json cv.json train.csv.gz`,
	run: cv,
}

func cv(c *call) error {
	var f cvFlags
	args, err := c.parse(&f, 1, 1)
	if err != nil {
		return err
	}
	if err := c.checkSettings(&f.set, &f.kernel); err != nil {
		return err
	}
	if err := f.memory.check(); err != nil {
		return err
	}
	if f.folds < 2 {
		return usagef("-folds: have %d, want 2 or more", f.folds)
	}
	grid, err := f.penalties(c)
	if err != nil {
		return err
	}
	if f.kernel.wanted() {
		return crossValidateKernel(c, &f, grid, args[0])
	}
	return crossValidateLinear(c, &f, grid, args[0])
}

// searchOutputs are what both kinds of cross-validation write.
type searchOutputs struct{ model, json *output }

// openFiles opens what is written.
func (s *searchOutputs) openFiles(c *call, f *cvFlags, data string) error {
	c.reads("DATA", data)
	c.reads("-weights", f.weights)
	s.model = c.writes("-model", f.model, modelKind)
	s.json = c.writes("-json", f.json, reportKind)
	return c.openOutputs(f.data.force)
}

// table returns where the table goes: standard output, unless that has the model.
func (s *searchOutputs) table(c *call) io.Writer {
	if s.model.toStdout() {
		return c.stderr
	}
	return c.stdout
}

// A penalty is a lambda or a C; the other is 0.
type penalty struct{ lambda, c float64 }

// penalties returns those that the flags name, from the largest lambda to the smallest, or nil if
// they name none.
func (f *cvFlags) penalties(c *call) (all []penalty, err error) {
	given := 0
	for _, name := range []string{"lambda", "c", "lambdas", "cs"} {
		if c.given(name) {
			given++
		}
	}
	if given > 1 {
		return nil, usagef("only one of -lambda, -c, -lambdas and -cs can be given")
	}
	var values []float64
	switch {
	case c.given("lambda"):
		return []penalty{{lambda: f.set.cfg.Lambda}}, nil
	case c.given("c"):
		return []penalty{{c: f.set.cfg.C}}, nil
	case c.given("lambdas"):
		values, err = positiveNumbers("lambdas", f.lambdas, "1e-3,1e-4")
		for _, v := range slices.Backward(values) {
			all = append(all, penalty{lambda: v})
		}
	case c.given("cs"):
		values, err = positiveNumbers("cs", f.cs, "1e-3,1e-4")
		for _, v := range values {
			all = append(all, penalty{c: v})
		}
	}
	return all, err
}

// positiveNumbers returns the numbers of a flag's list, ascending and without repeats.
func positiveNumbers(flag, list, example string) (values []float64, err error) {
	for _, word := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return nil, usagef("-%s: %q: want positive numbers, such as %s", flag, word, example)
		}
		values = append(values, v)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// meanAndSpread returns the mean over the folds, and the standard deviation, of n-1.
func meanAndSpread(scores []float64) (mean, spread float64) {
	n := float64(len(scores))
	for _, s := range scores {
		mean += s / n
	}
	var squares float64
	for _, s := range scores {
		squares += float64((s - mean) * (s - mean))
	}
	return mean, math.Sqrt(squares / (n - 1))
}

// searchReport is what the reports of both kinds of cross-validation end with.
type searchReport struct {
	Load    float64 `json:"load_seconds"`
	Seconds float64 `json:"seconds"` // of all runs, side by side
	ISA     string  `json:"isa"`
	Layout  string  `json:"layout"`
	Seed    uint64  `json:"seed"`
	Model   string  `json:"model,omitempty"`
	Hash    string  `json:"model_hash,omitempty"`
}

func newSearchReport(set *dataset.Set, seed uint64, loading time.Duration,
	start time.Time) searchReport {
	return searchReport{
		Load: loading.Seconds(), Seconds: time.Since(start).Seconds(),
		ISA: asm.Active().String(), Layout: string(set.Layout()), Seed: seed,
	}
}

func (r *searchReport) print(w io.Writer, runs int) {
	fmt.Fprintf(w, "\nread in %.3g s, %d runs in %.3g s\n", r.Load, runs, r.Seconds)
	if r.Model != "" {
		fmt.Fprintf(w, "model %s of all rows, hash %.16s...\n", visible.Name(r.Model), r.Hash)
	}
}
