package asm

import "github.com/pegasimd/pegasimd/internal/base/floats"

// Sigmoid sets dst[i] to floats.Sigmoid(x[i]), to the bit. It panics if the lengths differ. dst and
// x may be the same slice.
func Sigmoid(dst, x []float64) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	sigmoidActive(dst, x, &floats.LogisticTable[0])
}

func sigmoidSlow(dst, x []float64, table *float64) {
	if len(dst) != len(x) {
		panic(mismatch("len(dst)", len(dst), "len(x)", len(x)))
	}
	if len(x) <= Block {
		sigmoidGeneric(dst, x, table)
		return
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sigmoidActive(dst[i:j], x[i:j], table)
	}
}

func sigmoidGeneric(dst, x []float64, _ *float64) {
	for i, v := range x {
		dst[i] = floats.Sigmoid(v)
	}
}

// Log1pExp sets dst[i] to floats.Log1pExp(x[i]), to the bit. It panics if the lengths differ. dst
// and x may be the same slice.
func Log1pExp(dst, x []float64) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	log1pexpActive(dst, x, &floats.LogisticTable[0])
}

func log1pexpSlow(dst, x []float64, table *float64) {
	if len(dst) != len(x) {
		panic(mismatch("len(dst)", len(dst), "len(x)", len(x)))
	}
	if len(x) <= Block {
		log1pexpGeneric(dst, x, table)
		return
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		log1pexpActive(dst[i:j], x[i:j], table)
	}
}

func log1pexpGeneric(dst, x []float64, _ *float64) {
	for i, v := range x {
		dst[i] = floats.Log1pExp(v)
	}
}
