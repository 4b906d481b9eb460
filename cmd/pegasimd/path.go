package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/pegasos"
)

// This file is train with -lambdas: a model for each lambda, of which one is written.

// pathTol is the -tol of such runs where none is given.
const pathTol = 0.01

// besidePath are the flags that -lambdas can't be combined with.
var besidePath = strings.Fields("lambda c start resume checkpoint curve plot plot-x patience")

// A pathPoint is a lambda, and what its run gave.
type pathPoint struct {
	Lambda     number  `json:"lambda"`
	Objective  number  `json:"objective"`
	Gap        number  `json:"gap"`
	Epochs     float64 `json:"epochs"`
	Seconds    float64 `json:"seconds"`              // with the proof
	Validation *number `json:"validation,omitempty"` // on the data of -valid
	Chosen     bool    `json:"chosen"`
}

// checkPath reads the lambdas, the largest first.
func (r *linearRun) checkPath() error {
	if !r.given("lambdas") {
		return nil
	}
	for _, name := range besidePath {
		if r.given(name) {
			return usagef("-lambdas and -%s can't both be given", name)
		}
	}
	values, err := positiveNumbers("lambdas", r.flags.lambdas, "1e-3,1e-4")
	if err != nil {
		return err
	}
	slices.Reverse(values)
	for _, lambda := range values {
		cfg := r.cfg
		cfg.Lambda = lambda
		if err := validate(&cfg); err != nil {
			return err
		}
	}
	r.path = values
	if !r.given("tol") && r.cfg.Order != pegasos.IID {
		r.cfg.Tol = pathTol
	}
	return nil
}

// trainPath trains with each lambda, from the model of the larger one before, with the steps of a
// run that begins. It returns the model of the lambda that is best on the data of -valid, the
// larger one of equals; without these data that of the least lambda. When the context is done it is
// that of the lambdas until then.
func (r *linearRun) trainPath(tr *pegasos.Trainer) (best *pegasos.Model, err error) {
	var before *pegasos.Model
	chosen := 0
	for i, lambda := range r.path {
		tr.Lambda, tr.Start = lambda, fresh(before)
		start := time.Now()
		m, failed := tr.Train(r.call, r.set.Examples(), r.set.Y)
		if failed != nil {
			if best == nil || !isCancelled(failed) {
				best = m
			}
			err = failed
			break
		}
		r.taken, r.epochs = m.Result.Steps, int(m.Result.Epochs)
		p := pathPoint{
			Lambda: number(lambda), Objective: number(m.Result.Objective),
			Gap: number(m.Result.Gap), Epochs: m.Result.Epochs,
			Seconds: time.Since(start).Seconds(),
		}
		if tr.Valid != nil {
			v := number(fit(m, tr.Valid, tr.Threads))
			p.Validation = &v
		}
		if i == 0 || p.better(&r.points[chosen], m.Classes == nil) {
			best, chosen = m, i
		}
		r.points = append(r.points, p)
		before = m
		r.progress.show(float64(i+1)/float64(len(r.path)), "%d of %d lambdas", i+1, len(r.path))
	}
	if len(r.points) > 0 {
		r.points[chosen].Chosen = true
	}
	return best, err
}

func isCancelled(err error) bool { return err == context.Canceled }

// better reports whether the model of p is to be written in place of that of a larger lambda.
func (p *pathPoint) better(than *pathPoint, numbers bool) bool {
	switch {
	case p.Validation == nil:
		return true
	case numbers: // the root of the mean squared error
		return *p.Validation < *than.Validation
	}
	return *p.Validation > *than.Validation
}

// printPath writes the table of the lambdas.
func printPath(w io.Writer, points []pathPoint, numbers bool) {
	if len(points) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "lambda\tobjective\tabove the optimum\tepochs\ts\t"
	if points[0].Validation != nil {
		if head += "accuracy, %\t"; numbers {
			head = head[:len(head)-len("accuracy, %\t")] + "RMSE\t"
		}
	}
	fmt.Fprintln(t, head+"\t")
	for _, p := range points {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.4g\t%.3g\t", p.Lambda, p.Objective, most(float64(p.Gap)),
			p.Epochs, p.Seconds)
		if p.Validation != nil && numbers {
			fmt.Fprintf(t, "%s\t", *p.Validation)
		} else if p.Validation != nil {
			fmt.Fprintf(t, "%.2f\t", 100*float64(*p.Validation))
		}
		mark := ""
		if p.Chosen {
			mark = "written"
		}
		fmt.Fprintf(t, "%s\t\n", mark)
	}
	t.Flush()
}
