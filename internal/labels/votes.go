package labels

import "math"

// Votes counts the votes of pairs of classes, (0,1), (0,2) ... (1,2) ...: a score above 0 is one
// for the second class of its pair, any other is one for the first. The sums are those of each
// class's scores, taken so that what speaks for the class is positive. Votes and sums, one for each
// class, are zeroed first.
func Votes(scores, votes, sums []float64) {
	clear(votes)
	clear(sums)
	k := 0
	for a := range votes {
		for b := a + 1; b < len(votes); b++ {
			z := scores[k]
			if z > 0 {
				votes[b]++
			} else {
				votes[a]++
			}
			sums[a] -= z
			sums[b] += z
			k++
		}
	}
}

// ClassScores writes a score for each of the classes to dst, given the scores of one problem of
// two classes, of each of the pairs, or of each class. It returns dst, or, if that is too short, a
// new slice.
func ClassScores(scores, dst []float64, classes int, pairs bool) []float64 {
	if len(dst) < classes {
		dst = make([]float64, classes)
	}
	dst = dst[:classes]
	switch {
	case len(dst) == 2 && len(scores) == 1:
		dst[0], dst[1] = -scores[0], scores[0]
	case !pairs:
		copy(dst, scores)
	default:
		var space [32]float64
		votes := space[:]
		if len(dst) > len(space) {
			votes = make([]float64, len(dst))
		}
		votes = votes[:len(dst)]
		Votes(scores, votes, dst)
		for c, s := range dst {
			dst[c] = votes[c] + s/float64(3*(math.Abs(s)+1))
		}
	}
	return dst
}

// Highest returns the position of the highest score, the first among ties.
func Highest(scores []float64) int {
	best := 0
	for k, s := range scores {
		if s > scores[best] {
			best = k
		}
	}
	return best
}
