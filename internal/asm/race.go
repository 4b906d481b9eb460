//go:build race

package asm

import (
	"runtime"
	"unsafe"
)

// race tells whether the race detector is on. It does not see what assembly reads and writes, so
// the kernels tell it.
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

// raceReadsAt tells of the k elements at each index.
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

// raceReadRows tells of n elements of each of count rows: consecutive ones, or those at idx.
func raceReadRows[T any](rows []T, stride int, idx []int32, count, n int) {
	for i := range count {
		if idx != nil {
			i = int(idx[i])
		}
		raceReads(rows[i*stride:][:n])
	}
}

// raceWriteRows tells of n elements of each of count consecutive rows.
func raceWriteRows[T any](rows []T, stride, count, n int) {
	for i := range count {
		raceWrites(rows[i*stride:][:n])
	}
}
