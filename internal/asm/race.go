//go:build race

package asm

import (
	"runtime"
	"unsafe"
)

// The race detector does not see memory accesses of assembly, so the kernels report theirs.
const race = true

func raceReads[T any](vectors ...[]T) {
	for _, v := range vectors {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(v)),
			len(v)*int(unsafe.Sizeof(*new(T))))
	}
}

func raceWrites[T any](v []T) {
	runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(v)), len(v)*int(unsafe.Sizeof(*new(T))))
}

func raceReadsAt[T any, I int32 | uint16](w []T, idx []I, k int) {
	for _, j := range idx {
		raceReads(w[int(j)*k:][:k])
	}
}

func raceWritesAt[T any, I int32 | uint16](w []T, idx []I, k int) {
	for _, j := range idx {
		raceWrites(w[int(j)*k:][:k])
	}
}

func raceReadRows[T any](rows []T, stride int, idx []uint32, count, n int) {
	for i := range count {
		if idx != nil {
			i = int(idx[i])
		}
		raceReads(rows[i*stride:][:n])
	}
}

func raceWriteRows[T any](rows []T, stride, count, n int) {
	for i := range count {
		raceWrites(rows[i*stride:][:n])
	}
}
