package labels

import "math"

// Votes counts the votes of pairs of classes, whose scores are in the order (0,1), (0,2), ...,
// (1,2), .... A score above 0 is a vote for the second class of its pair, any other score a vote
// for the first. For each class Votes stores its number of votes in votes, and in sums the sum of
// its pairs' scores, each negated if the class is first in the pair.
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

// ClassScores computes one score for each class, from one of these:
//
//   - the score z of a single binary problem: -z and z
//   - one score for each class, if pairs is false: the same scores
//   - one score for each pair of classes, if pairs is true: the votes of a class plus
//     s/(3(|s|+1)), where s is its sum by Votes
//
// It stores the scores in dst, or in a new slice if dst is too short, and returns that slice.
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

// Highest returns the index of the first of the highest scores.
func Highest(scores []float64) int {
	best := 0
	for k, s := range scores {
		if s > scores[best] {
			best = k
		}
	}
	return best
}
