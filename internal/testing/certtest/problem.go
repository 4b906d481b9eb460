// Package certtest finds optima of small training problems in float64, for tests of the trainers'
// certificates. It shares no code with the trainers.
package certtest

import (
	"fmt"
	"math"
	"math/big"
)

// Kind is a loss function of a row's label y and its scores z, one for each weight vector.
type Kind uint8

const (
	Hinge          Kind = iota // max(0, 1 - yz)
	Log                        // log(1 + e^-yz)
	SquaredHinge               // max(0, 1 - yz)^2
	EpsInsensitive             // max(0, |y - z| - Epsilon)
	CrammerSinger              // max over r of cost(y, r) - z_y + z_r for a class y
	Multinomial                // log(sum over r of e^z_r) - z_y
	Squared                    // (y - z)^2/2
)

// Problem is the minimization of
//
//	P = Lambda/2 |w - Prior|^2 + sum of Weight*loss / sum of Weight
//
// The scores of row x are <w,x> + b for each of the weight vectors w with its bias b. The bias is
// penalized like a weight of value b/BiasScale, or not at all if BiasScale is 0.
type Problem struct {
	Kind    Kind
	Epsilon float64
	Rows    [][]float64
	Labels  []float64 // -1 and 1, regression targets, or classes from 0
	Weight  []float64 // nil if all weights are 1
	Vectors int
	Lambda  float64

	Bias      bool
	BiasScale float64 // 0 if the bias is not penalized
	Prior     [][]float32
	PriorBias []float64   // one for each vector of Prior
	Costs     [][]float64 // Costs[y][r] is cost(y, r) of CrammerSinger; nil if all are 1
}

func (p *Problem) weight(i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

func (p *Problem) cost(y, r int) float64 {
	switch {
	case y == r:
		return 0
	case p.Costs != nil:
		return p.Costs[y][r]
	}
	return 1
}

func (p *Problem) loss(i int, z []float64) float64 {
	y := p.Labels[i]
	switch p.Kind {
	case Hinge:
		return math.Max(0, 1-y*z[0])
	case SquaredHinge:
		d := math.Max(0, 1-y*z[0])
		return d * d
	case Log:
		return softplus(-y * z[0])
	case EpsInsensitive:
		return math.Max(0, math.Abs(z[0]-y)-p.Epsilon)
	case Squared:
		return (y - z[0]) * (y - z[0]) / 2
	case CrammerSinger:
		var most float64
		for r, v := range z {
			most = math.Max(most, p.cost(int(y), r)+(v-z[int(y)]))
		}
		return most
	case Multinomial:
	default:
		panic(fmt.Sprintf("certtest: no loss for kind %d (problem.go)", p.Kind))
	}
	top := math.Inf(-1)
	for _, v := range z {
		top = math.Max(top, v)
	}
	var sum float64
	for _, v := range z {
		sum += math.Exp(v - top)
	}
	return top - z[int(y)] + math.Log(sum)
}

func softplus(x float64) float64 {
	return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// Objective returns P for the weights w and the biases b. Scores and sums are computed in 240 bits,
// losses in float64.
func (p *Problem) Objective(w [][]float64, b []float64) float64 {
	penalty, loss, all := bigFloat(0), bigFloat(0), bigFloat(0)
	for k := range w {
		for j, v := range w[k] {
			d := bigFloat(v)
			if p.Prior != nil {
				d.Sub(d, bigFloat(float64(p.Prior[k][j])))
			}
			penalty.Add(penalty, d.Mul(d, d))
		}
		if p.Bias && p.BiasScale != 0 {
			d := bigFloat(b[k])
			if p.Prior != nil {
				d.Sub(d, bigFloat(p.PriorBias[k]))
			}
			d.Quo(d, bigFloat(p.BiasScale))
			penalty.Add(penalty, d.Mul(d, d))
		}
	}
	penalty.Mul(penalty, bigFloat(p.Lambda/2))
	z := make([]float64, len(w))
	for i, row := range p.Rows {
		for k := range w {
			s := bigFloat(b[k])
			for j, v := range row {
				s.Add(s, bigFloat(0).Mul(bigFloat(float64(v)), bigFloat(w[k][j])))
			}
			z[k], _ = s.Float64()
		}
		c := bigFloat(p.weight(i))
		all.Add(all, c)
		loss.Add(loss, c.Mul(c, bigFloat(p.loss(i, z))))
	}
	f, _ := penalty.Add(penalty, loss.Quo(loss, all)).Float64()
	return f
}

func bigFloat(v float64) *big.Float { return new(big.Float).SetPrec(240).SetFloat64(v) }
