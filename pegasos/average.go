package pegasos

import "github.com/pegasimd/pegasimd/dense"

// A suffix is the mean of a sequence of vectors over about the last half of the steps so far, whenever it is asked. It
// keeps two sums, of the samples in the present window of steps and in the one before. In a run of T steps windows end
// at T, T/2, T/4 and so on: after step T the present one is the last half.
type suffix struct {
	total    int64 // T
	shift    uint  // the present window ends at T >> shift
	old, cur sum
}

type sum struct {
	n      int
	vector []float32
	scalar float64 // the appended feature's
}

func newSuffix(total int64, n int) *suffix {
	return &suffix{total: total, shift: 62, old: sum{vector: make([]float32, n)}, cur: sum{vector: make([]float32, n)}}
}

// add takes a*v and a*scalar as the sample after step t.
func (s *suffix) add(t int64, a float32, v []float32, scalar float64) {
	for t > s.total>>s.shift {
		s.shift--
		if s.cur.n > 0 {
			s.old, s.cur = s.cur, s.old
			clear(s.cur.vector)
			s.cur.n, s.cur.scalar = 0, 0
		}
	}
	s.cur.n++
	dense.Axpy(a, v, s.cur.vector)
	s.cur.scalar += float64(float64(a) * scalar)
}

// mean writes the mean after step t to dst and returns that of the scalars. It is the present window's, or that of
// both while the present one is young. It reports false if there is no sample yet.
func (s *suffix) mean(t int64, dst []float32) (scalar float64, ok bool) {
	old, cur := &s.old, &s.cur
	if start := s.total >> (s.shift + 1); cur.n > 0 && 2*t >= 3*start {
		old = new(sum)
	}
	n := float64(old.n + cur.n)
	if n == 0 {
		return 0, false
	}
	for j, v := range cur.vector {
		z := float64(v)
		if old.n > 0 {
			z += float64(old.vector[j])
		}
		dst[j] = float32(z / n)
	}
	return (old.scalar + cur.scalar) / n, true
}
