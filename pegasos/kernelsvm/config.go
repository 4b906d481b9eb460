package kernelsvm

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

// minGamma, maxGamma and maxDegree are the limits of what float32 can handle.
const (
	minGamma  = 1e-30
	maxGamma  = 1e30
	maxDegree = 64
)

// A Config is to a kernel machine what a [pegasos.Config] is to a linear model: everything that has
// an influence on it beside the data. The loss is the hinge. A field that is zero stands for its
// default, the one listed first.
type Config struct {
	Kernel Kernel `json:"kernel,omitempty"` // RBF, Linear, Polynomial, Sigmoid, Function
	// 1/the mean squared norm of the rows, for RBF less their mean; of RBF, Polynomial, Sigmoid
	Gamma  float64 `json:"gamma,omitempty"`
	Coef0  float64 `json:"coef0,omitempty"`  // 0; of Polynomial and Sigmoid
	Degree int     `json:"degree,omitempty"` // 3, at most 64; of Polynomial

	// Lambda is the weight of the penalty, 1e-4 unless C is given: lambda = 1/(C*rows), the rows
	// being those of the problem where pairs of classes make several. At most one of the two may be
	// set.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the number of passes of Pegasos over the rows: 1 before a finish and 10 without
	// one, unless Steps is given. At most one of the two may be set. If there are fewer steps than
	// rows only the rows that are visited cost anything, but then there is no finish, and the
	// objective is not measured.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	Order  pegasos.Order  `json:"order,omitempty"`  // Permutation, IID, Sequential
	Offset pegasos.Offset `json:"offset,omitempty"` // OffsetR2, OffsetNone
	// LastHalf, LastIterate; without a finish only
	Average pegasos.Average `json:"average,omitempty"`

	// Finish is FinishDual: dual coordinate ascent goes on from the alphas of the certificate, in
	// passes over the rows, in each of which every alpha is moved to where the dual objective is
	// largest along it. With FinishNone the result is that of Pegasos. That is the default where
	// there is no ascent: with Order IID, the kernel Sigmoid or fewer Steps than rows.
	Finish pegasos.Finish `json:"finish,omitempty"`
	// Passes is the most that the finish takes, 100. It ends as soon as the gap is at most Tol,
	// 0.01, and in each problem for itself.
	Passes int     `json:"passes,omitempty"`
	Tol    float64 `json:"tol,omitempty"`

	Multiclass pegasos.Multiclass `json:"multiclass,omitempty"` // OneVsOne, OneVsRest

	// MaxSV, if not 0, is the most support rows that a problem may have. Where there are more, rows
	// are chosen one by one, that on which the model without it errs most, and weighted so that
	// what they span comes as close to the whole model as it can (kernel matching pursuit). The
	// bound on the optimum stays that of the whole model.
	MaxSV int `json:"max_sv,omitempty"`

	Seed uint64 `json:"seed,omitempty"`
}

// Paper returns the algorithm of the paper's Fig. 3: rows drawn with replacement, no offset, and
// the last iterate. A step compares with w_t = v/(lambda*(t-1)), as Fig. 1 does; the figure has
// v/(lambda*t) there.
func Paper() Config {
	return Config{Order: pegasos.IID, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate,
		Finish: pegasos.FinishNone}
}

// WithDefaults returns cfg with its zero fields filled in, but for Gamma, whose default depends on
// the data.
func (cfg Config) WithDefaults() Config {
	options.Fill(&cfg.Kernel, RBF)
	if cfg.Kernel == Polynomial {
		options.Fill(&cfg.Degree, 3)
	}
	if cfg.C == 0 {
		options.Fill(&cfg.Lambda, pegasos.DefaultLambda)
	}
	options.Fill(&cfg.Order, pegasos.Permutation)
	if cfg.Order == pegasos.IID || cfg.Kernel == Sigmoid {
		options.Fill(&cfg.Finish, pegasos.FinishNone)
	}
	options.Fill(&cfg.Finish, pegasos.FinishDual)
	epochs := 10
	if cfg.Finish == pegasos.FinishDual {
		options.Fill(&cfg.Passes, 100)
		options.Fill(&cfg.Tol, 0.01)
		epochs = 1 // from which a finish takes over
	}
	if cfg.Steps == 0 {
		options.Fill(&cfg.Epochs, epochs)
	}
	options.Fill(&cfg.Offset, pegasos.OffsetR2)
	options.Fill(&cfg.Average, pegasos.LastHalf)
	options.Fill(&cfg.Multiclass, pegasos.OneVsOne)
	return cfg
}

// Validate returns a *[pegasos.ConfigError] that names the first field that can't be used, or nil.
func (cfg Config) Validate() error {
	if err := options.First(fieldError,
		options.Exclusive(cfg.Lambda, cfg.C, cfg.Epochs, cfg.Steps)); err != nil {
		return err
	}
	cfg = cfg.WithDefaults()
	return options.First(fieldError, cfg.valueRules(), cfg.kernelRules(), cfg.lengthRules())
}

func fieldError(field, reason string) error {
	return &pegasos.ConfigError{Field: field, Reason: reason}
}

func badField(field, format string, args ...any) error {
	return fieldError(field, fmt.Sprintf(format, args...))
}

// valueRules are those of fields that have one of a few values, and of the penalty.
func (cfg Config) valueRules() []options.Rule {
	return []options.Rule{
		options.OneOf("Kernel", cfg.Kernel, RBF, Linear, Polynomial, Sigmoid, Function),
		options.OneOf("Order", cfg.Order, pegasos.Permutation, pegasos.IID, pegasos.Sequential),
		options.OneOf("Offset", cfg.Offset, pegasos.OffsetR2, pegasos.OffsetNone),
		options.OneOf("Average", cfg.Average, pegasos.LastHalf, pegasos.LastIterate),
		options.OneOf("Finish", cfg.Finish, pegasos.FinishDual, pegasos.FinishNone),
		options.OneOf("Multiclass", cfg.Multiclass, pegasos.OneVsOne, pegasos.OneVsRest),
		options.Penalty(cfg.Lambda, cfg.C),
	}
}

// kernelRules are those of the kernel's parameters.
func (cfg Config) kernelRules() []options.Rule {
	k := cfg.Kernel
	polynomial := k == Polynomial
	return []options.Rule{
		options.Only("Gamma", cfg.Gamma != 0 && !cfg.hasGamma(), cfg.Gamma, "Kernel", k),
		options.Only("Coef0", cfg.Coef0 != 0 && !cfg.scalesProducts(), cfg.Coef0, "Kernel", k),
		options.Range("Coef0", cfg.Coef0, -1e30, 1e30, "a finite number of at most 1e30"),
		options.Only("Degree", cfg.Degree != 0 && !polynomial, cfg.Degree, "Kernel", k),
		options.Range("Degree", cfg.Degree, 0, maxDegree, fmt.Sprintf("1 to %d", maxDegree)),
		options.Not("Coef0", cfg.Coef0 < 0 && polynomial,
			"have %v: a polynomial is an inner product only if it is at least 0", cfg.Coef0),
		options.Range("Gamma", cmp.Or(cfg.Gamma, 1), minGamma, maxGamma,
			fmt.Sprintf("a number from %v to %v", minGamma, maxGamma)),
	}
}

// lengthRules are those of the length of the run, its finish, and the size of the model.
func (cfg Config) lengthRules() []options.Rule {
	finish := cfg.Finish == pegasos.FinishDual
	rules := []options.Rule{
		options.Range("Epochs", cfg.Epochs, 0, math.MaxInt32, "1 to 2^31-1"),
		options.Range("Steps", cfg.Steps, 0, options.MaxSteps, "1 to 2^53"),
		options.Not("Finish", finish && cfg.Order == pegasos.IID,
			"have %q, which goes on from shares of visits: there are none with Order %q",
			cfg.Finish, cfg.Order),
		options.Not("Finish", finish && cfg.Kernel == Sigmoid,
			"have %q, but with Kernel %q there is no dual problem", cfg.Finish, cfg.Kernel),
		options.Only("Passes", !finish && cfg.Passes != 0, cfg.Passes, "Finish", cfg.Finish),
		options.Only("Tol", !finish && cfg.Tol != 0, cfg.Tol, "Finish", cfg.Finish),
		options.Range("Passes", cfg.Passes, 0, math.MaxInt, "1 or more"),
		options.Range("MaxSV", cfg.MaxSV, 0, math.MaxInt, "1 or more, or 0 for no limit"),
	}
	if finish {
		rules = append(rules, options.Share("Tol", cfg.Tol))
	}
	return rules
}

// scalesProducts reports whether the kernel is a function of gamma <x,z> + coef0.
func (cfg Config) scalesProducts() bool {
	return cfg.Kernel == Polynomial || cfg.Kernel == Sigmoid
}

// hasGamma reports whether the kernel has the parameter gamma.
func (cfg Config) hasGamma() bool { return cfg.Kernel == RBF || cfg.scalesProducts() }
