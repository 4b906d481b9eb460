package sgd

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// Shards trains n copies of a problem in parallel by iterative parameter mixing (McDonald, Hall and
// Mann, NAACL 2010). The rows are visited in rounds. The rows of a round are cut into n parts, each
// copy starts from the same w and takes steps with one part, and the mean of the copies' vectors is
// the next w. t counts the steps of one copy. A violation moves the mean by 1/n as much as it moves
// a copy, and t grows by only 1/n of the steps, so that Eq. (13) of the Pegasos paper and the lower
// bounds of package certificate still hold.
//
// Rounds begin at fixed places of the epoch, so that the number of goroutines changes no bit.
type Shards struct {
	*Binary
	parts   []*Binary // the copies of the problem
	Threads int       // goroutines that take the copies' steps
}

// NewShards returns Shards that train p with n copies of it.
func NewShards(p *Binary, n int) *Shards {
	s := &Shards{Binary: p, Threads: 1}
	for range n {
		state, terms := p.State, *p.Terms
		terms.View = p.Clone()
		state.Terms, state.Average = &terms, nil
		state.Vectors, state.Biases = p.NewWeights()
		s.parts = append(s.parts, NewBinary(state, p.Of.Cost, p.Of.Positive))
	}
	return s
}

// RoundRows returns the number of rows of a round, a multiple of the number of shards. The end of a
// round costs a pass over the copies' vectors, so that rounds are longer if there are more columns.
func RoundRows(cols, shards int) int {
	n := 2048
	for n < cols/8 && n < Segment(cols) {
		n *= 2
	}
	return max(1, n/shards) * shards
}

// ShardSteps returns the number of steps that one shard takes while the run visits the given number
// of rows, in epochs of n rows each.
func ShardSteps(rows int64, n, cols, shards int) int64 {
	in := func(rows int64) int64 {
		m := int64(RoundRows(cols, shards))
		return rows/m*(m/int64(shards)) + (rows%m+int64(shards)-1)/int64(shards)
	}
	return rows/int64(n)*in(int64(n)) + in(rows%int64(n))
}

// Steps takes a step with each of the rows idx. The first row of idx must be the first row of a
// round.
func (s *Shards) Steps(idx []uint32) {
	p, n := s.Binary, len(s.parts)
	for len(idx) > 0 && p.Err == nil {
		m := min(len(idx), RoundRows(len(p.V), n))
		rows := idx[:m]
		idx = idx[m:]
		parallel.For(s.Threads, n, func(_, k int) {
			c := s.parts[k]
			copy(c.V, p.V)
			c.Biases[0], c.T0, c.T, c.Violations, c.Checked = p.Biases[0], p.T0, p.T, 0, p.Checked
			c.Steps(rows[k*m/n : (k+1)*m/n])
		})
		clear(p.V)
		p.Biases[0] = 0
		for _, c := range s.parts {
			if c.Err != nil && p.Err == nil {
				p.Err = c.Err
			}
			p.Violations += c.Violations
			dense.Axpy(1, c.V, p.V)
			p.Biases[0] += c.Biases[0]
		}
		dense.Scale(1/float32(n), p.V)
		for j, v := range p.V {
			p.V[j] = v + 0 // adding 0 turns -0 into 0, because v must not have -0
		}
		p.Biases[0] /= float64(n)
		p.T += int64((m + n - 1) / n)
		p.Sample()
	}
}

// Segment returns the number of steps that a run takes between two checks whether its context is
// done: 1024 to 8192, for vectors with cols elements.
func Segment(cols int) int { return min(max(1<<24/max(cols, 1), 1024), 8192) }
