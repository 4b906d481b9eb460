package store

// Nonzeros reads rows by their nonzeros, whichever way they are held. It is for one goroutine.
type Nonzeros interface {
	// Nonzeros returns the columns, which ascend, and the values of row i's nonzeros, among which
	// there may be zeros. The slices must not be changed, and are valid until the next call.
	Nonzeros(i int) (index []int32, values []float32)
}

// NonzerosOf returns a reader of x. Rows that are held with all of their columns, or that can only
// be added, such as copies that were scaled, are added to zeros.
func NonzerosOf(x Examples) Nonzeros {
	switch x := x.(type) {
	case *csr:
		return csrNonzeros{x}
	case *same:
		return &sameNonzeros{x: x}
	}
	if p := pickedOf(x); p != nil {
		return pickedNonzeros{NonzerosOf(p.rows), p.at}
	}
	return &addedNonzeros{foreign{Examples: x}}
}

type csrNonzeros struct{ x *csr }

func (r csrNonzeros) Nonzeros(i int) (index []int32, values []float32) { return r.x.Row(i) }

type sameNonzeros struct {
	x      *same
	index  []int32
	values []float32 // all the last row's
}

func (r *sameNonzeros) Nonzeros(i int) (index []int32, values []float32) {
	value, columns := r.x.place(i)
	if r.index = r.index[:0]; len(r.values) > 0 && r.values[0] != value {
		r.values = r.values[:0]
	}
	for _, j := range columns {
		r.index = append(r.index, int32(j))
	}
	for len(r.values) < len(columns) {
		r.values = append(r.values, value)
	}
	return r.index, r.values[:len(columns)]
}

type addedNonzeros struct{ foreign }

func (r *addedNonzeros) Nonzeros(i int) (index []int32, values []float32) {
	r.read(i)
	return r.index, r.values
}
