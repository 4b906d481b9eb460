package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// config returns the settings of a kernel machine, of which some are those of linear models too.
func (k *kernelFlags) config(of pegasos.Config) (kernelsvm.Config, error) {
	cfg := k.cfg
	cfg.Lambda, cfg.C, cfg.Epochs, cfg.Steps, cfg.Tol = of.Lambda, of.C, of.Epochs, of.Steps, of.Tol
	cfg.Order, cfg.Offset, cfg.Average, cfg.Finish = of.Order, of.Offset, of.Average, of.Finish
	cfg.Multiclass, cfg.Seed = of.Multiclass, of.Seed
	return cfg, configError(cfg.Validate())
}

// trainKernel is train with -kernel.
func trainKernel(c *call, f *trainFlags, data, model string) error {
	cfg, err := f.kernel.config(f.set.cfg)
	if err != nil {
		return err
	}
	c.reads("DATA", data)
	modelOut := c.writes("MODEL", model, modelKind)
	jsonOut := c.writes("-json", f.json, reportKind)
	if err := c.openOutputs(f.data.force); err != nil {
		return err
	}
	reader := c.reader(f.data)
	set, loading, err := reader.read(data, nil)
	if err != nil {
		return err
	}
	if err := reader.checkClasses(data, set, false, loading); err != nil {
		return err
	}
	var values int64
	progress := newProgress(c.stderr, f.data.quiet)
	trainer := kernelsvm.Trainer{
		Config: cfg, Threads: f.data.opt.Threads, CacheMB: f.kernel.cacheMB,
		MaxMemory: f.memory.limit(set), Fingerprint: true,
		Progress: func(now kernelsvm.Progress) {
			values = now.Values
			progress.show(0, "epoch %d, pass %d: objective %.6g, %s, %.3g kernel values",
				now.Epoch, now.Pass, now.Objective, proof.Standing(now.Gap), float64(values))
		},
	}
	start := time.Now()
	c.stage.Store(training)
	m, err := trainer.Train(c, set.Examples(), set.Y)
	times := runTimes{loading: loading, training: time.Since(start)}
	progress.clear()
	if m == nil || err != nil && !errors.Is(err, context.Canceled) {
		return dataError(data, err)
	}
	c.stage.Store(finishing)
	reader.describeKernel(m, set)
	if err := modelOut.write(m.Write); err != nil {
		return err
	}
	out := newKernelReport(m, times, values)
	out.sizeReport = newSizeReport(set, predictions.ClassNames(m))
	out.Layout, out.Model, out.Interrupted = string(set.Layout()), model, err != nil
	if !math.IsNaN(m.Result.Objective) { // it was measured
		out.TolReached = tolReached(m.Config.Tol, m.Result.Gap, err != nil)
	}
	if err := jsonOut.writeJSON(out); err != nil {
		return err
	}
	if !f.data.quiet {
		c.warn(set)
		out.print(c.stderr)
		printKernelStop(c.stderr, m.Config, out.TolReached)
	}
	return err
}

// kernelReport is what train -kernel -json writes.
type kernelReport struct {
	objectiveReport
	sizeReport
	TolReached   *bool   `json:"tol_reached,omitempty"`
	Problems     int     `json:"problems"`
	SupportRows  int     `json:"support_rows"`
	Steps        int64   `json:"steps"`
	Epochs       float64 `json:"epochs"`
	Passes       int     `json:"passes"`
	Violations   int64   `json:"violations"`
	KernelValues int64   `json:"kernel_values"`
	R2           float64 `json:"r2"`
	T0           float64 `json:"t0"`
	LoadSeconds  float64 `json:"load_seconds"`
	TrainSeconds float64 `json:"train_seconds"`
	outcomeReport

	Config kernelsvm.Config `json:"config"`
}

// newKernelReport returns what the model and the run tell.
func newKernelReport(m *kernelsvm.Model, times runTimes, values int64) *kernelReport {
	of := m.Result
	return &kernelReport{
		objectiveReport: objectiveReport{
			number(of.Objective), number(of.DualObjective), number(of.Gap), m.Lambda,
			newWorstReport(of, m.Problems(), kernelModel{m}.problemName), "more -epochs or -passes",
		},
		Problems: m.Problems(), SupportRows: m.SupportRows().Rows(),
		Steps: of.Steps, Epochs: of.Epochs, Passes: of.Passes, Violations: of.Violations,
		KernelValues: values, R2: of.R2, T0: of.T0,
		LoadSeconds: times.loading.Seconds(), TrainSeconds: times.training.Seconds(),
		outcomeReport: outcomeReport{
			ISA: asm.Active().String(), Seed: m.Config.Seed, IndexBase: m.IndexBase,
			ModelHash: m.Hash(),
		},
		Config: m.Config,
	}
}

func (r *kernelReport) print(w io.Writer) {
	fmt.Fprintf(w, "kernel %s", r.Config.Kernel)
	if r.Config.Gamma != 0 {
		fmt.Fprintf(w, ", gamma %.6g", r.Config.Gamma)
	}
	if r.Config.Kernel == kernelsvm.Polynomial {
		fmt.Fprintf(w, ", coef0 %.6g, degree %d", r.Config.Coef0, r.Config.Degree)
	}
	fmt.Fprintf(w, ", lambda %.6g, %.4g epochs, %d passes, seed %d\n",
		r.Lambda, r.Epochs, r.Passes, r.Seed)
	fmt.Fprintf(w, "trained in %.3g s with %s kernels: %d support rows, %.3g kernel values\n",
		r.TrainSeconds, r.ISA, r.SupportRows, float64(r.KernelValues))
	if math.IsNaN(float64(r.Objective)) && !r.Interrupted {
		fmt.Fprintln(w, "fewer steps than rows: the objective was not measured")
	} else {
		r.printObjective(w, r.Interrupted)
		if r.SupportRows == 0 && !r.Interrupted {
			fmt.Fprintln(w, r.nothingFound())
		}
	}
	r.printModel(w)
}

// nothingFound says what a model without support rows is, and what else to try.
func (r *kernelReport) nothingFound() string {
	said := "no model better than w = 0 was found: it predicts the first class for every row"
	switch k := r.Config.Kernel; {
	case k == kernelsvm.Sigmoid && r.Config.Coef0 < 0:
		return said + "; with -coef0 below 0 the kernel is no inner product: try 0 or more"
	case k == kernelsvm.RBF || k == kernelsvm.Sigmoid:
		return said + "; try another -gamma, or a larger -c"
	}
	return said + "; scale the rows, or take a larger -c"
}
