package rounds

// The derivative of a loss with a kink is smoothed over a zone of margins near the kink. A round
// computes sums for several nested zones. A ring is the rows in one zone but not in the next
// narrower one. Each ring has its own Hessian.

// visitNewton adds the current row's terms to the sums that segments describes. If the row is in a
// ring, visitNewton also adds it to the ring's Hessian, or to ringRows if Hessians are dense.
func (w *worker) visitNewton(t *task) {
	r, rings := w.r, w.r.rings()
	dualTerms, inRings, us := t.block[1:], t.block[1+rings:], t.block[1+2*rings:]
	y, m := w.label(t.vector), w.margin(t.vector, t.W)
	t.block[0] += float64(w.weight * r.loss.At(m))
	innermost, curvature, widest := -1, 0.0, 0.0
	for g, width := 0, t.Width; g < rings; g, width = g+1, width/widthRatio {
		a, f := r.loss.DerivativesAt(m, 1/width)
		dualTerms[g] += float64(w.weight * r.loss.DualTerm(a))
		if f > 0 {
			innermost, curvature = g, f
		}
		// The vectors of narrower widths are differences from the widest one's.
		d := a - widest
		if g == 0 {
			widest = a
		}
		if d != 0 {
			w.addRow(float64(float64(w.weight*y)*d), us[g*r.vars:])
		}
	}
	if innermost < 0 {
		return
	}
	inRings[innermost]++
	if rings > 1 {
		curvature = 1 // findDirection multiplies the Hessian by 1/width, the second derivative
	}
	if c := float64(w.weight * curvature); r.sparseHessian {
		w.addProducts(t.sum[t.blockSums+innermost*r.triangle():], float64(c*r.hessianQuantum.inverse))
	} else {
		z := &t.ringRows[innermost]
		z.rows, z.coefs = append(z.rows, w.row), append(z.coefs, float32(c))
	}
}

// scaledRow returns the current row and the bias feature, times Rounds.scale. The slices are valid
// until the next call.
func (w *worker) scaledRow() (columns []int32, values []float64) {
	r := w.r
	columns, values = append(w.columns[:0], w.index...), w.scaled[:0]
	for t, j := range w.index {
		values = append(values, float64(w.values[t]*r.scale[j]))
	}
	if r.biasScale > 0 {
		columns = append(columns, int32(r.cols))
		values = append(values, float64(r.biasScale*r.scale[r.cols]))
	}
	w.columns, w.scaled = columns, values
	return columns, values
}

// addProducts adds c times the products of all pairs of scaledRow's values, each truncated to an
// integer, to the upper triangle.
func (w *worker) addProducts(triangle []int64, c float64) {
	columns, x := w.scaledRow()
	for s, j := range columns {
		b, row := float64(c*x[s]), triangle[w.r.rowStart(int(j)):]
		for t := s; t < len(columns); t++ {
			row[columns[t]] += int64(float64(b * x[t]))
		}
	}
}

func (w *worker) addHessians(triangles []int64, rings []ringRows) {
	vars, q := w.r.vars, w.r.hessianQuantum
	for g := range rings {
		in := &rings[g]
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
			row := triangles[g*w.r.triangle()+w.r.rowStart(i):]
			for j := i; j < vars; j++ {
				row[j] += int64(float64(w.upper[j] * q.inverse))
			}
		}
		in.rows, in.coefs = in.rows[:0], in.coefs[:0]
	}
}

func (w *worker) visitLine(t *task) {
	m, q, inverse := w.margin(t.vector, t.W), w.margin(t.vector, t.Direction), 1/t.Width
	cq := float64(w.weight * q)
	for l, s := range stepLengths {
		a, _ := w.r.loss.DerivativesAt(m+float64(s*q), inverse)
		t.block[l] -= float64(cq * a)
	}
}
