package iterate

import "github.com/pegasimd/pegasimd/dense"

// Average computes the mean of the iterates over about the last half of the steps so far. It keeps
// the sums of samples in two windows of steps. In a run of T steps, windows end at T, T/2, T/4 and
// so on, unless the caller ends them with Turn.
type Average struct {
	Total        int64 // steps of the whole run
	Shift        uint  // the current window ends at step Total >> Shift
	Old, Current Sum   // previous and current window
}

// Sum is the sum of N samples.
type Sum struct {
	N       int         `json:"n"`
	Vectors [][]float32 `json:"-"`
	// Scalars has the sum of each vector's bias or appended weight.
	Scalars []float64 `json:"scalars"`
}

func NewAverage(total int64, k, n int) *Average {
	return &Average{Total: total, Shift: 62, Old: newSum(k, n), Current: newSum(k, n)}
}

func newSum(k, n int) Sum {
	return Sum{Vectors: Zeros(k, n), Scalars: make([]float64, k)}
}

// Zeros returns k vectors of n zeros, each aligned to a cache line.
func Zeros(k, n int) [][]float32 {
	m := dense.New(k, n)
	v := make([][]float32, k)
	for i := range v {
		v[i] = m.Row(i)
	}
	return v
}

// Add adds the sample after step t: a times the vectors v, and the scalars.
func (s *Average) Add(t int64, a float32, v [][]float32, scalars []float64) {
	for t > s.Total>>s.Shift {
		s.Shift--
		s.Turn()
	}
	s.Current.N++
	for k := range v {
		dense.Axpy(a, v[k], s.Current.Vectors[k])
		s.Current.Scalars[k] += scalars[k]
	}
}

// Turn begins the next window, unless the current window is empty.
func (s *Average) Turn() {
	if s.Current.N == 0 {
		return
	}
	s.Old, s.Current = s.Current, s.Old
	for _, v := range s.Current.Vectors {
		clear(v)
	}
	clear(s.Current.Scalars)
	s.Current.N = 0
}

// Mean stores the mean of vector k as of step t in dst, and the mean of its scalar in *b. It uses
// the samples of both windows before the middle of the current window, or while that window is
// empty; else only the current window's. Mean returns false if there are no samples.
func (s *Average) Mean(t int64, k int, dst []float32, b *float64) (ok bool) {
	old, cur := &s.Old, &s.Current
	n, both := float64(cur.N), old.N > 0 && (cur.N == 0 || 2*t < 3*(s.Total>>(s.Shift+1)))
	if both {
		n += float64(old.N)
	}
	mean := func(z, before float64) float64 {
		if both {
			z += before
		}
		return z / n
	}
	if n > 0 {
		for j, v := range cur.Vectors[k] {
			dst[j] = float32(mean(float64(v), float64(old.Vectors[k][j])))
		}
		*b = mean(cur.Scalars[k], old.Scalars[k])
	}
	return n > 0
}
