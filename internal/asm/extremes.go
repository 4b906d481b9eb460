package asm

import "math"

// Min returns the least number in x, ignoring NaN, or +Inf if x has no number. A zero of either
// sign is returned as +0.
func Min(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return minActive(x)
}

func minSlow(x []float32) float32 {
	if len(x) > Block {
		least := float32(math.Inf(1))
		for start := 0; start < len(x); start += Block {
			least = min(least, Min(x[start:min(start+Block, len(x))]))
		}
		return least
	}
	return minGeneric(x)
}

func minGeneric(x []float32) float32 {
	least := float32(math.Inf(1))
	for _, v := range x {
		if v < least {
			least = v
		}
	}
	if least == 0 {
		return 0
	}
	return least
}

// Max returns the greatest number in x, ignoring NaN, or -Inf if x has no number. A zero of either
// sign is returned as +0.
func Max(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return maxActive(x)
}

func maxSlow(x []float32) float32 {
	if len(x) > Block {
		greatest := float32(math.Inf(-1))
		for start := 0; start < len(x); start += Block {
			greatest = max(greatest, Max(x[start:min(start+Block, len(x))]))
		}
		return greatest
	}
	return maxGeneric(x)
}

func maxGeneric(x []float32) float32 {
	greatest := float32(math.Inf(-1))
	for _, v := range x {
		if v > greatest {
			greatest = v
		}
	}
	if greatest == 0 {
		return 0
	}
	return greatest
}

// ArgMin returns the index of the first element that equals Min(x), or -1 if there is none. Zeros
// of both signs are equal.
func ArgMin(x []float32) int {
	first, least := 0, float32(math.Inf(1))
	for start := 0; start < len(x); start += Block {
		if m := Min(x[start:min(start+Block, len(x))]); m < least {
			first, least = start, m
		}
	}
	return findFrom(x, first, least)
}

// ArgMax returns the index of the first element that equals Max(x), or -1 if there is none. Zeros
// of both signs are equal.
func ArgMax(x []float32) int {
	first, greatest := 0, float32(math.Inf(-1))
	for start := 0; start < len(x); start += Block {
		if m := Max(x[start:min(start+Block, len(x))]); m > greatest {
			first, greatest = start, m
		}
	}
	return findFrom(x, first, greatest)
}

// findFrom returns the index of the first element of x[start:] that equals v, counted from the
// start of x, or -1 if there is none.
func findFrom(x []float32, start int, v float32) int {
	i := Find(x[start:], v)
	if i < 0 {
		return -1
	}
	return start + i
}

// Find returns the least i for which x[i] == v, or -1 if there is none. A v that is NaN is never
// found.
func Find(x []float32, v float32) int {
	if race {
		raceReads(x)
	}
	for start := 0; start < len(x); start += Block {
		part := x[start:min(start+Block, len(x))]
		near := 0 // number of leading elements of part that are known to differ from v
		if n := len(part) &^ 15; n > 0 {
			near = findActive(part[:n], v)
		}
		for i, w := range part[near:] {
			if w == v {
				return start + near + i
			}
		}
	}
	return -1
}

// findSlow returns the number of leading elements that Find need not compare with v: always 0.
func findSlow(x []float32, v float32) int { return 0 }
