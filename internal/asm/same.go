package asm

import "unsafe"

// DotSame returns the result of DotSparse for a row whose values all equal a. The caller checks
// that the indices are strictly ascending (so there are at most Block of them) and less than
// len(w).
func DotSame(a float32, idx []uint16, w []float32) float32 {
	if race {
		raceReads(idx)
		raceReadsAt(w, idx, 1)
	}
	return dotSameActive(a, idx, w)
}

// dotSameGeneric is not inlined, so that DotSame stays small in builds without assembly.
//
//go:noinline
func dotSameGeneric(a float32, idx []uint16, w []float32) float32 {
	var lane [sparseLanes]float32
	for k, j := range idx {
		lane[k%sparseLanes] += float32(a * w[j])
	}
	return fold(lane[:])
}

// AxpySame adds a to w at each index. The indices must satisfy the rules of DotSame.
func AxpySame(a float32, idx []uint16, w []float32) {
	if race {
		raceReads(idx)
		raceWritesAt(w, idx, 1)
	}
	axpySameActive(a, idx, w)
}

//go:noinline
func axpySameGeneric(a float32, idx []uint16, w []float32) {
	for _, j := range idx {
		w[j] += a
	}
}

// Step is one step of StepsSame: a row whose values are all equal, and its update.
type Step struct {
	Start, Count uint32  // position of the row's first index in indices; number of indices
	Value        float32 // value of the row's nonzeros, times the row's label
	Update       float32 // number added to w at the row's indices if Margin < Least
	Least        float32 // least margin that needs no update
	Margin       float32 // margin before the update; set by StepsSame
}

// StepsSame performs steps of the hinge loss on rows whose values are all equal, one after the
// other:
//
//	for i := range steps {
//		s := &steps[i]
//		row := indices[s.Start:][:s.Count]
//		s.Margin = DotSame(s.Value, row, w)
//		if s.Margin is infinite or NaN {
//			break
//		}
//		update := 0
//		if s.Margin < s.Least {
//			update = s.Update
//		}
//		AxpySame(update, row, w)
//	}
//
// Adding 0 for a row without update avoids a branch. Each row's indices must satisfy the rules of
// DotSame.
func StepsSame(steps []Step, indices []uint16, w []float32) {
	if len(steps) == 0 {
		return
	}
	if race {
		raceWrites(unsafe.Slice(&steps[0].Value, 6*len(steps)-2))
		for i := range steps {
			row := indices[steps[i].Start:][:steps[i].Count]
			raceReads(row)
			raceWritesAt(w, row, 1)
		}
	}
	stepsSameActive(&steps[0].Start, len(steps), indices, w)
}

// The first parameter of stepsSameGeneric points to the first field of the first Step, because the
// generator of the assembly does not know the type Step.
func stepsSameGeneric(first *uint32, count int, indices []uint16, w []float32) {
	steps := unsafe.Slice((*Step)(unsafe.Pointer(first)), count)
	for i := range steps {
		s := &steps[i]
		row := indices[s.Start:][:s.Count]
		s.Margin = dotSameGeneric(s.Value, row, w)
		if s.Margin-s.Margin != 0 {
			break
		}
		update := float32(0)
		if s.Margin < s.Least {
			update = s.Update
		}
		axpySameGeneric(update, row, w)
	}
}
