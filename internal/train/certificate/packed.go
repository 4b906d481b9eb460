package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A Packed has the shares of one learner: of each of its rows, ascending, and in a joint
// problem of each class. A share is scale*n/65535, n being its number; where shares may be negative
// it is scale*(n-32767)/32767.
type Packed struct {
	Signed bool
	Scale  float64
	Shares []uint16
}

// units returns the number that stands for 0, and how many more stand for the scale.
func (v *Packed) units() (zero, scale float64) {
	if v.Signed {
		return 32767, 32767
	}
	return 0, 65535
}

// round rounds shares to a Packed's. Down is towards 0, so that no sum of them grows.
func round(shares []float32, down bool) Packed {
	v := Packed{Scale: 1, Shares: make([]uint16, len(shares))}
	for _, s := range shares {
		v.Scale = max(v.Scale, math.Abs(float64(s)))
		v.Signed = v.Signed || s < 0
	}
	half := 0.5
	if down {
		half = 0
	}
	zero, units := v.units()
	for i, s := range shares {
		v.Shares[i] = uint16(zero + math.Floor(float64(float64(s)/v.Scale*units)+half))
	}
	return v
}

// share returns the i-th share.
func (v *Packed) share(i int) float32 {
	zero, units := v.units()
	return float32(float64(v.Scale*(float64(v.Shares[i])-zero)) / units)
}

// Pack returns shares of p's rows as a proof has them.
func Pack(p objective.Problem, a []float32) Packed {
	v, n, joint := shape(p)
	flat := make([]float32, 0, n*v.Count())
	for _, i := range v.Ranked() {
		flat = append(flat, a[int(i)*n:][:n]...)
	}
	return round(flat, joint)
}

// shape returns the rows of p and how many shares each has.
func shape(p objective.Problem) (v *rows.View, shares int, joint bool) {
	switch p := p.(type) {
	case *objective.Joint:
		return &p.View, p.Vectors, true
	case *objective.Binary:
		return &p.View, 1, false
	}
	return nil, 0, false
}

// Size returns how many shares p has in a proof.
func Size(p objective.Problem) int {
	v, n, _ := shape(p)
	return n * v.Count()
}

// Spread returns the shares by the numbers that the rows of p have.
func (v *Packed) Spread(p objective.Problem) []float32 {
	view, n, joint := shape(p)
	a := make([]float32, n*view.X.Rows())
	for j, i := range view.Ranked() {
		for c := range n {
			share := p.Clamp(v.share(j*n + c))
			if joint && int(view.Class[i]) == c {
				share = 0
			}
			a[int(i)*n+c] = share
		}
	}
	return a
}
