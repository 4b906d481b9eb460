package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
	"github.com/pegasimd/pegasimd/sparse"
)

// This file has what the commands do with a kernel.

// kernelFlags are the flags of train that go with -kernel alone.
type kernelFlags struct {
	cfg     kernelsvm.Config
	cacheMB int
	gammas  string // of cv
}

// withKernel are the other flags of train, beside those about data, that may be given along with -kernel.
var withKernel = strings.Fields("kernel lambda c epochs steps tol order offset average finish multiclass seed preset json")

func (k *kernelFlags) define(f *flag.FlagSet) {
	f.Func("kernel", "train a kernel machine: `rbf`, linear, polynomial or sigmoid; the defaults are then -epochs 1, or 10 with -finish none,\n-finish dual, -tol 0.01 and -multiclass ovo; what else goes with it is told above", text(&k.cfg.Kernel))
	f.Float64Var(&k.cfg.Gamma, "gamma", 0, "of -kernel rbf, e^(-`gamma` |x-z|^2), and of the inner product with polynomial and sigmoid (default one over the rows' mean squared norm)")
	f.Float64Var(&k.cfg.Coef0, "coef0", 0, "the `term` of -kernel polynomial, (gamma <x,z> + coef0)^degree, and sigmoid")
	f.IntVar(&k.cfg.Degree, "degree", 0, "the `power` of -kernel polynomial (default 3)")
	f.IntVar(&k.cfg.Passes, "passes", 0, "the most `passes` of the dual that follows the epochs with -kernel, unless -finish is none (default 100); it ends when -tol is reached")
	f.IntVar(&k.cfg.MaxSV, "max-sv", 0, "keep at most `n` support rows a problem: a few hundred often predict as well as all")
	f.IntVar(&k.cacheMB, "cache-mb", 0, fmt.Sprintf("keep at most `n` MB of kernel values for later, -1 for none (default %d, or none\nwhere rows are up to 256 zeros and ones); the result does not depend on it", kernelsvm.DefaultCacheMB))
}

// check returns an error if a flag is given that needs -kernel, or that there is not with it: others are those of the command
// that there are.
func (k *kernelFlags) check(c *call, others ...string) (err error) {
	about := &call{flags: flag.NewFlagSet("", flag.ContinueOnError)}
	new(dataFlags).define(about)
	c.flags.Visit(func(f *flag.Flag) {
		own := slices.Contains(strings.Fields("gamma gammas coef0 degree passes max-sv cache-mb"), f.Name)
		switch {
		case err != nil:
		case k.cfg.Kernel == "" && own:
			err = usagef("-%s needs -kernel", f.Name)
		case k.cfg.Kernel != "" && !own && !slices.Contains(withKernel, f.Name) && !slices.Contains(others, f.Name) && about.flags.Lookup(f.Name) == nil:
			err = usagef("-%s can't be given with -kernel", f.Name)
		}
	})
	return err
}

// kernelReport is what train -kernel -json writes.
type kernelReport struct {
	Objective     number   `json:"objective"`
	DualObjective number   `json:"dual_objective"`
	Gap           number   `json:"gap"`
	Lambda        float64  `json:"lambda"`
	Rows          int      `json:"rows"`
	Features      int      `json:"features"`
	NNZ           int      `json:"nnz"`
	Classes       int      `json:"classes"`
	Labels        []string `json:"labels"`
	Problems      int      `json:"problems"`
	SupportRows   int      `json:"support_rows"`
	Steps         int64    `json:"steps"`
	Epochs        float64  `json:"epochs"`
	Passes        int      `json:"passes"`
	Violations    int64    `json:"violations"`
	KernelValues  int64    `json:"kernel_values"`
	R2            float64  `json:"r2"`
	T0            float64  `json:"t0"`
	LoadSeconds   float64  `json:"load_seconds"`
	TrainSeconds  float64  `json:"train_seconds"`
	ISA           string   `json:"isa"`
	Layout        string   `json:"layout"`
	Seed          uint64   `json:"seed"`
	IndexBase     int      `json:"index_base"`
	ModelHash     string   `json:"model_hash"`
	Model         string   `json:"model"`
	Interrupted   bool     `json:"interrupted"`

	Config kernelsvm.Config `json:"config"`
}

// config returns the settings, of which some are in cfg, where linear models have them too.
func (k *kernelFlags) config(c *call, cfg pegasos.Config) (kernelsvm.Config, error) {
	kc := k.cfg
	kc.Lambda, kc.C, kc.Epochs, kc.Steps, kc.Tol = cfg.Lambda, cfg.C, cfg.Epochs, cfg.Steps, cfg.Tol
	kc.Order, kc.Offset, kc.Average, kc.Finish, kc.Multiclass, kc.Seed = cfg.Order, cfg.Offset, cfg.Average, cfg.Finish, cfg.Multiclass, cfg.Seed
	for _, zero := range []struct {
		flag string
		zero bool
	}{
		{"lambda", kc.Lambda == 0}, {"c", kc.C == 0}, {"epochs", kc.Epochs == 0}, {"steps", kc.Steps == 0}, {"tol", kc.Tol == 0},
		{"gamma", kc.Gamma == 0}, {"degree", kc.Degree == 0}, {"passes", kc.Passes == 0}, {"max-sv", kc.MaxSV == 0},
	} {
		if zero.zero && c.given(zero.flag) {
			return kc, usagef("-%s must be greater than 0", zero.flag)
		}
	}
	if kc.Kernel == kernelsvm.Function {
		return kc, usagef("-kernel function is for programs")
	}
	if err := kc.Validate(); err != nil {
		return kc, usageError{err}
	}
	return kc, nil
}

// trainKernel is train with a kernel. Of cfg it takes what the two kinds of training share.
func trainKernel(c *call, data *dataFlags, cfg pegasos.Config, k kernelFlags, args []string, report string) error {
	kc, err := k.config(c, cfg)
	if err != nil {
		return err
	}
	var name string
	if len(args) == 2 {
		name = args[1]
	} else if name, err = modelName(args[0]); err != nil {
		return err
	}
	set, loading, err := data.read(c, args[0], nil)
	if err != nil {
		return err
	}
	p := newProgress(c.stderr, data.quiet)
	var values int64
	trainer := kernelsvm.Trainer{Config: kc, Threads: data.opt.Threads, CacheMB: k.cacheMB}
	trainer.Progress = func(now kernelsvm.Progress) {
		values = now.Values
		p.show(0, "epoch %d, pass %d: objective %.6g, gap %s, %.3g kernel values", now.Epoch, now.Pass, now.Objective, percent(now.Gap), float64(values))
	}
	start := time.Now()
	m, err := trainer.Train(c, matrix(set), set.Y)
	training := time.Since(start)
	p.clear()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !(interrupted && m != nil) {
		var bad *pegasos.ConfigError
		if errors.As(err, &bad) {
			return usageError{err}
		}
		return fmt.Errorf("%s: %w", args[0], err)
	}
	m.Names, m.IndexBase = set.Names, set.IndexBase
	if err := m.WriteFile(name); err != nil {
		return err
	}
	r := m.Result
	out := kernelReport{
		Objective: number(r.Objective), DualObjective: number(r.DualObjective), Gap: number(r.Gap), Lambda: m.Lambda,
		Rows: set.Rows(), Features: set.Cols(), NNZ: set.NNZ(), Classes: len(m.Classes), Labels: classNames(kernelHead(m)),
		Problems: m.Problems(), SupportRows: m.SupportRows().Rows(),
		Steps: r.Steps, Epochs: r.Epochs, Passes: r.Passes, Violations: r.Violations, KernelValues: values, R2: r.R2, T0: r.T0,
		LoadSeconds: loading.Seconds(), TrainSeconds: training.Seconds(),
		ISA: asm.Active().String(), Layout: string(set.Layout()), Seed: m.Config.Seed, IndexBase: m.IndexBase,
		ModelHash: m.Hash(), Model: name, Interrupted: interrupted, Config: m.Config,
	}
	if err := c.writeJSON(report, out); err != nil {
		return err
	}
	if !data.quiet {
		warnIgnored(c, set.Ignored)
		out.print(c.stderr)
	}
	if interrupted {
		return err
	}
	return nil
}

func (r *kernelReport) print(w io.Writer) {
	fmt.Fprintf(w, "%d rows, %d features, %d classes; %s layout, %s kernels\n", r.Rows, r.Features, r.Classes, r.Layout, r.ISA)
	fmt.Fprintf(w, "kernel %s", r.Config.Kernel)
	if r.Config.Gamma != 0 {
		fmt.Fprintf(w, ", gamma %.6g", r.Config.Gamma)
	}
	if r.Config.Kernel == kernelsvm.Polynomial {
		fmt.Fprintf(w, ", coef0 %.6g, degree %d", r.Config.Coef0, r.Config.Degree)
	}
	fmt.Fprintf(w, ", lambda %.6g, %.4g epochs, %d passes, seed %d\n", r.Lambda, r.Epochs, r.Passes, r.Seed)
	fmt.Fprintf(w, "read in %.3g s, trained in %.3g s: %d support rows, %.3g kernel values\n",
		r.LoadSeconds, r.TrainSeconds, r.SupportRows, float64(r.KernelValues))
	switch gap := float64(r.Gap); {
	case r.Interrupted:
		fmt.Fprintln(w, "interrupted: the model is that of the steps so far, its objective was not measured")
	case float64(r.Objective) != float64(r.Objective):
		fmt.Fprintln(w, "fewer steps than rows: the objective was not measured")
	case gap != gap:
		fmt.Fprintf(w, "objective %.8g; no bound on its distance from the optimum with these settings\n", float64(r.Objective))
	default:
		fmt.Fprintf(w, "objective %.8g, proven to be within %s of the optimum\n", float64(r.Objective), percent(gap))
	}
	fmt.Fprintf(w, "model %s, hash %.16s...\n", r.Model, r.ModelHash)
}

// kernelModel returns the kernel model that a file holds, or nil if it holds something else. What is no regular file is not
// looked at, for it can't be read twice.
func kernelModel(name string) (*kernelsvm.Model, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, nil // whoever reads it next tells of the error
	}
	if !isKernelModel(name) {
		return nil, nil
	}
	return kernelsvm.ReadFile(name)
}

// kernelHead returns a linear model with what reading data and naming classes take from one.
func kernelHead(m *kernelsvm.Model) *pegasos.Model {
	return &pegasos.Model{Classes: m.Classes, Names: m.Names, Weights: [][]float32{make([]float32, m.Cols())}, IndexBase: m.IndexBase}
}

// decideKernel reads data and returns the model's scores, and what is known of the labels as labels does.
func decideKernel(c *call, data *dataFlags, name string, m *kernelsvm.Model) (set *dataset.Set, scores []float64, truth []int, names []string, err error) {
	if m.Config.Kernel == kernelsvm.Function {
		return nil, nil, nil, nil, fmt.Errorf("the model's kernel is a function of the program that made it")
	}
	head := kernelHead(m)
	if set, _, err = data.read(c, name, head); err != nil {
		return nil, nil, nil, nil, err
	}
	scores = m.DecisionAll(matrix(set))
	if set.Sparse != nil && set.Sparse.Err() != nil {
		return nil, nil, nil, nil, set.Sparse.Err()
	}
	truth, names = labels(set, head)
	return set, scores, truth, names, nil
}

// predictKernel is predict with a kernel model.
func predictKernel(c *call, data *dataFlags, args []string, m *kernelsvm.Model, withScores bool) error {
	set, all, truth, _, err := decideKernel(c, data, args[0], m)
	if err != nil {
		return err
	}
	right, k := 0, m.Problems()
	write := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if withScores {
			fmt.Fprintf(b, "label\t%s\n", strings.Join(scoreNames(m), "\t"))
		}
		for i := range set.Rows() {
			row := all[i*k:][:k]
			class := m.Class(row)
			if class == truth[i] {
				right++
			}
			b.WriteString(m.ClassName(class))
			if withScores {
				for _, s := range row {
					fmt.Fprintf(b, "\t%.9g", s)
				}
			}
			b.WriteByte('\n')
		}
		return b.Flush()
	}
	if err := writeTo(c, args, write); err != nil {
		return err
	}
	if !data.quiet {
		warnIgnored(c, set.Ignored)
		if n := set.Rows(); n > 0 {
			fmt.Fprintf(c.stderr, "accuracy %.4f %% (%d of %d)\n", 100*float64(right)/float64(n), right, n)
		}
	}
	return nil
}

// scoreNames returns what the model's scores speak for when they are above 0: of a pair "b:a", b and not a.
func scoreNames(m *kernelsvm.Model) (names []string) {
	n := len(m.Classes)
	switch {
	case n == 2:
		return []string{m.ClassName(1)}
	case m.Config.Multiclass == pegasos.OneVsRest:
		return classNames(kernelHead(m))
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			names = append(names, m.ClassName(b)+":"+m.ClassName(a))
		}
	}
	return names
}

// evalKernel is eval with a kernel model.
func evalKernel(c *call, data *dataFlags, m *kernelsvm.Model, out *evalOutput) error {
	set, all, truth, names, err := decideKernel(c, data, out.data, m)
	if err != nil {
		return err
	}
	if set.Rows() == 0 {
		return fmt.Errorf("%s: no rows to evaluate", out.data)
	}
	r := newEvalReport(set, m.Cols(), m.Lambda, m.Hash())
	k := m.Problems()
	row := func(i int) []float64 { return all[i*k:][:k] }
	r.classify(truth, names, func(i int) int { return m.Class(row(i)) })
	if r.unknown = len(names) > len(m.Classes); !r.unknown {
		// The votes of pairs, and what breaks their ties, are those of linear models.
		linear := &pegasos.Model{Classes: m.Classes, Weights: make([][]float32, k), Config: pegasos.Config{Multiclass: m.Config.Multiclass}}
		r.rank(truth, func(i int, dst []float64) { linear.ClassScores(row(i), dst) })
	}
	return out.write(c, r)
}

// isKernelModel tells whether a file begins as kernel models do.
func isKernelModel(name string) bool {
	const magic = "pegasimd kernel model "
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// kernelModelReport is what inspect -json writes of a kernel model.
type kernelModelReport struct {
	File      string               `json:"file"`
	Bytes     int64                `json:"bytes"`
	Hash      string               `json:"model_hash"`
	Labels    []string             `json:"labels"`
	Features  int                  `json:"features"`
	IndexBase int                  `json:"index_base"`
	Lambda    float64              `json:"lambda"`
	Objective number               `json:"objective"`
	Dual      number               `json:"dual_objective"`
	Gap       number               `json:"gap"`
	Steps     int64                `json:"steps"`
	Epochs    float64              `json:"epochs"`
	Passes    int                  `json:"passes"`
	Support   int                  `json:"support_rows"`
	Layout    string               `json:"layout"`
	Config    kernelsvm.Config `json:"config"`
	Problems  []kernelProblem      `json:"problems"`
}

// A kernelProblem is one of a kernel model's.
type kernelProblem struct {
	For     string  `json:"for"` // what a score above 0 speaks for: of a pair "b:a", b and not a
	Support int     `json:"support_rows"`
	Largest float64 `json:"largest"` // coefficient, without its sign
}

// inspectKernel tells what a kernel model holds.
func inspectKernel(c *call, name, report string) error {
	m, err := kernelsvm.ReadFile(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	r := m.Result
	out := kernelModelReport{
		File: name, Bytes: info.Size(), Hash: m.Hash(), Labels: classNames(kernelHead(m)), Features: m.Cols(), IndexBase: m.IndexBase,
		Lambda: m.Lambda, Objective: number(r.Objective), Dual: number(r.DualObjective), Gap: number(r.Gap),
		Steps: r.Steps, Epochs: r.Epochs, Passes: r.Passes, Support: m.SupportRows().Rows(), Layout: "dense", Config: m.Config,
	}
	if _, ok := m.SupportRows().(*sparse.Matrix); ok {
		out.Layout = "sparse"
	}
	for k, name := range scoreNames(m) {
		p := kernelProblem{For: name}
		for _, v := range m.Coefficients(k) {
			if v != 0 {
				p.Support++
				p.Largest = max(p.Largest, math.Abs(float64(v)))
			}
		}
		out.Problems = append(out.Problems, p)
	}
	if err := c.writeJSON(report, out); err != nil || report == "-" {
		return err
	}
	config, err := json.Marshal(out.Config)
	if err != nil {
		return err
	}
	w := c.stdout
	fmt.Fprintf(w, "%s: %d bytes, the checksum is right\n", out.File, out.Bytes)
	fmt.Fprintf(w, "hash      %s\nclasses   %d: %.200s\n", out.Hash, len(out.Labels), strings.Join(out.Labels, " "))
	fmt.Fprintf(w, "features  %d, counted from %d\n", out.Features, out.IndexBase)
	fmt.Fprintf(w, "lambda    %.6g\nconfig    %s\n", out.Lambda, config)
	fmt.Fprintf(w, "trained   %d steps, %.4g epochs, %d passes\n", out.Steps, out.Epochs, out.Passes)
	if v := float64(out.Objective); v == v {
		fmt.Fprintf(w, "objective %.8g, gap %s\n", v, percent(float64(out.Gap)))
	}
	fmt.Fprintf(w, "support   %d rows, %s\n", out.Support, out.Layout)
	const most = 40
	for k, p := range out.Problems {
		if k == most {
			fmt.Fprintf(w, "... and %d problems more: -json has them\n", len(out.Problems)-most)
			break
		}
		fmt.Fprintf(w, "  for %s: %d support rows, coefficients of up to %.6g\n", p.For, p.Support, p.Largest)
	}
	return nil
}
