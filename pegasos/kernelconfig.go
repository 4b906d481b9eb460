package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/elementary"
)

// A Kernel names a function of two rows x and z that stands for the inner product of what the rows are mapped to. The
// trainer needs nothing else of the map, which is why it may lead to more features than could ever be written down.
type Kernel string

const (
	RBF        Kernel = "rbf"        // e^(-gamma |x-z|^2)
	Linear     Kernel = "linear"     // <x,z>
	Polynomial Kernel = "polynomial" // (gamma <x,z> + coef0)^degree
	// SigmoidKernel is tanh(gamma <x,z> + coef0). It is no inner product for most settings, so that there is no optimum to be
	// close to and no certificate.
	SigmoidKernel Kernel = "sigmoid"
	// FunctionKernel is the caller's: see [KernelTrainer.Func].
	FunctionKernel Kernel = "function"
)

// A KernelFunc is a kernel of the caller's own. It must be symmetric, and may be called from several goroutines at a time.
// The certificate holds if it is an inner product (of some map of the rows).
type KernelFunc func(x, z Row) float32

// A Row is a row of data as a [KernelFunc] sees it: all values if Index is nil, or else those in the columns Index, which
// ascend, with zeros in all others. The slices must not be changed or kept.
type Row struct {
	Index []int32
	Value []float32
}

// Values that stand in for zero fields of a [KernelConfig]. A finish takes over from one epoch of Pegasos; without one more
// are needed.
const (
	DefaultKernelEpochs      = 1
	DefaultKernelEpochsAlone = 10
	DefaultKernelPasses      = 100
	DefaultKernelTol         = 0.01
	DefaultDegree            = 3
)

// What float32 can do with.
const (
	minGamma  = 1e-30
	maxGamma  = 1e30
	maxDegree = 64
)

// A KernelConfig is to a kernel machine what a [Config] is to a linear model: everything that has an influence on it beside
// the data. The loss is the hinge. A field that is zero stands for its default, the one listed first.
type KernelConfig struct {
	Kernel Kernel  `json:"kernel,omitempty"` // RBF, Linear, Polynomial, SigmoidKernel, FunctionKernel
	Gamma  float64 `json:"gamma,omitempty"`  // 1/the mean squared norm of the rows; of RBF, Polynomial, SigmoidKernel
	Coef0  float64 `json:"coef0,omitempty"`  // 0; of Polynomial and SigmoidKernel
	Degree int     `json:"degree,omitempty"` // 3, at most 64; of Polynomial

	// Lambda is the weight of the penalty, 1e-4 unless C is given: lambda = 1/(C*rows), the rows being those of the problem
	// where pairs of classes make several. At most one of the two may be set.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the number of passes of Pegasos over the rows: 1 before a finish and 10 without one, unless Steps is given.
	// At most one of the two may be set. If there are fewer steps than rows only the rows that are met cost anything, but
	// then there is no finish, and the objective is not measured.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	Order   Order   `json:"order,omitempty"`   // Permutation, IID, Sequential
	Offset  Offset  `json:"offset,omitempty"`  // OffsetR2, OffsetNone
	Average Average `json:"average,omitempty"` // LastHalf, LastIterate; without a finish only

	// Finish is FinishDual: dual coordinate ascent goes on from the alphas of the certificate, in passes over the rows, in each
	// of which every alpha is moved to where the dual objective is largest along it. With FinishNone the result is that of
	// Pegasos. That is the default where there is no ascent: with Order IID, the kernel SigmoidKernel or fewer Steps than rows.
	Finish Finish `json:"finish,omitempty"`
	// Passes is the most that the finish takes, 100. It ends as soon as the gap is at most Tol, 0.01, and in each problem
	// of its own.
	Passes int     `json:"passes,omitempty"`
	Tol    float64 `json:"tol,omitempty"`

	Multiclass Multiclass `json:"multiclass,omitempty"` // OneVsOne, OneVsRest

	// MaxSV, if not 0, is the most support rows that a problem may have. Where there are more, rows are chosen one by one,
	// that on which the model without it errs most, and weighted so that what they span comes as close to the whole model as
	// it can (kernel matching pursuit). The bound on the optimum stays that of the whole model.
	MaxSV int `json:"max_sv,omitempty"`

	Seed uint64 `json:"seed,omitempty"`
}

// PaperKernel returns the algorithm of the paper's Fig. 3: rows drawn with replacement, no offset, and the last iterate. A step
// compares with w_t = v/(lambda*(t-1)), as Fig. 1 does; the figure has v/(lambda*t) there.
func PaperKernel() KernelConfig {
	return KernelConfig{Order: IID, Offset: OffsetNone, Average: LastIterate, Finish: FinishNone}
}

// WithDefaults returns cfg with its zero fields filled in, but for Gamma, whose default depends on the data.
func (cfg KernelConfig) WithDefaults() KernelConfig {
	fill(&cfg.Kernel, RBF)
	if cfg.Kernel == Polynomial {
		fill(&cfg.Degree, DefaultDegree)
	}
	if cfg.C == 0 {
		fill(&cfg.Lambda, DefaultLambda)
	}
	fill(&cfg.Order, Permutation)
	if cfg.Order == IID || cfg.Kernel == SigmoidKernel {
		fill(&cfg.Finish, FinishNone)
	}
	fill(&cfg.Finish, FinishDual)
	if cfg.Finish == FinishDual {
		fill(&cfg.Passes, DefaultKernelPasses)
		fill(&cfg.Tol, DefaultKernelTol)
	}
	if cfg.Steps == 0 && cfg.Finish == FinishDual {
		fill(&cfg.Epochs, DefaultKernelEpochs)
	} else if cfg.Steps == 0 {
		fill(&cfg.Epochs, DefaultKernelEpochsAlone)
	}
	fill(&cfg.Offset, OffsetR2)
	fill(&cfg.Average, LastHalf)
	fill(&cfg.Multiclass, OneVsOne)
	return cfg
}

// Validate returns a *[ConfigError] that names the first field that can't be used, or nil.
func (cfg KernelConfig) Validate() error {
	if cfg.Lambda != 0 && cfg.C != 0 {
		return badField("C", "only one of Lambda and C can be set, have %v and %v", cfg.Lambda, cfg.C)
	}
	if cfg.Epochs != 0 && cfg.Steps != 0 {
		return badField("Steps", "only one of Epochs and Steps can be set, have %d and %d", cfg.Epochs, cfg.Steps)
	}
	cfg = cfg.WithDefaults()
	if err := first(
		oneOf("Kernel", cfg.Kernel, RBF, Linear, Polynomial, SigmoidKernel, FunctionKernel),
		oneOf("Order", cfg.Order, Permutation, IID, Sequential),
		oneOf("Offset", cfg.Offset, OffsetR2, OffsetNone),
		oneOf("Average", cfg.Average, LastHalf, LastIterate),
		oneOf("Finish", cfg.Finish, FinishDual, FinishNone),
		oneOf("Multiclass", cfg.Multiclass, OneVsOne, OneVsRest),
	); err != nil {
		return err
	}
	if cfg.C == 0 {
		if err := checkLambda(cfg.Lambda); err != nil {
			return err
		}
	} else if !(cfg.C > 0) || math.IsInf(cfg.C, 1) {
		return badField("C", "have %v, want a positive finite number", cfg.C)
	}
	switch k := cfg.Kernel; {
	case cfg.Gamma != 0 && k != RBF && k != Polynomial && k != SigmoidKernel:
		return badField("Gamma", "have %v, but Kernel is %q", cfg.Gamma, k)
	case cfg.Gamma != 0 && !(cfg.Gamma >= minGamma && cfg.Gamma <= maxGamma):
		return badField("Gamma", "have %v, want a number from %v to %v", cfg.Gamma, minGamma, maxGamma)
	case cfg.Coef0 != 0 && k != Polynomial && k != SigmoidKernel:
		return badField("Coef0", "have %v, but Kernel is %q", cfg.Coef0, k)
	case !(math.Abs(cfg.Coef0) <= 1e30):
		return badField("Coef0", "have %v, want a finite number of at most 1e30", cfg.Coef0)
	case cfg.Degree != 0 && k != Polynomial:
		return badField("Degree", "have %d, but Kernel is %q", cfg.Degree, k)
	case cfg.Degree < 0 || cfg.Degree > maxDegree:
		return badField("Degree", "have %d, want 1 to %d", cfg.Degree, maxDegree)
	case cfg.Coef0 < 0 && k == Polynomial:
		return badField("Coef0", "have %v: a polynomial is an inner product only if it is at least 0", cfg.Coef0)
	case cfg.Epochs < 0 || cfg.Epochs > math.MaxInt32:
		return badField("Epochs", "have %d, want 1 to 2^31-1", cfg.Epochs)
	case cfg.Steps < 0 || cfg.Steps > maxSteps:
		return badField("Steps", "have %d, want 1 to 2^53", cfg.Steps)
	case cfg.Finish == FinishDual && cfg.Order == IID:
		return badField("Finish", "have %q, which goes on from shares of visits: there are none with Order %q", cfg.Finish, cfg.Order)
	case cfg.Finish == FinishDual && k == SigmoidKernel:
		return badField("Finish", "have %q, but with Kernel %q there is no dual problem", cfg.Finish, k)
	case cfg.Finish != FinishDual && cfg.Passes != 0:
		return badField("Passes", "have %d, but Finish is %q", cfg.Passes, cfg.Finish)
	case cfg.Finish != FinishDual && cfg.Tol != 0:
		return badField("Tol", "have %v, but Finish is %q", cfg.Tol, cfg.Finish)
	case cfg.Passes < 0:
		return badField("Passes", "have %d, want 1 or more", cfg.Passes)
	case cfg.Finish == FinishDual && (!(cfg.Tol > 0) || cfg.Tol >= 1):
		return badField("Tol", "have %v, want a number between 0 and 1", cfg.Tol)
	case cfg.MaxSV < 0:
		return badField("MaxSV", "have %d, want 1 or more, or 0 for no limit", cfg.MaxSV)
	}
	return nil
}

// A kernel computes the values of one row's kernel with others from their inner products.
type kernel struct {
	kind         Kernel
	gamma, coef0 float32
	degree       int
	f            KernelFunc
}

func (cfg KernelConfig) kernel(f KernelFunc) kernel {
	return kernel{cfg.Kernel, float32(cfg.Gamma), float32(cfg.Coef0), cfg.Degree, f}
}

// values turns the inner products of a row with others, in dst, into the kernel's values, given their squared norms. To the
// bit they are, every operation rounded to float32:
//
//	rbf         e^(-gamma * max(0, (xx+zz) - 2*xz)), by dense.Exp
//	polynomial  gamma*xz + coef0, times itself degree-1 times
//	sigmoid     1 - 2/(1 + e^2u) for u = gamma*xz + coef0, in float64
func (k *kernel) values(dst []float32, square float32, squares []float32) {
	switch k.kind {
	case RBF:
		squares = squares[:len(dst)]
		for j, g := range dst {
			dst[j] = -float32(k.gamma * max(0, (square+squares[j])-float32(2*g)))
		}
		dense.Exp(dst, dst)
	case Polynomial:
		for j, g := range dst {
			u := float32(k.gamma*g) + k.coef0
			p := u
			for range k.degree - 1 {
				p = float32(p * u)
			}
			dst[j] = p
		}
	case SigmoidKernel:
		for j, g := range dst {
			u := float64(float32(k.gamma*g) + k.coef0)
			dst[j] = float32(1 - 2/(1+elementary.Exp(2*u)))
		}
	}
}
