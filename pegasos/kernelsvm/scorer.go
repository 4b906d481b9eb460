package kernelsvm

import (
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/store"
)

// A scorer finds scores in float64, of a model's predictions and of what training measures alike. To
// the bit a score is the sum over the support rows, in their order, of coefficient times kernel
// value. With the linear kernel it is the inner product with the sum of the rows, see wideSum.
type scorer[T float32 | float64] struct {
	cfg     Config
	classes int
	counts  []int // of the support rows of each class
	// of each class, in each of its problems, of each row; nil for a problem without scores
	coef   [][][]T
	linear []*wideSum // of each problem, if the kernel is linear
}

// endsOf returns where the rows of each class end.
func endsOf(counts []int) []int {
	ends, end := make([]int, len(counts)), 0
	for c, count := range counts {
		end += count
		ends[c] = end
	}
	return ends
}

// decide finds the scores of the worker's probes, which are 0 before, by the support rows in s.
func (sc *scorer[T]) decide(s *rowStore, w *queryWorker, scores []float64) {
	p, c, first, last := sc.cfg.problems(sc.classes), 0, 0, sc.counts[0]
	for t, tile := range s.tiles {
		for tile.start >= last {
			c++
			first, last = last, last+sc.counts[c]
		}
		from, to := tile.start-first, tile.end-first
		probes, rest := w.probes, scores
		if s.width == 2 && sc.cfg.Kernel == RBF && p == 1 {
			for ; len(probes) >= 2; probes, rest = probes[2:], rest[2:] {
				addCounted(s, (*[2]float64)(rest), sc.coef[c][0][from:to], probes, tile.start)
			}
		}
		s.wideTile(w.found, probes, t)
		for slot, coef := range sc.coef[c] {
			if coef != nil {
				k := sc.cfg.problem(sc.classes, c, slot)
				addValues(rest, p, k, coef[from:to], w.found[:len(probes)])
			}
		}
	}
}

// addValues adds to every score of problem k of p the sum of coef[j]*rows[i][j], in the order of j.
// Four sums at a time don't wait for each other.
func addValues[T float32 | float64](scores []float64, p, k int, coef []T,
	rows []*[tileRows]float64) {
	for ; len(rows) >= 4; rows, k = rows[4:], k+4*p {
		v0, v1, v2, v3 := rows[0][:len(coef)], rows[1][:len(coef)], rows[2][:len(coef)],
			rows[3][:len(coef)]
		s0, s1, s2, s3 := scores[k], scores[k+p], scores[k+2*p], scores[k+3*p]
		for j, c := range coef {
			a := float64(c)
			s0 += float64(a * v0[j])
			s1 += float64(a * v1[j])
			s2 += float64(a * v2[j])
			s3 += float64(a * v3[j])
		}
		scores[k], scores[k+p], scores[k+2*p], scores[k+3*p] = s0, s1, s2, s3
	}
	for _, row := range rows {
		sum := scores[k]
		for j, c := range coef {
			sum += float64(float64(c) * row[j])
		}
		scores[k] = sum
		k += p
	}
}

// addCounted is addValues for two probes and values of RBF that need not be kept for another
// problem, of rows of two words: counting and adding up at once takes half the time.
func addCounted[T float32 | float64](s *rowStore, scores *[2]float64, coef []T, probes []probe,
	start int) {
	x, z, words := (*[2]uint64)(probes[0].words), (*[2]uint64)(probes[1].words), s.words[2*start:]
	x0, x1, z0, z1 := x[0], x[1], z[0], z[1]
	a, b := scores[0], scores[1]
	for j, c := range coef {
		w, v := (*[2]uint64)(words[2*j:]), float64(c)
		a += float64(v * s.wideValues[bits.OnesCount64(x0^w[0])+bits.OnesCount64(x1^w[1])])
		b += float64(v * s.wideValues[bits.OnesCount64(z0^w[0])+bits.OnesCount64(z1^w[1])])
	}
	scores[0], scores[1] = a, b
}

// A wideSum is a sum in float64 of rows times numbers, with what its roundings have lost: of a
// linear kernel the sum over the support rows is that of one row, which is all that scores take.
type wideSum struct{ sum, lost []float64 }

func newWideSum(cols int) *wideSum { return &wideSum{make([]float64, cols), make([]float64, cols)} }

// add adds a times a row.
func (w *wideSum) add(a float64, x Row) {
	for k, v := range x.Value {
		j := k
		if x.Index != nil {
			j = int(x.Index[k])
		}
		v, was := float64(a*float64(v)), w.sum[j]
		sum := was + v
		part := sum - was
		w.lost[j] += (was - (sum - part)) + (v - part)
		w.sum[j] = sum
	}
}

// dot returns the inner product with a row, without the columns that are missing here. Zeros of
// the row make no difference.
func (w *wideSum) dot(x Row) (sum float64) {
	for k, v := range x.Value {
		j := k
		if x.Index != nil {
			j = int(x.Index[k])
		}
		if j >= len(w.sum) {
			break
		}
		sum += float64((w.sum[j] + w.lost[j]) * float64(v))
	}
	return sum
}

// addUp adds up the support rows, which are the rows at of m.
func (sc *scorer[T]) addUp(m store.Matrix, at []int32) {
	for range sc.cfg.problems(sc.classes) {
		sc.linear = append(sc.linear, newWideSum(m.Cols()))
	}
	for c, slots := range sc.coef {
		for s, coef := range slots {
			w := sc.linear[sc.cfg.problem(sc.classes, c, s)]
			for i, a := range coef {
				index, values := m.Row(int(at[i]))
				w.add(float64(a), Row{index, values})
			}
		}
		at = at[sc.counts[c]:]
	}
}

// decideLinear finds the scores of a row by a linear kernel.
func (sc *scorer[T]) decideLinear(x Row, scores []float64) {
	for k, w := range sc.linear {
		scores[k] = w.dot(x)
	}
}
