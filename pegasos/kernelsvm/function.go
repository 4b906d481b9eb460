package kernelsvm

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Kernel names a kernel: a function of two rows x and z that returns the inner product of their
// images phi(x) and phi(z). The trainer never computes phi itself, so phi may map to more features
// than memory could hold, or to infinitely many.
type Kernel string

const (
	RBF        Kernel = "rbf"        // e^(-gamma |x-z|^2)
	Linear     Kernel = "linear"     // <x,z>
	Polynomial Kernel = "polynomial" // (gamma <x,z> + coef0)^degree
	// Sigmoid is tanh(gamma <x,z> + coef0). For most settings it is not an inner product, so the
	// problem has no dual and the model no certificate.
	Sigmoid Kernel = "sigmoid"
	// Function is a kernel defined by the caller: see [Trainer.Func].
	Function Kernel = "function"
)

// Func is a kernel defined by the caller. It must be symmetric and safe for concurrent use. The
// certificate is valid only if the Func is an inner product <phi(x),phi(z)> for some map phi.
type Func func(x, z Row) float32

// Row is a row of data as passed to a [Func]: all values if Index is nil, otherwise the values of
// the columns in Index, which are ascending; all other columns are 0. A Func must neither modify
// nor retain the slices.
type Row struct {
	Index []int32
	Value []float32
}

// function is a kernel with its parameters.
type function struct {
	kind         Kernel
	gamma, coef0 float64
	degree       int
	f            Func
}

func (cfg Config) function(f Func) function {
	return function{cfg.Kernel, cfg.Gamma, cfg.Coef0, cfg.Degree, f}
}

// kernelValues sets dst to the kernel values of one row x and other rows z. dots holds their inner
// products xz. square is the squared norm xx of x, and squares holds the squared norms zz; only RBF
// uses these two. dst and dots may be the same slice. The values are computed in float64 until they
// are stored, to the bit as
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
			if d < 0 { // max(0, d) would take longer than the rest of the loop
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

// ofProduct returns the kernel value for the inner product g. The kernel must not be RBF.
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

// value64 returns the kernel value for an inner product v or, for RBF, for a squared distance v.
func (k *function) value64(v float64) float64 {
	if k.kind == RBF {
		return floats.Exp(-float64(k.gamma * v))
	}
	return k.ofProduct(v)
}
