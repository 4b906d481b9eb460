package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// cacheMB returns the CacheMB of a kernelsvm.Trainer.
func (c *call) cacheMB() int {
	if c.flags.Given("cache-mb") && c.flags.CacheMB == 0 {
		return -1
	}
	return c.flags.CacheMB
}

func trainKernel(c *call, reader *dataReader, model string) error {
	cfg := c.flags.KernelConfig()
	if err := flags.FromConfig(cfg.Validate()); err != nil {
		return err
	}
	modelOut := c.writesModel(model)
	jsonOut := c.writes("-json", c.flags.JSON, reportKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	set, loading, err := reader.readTraining(&c.flags.Config, nil)
	if err != nil {
		return err
	}
	var values int64
	progress := newProgress(c.stderr, c.flags.Quiet)
	trainer := kernelsvm.Trainer{
		Config: cfg, Threads: c.flags.Data.Threads, CacheMB: c.cacheMB(),
		MaxMemory: memoryFlag(c.flags.MaxMemory).limit(set, false), Fingerprint: true,
		Progress: func(now kernelsvm.Progress) {
			values = now.Values
			progress.show(0, "epoch %d, pass %d: objective %.6g, %s", now.Epoch, now.Pass,
				now.Objective, proof.Standing(now.Gap))
		},
	}
	start := time.Now()
	stage.Store(training)
	m, err := trainer.Train(c, set.Examples(), set.Y)
	took := time.Since(start)
	progress.clear()
	if m == nil || err != nil && !errors.Is(err, context.Canceled) {
		return reader.failed(err)
	}
	stage.Store(finishing)
	if err := reader.describeKernel(m, set); err != nil {
		return err
	}
	if err := modelOut.write(m.Write); err != nil {
		return err
	}
	advice := longer(m.Config.Steps)
	switch {
	case m.Config.Finish == pegasos.FinishNone:
	case m.Config.Tol > 0 && m.Result.Gap <= m.Config.Tol:
		advice = "a smaller -tol"
	default:
		advice += " or -passes"
	}
	out := &trainReport{
		runReport: kernelModel{m}.run(), advice: advice,
		C: number(math.NaN()), Seed: m.Config.Seed, Config: m.Config,
		kernelReport: &kernelReport{m.Problems(), m.SupportRows().Rows(), m.Result.Passes, values},
		Train:        took.Seconds(), Interrupted: err != nil,
	}
	out.describe(set, m, model, loading)
	out.settled(reader, set, m.Config.Multiclass)
	if !math.IsNaN(m.Result.Objective) { // the objective is NaN if it was not measured
		out.TolReached = tolReached(m.Config.Tol, m.Result.Gap, err != nil)
	}
	if err := jsonOut.writeJSON(out); err != nil {
		return err
	}
	if !c.flags.Quiet {
		reader.tell(set)
		out.printKernel(c.stderr, m.Config)
	}
	return err
}

func (r *trainReport) printKernel(w io.Writer, cfg kernelsvm.Config) {
	fmt.Fprintf(w, "kernel %s", cfg.Kernel)
	if cfg.Gamma != 0 {
		fmt.Fprintf(w, ", gamma %.6g", cfg.Gamma)
	}
	switch cfg.Kernel {
	case kernelsvm.Polynomial:
		fmt.Fprintf(w, ", coef0 %.6g, degree %d", cfg.Coef0, cfg.Degree)
	case kernelsvm.Sigmoid:
		fmt.Fprintf(w, ", coef0 %.6g", cfg.Coef0)
	}
	lambda := fmt.Sprintf("lambda %.6g", r.Lambda)
	if cfg.C != 0 && cfg.Multiclass != pegasos.OneVsRest && r.Problems > 1 {
		lambda = fmt.Sprintf("C %.6g in each pair", cfg.C)
	}
	fmt.Fprintf(w, ", %s, %s, %s, seed %d\n", lambda, epochCount(r.Epochs),
		count(r.Passes, "pass"), r.Seed)
	values := fmt.Sprintf(", %.3g kernel values", float64(r.KernelValues))
	if r.Interrupted { // values of the steps since the last report are unknown
		values = ""
	}
	fmt.Fprintf(w, "trained in %.3g s with %s kernels: %s%s\n", r.Train, r.ISA,
		count(r.SupportRows, "support row"), values)
	if math.IsNaN(float64(r.Objective)) && !r.Interrupted {
		fmt.Fprintln(w, "fewer steps than rows: the objective was not measured")
	} else {
		r.printObjective(w)
		if r.SupportRows == 0 && !r.Interrupted {
			try := "another -gamma"
			switch {
			case cfg.Kernel == kernelsvm.Linear:
				try = "another -kernel"
			case cfg.Coef0 < 0:
				try = "another -gamma, a -coef0 of 0 or more"
			}
			penalty := "a smaller -lambda"
			if cfg.C != 0 {
				penalty = "a larger -c"
			}
			fmt.Fprintf(w, "training found nothing better than a model without support rows, which "+
				"predicts %s for every row; try %s, or %s\n", escape.Name(r.Labels[0]), try, penalty)
		}
	}
	r.printModel(w)
	if r.TolReached != nil && !*r.TolReached {
		fmt.Fprintf(w, "-tol %v was not reached", cfg.Tol)
		if r.Passes >= cfg.Passes { // otherwise rounding keeps the gap from falling further
			fmt.Fprintf(w, ": raise -passes, now %d", cfg.Passes)
		}
		fmt.Fprintln(w)
	}
}
