package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Packed holds the dual variables of one problem in 16 bits each, as in a proof file: one for each
// row or, in a joint problem, one for each row and class, ordered by the rows' indices in the
// training set. A number n in Duals denotes the dual variable Scale*n/65535 or, if Signed is set,
// Scale*(n-32767)/32767.
type Packed struct {
	Signed bool     `json:"signed"`
	Scale  float64  `json:"scale"` // bound on the magnitude of the dual variables
	Duals  []uint16 `json:"-"`
}

// units returns the number that denotes 0, and by how much the number that denotes Scale is larger.
func (v *Packed) units() (zero, scale float64) {
	if v.Signed {
		return 32767, 32767
	}
	return 0, 65535
}

// Pack rounds the dual variables a to the nearest number or, in a joint problem, down, so that
// their sum over the classes does not grow.
func Pack(p objective.Problem, a []float32) Packed {
	rows, n, joint := shape(p)
	v, flat := Packed{Scale: 1}, make([]float32, 0, n*rows.Count())
	for _, i := range rows.BySetRow() {
		for _, s := range a[int(i)*n:][:n] {
			flat = append(flat, s)
			v.Scale = max(v.Scale, math.Abs(float64(s)))
			v.Signed = v.Signed || s < 0
		}
	}
	half := 0.5
	if joint {
		half = 0
	}
	zero, units := v.units()
	v.Duals = make([]uint16, len(flat))
	for i, s := range flat {
		v.Duals[i] = uint16(zero + math.Floor(float64(float64(s)/v.Scale*units)+half))
	}
	return v
}

func shape(p objective.Problem) (v *store.View, duals int, joint bool) {
	if j, ok := p.(*objective.Joint); ok {
		return &j.View, j.Vectors, true
	}
	return &p.(*objective.Binary).View, 1, false
}

// PackedLen returns the number of dual variables of p in a proof file.
func PackedLen(p objective.Problem) int {
	v, n, _ := shape(p)
	return n * v.Count()
}

// Unpack returns the dual variables of p, clamped to the range of the loss, in the order of View.X;
// 0 for a row's own class in a joint problem and for rows not in p.
func (v *Packed) Unpack(p objective.Problem) []float32 {
	view, n, joint := shape(p)
	a := make([]float32, n*view.X.Rows())
	zero, units := v.units()
	for j, i := range view.BySetRow() {
		for c := range n {
			if !joint || int(view.Class[i]) != c {
				dual := float64(v.Scale*(float64(v.Duals[j*n+c])-zero)) / units
				a[int(i)*n+c] = p.Clamp(float32(dual))
			}
		}
	}
	return a
}
