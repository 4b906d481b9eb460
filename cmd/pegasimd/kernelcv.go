package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// kernelCVReport is what cv -kernel -json writes.
type kernelCVReport struct {
	Folds    int                  `json:"folds"`
	Rows     int                  `json:"rows"`
	Features int                  `json:"features"`
	Grid     []kernelPoint        `json:"grid"`
	Best     kernelPoint          `json:"best"`
	Load     float64              `json:"load_seconds"`
	Seconds  float64              `json:"seconds"`
	ISA      string               `json:"isa"`
	Layout   string               `json:"layout"`
	Seed     uint64               `json:"seed"`
	Model    string               `json:"model,omitempty"`
	Hash     string               `json:"model_hash,omitempty"`
	Config   kernelsvm.Config `json:"config"` // of the best
}

// A kernelPoint is a setting and what it gave. Lambda or C is 0, whichever the grid is not of; so is a gamma that the data give.
type kernelPoint struct {
	Gamma   float64   `json:"gamma"`
	Lambda  float64   `json:"lambda"`
	C       float64   `json:"c"`
	Mean    float64   `json:"mean"`   // accuracy
	Spread  float64   `json:"spread"` // standard deviation over the folds, of n-1
	Scores  []float64 `json:"scores"` // of each fold
	Seconds float64   `json:"seconds"`
}

// defaultKernelCs is what cv -kernel tries unless it is told.
var defaultKernelCs = []cvPoint{{C: 0.1}, {C: 1}, {C: 10}, {C: 100}}

// cvKernel is cv with a kernel: over every gamma, and every lambda or C.
func cvKernel(c *call, data *dataFlags, kc kernelsvm.Config, k kernelFlags, lambdas []cvPoint, folds int, name, model, report string) error {
	gammas := []float64{kc.Gamma}
	if k.gammas != "" {
		if c.given("gamma") {
			return usagef("only one of -gamma and -gammas can be given")
		}
		gammas = nil
		for _, word := range strings.Split(k.gammas, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil || !(v > 0) || math.IsInf(v, 1) {
				return usagef("-gammas: %q: want positive numbers, such as 0.01,0.1,1", word)
			}
			gammas = append(gammas, v)
		}
		slices.Sort(gammas)
		gammas = slices.Compact(gammas)
	}
	if lambdas == nil {
		lambdas = defaultKernelCs
	}
	var grid []kernelPoint
	at := func(p kernelPoint) kernelsvm.Config {
		cfg := kc
		cfg.Gamma, cfg.Lambda, cfg.C = p.Gamma, p.Lambda, p.C
		return cfg
	}
	for _, gamma := range gammas {
		for _, l := range lambdas {
			p := kernelPoint{Gamma: gamma, Lambda: float64(l.Lambda), C: float64(l.C)}
			if err := at(p).Validate(); err != nil {
				return usageError{err}
			}
			grid = append(grid, p)
		}
	}
	set, loading, err := data.read(c, name, nil)
	if err != nil {
		return err
	}
	failed := func(err error) error {
		var bad *pegasos.ConfigError
		if errors.As(err, &bad) {
			return usageError{err}
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	fold := pegasos.Folds(set.Y, nil, folds, kc.Seed)
	for f := range folds {
		if !slices.Contains(fold, f) {
			return fmt.Errorf("%s: too few rows for %d folds", name, folds)
		}
	}
	start := time.Now()
	progress := newProgress(c.stderr, data.quiet)
	for i := range grid {
		p := &grid[i]
		progress.show(float64(i)/float64(len(grid)), "%d of %d settings", i, len(grid))
		tr := kernelsvm.Trainer{Config: at(*p), Threads: data.opt.Threads, CacheMB: k.cacheMB}
		began := time.Now()
		predicted, err := tr.CrossPredict(c, matrix(set), set.Y, folds)
		if err != nil {
			progress.clear()
			return failed(err)
		}
		p.Seconds = time.Since(began).Seconds()
		p.score(predicted, set.Y, fold, folds)
	}
	progress.clear()
	best := grid[0] // the smallest gamma and the largest lambda, unless another is better
	for _, p := range grid {
		if p.Mean > best.Mean {
			best = p
		}
	}
	out := kernelCVReport{
		Folds: folds, Rows: set.Rows(), Features: set.Cols(), Grid: grid, Best: best, Load: loading.Seconds(),
		Seconds: time.Since(start).Seconds(), ISA: asm.Active().String(), Layout: string(set.Layout()), Seed: kc.Seed,
		Config: at(best).WithDefaults(),
	}
	if model != "" {
		tr := kernelsvm.Trainer{Config: at(best), Threads: data.opt.Threads, CacheMB: k.cacheMB}
		m, err := tr.Train(c, matrix(set), set.Y)
		if err != nil {
			return failed(err)
		}
		m.Names, m.IndexBase = set.Names, set.IndexBase
		if err := m.WriteFile(model); err != nil {
			return err
		}
		out.Model, out.Hash = model, m.Hash()
	}
	if err := c.writeJSON(report, out); err != nil {
		return err
	}
	if !data.quiet && report != "-" {
		warnIgnored(c, set.Ignored)
		out.print(c.stdout)
	}
	return nil
}

// score fills in how often predictions are right.
func (p *kernelPoint) score(predicted, y []float32, fold []int, folds int) {
	rows := make([]float64, folds)
	p.Scores = make([]float64, folds)
	for i, v := range predicted {
		rows[fold[i]]++
		if v == y[i] {
			p.Scores[fold[i]]++
		}
	}
	var squares float64
	for f := range p.Scores {
		p.Scores[f] /= rows[f]
		p.Mean += p.Scores[f] / float64(folds)
	}
	for _, s := range p.Scores {
		squares += float64((s - p.Mean) * (s - p.Mean))
	}
	p.Spread = math.Sqrt(squares / float64(folds-1))
}

func (r *kernelCVReport) print(w io.Writer) {
	fmt.Fprintf(w, "%d rows, %d features; %d folds, seed %d; kernel %s\n\n", r.Rows, r.Features, r.Folds, r.Seed, r.Config.Kernel)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	unit, of := "lambda", func(p kernelPoint) float64 { return p.Lambda }
	if r.Best.C != 0 {
		unit, of = "C", func(p kernelPoint) float64 { return p.C }
	}
	fmt.Fprintf(t, "gamma\t%s\taccuracy, %%\t+-\ttrained, s\t\t\n", unit)
	for _, p := range r.Grid {
		mark, gamma := "", "default"
		if p.Gamma != 0 {
			gamma = fmt.Sprintf("%.6g", p.Gamma)
		}
		if p.Gamma == r.Best.Gamma && of(p) == of(r.Best) {
			mark = "best"
		}
		fmt.Fprintf(t, "%s\t%.6g\t%.3f\t%.3f\t%.3g\t%s\t\n", gamma, of(p), 100*p.Mean, 100*p.Spread, p.Seconds, mark)
	}
	t.Flush()
	fmt.Fprintf(w, "\nread in %.3g s, %d runs in %.3g s\n", r.Load, len(r.Grid)*r.Folds, r.Seconds)
	if r.Model != "" {
		fmt.Fprintf(w, "model %s of all rows, hash %.16s...\n", r.Model, r.Hash)
	}
}
