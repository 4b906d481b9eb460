package certtest

import "math"

// Minimize returns weights and biases whose objective is close to the minimum, and that objective.
func (p *Problem) Minimize() (w [][]float64, b []float64, least float64) {
	s := p.space()
	theta := make([]float64, s.vars)
	w, b = s.vectors(theta)
	least = p.Objective(w, b)
	try := func() {
		v, c := s.vectors(theta)
		if f := p.Objective(v, c); f < least {
			w, b, least = v, c, f
		}
	}
	width := 1.0
	for _, y := range p.Labels {
		if p.Kind == EpsInsensitive {
			width = math.Max(width, math.Abs(y))
		}
	}
	for mu := width; mu > 1e-10*width; mu /= 6 {
		for range 40 {
			if !s.step(theta, mu) {
				break
			}
		}
		try()
		if p.Kind == Log || p.Kind == SquaredHinge || p.Kind == Multinomial || p.Kind == Squared {
			break // these losses are smooth already
		}
	}
	return w, b, least
}

// space holds a problem in the form in which Newton's method solves it. For each vector, the
// variables theta are the weights minus the prior's weights and, if there is a bias, (bias -
// prior's bias)/biasValue. If the bias is not penalized, the weighted mean of the rows is
// subtracted from each row, which changes the bias.
type space struct {
	p      *Problem
	rows   [][]float64 // features of each row, then biasValue if there is a bias
	start  [][]float64 // the prior's scores of each row
	center []float64
	cols   int
	vars   int
}

func (p *Problem) space() *space {
	d := len(p.Rows[0])
	s := &space{p: p, cols: d, center: make([]float64, d)}
	if p.Bias {
		s.cols++
	}
	s.vars = s.cols * p.Vectors
	if p.Bias && p.BiasScale == 0 {
		var all float64
		for i, row := range p.Rows {
			for j, v := range row {
				s.center[j] += p.weight(i) * float64(v)
			}
			all += p.weight(i)
		}
		for j := range s.center {
			s.center[j] /= all
		}
	}
	for _, row := range p.Rows {
		var x []float64
		z := make([]float64, p.Vectors)
		for j, v := range row {
			x = append(x, float64(v)-s.center[j])
		}
		if p.Bias {
			x = append(x, s.biasValue())
		}
		if p.Prior != nil {
			for k := range z {
				sum := bigFloat(p.PriorBias[k])
				for j, v := range row {
					sum.Add(sum, bigFloat(0).Mul(bigFloat(float64(v)), bigFloat(float64(p.Prior[k][j]))))
				}
				z[k], _ = sum.Float64()
			}
		}
		s.rows, s.start = append(s.rows, x), append(s.start, z)
	}
	return s
}

func (s *space) biasValue() float64 {
	if s.p.BiasScale == 0 {
		return 1
	}
	return s.p.BiasScale
}

func (s *space) penalized(j int) float64 {
	if s.p.Bias && s.p.BiasScale == 0 && j == s.cols-1 {
		return 0
	}
	return s.p.Lambda
}

func (s *space) vectors(theta []float64) (w [][]float64, b []float64) {
	d := len(s.center)
	for k := range s.p.Vectors {
		v := append([]float64(nil), theta[k*s.cols:][:d]...)
		bias := 0.0
		if s.p.Bias {
			bias = theta[k*s.cols+d] * s.biasValue()
			for j, c := range s.center {
				bias -= c * v[j]
			}
		}
		if s.p.Prior != nil {
			for j := range v {
				v[j] += float64(s.p.Prior[k][j])
			}
			bias += s.p.PriorBias[k]
		}
		w, b = append(w, v), append(b, bias)
	}
	return w, b
}

// value returns the smoothed objective at theta, and adds its gradient and Hessian to g and h if g
// is not nil.
func (s *space) value(theta []float64, mu float64, g []float64, h [][]float64) (f float64) {
	p, k := s.p, s.p.Vectors
	var all float64
	for i := range s.rows {
		all += p.weight(i)
	}
	for v, t := range theta {
		lambda := s.penalized(v % s.cols)
		f += lambda / 2 * t * t
		if g != nil {
			g[v] += lambda * t
			h[v][v] += lambda
		}
	}
	z, dz := make([]float64, k), make([]float64, k)
	ddz := make([][]float64, k)
	for r := range ddz {
		ddz[r] = make([]float64, k)
	}
	for i, x := range s.rows {
		for r := range z {
			z[r] = s.start[i][r]
			for j, v := range x {
				z[r] += v * theta[r*s.cols+j]
			}
		}
		c := p.weight(i) / all
		f += c * p.smooth(i, z, mu, dz, ddz)
		if g == nil {
			continue
		}
		for r := range k {
			for j, v := range x {
				g[r*s.cols+j] += c * dz[r] * v
			}
			for q := range k {
				if e := c * ddz[r][q]; e != 0 {
					for j, v := range x {
						row := h[r*s.cols+j][q*s.cols:]
						for l, u := range x {
							row[l] += e * v * u
						}
					}
				}
			}
		}
	}
	return f
}

// step takes one Newton step with a line search. It reports whether the relative decrease of the
// objective is above 1e-14.
func (s *space) step(theta []float64, mu float64) bool {
	g, h := make([]float64, s.vars), make([][]float64, s.vars)
	for v := range h {
		h[v] = make([]float64, s.vars)
	}
	f := s.value(theta, mu, g, h)
	d := solve(h, g)
	next := make([]float64, len(theta))
	var slope float64
	for v := range d {
		slope += d[v] * g[v]
	}
	for t := 1.0; t > 1e-8; t /= 2 {
		for v := range next {
			next[v] = theta[v] - t*d[v]
		}
		if now := s.value(next, mu, nil, nil); now <= f-1e-4*t*slope && now < f {
			copy(theta, next)
			return f-now > 1e-14*f
		}
	}
	return false
}

// solve returns h^-1 g for a symmetric h. Small pivots are raised to make h positive definite.
func solve(h [][]float64, g []float64) []float64 {
	n := len(g)
	scale := make([]float64, n)
	for v := range scale {
		scale[v] = 1 / math.Sqrt(math.Max(h[v][v], 1e-300))
	}
	l := make([][]float64, n)
	x := make([]float64, n)
	for v := range n {
		l[v] = make([]float64, v+1)
		for u := range v + 1 {
			sum := h[v][u] * scale[v] * scale[u]
			for t := range u {
				sum -= l[v][t] * l[u][t]
			}
			if u == v {
				l[v][v] = math.Sqrt(math.Max(sum, 1e-15))
			} else {
				l[v][u] = sum / l[u][u]
			}
		}
		x[v] = g[v] * scale[v]
		for t := range v {
			x[v] -= l[v][t] * x[t]
		}
		x[v] /= l[v][v]
	}
	for v := n - 1; v >= 0; v-- {
		for t := v + 1; t < n; t++ {
			x[v] -= l[t][v] * x[t]
		}
		x[v] /= l[v][v]
	}
	for v := range x {
		x[v] *= scale[v]
	}
	return x
}
