package kernelsvm

// problem is one weight vector to train, w = sum of alpha*sign*phi(x)/scale over the rows x of its
// classes, where sign is the row's label, 1 or -1. Its rows are numbered from 0, first those of
// minus, then those of plus; if first is -1, they are all rows of the set, in the order of the set.
type problem struct {
	set           *trainingSet
	first, second int  // class indices of the labels -1 and +1; first is -1 in one-vs-rest
	minus, plus   span // store positions; minus is the whole store if first is -1
	tiles         []problemTile
	size          int     // number of rows in the store
	rows          int     // number of rows of the classes, visited by a short run or not
	lambda        float64 // weight of the penalty
	r2            float64 // mean of k(x,x) over the rows in the store
}

// problemTile is a tile of the store whose rows belong to the problem.
type problemTile struct {
	index int     // index of the tile in the store
	at    span    // the problem's numbers of its rows
	sign  float64 // label of its rows
}

// newProblem returns the problem that separates the classes first and second, or the class second
// from all others if first is -1.
func newProblem(set *trainingSet, first, second int) (*problem, error) {
	p := &problem{set: set, first: first, second: second, minus: span{0, len(set.rowOf)},
		plus: set.groups[second], rows: set.rows, lambda: set.lambda}
	if first >= 0 {
		p.minus, p.rows = set.groups[first], len(set.byClass[first])+len(set.byClass[second])
	}
	if first >= 0 && len(set.classes) > 2 && set.cfg.C != 0 {
		var err error
		if p.lambda, err = set.cfg.lambda(float64(p.rows)); err != nil {
			return nil, err
		}
	}
	for t, tile := range set.store.tiles {
		if at, sign := p.find(tile.start); at >= 0 {
			p.tiles = append(p.tiles, problemTile{t, span{at, at + tile.end - tile.start}, sign})
			for _, d := range set.diagonal[tile.start:tile.end] {
				p.r2 += float64(d)
			}
			p.size += tile.end - tile.start
		}
	}
	p.r2 /= float64(max(1, p.size))
	return p, nil
}

// row returns the store position of row i, and its label, 1 or -1.
func (p *problem) row(i int) (pos int, sign float64) {
	if pos = p.minus.start + i; pos >= p.minus.end {
		pos += p.plus.start - p.minus.end
	}
	if p.plus.has(pos) {
		return pos, 1
	}
	return pos, -1
}

// find is the inverse of row: it returns the problem's number of the row at store position pos and
// its label, or -1 and 0 if the row does not belong to the problem.
func (p *problem) find(pos int) (i int, sign float64) {
	switch {
	case p.plus.has(pos) && p.first < 0:
		return pos, 1
	case p.plus.has(pos):
		return pos - p.plus.start + p.minus.end - p.minus.start, 1
	case p.minus.has(pos):
		return pos - p.minus.start, -1
	}
	return -1, 0
}

// dualScale returns lambda*rows. Divided by it, dual variables in [0, 1] and their scores are
// coefficients and scores of w, up to sign.
func (p *problem) dualScale() float64 { return float64(p.lambda * float64(p.rows)) }
