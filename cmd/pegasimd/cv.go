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
	"github.com/pegasimd/pegasimd/internal/elementary"
	"github.com/pegasimd/pegasimd/internal/visible"
)

var cvCommand = command{
	name:      "cv",
	arguments: "DATA",
	summary:   "find the best lambda by cross-validation",
	help: `Cv cuts the rows of DATA into folds, each with its share of every class. For each
lambda, and each fold, it trains on the other folds and predicts the fold. It prints the mean over
the folds of what -metric names, the accuracy or the root mean square error unless told otherwise,
and the standard deviation, beside the mean objective in training and how far above the optimum it
is at most. The best lambda is that of the best mean; of equal ones the largest. With -model the
model of the best lambda, trained on all rows, is written.

What train chooses by the data is chosen by all rows of DATA as far as it has a name, such as the
kind of scaling; what is measured for it, such as means and deviations, by the rows trained on alone.

The lambdas are those of -lambdas, or of -cs: C, where lambda is 1/(C * rows), those trained on.
Without either they are seven shares of mean |x|^2, 0.1 to 1e-7: the mean squared length of the rows
as they are scaled. All lambdas are for rows as they are scaled.

With -kernel every one of -gammas is tried with every lambda or C; without -lambdas and -cs these
are C 0.1, 1, 10, 100.

Each run starts from zero, as train does: what is measured is what train will do. But where -tol or
-change end runs with a -finish, each starts from the model of the next larger lambda, with the
steps of a run that begins: it ends as near the optimum, and sooner. The other flags are as in
train; the same data, flags and seed give the same numbers, but for the times, on every machine and
with any number of threads.

Examples:
  pegasimd cv a9a.svm
  pegasimd cv -lambdas 1e-3,1e-4,1e-5 -folds 10 -loss log -model a9a.model a9a.svm
  pegasimd cv -metric roc-auc -class-weight balanced mammography.csv
  pegasimd cv -metric r2 -loss squared -lambdas 1e-6:1:7 prices.csv
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

// positiveNumbers returns the numbers of a flag's list, ascending and without repeats. The list may
// be a range from:to:count, of which each is the same multiple of the one before.
func positiveNumbers(flag, list, example string) (values []float64, err error) {
	if parts := strings.Split(list, ":"); len(parts) == 3 {
		return geometric(flag, list, parts)
	}
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

// mostPoints is how many a range may have.
const mostPoints = 1000

// geometric returns the numbers of a range, whose parts are given.
func geometric(flag, list string, parts []string) (values []float64, err error) {
	from, err := strconv.ParseFloat(strings.TrimSpace(parts[0]), 64)
	to, err2 := strconv.ParseFloat(strings.TrimSpace(parts[1]), 64)
	n, err3 := strconv.Atoi(strings.TrimSpace(parts[2]))
	if err != nil || err2 != nil || err3 != nil || n < 2 || n > mostPoints ||
		!(from > 0 && to > from && to <= math.MaxFloat64) {
		return nil, usagef("-%s: %q: want a range of positive numbers and 2 to %d as the count, such "+
			"as 1e-6:1e-2:9", flag, list, mostPoints)
	}
	for i := range n - 1 {
		part := float64(i) / float64(n-1)
		v := from * elementary.Exp(float64(part*elementary.Log(to/from)))
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // a number to be read
		values = append(values, v)
	}
	values[0] = from
	return slices.Compact(append(values, to)), nil
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
