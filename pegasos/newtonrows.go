package pegasos

import "github.com/pegasimd/pegasimd/internal/store"

// newtonRows are a problem's rows as Newton's method visits them, in the order that they have in
// the data.
type newtonRows struct {
	rows []uint32   // their places in the problem's layout
	x    store.Rows // where they are read, in the order of memory if that can be
	at   []uint32   // their places in x
	side []int8     // y_i, or 1 where labels are numbers
	// Each row's weight is 1, and its target 0.
	plain bool
}

// newtonPerRow is how many bytes Newton's method keeps of a row: margin, dual variable and the best
// one, places, side, and whether it is in a kept sum.
const newtonPerRow = 26

// newtonRows returns the rows of the problem. Copies of the data's rows are in another order: where
// they are of most rows, those of the data are read instead. The results are the same bits.
func (p *problem) newtonRows(pool *newtonPool) (r newtonRows) {
	r.rows = p.rank()
	r.x, r.at = p.x, r.rows
	if p.names != nil && 2*len(r.rows) > pool.x.Rows() {
		r.x, r.at = pool.x.ForWorker(), make([]uint32, len(r.rows))
		for j, i := range r.rows {
			r.at[j] = uint32(p.name(i))
		}
	}
	r.side = make([]int8, len(r.rows))
	for j, i := range r.rows {
		side, _ := p.label(i)
		r.side[j] = int8(side)
	}
	r.plain = p.weight == nil && p.target == nil && p.prior == nil
	return r
}

// share returns the weight of row j.
func (n *newton) share(j int) float64 {
	if n.plain {
		return 1
	}
	return n.p.share(int(n.rows[j]))
}

// targetOf returns what the margin of row j is less.
func (n *newton) targetOf(j int) float64 {
	if n.plain {
		return 0
	}
	return n.p.wideTarget(int(n.rows[j]))
}
