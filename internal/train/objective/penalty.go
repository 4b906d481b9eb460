package objective

// PenaltyOf returns the sum of Penalty over the weight vectors w of a problem with the terms t. The
// biases have a penalty if t.BiasScale is not 0.
func PenaltyOf[F float32 | float64](t *Terms, w [][]F, bias []float64) (sum float64) {
	for k := range w {
		var from []float32
		if t.Prior != nil {
			from = t.Prior[k]
		}
		if t.BiasScale == 0 {
			sum += Penalty(w[k], from, 0, t.Lambda, 1)
		} else {
			sum += Penalty(w[k], from, bias[k]-t.PriorBias[k], t.Lambda, t.BiasScale)
		}
	}
	return sum
}

// Penalty returns lambda/2 (|w - prior|^2 + (bias/biasScale)^2). A nil prior means zeros. If prior
// is not nil, bias must be the difference from the prior's bias.
func Penalty[F float32 | float64](w []F, prior []float32, bias, lambda, biasScale float64) float64 {
	sum := 0.0
	if prior == nil {
		sum = SquareSum(w)
	}
	for j, v := range prior {
		d := float64(w[j]) - float64(v)
		sum += float64(d * d)
	}
	if bias != 0 {
		b := bias / biasScale
		sum += float64(b * b)
	}
	return float64(lambda / 2 * sum)
}

// SquareSum returns the squared Euclidean norm of v, summed in order in float64.
func SquareSum[F float32 | float64](v []F) (sum float64) {
	for _, z := range v {
		sum += float64(float64(z) * float64(z))
	}
	return sum
}

// SumError returns Terms.SumError for a problem with the given numbers of rows, columns and
// classes.
func SumError(rows, cols, classes int) float64 {
	return (8*float64(rows) + float64(cols) + float64(classes) + 64) * 0x1p-53
}
