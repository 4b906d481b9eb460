package rounds

import (
	"github.com/pegasimd/pegasimd/internal/gram"
)

// This file has what Newton's method adds up over a shard's rows. A pass serves several widths of
// the zone at once: the Hessians' sums are rings, those of the rows that are in a zone and not in
// the next narrower one.

const (
	// roundRings is the number of widths, each of which is narrower by ringStep.
	roundRings = 3
	ringStep   = 2.5
	// firstWidth is that before the first round, with w = 0: twice the distance of all rows from
	// the kink would leave the zone empty.
	firstWidth = 3
)

// lineLengths are the lengths of a line at which its slope is found; 1 is Newton's own.
var lineLengths = []float64{
	1. / 256, 1. / 64, 1. / 16, 1. / 8, 3. / 16, 1. / 4, 5. / 16, 3. / 8, 7. / 16, 1. / 2, 9. / 16,
	5. / 8, 11. / 16, 3. / 4, 13. / 16, 7. / 8, 15. / 16, 1, 17. / 16, 9. / 8, 19. / 16, 5. / 4,
	21. / 16, 11. / 8, 3. / 2, 13. / 8, 7. / 4, 2, 9. / 4, 5. / 2, 3, 4, 6, 8, 16, 64,
}

// rings returns how many widths there are: one of losses without a kink.
func (r *Rounds) rings() int {
	if r.cost.Kind.Traits().Kinks {
		return roundRings
	}
	return 1
}

// ringWidths returns the widths.
func (r *Rounds) ringWidths(widest float64) (width [roundRings]float64) {
	for k := range width {
		width[k] = widest
		widest /= ringStep
	}
	return width
}

// newtonSums adds the loss, and of each width what the dual variables earn, how many rows are in
// the ring, the sum of the rows with the dual variables, and the Hessian.
func (w *worker) newtonSums(first, end int) {
	r, rings := w.r, w.r.rings()
	size := 1 + rings*(2+r.vars)
	w.zone.reset()
	for i := first; i < end; i++ {
		c := r.weights[w.p.class[i]]
		if c == 0 {
			continue
		}
		index, values := w.row(i)
		for k := range w.s.Problems {
			at := &w.s.Problems[k]
			if at.Done {
				continue
			}
			sums := w.sums[k*size:][:size]
			side := r.side(k, w.p.class[i])
			m := float64(side * w.score(index, values, at.W))
			sums[0] += float64(c * r.cost.At(m))
			innermost, bend, widest := -1, 0.0, 0.0
			for g, width := range r.ringWidths(at.Width) {
				if g == rings {
					break
				}
				a, f := r.cost.Bent(m, 1/width)
				sums[1+g] += float64(c * r.cost.Least(a))
				if f > 0 {
					innermost, bend = g, f
				}
				// Of the narrower widths the difference from the widest one.
				d := a - widest
				if g == 0 {
					widest = a
				}
				if d != 0 {
					u := sums[1+2*rings+g*r.vars:][:r.vars]
					w.add(float64(float64(c*side)*d), index, values, u)
				}
			}
			if innermost >= 0 {
				if rings > 1 {
					bend = 1 // the width is a factor of the whole ring
				}
				sums[1+rings+innermost]++
				w.zone.take(k*rings+innermost, i, float64(c*bend))
			}
		}
	}
	w.putNewton()
}

// putNewton adds the sums of a block to the total.
func (w *worker) putNewton() {
	r, rings := w.r, w.r.rings()
	size, to := 1+rings*(2+r.vars), 0
	for k := range w.s.Problems {
		at := &w.s.Problems[k]
		if at.Done {
			continue
		}
		sums := w.sums[k*size:][:size]
		loss, dual, gain := r.most(length(at.W))
		w.put(to, sums[0], r.quantum(loss))
		q := r.quantum(gain)
		for g := range rings {
			w.put(to+1+g, sums[1+g], q)
			w.put(to+1+rings+g, sums[1+rings+g], quantum{1, 1})
		}
		to += 1 + 2*rings
		q = r.quantum(dual)
		for j, v := range sums[1+2*rings:] {
			w.put(to+j, float64(v*r.scale[j%r.vars]), q)
		}
		to += rings * r.vars
		for g := range rings {
			triangle := r.vars * (r.vars + 1) / 2
			w.putZone(w.total[to:][:triangle], &w.zone.rows[k*rings+g])
			to += triangle
		}
	}
}

// hessianQuantum is that of the sums of the zone's rows, in scaled variables: no weight's mean is
// above 1, and no second derivative above 2, apart from 1/width.
func (r *Rounds) hessianQuantum() quantum { return r.quantum(2) }

// A zoneSum is the rows of a block that are in zones.
type zoneSum struct {
	rows   []zoneRows // of each problem and ring
	sum    *gram.Sum
	packed []float32
	coef   []float32
	upper  []float64

	columns []int // of a row with few nonzeros
	scaled  []float64
}

// zoneRows are rows and their coefficients.
type zoneRows struct {
	at   []int32
	coef []float64
}

// fit makes the buffers.
func (z *zoneSum) fit(r *Rounds, problems int) {
	z.rows = make([]zoneRows, problems*r.rings())
	if r.few {
		return
	}
	z.sum = gram.New(r.vars)
	z.packed, z.coef = make([]float32, Block*r.vars), make([]float32, Block)
	z.upper = make([]float64, r.vars)
}

func (z *zoneSum) reset() {
	for k := range z.rows {
		z.rows[k].at, z.rows[k].coef = z.rows[k].at[:0], z.rows[k].coef[:0]
	}
}

func (z *zoneSum) take(k, i int, c float64) {
	z.rows[k].at = append(z.rows[k].at, int32(i))
	z.rows[k].coef = append(z.rows[k].coef, c)
}

// putZone adds the products of the rows, in variables that are scaled such that none is above 1, to
// the upper triangle, one row of it behind the other. Where the rows have few nonzeros each product
// is rounded by itself: sums of a block would be zeros nearly all.
func (w *worker) putZone(to []int64, rows *zoneRows) {
	if len(rows.at) == 0 {
		return
	}
	r, z, q := w.r, &w.zone, w.r.hessianQuantum()
	if r.few {
		for n, i := range rows.at {
			w.putFew(to, int(i), float64(rows.coef[n]*q.per))
		}
		return
	}
	for n, i := range rows.at {
		index, values := w.row(int(i))
		row := z.packed[n*r.vars:][:r.vars]
		clear(row)
		for t, v := range values {
			j := t
			if index != nil {
				j = int(index[t])
			}
			row[j] = float32(v * r.scale[j])
		}
		if r.beta > 0 {
			row[r.cols] = float32(r.beta * r.scale[r.cols])
		}
		z.coef[n] = float32(rows.coef[n])
	}
	z.sum.Reset()
	z.sum.AddRows(z.packed, r.vars, z.coef[:len(rows.at)], 1)
	for i := range r.vars {
		z.sum.Upper(i, z.upper)
		row := to[:r.vars-i]
		for j, v := range z.upper[i:] {
			row[j] += int64(float64(v * q.per))
		}
		to = to[len(row):]
	}
}

// putFew adds the products of row i, times a.
func (w *worker) putFew(to []int64, i int, a float64) {
	r, z := w.r, &w.zone
	index, values := w.row(i)
	columns, x := z.columns[:0], z.scaled[:0]
	for t, v := range values {
		j := t
		if index != nil {
			j = int(index[t])
		}
		if v != 0 {
			columns, x = append(columns, j), append(x, float64(v*r.scale[j]))
		}
	}
	if r.beta > 0 {
		columns, x = append(columns, r.cols), append(x, float64(r.beta*r.scale[r.cols]))
	}
	for s, j := range columns {
		b := float64(a * x[s])
		row := to[j*r.vars-j*(j+1)/2:] // from column 0 on
		for t := s; t < len(columns); t++ {
			row[columns[t]] += int64(float64(b * x[t]))
		}
	}
	z.columns, z.scaled = columns, x
}

// lineSums adds the slopes along the direction.
func (w *worker) lineSums(first, end int) {
	r, lengths := w.r, len(lineLengths)
	for i := first; i < end; i++ {
		c := r.weights[w.p.class[i]]
		if c == 0 {
			continue
		}
		index, values := w.row(i)
		for k := range w.s.Problems {
			at := &w.s.Problems[k]
			if at.Done {
				continue
			}
			side, inverse := r.side(k, w.p.class[i]), 1/at.Width
			m := float64(side * w.score(index, values, at.W))
			q := float64(side * w.score(index, values, at.P))
			cq := float64(c * q)
			sums := w.sums[k*lengths:][:lengths]
			for l, s := range lineLengths {
				a, _ := r.cost.Bent(m+float64(s*q), inverse)
				sums[l] -= float64(cq * a)
			}
		}
	}
	to := 0
	for k := range w.s.Problems {
		if w.s.Problems[k].Done {
			continue
		}
		for l, v := range w.sums[k*lengths:][:lengths] {
			w.put(to+l, v, r.lineQuantum(&w.s.Problems[k], lineLengths[l]))
		}
		to += lengths
	}
}

// lineQuantum is that of the slopes at a length of a line.
func (r *Rounds) lineQuantum(at *Problem, s float64) quantum {
	p := length(at.P)
	_, dual, _ := r.most(length(at.W) + float64(s*p))
	return r.quantum(float64(float64(p*r.reach) * dual))
}
