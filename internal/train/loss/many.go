package loss

import "github.com/pegasimd/pegasimd/internal/asm"

// Losses writes At(v) for each v of m to dst, which is as long and may be the same slice. Of many
// numbers at a time the log loss takes a fifth of the time, with the same bits.
func (f Func) Losses(dst, m []float64) {
	dst = dst[:len(m)]
	if f.Kind == Log {
		negate(dst, m)
		asm.Log1pExp(dst, dst)
		return
	}
	for i, v := range m {
		dst[i] = f.At(v)
	}
}

// Bends writes what Bent returns for each v of m to a and bend, which are as long. a may be m.
func (f Func) Bends(a, bend, m []float64, inverse float64) {
	a, bend = a[:len(m)], bend[:len(m)]
	if f.Kind != Log {
		for i, v := range m {
			a[i], bend[i] = f.Bent(v, inverse)
		}
		return
	}
	negate(a, m)
	asm.Sigmoid(a, a)
	for i, s := range a {
		bend[i] = float64(s * (1 - s))
	}
}

func negate(dst, m []float64) {
	for i, v := range m {
		dst[i] = -v
	}
}
