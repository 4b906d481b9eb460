package rows

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/store"
)

// A View is the rows that learners visit: those of a set, or copies of some in another order.
type View struct {
	X      store.Rows
	Class  []int32   // of each row; nil for numbers to predict
	Target []float32 // of each row, in place of a class; nil for classes
	Norms  []float32 // squared, of each row
	Weight []float64 // of each row, with a mean of 1; nil if all are 1
	Only   []uint32  // the rows that there are, in the order in which they count; nil for all
	Names  []uint32  // of copies the numbers that the rows have in the set; else nil

	// Scattered says that the rows are visited in another order than that in memory, and exceed the
	// caches.
	Scattered bool

	Threads int // goroutines for sums over the rows; 0 for one
}

// ForWorker returns v for a learner, which may have a goroutine of its own.
func (v View) ForWorker() View {
	v.X = v.X.ForWorker()
	return v
}

// FetchAhead returns how many steps before its use a row is to be fetched; 0 for not at all.
func (v *View) FetchAhead() int {
	if !v.Scattered {
		return 0
	}
	return v.X.Ahead()
}

// Count returns the number of rows that there are.
func (v *View) Count() int {
	if v.Only != nil {
		return len(v.Only)
	}
	return v.X.Rows()
}

// Row returns the number of the j-th of them.
func (v *View) Row(j int) int {
	if v.Only != nil {
		return int(v.Only[j])
	}
	return j
}

// All yields j and the number of the j-th of them, for each.
func (v *View) All() iter.Seq2[int, int] {
	return func(yield func(j, i int) bool) {
		for j := range v.Count() {
			if !yield(j, v.Row(j)) {
				return
			}
		}
	}
}

// Name returns what row i is called in the set.
func (v *View) Name(i uint32) int {
	if v.Names != nil {
		return int(v.Names[i])
	}
	return int(i)
}

// Share returns the weight of row i.
func (v *View) Share(i int) float64 {
	if v.Weight == nil {
		return 1
	}
	return v.Weight[i]
}

// Ranked returns the rows in ascending order of their names.
func (v *View) Ranked() []uint32 {
	ranked := make([]uint32, 0, v.Count())
	for _, i := range v.All() {
		ranked = append(ranked, uint32(i))
	}
	slices.SortFunc(ranked, func(a, b uint32) int { return cmp.Compare(v.Name(a), v.Name(b)) })
	return ranked
}

// InOrder calls f with what a holds for each row, in the order in which rows count: whether they
// were copied must not matter. f may write to it.
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

// gather returns what from has for these rows; nil if it is nil.
func gather[T any](from []T, rows []uint32) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(rows))
	for k, i := range rows {
		to[k] = from[i]
	}
	return to
}

// ReadAhead asks for rows that come next, so that they are read while steps are taken with those
// before. It changes no result. Without it each page is waited for, alone: where the data exceed
// the memory that is 10 times slower and more.
func (v *View) ReadAhead(rows []uint32) {
	willNeed := v.X.WillNeed()
	if willNeed == nil {
		return
	}
	for len(rows) > 0 {
		k := 1 // rows side by side in the file
		for k < len(rows) && rows[k] == rows[k-1]+1 {
			k++
		}
		willNeed(int(rows[0]), int(rows[0])+k)
		rows = rows[k:]
	}
}

// EndReadAhead ends the requests for single rows of a mapped file: in a pass in order the system
// reads ahead by itself.
func (v *View) EndReadAhead() {
	if willNeed := v.X.WillNeed(); willNeed != nil {
		willNeed(0, 0)
	}
}

// DotSize returns the root of the mean, over the rows, of the squared error of a float32 dot
// product with a vector of length 1.
func (v *View) DotSize() float64 {
	sums := v.AddUp(func(x store.Rows, from, to int) (sums [4]float64) {
		for j := from; j < to; j++ {
			i := v.Row(j)
			e := x.DotError(i)
			sums[0] += float64(v.Share(i) * float64(float64(e*e)*float64(v.Norms[i])))
		}
		return sums
	})
	// The factor covers the roundings of the norms.
	return 1.001*math.Sqrt(sums[0]/float64(v.Count())) + 0x1p-100
}
