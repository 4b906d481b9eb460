package store

// Nonzeros reads the nonzeros of rows in any format. It may be used by one goroutine at a time.
type Nonzeros interface {
	// Nonzeros returns the columns, in ascending order, and the values of the nonzeros of row i.
	// Zeros may be among the values. The slices must not be changed, and are valid until the next
	// call.
	Nonzeros(i int) (index []int32, values []float32)
}

// NonzerosOf returns a Nonzeros of x. For csr, constantCSR and subsets of them, it reads the rows
// directly. It adds a row of any other format to a vector of zeros, and reads the nonzeros from
// that vector.
func NonzerosOf(x Examples) Nonzeros {
	switch x := x.(type) {
	case *csr:
		return csrNonzeros{x}
	case *constantCSR:
		return &constantNonzeros{x: x}
	}
	if p := subsetOf(x); p != nil {
		return subsetNonzeros{NonzerosOf(p.rows), p.at}
	}
	return &addedNonzeros{userRows{Examples: x}}
}

type csrNonzeros struct{ x *csr }

func (r csrNonzeros) Nonzeros(i int) (index []int32, values []float32) { return r.x.Row(i) }

type constantNonzeros struct {
	x      *constantCSR
	index  []int32
	values []float32 // the value of the last row, repeated
}

func (r *constantNonzeros) Nonzeros(i int) (index []int32, values []float32) {
	value, columns := r.x.entries(i)
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

type addedNonzeros struct{ userRows }

func (r *addedNonzeros) Nonzeros(i int) (index []int32, values []float32) {
	r.read(i)
	return r.index, r.values
}
