package store

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/murmur"
)

const (
	NeverDealt = -1 // place of the rows in a class's only group
	AbsentRow  = -2 // place of rows of weight 0
)

// Labeled describes the rows that Deal numbers.
type Labeled struct {
	Hashes  []uint64 // rows with equal hashes count as equal
	Class   []int32  // nil for regression
	Classes int      // 0 for regression
	// Counts reports whether row i has a weight above 0; nil if all have.
	Counts func(i int) bool
}

// Deal numbers each class's groups of equal rows from 0, in the order of the groups' hashes, mixed
// with seed. The numbers depend neither on the order of the rows nor on repeated rows with equal
// labels. The class of a group is the lowest class of its rows. A row of weight 0 is a group of its
// own. For each row, Deal returns the index of its group's first row, and its place: NeverDealt,
// AbsentRow, or the group's number plus its class, to give the classes' first groups different
// places.
func Deal(rows Labeled, seed uint64) (group, place []int32) {
	n := len(rows.Hashes)
	group, place = make([]int32, n), make([]int32, n)
	hashes := make([]uint64, n)
	order := make([]int32, 0, n) // sorted by hash and then by index
	for i, h := range rows.Hashes {
		hashes[i] = murmur.Mix64(h ^ seed)
		group[i] = int32(i)
		if place[i] = AbsentRow; rows.Counts == nil || rows.Counts(i) {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b))
	})
	class := func(i int32) int32 {
		if rows.Class == nil {
			return 0
		}
		return rows.Class[i]
	}
	groups := func(f func(class int32, rows []int32)) {
		for from := 0; from < len(order); {
			to, least := from, class(order[from])
			for ; to < len(order) && hashes[order[to]] == hashes[order[from]]; to++ {
				least = min(least, class(order[to]))
			}
			f(least, order[from:to])
			from = to
		}
	}
	ofClass := make([]int, max(1, rows.Classes))
	groups(func(class int32, _ []int32) { ofClass[class]++ })
	dealt := make([]int32, len(ofClass))
	groups(func(class int32, members []int32) {
		at := int32(NeverDealt)
		if ofClass[class] > 1 {
			at = dealt[class] + class
			dealt[class]++
		}
		for _, i := range members {
			group[i], place[i] = members[0], at
		}
	})
	return group, place
}

// Labeled describes the rows of s, whose hashes are given.
func (s *Set) Labeled(hashes []uint64) Labeled {
	return Labeled{Hashes: hashes, Class: s.Class, Classes: len(s.Classes), Counts: s.counts}
}

// HoldOut returns the indices of the rows to hold out of training, and of all other rows, both
// ascending. It holds out about share, above 0 and below 1, of the groups of [Deal]. A class with
// rows of a weight above 0 keeps one or more of them in training.
func HoldOut(rows Labeled, seed uint64, share float64) (held, rest []int) {
	group, place := Deal(rows, seed)
	out := func(at int32) bool {
		upTo := func(n int32) float64 { return math.Floor(float64(float64(n) * share)) }
		return at >= 0 && upTo(at+1) > upTo(at)
	}
	// A class that would lose all rows keeps the group of first.
	type state struct {
		trains bool
		first  int32 // row with the smallest place, then hash; -1 if no row counts
	}
	of := make([]state, max(1, rows.Classes))
	for k := range of {
		of[k].first = -1
	}
	for i, at := range place {
		if at == AbsentRow {
			continue
		}
		s := &of[0]
		if rows.Class != nil {
			s = &of[rows.Class[i]]
		}
		s.trains = s.trains || !out(at)
		if s.first < 0 || at < place[s.first] ||
			at == place[s.first] && rows.Hashes[i] < rows.Hashes[s.first] {
			s.first = int32(i)
		}
	}
	kept := map[int32]bool{}
	for _, s := range of {
		if !s.trains && s.first >= 0 {
			kept[group[s.first]] = true
		}
	}
	for i, at := range place {
		if out(at) && !kept[group[i]] {
			held = append(held, i)
		} else {
			rest = append(rest, i)
		}
	}
	return held, rest
}
