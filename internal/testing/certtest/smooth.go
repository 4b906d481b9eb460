package certtest

import (
	"fmt"
	"math"
)

// smooth returns the loss of row i, smoothed with width mu unless it is smooth already, and stores
// its first and second derivatives with respect to the scores in dz and ddz.
func (p *Problem) smooth(i int, z []float64, mu float64, dz []float64, ddz [][]float64) float64 {
	y := p.Labels[i]
	switch p.Kind {
	case Hinge:
		f, d, dd := softHinge((1-y*z[0])/mu, mu)
		dz[0], ddz[0][0] = -y*d, dd
		return f
	case Log:
		f, d, dd := softHinge(-y*z[0], 1)
		dz[0], ddz[0][0] = -y*d, dd
		return f
	case SquaredHinge:
		d := math.Max(0, 1-y*z[0])
		dz[0], ddz[0][0] = -2*y*d, 0
		if d > 0 {
			ddz[0][0] = 2
		}
		return d * d
	case Squared:
		dz[0], ddz[0][0] = z[0]-y, 1
		return (y - z[0]) * (y - z[0]) / 2
	case EpsInsensitive:
		f, d, dd := softHinge((z[0]-y-p.Epsilon)/mu, mu)
		f2, d2, dd2 := softHinge((y-z[0]-p.Epsilon)/mu, mu)
		dz[0], ddz[0][0] = d-d2, dd+dd2
		return f + f2
	case CrammerSinger, Multinomial:
	default:
		panic(fmt.Sprintf("certtest: no smooth loss for kind %d (smooth.go)", p.Kind))
	}
	// The rest is mu times the log of a sum of exponentials, for CrammerSinger a smoothed maximum
	// of linear functions of z.
	of := make([]float64, len(z))
	top := math.Inf(-1)
	if p.Kind == Multinomial {
		mu = 1
	}
	for r := range z {
		of[r] = z[r]
		if p.Kind == CrammerSinger {
			of[r] += p.cost(int(y), r)
		}
		top = math.Max(top, of[r])
	}
	var sum float64
	for r := range of {
		of[r] = math.Exp((of[r] - top) / mu)
		sum += of[r]
	}
	for r := range of {
		of[r] /= sum
	}
	for r := range of {
		dz[r] = of[r]
		for q := range of {
			ddz[r][q] = -of[r] * of[q] / mu
		}
		ddz[r][r] += of[r] / mu
	}
	dz[int(y)]--
	return top - z[int(y)] + mu*math.Log(sum)
}

// softHinge returns f = mu log(1 + e^x), and its first and second derivatives d and dd with respect
// to mu*x.
func softHinge(x, mu float64) (f, d, dd float64) {
	e := math.Exp(-math.Abs(x))
	d = 1 / (1 + e)
	dd = e / ((1 + e) * (1 + e)) / mu
	if x < 0 {
		d = e / (1 + e)
	}
	return mu * softplus(x), d, dd
}
