package kernelsvm

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// Kernel names a kernel k(x,z) of two rows x and z. Except for Sigmoid and some Functions k(x,z) is
// the inner product of phi(x) and phi(z) for a map phi, which may map to infinitely many features.
type Kernel string

const (
	RBF        Kernel = "rbf"        // e^(-gamma |x-z|^2)
	Linear     Kernel = "linear"     // <x,z>
	Polynomial Kernel = "polynomial" // (gamma <x,z> + coef0)^degree
	// Sigmoid is tanh(gamma <x,z> + coef0). It is not an inner product for most settings, so there
	// is no lower bound on the optimum.
	Sigmoid Kernel = "sigmoid"
	// Function is a kernel defined by the caller: see [Trainer.Func].
	Function Kernel = "function"
)

// Func is a kernel defined by the caller. It must be symmetric and safe for concurrent use. The
// lower bound on the optimum is valid only if Func is an inner product: see [Kernel].
type Func func(x, z Row) float32

// Row is a row of data as passed to a [Func]: all values if Index is nil, otherwise the values of
// the columns in Index, which are ascending; all other columns are 0. A Func must neither modify
// nor retain the slices.
type Row struct {
	Index []int32
	Value []float32
}

func (cfg Config) function(f Func) kernel.Function {
	k := kernel.Function{Kind: string(cfg.Kernel), Gamma: cfg.Gamma, Coef0: cfg.Coef0,
		Degree: cfg.Degree}
	if f != nil {
		k.Func = func(x, z kernel.Row) float32 { return f(Row(x), Row(z)) }
	}
	return k
}

const (
	minGamma  = 1e-30
	maxGamma  = 1e30
	maxDegree = 64
)

// Config has the settings that influence scores, except for Trainer.Func. The loss is the hinge
// loss. A zero field means the default: of named values, the one listed first.
type Config struct {
	Kernel Kernel `json:"kernel,omitempty"` // RBF, Linear, Polynomial, Sigmoid, Function
	// Gamma is gamma in the kernels RBF, Polynomial and Sigmoid, from 1e-30 to 1e30. The default is 1
	// over the mean squared norm of the rows that training visits, for RBF after centering them, or 1
	// if that mean is 0.
	Gamma  float64 `json:"gamma,omitempty"`
	Coef0  float64 `json:"coef0,omitempty"`  // coef0 of Polynomial, 0 or more, and of Sigmoid
	Degree int     `json:"degree,omitempty"` // exponent of Polynomial, 1 to 64; default 3

	// Lambda is the weight of the penalty |w|^2/2; the default is 1e-4 unless C is set. C sets
	// lambda to 1/(C*rows) as LIBSVM does, where rows counts the rows of the problem. Only one of
	// Lambda and C may be set.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the number of Pegasos passes over the rows; the default is 1 with FinishDual and 10
	// with FinishNone. Steps, in place of Epochs, is the number of Pegasos steps of each problem; a
	// step visits one row. With fewer steps than rows only the visited rows are used, and the
	// objective is not measured.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	Order  pegasos.Order  `json:"order,omitempty"`  // Permutation, IID, Sequential
	Offset pegasos.Offset `json:"offset,omitempty"` // OffsetR2, OffsetNone
	// Average is LastHalf or LastIterate; FinishDual ignores it.
	Average pegasos.Average `json:"average,omitempty"`

	// Finish selects what follows the Pegasos steps. FinishDual, the default, is dual coordinate
	// ascent from the dual variables of the Pegasos run. FinishNone returns the model of Pegasos.
	// It is the default, and FinishDual is an error, with Order IID, the kernel Sigmoid, or fewer
	// Steps than rows.
	Finish pegasos.Finish `json:"finish,omitempty"`
	// Passes is the number of passes after which FinishDual ends; the default is 100. In a problem
	// of n rows a pass consists of n moves of an alpha. The ascent checks Passes after each round
	// of moves, so it may exceed Passes. It also ends once its relative duality gap is at most Tol,
	// between 0 and 1, by default 0.01.
	Passes int     `json:"passes,omitempty"`
	Tol    float64 `json:"tol,omitempty"`

	Multiclass pegasos.Multiclass `json:"multiclass,omitempty"` // OneVsOne, OneVsRest

	Seed uint64 `json:"seed,omitempty"`
}

// Paper returns the settings of the paper's Fig. 3: rows drawn with replacement, a step offset of
// 0, and the last iterate as the model. Let v be the sum of y*phi(x) over the violations. Step t
// computes the margin with v/(lambda*(t-1)), as Fig. 1 does; Fig. 3 prints v/(lambda*t).
func Paper() Config {
	return Config{Order: pegasos.IID, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate,
		Finish: pegasos.FinishNone}
}

// WithDefaults returns cfg with defaults in place of zero fields that apply, except for Gamma,
// whose default depends on the data. Finish is filled in as for a run of at least as many Steps as
// rows.
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
		epochs = 1
	}
	if cfg.Steps == 0 {
		options.Fill(&cfg.Epochs, epochs)
	}
	options.Fill(&cfg.Offset, pegasos.OffsetR2)
	options.Fill(&cfg.Average, pegasos.LastHalf)
	options.Fill(&cfg.Multiclass, pegasos.OneVsOne)
	return cfg
}

// Validate returns a *[pegasos.ConfigError] naming an invalid field, or nil.
func (cfg Config) Validate() error {
	err := options.Check(options.Exclusive(cfg.Lambda, cfg.C, cfg.Epochs, cfg.Steps))
	if err == nil {
		cfg = cfg.WithDefaults()
		err = options.Check(cfg.valueRules(), cfg.kernelRules(), cfg.lengthRules())
	}
	return publicError(err)
}

func publicError(err error) error {
	switch err := err.(type) {
	case options.Rule:
		return (*pegasos.ConfigError)(&err)
	case *store.RowError:
		return (*pegasos.RowError)(err)
	case *iterate.Error:
		return (*pegasos.StepError)(err)
	}
	return err
}

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

func (cfg Config) kernelRules() []options.Rule {
	k := cfg.Kernel
	polynomial, coef0 := k == Polynomial, "a number from -1e30 to 1e30"
	if polynomial {
		coef0 = "a number from 0 to 1e30"
	}
	return []options.Rule{
		options.Only("Gamma", cfg.Gamma != 0 && !cfg.hasGamma(), cfg.Gamma, "Kernel", k),
		options.Only("Coef0", cfg.Coef0 != 0 && !cfg.scalesProducts(), cfg.Coef0, "Kernel", k),
		options.Not("Coef0", cfg.Coef0 < 0 && polynomial,
			"have %v, want 0 or more: otherwise the kernel %q is not an inner product", cfg.Coef0, k),
		options.Range("Coef0", cfg.Coef0, -1e30, 1e30, coef0),
		options.Only("Degree", cfg.Degree != 0 && !polynomial, cfg.Degree, "Kernel", k),
		options.Range("Degree", cfg.Degree, 0, maxDegree, fmt.Sprintf("1 to %d", maxDegree)),
		options.Range("Gamma", cmp.Or(cfg.Gamma, 1), minGamma, maxGamma,
			fmt.Sprintf("a number from %v to %v", minGamma, maxGamma)),
	}
}

func (cfg Config) lengthRules() []options.Rule {
	finish := cfg.Finish == pegasos.FinishDual
	rules := []options.Rule{
		options.Range("Epochs", cfg.Epochs, 0, math.MaxInt32, "1 to 2^31-1"),
		options.Range("Steps", cfg.Steps, 0, options.MaxSteps, "1 to 2^53"),
		options.Not("Finish", finish && cfg.Order == pegasos.IID,
			"have %q, want %q: with %s %q an epoch may visit a row more than once",
			cfg.Finish, pegasos.FinishNone, options.Name("Order"), cfg.Order),
		options.Not("Finish", finish && cfg.Kernel == Sigmoid,
			"have %q, want %q: %s %q is not an inner product for most settings",
			cfg.Finish, pegasos.FinishNone, options.Name("Kernel"), cfg.Kernel),
		options.Only("Passes", !finish && cfg.Passes != 0, cfg.Passes, "Finish", cfg.Finish),
		options.Only("Tol", !finish && cfg.Tol != 0, cfg.Tol, "Finish", cfg.Finish),
		options.Range("Passes", cfg.Passes, 0, math.MaxInt, "1 or more"),
	}
	if finish {
		rules = append(rules, options.Share("Tol", cfg.Tol))
	}
	return rules
}

func (cfg Config) scalesProducts() bool {
	return cfg.Kernel == Polynomial || cfg.Kernel == Sigmoid
}

func (cfg Config) hasGamma() bool { return cfg.Kernel == RBF || cfg.scalesProducts() }

// bounded returns the value of solve.Settings.Bounded.
func (cfg Config) bounded() bool { return cfg.Order != pegasos.IID && cfg.Kernel != Sigmoid }

func (cfg Config) lambda(rows float64) (float64, error) {
	lambda, rule := options.LambdaFor(cfg.Lambda, cfg.C, rows)
	return lambda, rule.Err()
}
