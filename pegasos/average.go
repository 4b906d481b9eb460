package pegasos

import "github.com/pegasimd/pegasimd/dense"

// A suffix is the mean of a sequence of vectors, or of several, over about the last half of the
// steps so far, whenever it is asked. It keeps two sums, of the samples in the present window of
// steps and in the one before. In a run of T steps windows end at T, T/2, T/4 and so on: after step
// T the present one is the last half.
type suffix struct {
	total    int64 // T
	shift    uint  // the present window ends at T >> shift
	old, cur sum
}

type sum struct {
	n       int
	vectors [][]float32
	scalars []float64 // one beside each vector: the bias, or the appended feature's weight
}

// newSuffix makes one for k vectors of n elements.
func newSuffix(total int64, k, n int) *suffix {
	return &suffix{total: total, shift: 62, old: newSum(k, n), cur: newSum(k, n)}
}

func newSum(k, n int) sum {
	return sum{vectors: vectors(k, n), scalars: make([]float64, k)}
}

// vectors returns k vectors of n zeros. Each starts on a cache line.
func vectors(k, n int) [][]float32 {
	m := dense.New(k, n)
	v := make([][]float32, k)
	for i := range v {
		v[i] = m.Row(i)
	}
	return v
}

// add takes a*v and the scalars as the sample after step t.
func (s *suffix) add(t int64, a float32, v [][]float32, scalars []float64) {
	for t > s.total>>s.shift {
		s.shift--
		if s.cur.n > 0 {
			s.old, s.cur = s.cur, s.old
			for k := range v {
				clear(s.cur.vectors[k])
			}
			clear(s.cur.scalars)
			s.cur.n = 0
		}
	}
	s.cur.n++
	for k := range v {
		dense.Axpy(a, v[k], s.cur.vectors[k])
		s.cur.scalars[k] += scalars[k]
	}
}

// mean writes the mean of vector k after step t to dst, and that of the scalar beside it to b. It
// is the present window's, or that of both while the present one is young. It reports false if
// there is no sample yet.
func (s *suffix) mean(t int64, k int, dst []float32, b *float64) (ok bool) {
	old, cur := &s.old, &s.cur
	both := old.n > 0
	if start := s.total >> (s.shift + 1); cur.n > 0 && 2*t >= 3*start {
		both = false
	}
	n := float64(cur.n)
	if both {
		n += float64(old.n)
	}
	if n == 0 {
		return false
	}
	for j, v := range cur.vectors[k] {
		z := float64(v)
		if both {
			z += float64(old.vectors[k][j])
		}
		dst[j] = float32(z / n)
	}
	z := cur.scalars[k]
	if both {
		z += old.scalars[k]
	}
	*b = z / n
	return true
}
