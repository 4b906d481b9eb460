package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// View is the rows that a learner visits: rows of a set, or copies of rows in another order. A row
// has an index i in X. Its index in the set is SetRow(i).
type View struct {
	X       Rows
	Class   []int32   // of each row of X; nil for regression
	Target  []float32 // of each row of X; nil for classes
	Norms   []float32 // squared norm of each row of X
	Weight  []float64 // of each row of X, with a mean of 1 over the view; nil if all are 1
	Only    []uint32  // indices in X, in the view's order; nil for all of X
	SetRows []uint32  // index in the set of each row of X; nil if equal to the index in X

	Scattered bool // visits are in random order, and the rows exceed the caches

	Threads int // goroutines for sums over the rows; 0 for one
}

func (v View) Clone() View {
	v.X = v.X.Clone()
	return v
}

// PrefetchDistance returns how many steps before its visit to prefetch a row; 0 for never.
func (v *View) PrefetchDistance() int {
	if !v.Scattered {
		return 0
	}
	return v.X.PrefetchDistance()
}

func (v *View) Count() int {
	if v.Only != nil {
		return len(v.Only)
	}
	return v.X.Rows()
}

// Row returns the index in X of row j of the view.
func (v *View) Row(j int) int {
	if v.Only != nil {
		return int(v.Only[j])
	}
	return j
}

// All yields j and Row(j) for each row of the view.
func (v *View) All() iter.Seq2[int, int] {
	return func(yield func(j, i int) bool) {
		for j := range v.Count() {
			if !yield(j, v.Row(j)) {
				return
			}
		}
	}
}

func (v *View) SetRow(i uint32) int {
	if v.SetRows != nil {
		return int(v.SetRows[i])
	}
	return int(i)
}

// RowWeight returns the weight of row i of X.
func (v *View) RowWeight(i int) float64 { return floats.At(v.Weight, i, 1) }

// BySetRow returns the indices in X of the view's rows, ordered by their indices in the set.
func (v *View) BySetRow() []uint32 {
	ranked, end := make([]uint32, v.Count()), 0
	for j, i := range v.All() {
		ranked[j] = uint32(i)
		end = max(end, v.SetRow(uint32(i))+1)
	}
	if end > sparseSetRows*len(ranked) { // the table below would be mostly empty
		slices.SortFunc(ranked, func(a, b uint32) int { return cmp.Compare(v.SetRow(a), v.SetRow(b)) })
		return ranked
	}
	at := make([]uint32, end) // 1 + index in X of each row of the set; 0 if v lacks the row
	for _, i := range ranked {
		at[v.SetRow(i)] = i + 1
	}
	n := 0
	for _, next := range at {
		if next > 0 {
			ranked[n] = next - 1
			n++
		}
	}
	return ranked
}

const sparseSetRows = 8

// InOrder calls f with the values of the view's rows, in the view's order, and stores f's changes
// in a. a holds equally many consecutive values for each row of X.
func (v *View) InOrder(a []float32, f func([]float32)) {
	if v.Only == nil {
		f(a)
		return
	}
	k := len(a) / v.X.Rows()
	b := make([]float32, 0, k*len(v.Only))
	for _, i := range v.Only {
		b = append(b, a[int(i)*k:][:k]...)
	}
	f(b)
	for j, i := range v.Only {
		copy(a[int(i)*k:][:k], b[j*k:])
	}
}

func gather[T any](values []T, rows []uint32) []T {
	if values == nil {
		return nil
	}
	to := make([]T, len(rows))
	for k, i := range rows {
		to[k] = values[i]
	}
	return to
}

// Compose returns the elements of at with the given indices; indices itself if at is nil.
func Compose(at, indices []uint32) []uint32 {
	if at == nil {
		return indices
	}
	return gather(at, indices)
}

// ReadAhead tells the operating system which mapped rows will be visited next.
func (v *View) ReadAhead(rows []uint32) {
	willNeed := v.X.WillNeed()
	if willNeed == nil {
		return
	}
	for len(rows) > 0 {
		k := 1
		for k < len(rows) && rows[k] == rows[k-1]+1 {
			k++
		}
		willNeed(int(rows[0]), int(rows[0])+k)
		rows = rows[k:]
	}
}

// EndReadAhead tells the operating system that mapped rows will be read in order again.
func (v *View) EndReadAhead() {
	if willNeed := v.X.WillNeed(); willNeed != nil {
		willNeed(0, 0)
	}
}
