package floats

// Lanes is the number of running sums of a Dot.
const Lanes = 4

// Dot returns the dot product of x and w in float64, where the product of element j goes to sum j
// mod 4. If the values of w are those of float32, no product is rounded.
func Dot(x []float32, w []float64) float64 {
	w = w[:len(x)]
	var lane [Lanes]float64
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+Lanes <= len(x); j += Lanes {
		u, v := (*[Lanes]float32)(x[j:]), (*[Lanes]float64)(w[j:])
		s0 += float64(v[0] * float64(u[0]))
		s1 += float64(v[1] * float64(u[1]))
		s2 += float64(v[2] * float64(u[2]))
		s3 += float64(v[3] * float64(u[3]))
	}
	lane = [Lanes]float64{s0, s1, s2, s3}
	for l := 0; j < len(x); j, l = j+1, l+1 {
		lane[l] += float64(w[j] * float64(x[j]))
	}
	return Fold(lane)
}

// Fold adds the sums of a Dot.
func Fold(lane [Lanes]float64) float64 { return (lane[0] + lane[1]) + (lane[2] + lane[3]) }
