package store

// Nonzeros reads the nonzeros of rows in any format, for one goroutine at a time.
type Nonzeros struct {
	x      Rows
	index  []int32
	values []float32
}

func NonzerosOf(x Rows) *Nonzeros { return &Nonzeros{x: x.Clone()} }

// Row returns the ascending columns and the values of row i's nonzeros and, if the row is sparse,
// stored zeros. The slices are read-only, and valid until the next call.
func (r *Nonzeros) Row(i int) (index []int32, values []float32) {
	if index, values = r.x.Row(i); index != nil {
		return index, values
	}
	r.index, r.values = r.index[:0], r.values[:0]
	for from, rest := 0, bits(values); len(rest) > 0; {
		n := min(len(rest), 8)
		if n == 8 {
			v := (*[8]uint32)(rest)
			if v[0]|v[1]|v[2]|v[3]|v[4]|v[5]|v[6]|v[7] == 0 {
				from, rest = from+8, rest[8:]
				continue
			}
		}
		for j, v := range values[from : from+n] {
			if v != 0 {
				r.index, r.values = append(r.index, int32(from+j)), append(r.values, v)
			}
		}
		from, rest = from+n, rest[n:]
	}
	return r.index, r.values
}
