package kernelsvm

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/elementary"
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
	gamma, coef0 float32
	degree       int
	f            Func
}

func (cfg Config) function(f Func) function {
	return function{cfg.Kernel, float32(cfg.Gamma), float32(cfg.Coef0), cfg.Degree, f}
}

// values turns the inner products of a row with others, in dst, into the kernel's values, given
// their squared norms. To the bit they are, every operation rounded to float32:
//
//	rbf         e^(-gamma * max(0, (xx+zz) - 2*xz)), by dense.Exp
//	polynomial  gamma*xz + coef0, times itself degree-1 times
//	sigmoid     1 - 2/(1 + e^2u) for u = gamma*xz + coef0, in float64
func (k *function) values(dst []float32, square float32, squares []float32) {
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
	case Sigmoid:
		for j, g := range dst {
			u := float64(float32(k.gamma*g) + k.coef0)
			dst[j] = float32(1 - 2/(1+elementary.Exp(2*u)))
		}
	}
}
