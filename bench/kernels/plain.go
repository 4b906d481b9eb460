package main

import (
	"math"

	"github.com/pegasimd/pegasimd/half"
)

func loopDot(x, y []float32) (sum float32) {
	y = y[:len(x)]
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func loopAxpy(a float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func loopScale(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

func loopSum(x []float32) (sum float32) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func loopDistance(x, y []float32) (sum float32) {
	y = y[:len(x)]
	for i, v := range x {
		d := v - y[i]
		sum += d * d
	}
	return sum
}

func loopCosine(x, y []float32) float32 {
	var xy, xx, yy float32
	y = y[:len(x)]
	for i, v := range x {
		xy, xx, yy = xy+v*y[i], xx+v*v, yy+y[i]*y[i]
	}
	return xy / float32(math.Sqrt(float64(xx)*float64(yy)))
}

func loopCosine64(x, y []float32) float64 {
	var xy, xx, yy float64
	for i := range x {
		a, b := float64(x[i]), float64(y[i])
		xy += a * b
		xx += a * a
		yy += b * b
	}
	return xy / (math.Sqrt(xx) * math.Sqrt(yy))
}

func loopDotSparse(idx []int32, val, w []float32) (sum float32) {
	val = val[:len(idx)]
	for k, j := range idx {
		sum += val[k] * w[j]
	}
	return sum
}

func fourDotSparse(idx []int32, val, w []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(idx) >= 4 && len(val) >= 4 {
		s0 += val[0] * w[idx[0]]
		s1 += val[1] * w[idx[1]]
		s2 += val[2] * w[idx[2]]
		s3 += val[3] * w[idx[3]]
		idx, val = idx[4:], val[4:]
	}
	return (s0 + s1) + (s2 + s3) + loopDotSparse(idx, val, w)
}

func loopAxpySparse(a float32, idx []int32, val, w []float32) {
	val = val[:len(idx)]
	for k, j := range idx {
		w[j] += a * val[k]
	}
}

func loopBytes[T int8 | uint8](x, y []T) (sum int64) {
	for i, v := range x {
		sum += int64(v) * int64(y[i])
	}
	return sum
}

func loopHalf(x []float32, y []half.Float16) (sum float32) {
	for i, v := range x {
		sum += v * y[i].Float32()
	}
	return sum
}
