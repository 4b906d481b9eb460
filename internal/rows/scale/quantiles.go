package scale

import "math/rand/v2"

const maxRanked = 1 << 16

// Quantiles returns the quantiles of the positive numbers at the given shares, from 0 to 1. If more
// than maxRanked numbers are positive, it uses an evenly spaced sample of them. Each quantile is 1
// if no number is positive.
func Quantiles[T float32 | float64](numbers []T, shares ...float64) (quantiles []float64) {
	var some []T
	for _, v := range numbers {
		if v > 0 {
			some = append(some, v)
		}
	}
	if step := sampleStep(len(some)); step > 1 {
		n := 0
		for k := 0; k < len(some); k += step {
			some[n] = some[k]
			n++
		}
		some = some[:n]
	}
	for _, share := range shares {
		q := 1.0
		if n := len(some); n > 0 {
			q = float64(selectRank(some, min(n-1, int(share*float64(n)))))
		}
		quantiles = append(quantiles, q)
	}
	return quantiles
}

// sampleStep returns the step of an evenly spaced sample of at most maxRanked of n elements.
func sampleStep(n int) int { return max(1, (n+maxRanked-1)/maxRanked) }

// selectRank returns the element that would be at v[k] if v were sorted. It reorders v. The
// algorithm is Hoare's FIND (Communications of the ACM 4, 1961).
func selectRank[T float32 | float64](v []T, k int) T {
	// Random pivots, so that no common order of the input is slow.
	g := rand.New(rand.NewPCG(0, uint64(len(v))))
	for len(v) > 1 {
		pivot := v[g.IntN(len(v))]
		i, j := 0, len(v)-1
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for pivot < v[j] {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			v = v[:j+1]
		case k >= i:
			v, k = v[i:], k-i
		default:
			return v[k]
		}
	}
	return v[k]
}
