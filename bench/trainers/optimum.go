package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/sparse"
)

// An optimum is known to lie between lower and upper, of which upper is attained by w. Both are
// found in float64 from w and one alpha in [0, 1] for each row, whatever solver these came from:
//
//	upper = lambda/2 |w|^2 + mean(max(0, 1 - y<w,x>))
//	lower = mean(alpha) - lambda/2 |u|^2,  u = 1/(lambda n) * sum(alpha*y*x)
type optimum struct {
	lower, upper float64
	accuracy     float64 // of w on the test rows
	w, alpha     []float64
	seconds      float64 // that it took to find
}

func (o *optimum) gap() float64 { return proof.Gap(o.upper, o.lower) }

// certify finds the bounds. It clamps alpha, so that lower is a bound whatever was in it.
func certify(s *dataset.Set, lambda float64, w, alpha []float64) *optimum {
	for i, a := range alpha {
		alpha[i] = max(0, min(a, 1)) // and NaN stays, which makes lower NaN
	}
	u := primal(s, lambda, alpha)
	o := &optimum{lower: mean(alpha) - lambda/2*squares(u), upper: objective(s, lambda, w), w: w,
		alpha: alpha}
	if p := objective(s, lambda, u); p < o.upper {
		o.upper, o.w = p, u
	}
	return o
}

// primal returns 1/(lambda n) * sum(alpha*y*x).
func primal(s *dataset.Set, lambda float64, alpha []float64) []float64 {
	u := make([]float64, s.Cols())
	c := 1 / (lambda * float64(s.Rows()))
	for i, a := range alpha {
		if a != 0 {
			add(s.Sparse, i, a*float64(s.Y[i])*c, u)
		}
	}
	return u
}

// add adds a times row i to w.
func add(m *sparse.Matrix, i int, a float64, w []float64) {
	idx, val := m.Row(i)
	for k, j := range idx {
		w[j] += a * float64(val[k])
	}
}

func mean(v []float64) (sum float64) {
	for _, z := range v {
		sum += z
	}
	return sum / float64(len(v))
}

func squares(v []float64) (sum float64) {
	for _, z := range v {
		sum += z * z
	}
	return sum
}

func dot(a, b []float64) (sum float64) {
	for i, z := range a {
		sum += z * b[i]
	}
	return sum
}

// findOptimum looks into the cache first, and trusts nothing in it: the bounds are found anew.
func findOptimum(s *set, lambda, tol float64, cache string) (*optimum, error) {
	began := time.Now()
	name := filepath.Join(cache, cacheName(s.train, lambda))
	if w, alpha, ok := readCache(name, s.train.Cols(), s.train.Rows()); ok {
		if o := certify(s.train, lambda, w, alpha); o.gap() <= tol {
			o.accuracy = accuracy(s.test, o.w)
			return o, nil
		}
	}
	solve := dualAscent
	if s.train.Cols() <= 1024 {
		solve = newton
	}
	o := solve(s.train, lambda, tol)
	if !(o.gap() <= tol) {
		return nil, fmt.Errorf("%s, lambda %g: the optimum is known to %.1e of itself only, "+
			"wanted %.0e", s.name, lambda, o.gap(), tol)
	}
	o.accuracy = accuracy(s.test, o.w)
	o.seconds = time.Since(began).Seconds()
	if cache == "" {
		return o, nil
	}
	return o, writeCache(name, o)
}

func cacheName(s *dataset.Set, lambda float64) string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, lambda)
	for i, y := range s.Y {
		idx, val := s.Sparse.Row(i)
		binary.Write(h, binary.LittleEndian, y)
		binary.Write(h, binary.LittleEndian, idx)
		binary.Write(h, binary.LittleEndian, val)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]) + ".optimum"
}

func readCache(name string, cols, rows int) (w, alpha []float64, ok bool) {
	data, err := os.ReadFile(name)
	if err != nil || len(data) != 8*(cols+rows) {
		return nil, nil, false
	}
	all := make([]float64, cols+rows)
	if _, err := binary.Decode(data, binary.LittleEndian, all); err != nil {
		return nil, nil, false
	}
	return all[:cols], all[cols:], true
}

func writeCache(name string, o *optimum) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	data, err := binary.Append(nil, binary.LittleEndian, slices.Concat(o.w, o.alpha))
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// dualAscent is dual coordinate ascent (Hsieh et al., ICML 2008), for text: each row's alpha in
// turn is set to its best.
func dualAscent(s *dataset.Set, lambda, tol float64) *optimum {
	n := s.Rows()
	scale := lambda * float64(n)
	norms, alpha, w := make([]float64, n), make([]float64, n), make([]float64, s.Cols())
	order := make([]int, n)
	for i := range n {
		norms[i] = float64(s.Sparse.SumSquares(i))
		order[i] = i
	}
	r := rand.New(rand.NewPCG(5, 6))
	var best *optimum
	for epoch := 1; epoch <= 20000; epoch++ {
		r.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, i := range order {
			y := float64(s.Y[i])
			slack := 1 - y*score(s.Sparse, i, w)
			if slack <= 0 && alpha[i] == 0 || slack >= 0 && alpha[i] == 1 {
				continue
			}
			a := 1.0
			if norms[i] > 0 {
				a = max(0, min(alpha[i]+slack*scale/norms[i], 1))
			}
			add(s.Sparse, i, (a-alpha[i])*y/scale, w)
			alpha[i] = a
		}
		if epoch%10 == 0 {
			o := certify(s, lambda, slices.Clone(w), slices.Clone(alpha))
			if best == nil || o.gap() < best.gap() {
				best = o
			}
			if best.gap() <= tol {
				break
			}
		}
	}
	return best
}

// newton minimises the objective with the corner of the hinge rounded off over a width mu, for
// smaller and smaller mu: for few columns, where dual ascent may need thousands of passes. The
// rounded loss is the largest a*(1-m) - mu/2 a^2 of a in [0, 1], and those a are the alpha.
func newton(s *dataset.Set, lambda, tol float64) *optimum {
	n, d := s.Rows(), s.Cols()
	w, margins, slopes, alpha := make([]float64, d), make([]float64, n), make([]float64, n),
		make([]float64, n)
	best := certify(s, lambda, slices.Clone(w), slices.Clone(alpha))
	for mu := 1.0; mu > 1e-9; mu /= 4 {
		for range 50 {
			for i, y := range s.Y {
				margins[i] = float64(y) * score(s.Sparse, i, w)
				alpha[i] = alphaAt(margins[i], mu)
			}
			step, band := primal(s, lambda, alpha), []int(nil)
			for i, a := range alpha {
				if a > 0 && a < 1 {
					band = append(band, i)
				}
			}
			for j := range step {
				step[j] = lambda * (step[j] - w[j]) // minus the gradient
			}
			gradient := slices.Clone(step)
			newtonStep(s, lambda, 1/(float64(n)*mu), band, step)
			if squares(gradient)/(2*lambda) < 0.01*mu*best.upper {
				break // u and w are as close as mu lets it matter
			}
			for i, y := range s.Y {
				slopes[i] = float64(y) * score(s.Sparse, i, step)
			}
			t := lineSearch(lambda, mu, w, step, margins, slopes)
			for j := range w {
				w[j] += t * step[j]
			}
		}
		o := certify(s, lambda, slices.Clone(w), slices.Clone(alpha))
		if o.gap() < best.gap() {
			best = o
		}
		if best.gap() <= tol {
			break
		}
	}
	return best
}

// alphaAt returns alpha at the margin m.
func alphaAt(m, mu float64) float64 { return max(0, min((1-m)/mu, 1)) }

// newtonStep solves (lambda*I + c * sum of x*x' over the rows band) z = b in place, by Cholesky's
// decomposition.
func newtonStep(s *dataset.Set, lambda, c float64, band []int, b []float64) {
	d := len(b)
	h := make([]float64, d*d) // lower triangle
	for _, i := range band {
		idx, val := s.Sparse.Row(i)
		for p, j := range idx {
			row, v := h[int(j)*d:][:d], c*float64(val[p])
			for q, k := range idx[:p+1] {
				row[k] += v * float64(val[q])
			}
		}
	}
	for j := range d {
		h[j*d+j] += lambda
		rj := h[j*d:][:j+1]
		for i := range j + 1 {
			ri := h[i*d:][:i+1]
			z := rj[i] - dot(ri[:i], rj[:i])
			if i == j {
				rj[j] = math.Sqrt(z)
			} else {
				rj[i] = z / ri[i]
			}
		}
	}
	for j := range d {
		b[j] = (b[j] - dot(h[j*d:][:j], b[:j])) / h[j*d+j]
	}
	for j := d - 1; j >= 0; j-- {
		b[j] /= h[j*d+j]
		for k, v := range h[j*d:][:j] {
			b[k] -= v * b[j]
		}
	}
}

// lineSearch returns the t at which the rounded objective is least at w + t*step: where its slope,
// which grows with t, is 0.
func lineSearch(lambda, mu float64, w, step, margins, slopes []float64) float64 {
	ws, ss, n := dot(w, step), squares(step), float64(len(margins))
	slope := func(t float64) float64 {
		var sum float64
		for i, m := range margins {
			sum += alphaAt(m+t*slopes[i], mu) * slopes[i]
		}
		return lambda*(ws+t*ss) - sum/n
	}
	low, high := 0.0, 1.0
	for slope(high) < 0 && high < 1e6 {
		low, high = high, 2*high
	}
	for range 40 {
		if mid := (low + high) / 2; slope(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
