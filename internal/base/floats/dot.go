package floats

// Lanes is the number of partial sums of Dot.
const Lanes = 4

// Dot returns the dot product of x and w in float64. The product of element j is added to partial
// sum j mod 4. If the elements of x and w are float32 values, no product is rounded.
func Dot[F float32 | float64](x []F, w []float64) float64 {
	w = w[:len(x)]
	var lane [Lanes]float64
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+Lanes <= len(x); j += Lanes {
		u, v := (*[Lanes]F)(x[j:]), (*[Lanes]float64)(w[j:])
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

func Fold(lane [Lanes]float64) float64 { return (lane[0] + lane[1]) + (lane[2] + lane[3]) }

// SquaredDistance returns the squared Euclidean distance of x and z in float64. Element j is added
// to partial sum j mod 4, the last len(x) mod 4 elements to partial sum 0.
func SquaredDistance(x, z []float32) float64 {
	var a, b, c, d float64
	for len(x) >= Lanes && len(z) >= Lanes {
		u, v := (*[Lanes]float32)(x), (*[Lanes]float32)(z)
		d0, d1 := float64(u[0])-float64(v[0]), float64(u[1])-float64(v[1])
		d2, d3 := float64(u[2])-float64(v[2]), float64(u[3])-float64(v[3])
		a += float64(d0 * d0)
		b += float64(d1 * d1)
		c += float64(d2 * d2)
		d += float64(d3 * d3)
		x, z = x[Lanes:], z[Lanes:]
	}
	for j, v := range x {
		e := float64(v) - float64(z[j])
		a += float64(e * e)
	}
	return Fold([Lanes]float64{a, b, c, d})
}
