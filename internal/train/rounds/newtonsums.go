package rounds

// This file has what Newton's method adds up over a shard's rows. A pass serves several widths of
// the zone at once: the Hessians' sums are rings, those of the rows that are in a zone and not in
// the next narrower one.

const (
	// roundRings is the number of widths, each of which is narrower by ringStep.
	ringCount  = 3
	widthRatio = 2.5
	// firstWidth is that before the first round, with w = 0: twice the distance of all rows from
	// the kink would leave the zone empty.
	initialWidth = 3
)

// lineLengths are the lengths of a line at which its slope is found; 1 is Newton's own.
var stepLengths = []float64{
	1. / 256, 1. / 64, 1. / 16, 1. / 8, 3. / 16, 1. / 4, 5. / 16, 3. / 8, 7. / 16, 1. / 2, 9. / 16,
	5. / 8, 11. / 16, 3. / 4, 13. / 16, 7. / 8, 15. / 16, 1, 17. / 16, 9. / 8, 19. / 16, 5. / 4,
	21. / 16, 11. / 8, 3. / 2, 13. / 8, 7. / 4, 2, 9. / 4, 5. / 2, 3, 4, 6, 8, 16, 64,
}

// rings returns how many widths there are: one of losses without a kink.
func (r *Rounds) rings() int {
	if r.loss.Kind.Traits().Kinks {
		return ringCount
	}
	return 1
}

// triangle returns how many elements the upper triangle of a symmetric matrix has, one row of it
// behind the other, and rowOf at which of them column 0 of row i would be.
func (r *Rounds) triangle() int      { return r.vars * (r.vars + 1) / 2 }
func (r *Rounds) rowStart(i int) int { return i*r.vars - i*(i+1)/2 }

// visitNewton adds the loss, and of each width what the dual variables earn, how many rows are in
// the ring, the sum of the rows with the dual variables, and the Hessian.
func (w *worker) visitNewton(t *task) {
	r, rings := w.r, w.r.rings()
	gains, inside, us := t.block[1:], t.block[1+rings:], t.block[1+2*rings:]
	side, m := w.label(t.vector), w.margin(t.vector, t.W)
	t.block[0] += float64(w.weight * r.loss.At(m))
	innermost, bend, widest := -1, 0.0, 0.0
	for g, width := 0, t.Width; g < rings; g, width = g+1, width/widthRatio {
		a, f := r.loss.Bent(m, 1/width)
		gains[g] += float64(w.weight * r.loss.Least(a))
		if f > 0 {
			innermost, bend = g, f
		}
		// Of the narrower widths the difference from the widest one.
		d := a - widest
		if g == 0 {
			widest = a
		}
		if d != 0 {
			w.addRow(float64(float64(w.weight*side)*d), us[g*r.vars:])
		}
	}
	if innermost < 0 {
		return
	}
	inside[innermost]++
	if rings > 1 {
		bend = 1 // the width is a factor of the whole ring
	}
	if c := float64(w.weight * bend); r.sparseHessian {
		w.addProducts(t.sum[t.blockSums+innermost*r.triangle():], float64(c*r.hessianQuantum.inverse))
	} else {
		z := &t.ringRows[innermost]
		z.rows, z.coefs = append(z.rows, w.row), append(z.coefs, float32(c))
	}
}

// unit returns the row and the bias's feature in variables that are scaled such that none is above
// 1.
func (w *worker) scaledRow() (columns []int32, units []float64) {
	r := w.r
	columns, units = append(w.columns[:0], w.index...), w.scaled[:0]
	for t, j := range w.index {
		units = append(units, float64(w.values[t]*r.scale[j]))
	}
	if r.biasScale > 0 {
		columns = append(columns, int32(r.cols))
		units = append(units, float64(r.biasScale*r.scale[r.cols]))
	}
	w.columns, w.scaled = columns, units
	return columns, units
}

// putFew adds the products of the row, times a, to a triangle. Each is rounded by itself: of few
// nonzeros the sums of a block would be zeros nearly all.
func (w *worker) addProducts(to []int64, a float64) {
	columns, x := w.scaledRow()
	for s, j := range columns {
		b, row := float64(a*x[s]), to[w.r.rowStart(int(j)):]
		for t := s; t < len(columns); t++ {
			row[columns[t]] += int64(float64(b * x[t]))
		}
	}
}

// A zone is the rows of a block that are in a ring, and their coefficients.
type ringRows struct {
	rows  []int
	coefs []float32
}

// putZones adds the sums of the rows' products to a triangle for each ring, and empties the zones.
func (w *worker) addHessians(to []int64, of []ringRows) {
	vars, q := w.r.vars, w.r.hessianQuantum
	for g := range of {
		in := &of[g]
		if len(in.rows) == 0 {
			continue
		}
		for n, i := range in.rows {
			w.read(i)
			row := w.packed[n*vars:][:vars]
			clear(row)
			columns, x := w.scaledRow()
			for t, j := range columns {
				row[j] = float32(x[t])
			}
		}
		w.products.Reset()
		w.products.AddRows(w.packed, vars, in.coefs, 1)
		for i := range vars {
			w.products.Upper(i, w.upper)
			row := to[g*w.r.triangle()+w.r.rowStart(i):]
			for j := i; j < vars; j++ {
				row[j] += int64(float64(w.upper[j] * q.inverse))
			}
		}
		in.rows, in.coefs = in.rows[:0], in.coefs[:0]
	}
}

// visitLine adds the slopes along the direction.
func (w *worker) visitLine(t *task) {
	m, q, inverse := w.margin(t.vector, t.W), w.margin(t.vector, t.Direction), 1/t.Width
	cq := float64(w.weight * q)
	for l, s := range stepLengths {
		a, _ := w.r.loss.Bent(m+float64(s*q), inverse)
		t.block[l] -= float64(cq * a)
	}
}
