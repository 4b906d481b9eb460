package asm

import "github.com/pegasimd/pegasimd/internal/base/floats"

// Sigmoid sets dst[i] to floats.Sigmoid(x[i]). dst may be x.
func Sigmoid(dst, x []float64) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	sigmoidActive(dst, x, &floats.LogisticTable[0])
}

func sigmoidGeneric(dst, x []float64, _ *float64) {
	for i, v := range x {
		dst[i] = floats.Sigmoid(v)
	}
}

// Log1pExp sets dst[i] to floats.Log1pExp(x[i]). dst may be x.
func Log1pExp(dst, x []float64) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	log1pexpActive(dst, x, &floats.LogisticTable[0])
}

func log1pexpGeneric(dst, x []float64, _ *float64) {
	for i, v := range x {
		dst[i] = floats.Log1pExp(v)
	}
}
