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

// Pack returns shares of p's rows as a proof has them.
func Pack(p objective.Problem, a []float32) Packed {
	rows, n, joint := shape(p)
	v, flat := Packed{Scale: 1}, make([]float32, 0, n*rows.Count())
	for _, i := range rows.Ranked() {
		for _, s := range a[int(i)*n:][:n] {
			flat = append(flat, s)
			v.Scale = max(v.Scale, math.Abs(float64(s)))
			v.Signed = v.Signed || s < 0
		}
	}
	half := 0.5
	if joint {
		half = 0 // rounded towards 0, so that no sum grows
	}
	zero, units := v.units()
	v.Shares = make([]uint16, len(flat))
	for i, s := range flat {
		v.Shares[i] = uint16(zero + math.Floor(float64(float64(s)/v.Scale*units)+half))
	}
	return v
}

// shape returns the rows of p and how many shares each has.
func shape(p objective.Problem) (v *rows.View, shares int, joint bool) {
	if j, ok := p.(*objective.Joint); ok {
		return &j.View, j.Vectors, true
	}
	return &p.(*objective.Binary).View, 1, false
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
	zero, units := v.units()
	for j, i := range view.Ranked() {
		for c := range n {
			if !joint || int(view.Class[i]) != c {
				share := float64(v.Scale*(float64(v.Shares[j*n+c])-zero)) / units
				a[int(i)*n+c] = p.Clamp(float32(share))
			}
		}
	}
	return a
}
