package asm

import "unsafe"

// DotSame is DotSparse of a row whose values are all a, to the bit:
//
//	for k, j := range idx {
//		lane[k%8] += float32(a * w[j])
//	}
//
// with the 8 lanes folded. The indices must be strictly ascending, so that there are at most Block
// of them, and less than len(w): the assembly trusts them.
func DotSame(a float32, idx []uint16, w []float32) float32 {
	if race {
		raceReads(idx)
		raceReadsAt(w, idx, 1)
	}
	return dotSameActive(a, idx, w)
}

func dotSameRare(a float32, idx []uint16, w []float32) float32 {
	return dotSameGeneric(a, idx, w)
}

// dotSameGeneric is not inlined, nor is axpySameGeneric: DotSame would keep registers for it, which
// short rows notice.
//
//go:noinline
func dotSameGeneric(a float32, idx []uint16, w []float32) float32 {
	var lane [sparseLanes]float32
	for k, j := range idx {
		lane[k%sparseLanes] += float32(a * w[j])
	}
	return fold(lane[:])
}

// AxpySame is AxpySparse of a row whose products are all a, to the bit:
//
//	for _, j := range idx {
//		w[j] += a
//	}
//
// The indices must be strictly ascending, so that there are at most Block of them, and less than
// len(w): the assembly trusts them.
func AxpySame(a float32, idx []uint16, w []float32) {
	if race {
		raceReads(idx)
		raceWritesAt(w, idx, 1)
	}
	axpySameActive(a, idx, w)
}

func axpySameRare(a float32, idx []uint16, w []float32) {
	axpySameGeneric(a, idx, w)
}

//go:noinline
func axpySameGeneric(a float32, idx []uint16, w []float32) {
	for _, j := range idx {
		w[j] += a
	}
}

// A Step is one that StepsSame takes.
type Step struct {
	Start, Count uint32  // of the row's indices
	Value        float32 // of the row, times its label
	Update       float32 // what is added at the row's indices if Margin < Least
	Least        float32
	Margin       float32 // set by StepsSame
}

// StepsSame takes steps of the hinge loss with rows of one value, one after the other:
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
// A row without an update has 0 added, since it is known late, and hard to predict, which rows
// have one. The rows are as in AxpySame.
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

// stepsSameGeneric is given the first field of the first step, since the generator knows no Step.
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
