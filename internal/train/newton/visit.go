package newton

// tally holds weighted sums over rows. Element 0 of an array is over the rows with a_i*y_i > 0,
// element 1 over those with a_i*y_i < 0.
type tally struct {
	loss      float64
	smoothing float64    // S in doc.go; 0 for losses without a kink
	gain      [2]float64 // parts of D that are linear in a_i
	squares   [2]float64 // of a_i^2
	bias      [2]float64 // of a_i*y_i
	curvature float64    // of second derivatives
	changed   int        // number of rows whose a_i has changed
	zone      int        // number of rows with a second derivative above 0
}

func (s *tally) add(t *tally) {
	s.loss += t.loss
	s.smoothing += t.smoothing
	for k := range s.gain {
		s.gain[k] += t.gain[k]
		s.squares[k] += t.squares[k]
		s.bias[k] += t.bias[k]
	}
	s.curvature += t.curvature
	s.changed += t.changed
	s.zone += t.zone
}

const blockRows = 256

// visit stores the changed rows, and the rows of the zone, in n.buffers from index first on.
func (n *Method) visit(first, end int) (s tally) {
	var losses, dual, second [blockRows]float64
	for from := first; from < end; from += blockRows {
		m := n.m[from:min(from+blockRows, end)]
		n.p.Loss.Losses(losses[:], m)
		n.p.Loss.Derivatives(dual[:], second[:], m, 1/n.h)
		n.visitBlock(&s, first, from, losses[:len(m)], dual[:], second[:])
	}
	return s
}

// visitBlock adds the sums over rows from to from+len(losses)-1 to s. chunk is the first row of
// their chunk.
func (n *Method) visitBlock(s *tally, chunk, from int, losses, dual, second []float64) {
	p, b := n.p, n.buffers
	kinked := p.Loss.Kind.Traits().Kinks
	for k, loss := range losses {
		j, curvature := from+k, second[k]
		m, a, c := n.m[j], float32(dual[k]), n.p.weightOf(j)
		linear := p.Loss.DualLinear(float64(a))
		s.loss += float64(c * loss)
		if curvature > 0 {
			curvature = float64(c * curvature)
			b.curvature[j] = float32(curvature)
			s.curvature += curvature
			b.zone[chunk+s.zone] = int32(j)
			s.zone++
		}
		if a != n.a[j] {
			b.was[j] = n.a[j]
			n.a[j] = a
			b.changed[chunk+s.changed] = int32(j)
			s.changed++
		}
		if a == 0 {
			if kinked {
				s.smoothing += float64(c * loss)
			}
			continue
		}
		if kinked {
			s.smoothing += float64(c * (loss - linear + float64(float64(a)*m)))
		}
		side := float64(n.p.Side[j])
		k := 0
		if float64(float64(a)*side) < 0 {
			k = 1
		}
		ca := float64(c * float64(a))
		s.gain[k] += float64(c*linear) + float64(ca*n.p.targetOf(j))
		s.squares[k] += float64(ca * float64(a))
		s.bias[k] += float64(ca * side)
	}
}
