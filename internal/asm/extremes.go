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
	if len(x) <= Block {
		return minGeneric(x)
	}
	_, least := leastBlock(x)
	return least
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

// Max returns the greatest number in x as Min returns the least, or -Inf if x has no number.
func Max(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return maxActive(x)
}

func maxSlow(x []float32) float32 {
	if len(x) <= Block {
		return maxGeneric(x)
	}
	_, greatest := greatestBlock(x)
	return greatest
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

// ArgMin returns the index of the first element that equals Min(x), or -1 if there is none.
func ArgMin(x []float32) int {
	first, least := leastBlock(x)
	return findFrom(x, first, least)
}

// leastBlock returns Min(x), and the start of the first block that contains Min(x), or 0 if Min(x)
// is +Inf.
func leastBlock(x []float32) (first int, least float32) {
	least = float32(math.Inf(1))
	for start := 0; start < len(x); start += Block {
		if v := Min(x[start:min(start+Block, len(x))]); v < least {
			first, least = start, v
		}
	}
	return first, least
}

func ArgMax(x []float32) int {
	first, greatest := greatestBlock(x)
	return findFrom(x, first, greatest)
}

func greatestBlock(x []float32) (first int, greatest float32) {
	greatest = float32(math.Inf(-1))
	for start := 0; start < len(x); start += Block {
		if v := Max(x[start:min(start+Block, len(x))]); v > greatest {
			first, greatest = start, v
		}
	}
	return first, greatest
}

func findFrom(x []float32, start int, v float32) int {
	i := Find(x[start:], v)
	if i < 0 {
		return -1
	}
	return start + i
}

// Find returns the least i for which x[i] == v, or -1 if there is none.
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

// findSlow returns the number of leading elements that Find need not compare with v.
func findSlow(x []float32, v float32) int { return 0 }
