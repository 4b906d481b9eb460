package kernelsvm

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
)

// A Kernel names a function of two rows x and z that stands for the inner product of what the rows
// are mapped to. The trainer needs nothing else of the map, which is why it may lead to more
// features than could ever be written down.
type Kernel string

const (
	RBF        Kernel = "rbf"        // e^(-gamma |x-z|^2)
	Linear     Kernel = "linear"     // <x,z>
	Polynomial Kernel = "polynomial" // (gamma <x,z> + coef0)^degree
	// Sigmoid is tanh(gamma <x,z> + coef0). It is no inner product for most settings, so that there
	// is no optimum to be close to and no certificate.
	Sigmoid Kernel = "sigmoid"
	// Function is the caller's: see [Trainer.Func].
	Function Kernel = "function"
)

// A Func is a kernel of the caller's own. It must be symmetric, and may be called from several
// goroutines at a time. The certificate holds if it is an inner product (of some map of the rows).
type Func func(x, z Row) float32

// A Row is a row of data as a [Func] sees it: all values if Index is nil, or else those in the
// columns Index, which ascend, with zeros in all others. The slices must not be changed or kept.
type Row struct {
	Index []int32
	Value []float32
}

// A function computes the values of one row's kernel with others from their inner products.
type function struct {
	kind         Kernel
	gamma, coef0 float64
	degree       int
	f            Func
}

func (cfg Config) function(f Func) function {
	return function{cfg.Kernel, cfg.Gamma, cfg.Coef0, cfg.Degree, f}
}

// values sets dst to the kernel's values from the inner products of a row with others and their
// squared norms; dots may be dst itself. To the bit they are, in float64 until they are stored,
//
//	rbf         e^(-gamma * max(0, (xx+zz) - 2*xz)), the exponent rounded to float32, by dense.Exp
//	linear      xz
//	polynomial  gamma*xz + coef0, times itself degree-1 times
//	sigmoid     1 - 2/(1 + e^2u) for u = gamma*xz + coef0
func kernelValues[T float32 | float64](k *function, dst []float32, dots []T, square float64,
	squares []float64) {
	dst = dst[:len(dots)]
	switch k.kind {
	case RBF:
		squares = squares[:len(dots)]
		gamma := -k.gamma
		for j, g := range dots {
			d := (square + squares[j]) - float64(2*float64(g))
			if d < 0 { // no max(0, d), which takes longer than all else here
				d = 0
			}
			dst[j] = float32(gamma * d)
		}
		dense.Exp(dst, dst)
	case Polynomial, Sigmoid:
		for j, g := range dots {
			dst[j] = float32(k.ofProduct(float64(g)))
		}
	default:
		for j, g := range dots {
			dst[j] = float32(g)
		}
	}
}

// ofProduct returns a kernel value from an inner product, unless the kernel is RBF.
func (k *function) ofProduct(g float64) float64 {
	switch k.kind {
	case Polynomial:
		u := float64(k.gamma*g) + k.coef0
		p := u
		for range k.degree - 1 {
			p = float64(p * u)
		}
		return p
	case Sigmoid:
		u := float64(k.gamma*g) + k.coef0
		return 1 - 2/(1+floats.Exp(2*u))
	}
	return g
}
