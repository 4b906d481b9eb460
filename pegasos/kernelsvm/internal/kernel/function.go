// Package kernel computes the kernel values of rows, in float32 for training and in float64 for
// scores, and bounds their rounding errors.
package kernel

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

const (
	RBF        = "rbf"
	Linear     = "linear"
	Polynomial = "polynomial"
	Sigmoid    = "sigmoid"
)

type Function struct {
	Kind         string
	Gamma, Coef0 float64
	Degree       int
	Func         func(x, z Row) float32
}

// Row has the fields of kernelsvm.Row.
type Row struct {
	Index []int32
	Value []float32
}

func RowOf(x store.Rows, i int) Row {
	index, values := x.Row(i)
	return Row{index, values}
}

func (x *Row) column(k int) int {
	if x.Index != nil {
		return int(x.Index[k])
	}
	return k
}

type float interface{ float32 | float64 }

// apply sets dst to the kernel values of a row x and other rows z, as docs/spec.md specifies.
// products has the inner products xz or, for RBF with direct set, the squared distances. square is
// the squared norm of x, and squares has the squared norms of the rows z; only RBF without direct
// uses them. dst and products may be the same slice.
func apply[T, P float](f *Function, dst []T, products []P, direct bool, square float64,
	squares []float64) {
	dst = dst[:len(products)]
	gamma := -f.Gamma
	switch {
	case f.Kind == RBF && direct:
		for j, d := range products {
			dst[j] = T(gamma * float64(d))
		}
		exp(dst)
	case f.Kind == RBF:
		squares = squares[:len(products)]
		for j, g := range products {
			d := (square + squares[j]) - float64(2*float64(g))
			if d < 0 { // instead of max(0, d), for speed
				d = 0
			}
			dst[j] = T(gamma * d)
		}
		exp(dst)
	case f.Kind == Linear:
		for j, g := range products {
			dst[j] = T(g)
		}
	default:
		for j, g := range products {
			dst[j] = T(f.ofProduct(float64(g)))
		}
	}
}

func (f *Function) ofProduct(g float64) float64 {
	u := float64(f.Gamma*g) + f.Coef0
	if f.Kind == Sigmoid {
		return 1 - 2/(1+floats.Exp(2*u))
	}
	p := u
	for range f.Degree - 1 {
		p = float64(p * u)
	}
	return p
}

func exp[T float](v []T) {
	switch v := any(v).(type) {
	case []float32:
		dense.Exp(v, v)
	case []float64:
		for j, x := range v {
			v[j] = floats.Exp(x)
		}
	}
}

const TileRows = 1024
