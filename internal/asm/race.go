//go:build race

package asm

import (
	"runtime"
	"unsafe"
)

// race tells whether the race detector is on. It does not see what assembly reads and writes, so the kernels tell it.
const race = true

func raceReads(vectors ...[]float32) {
	for _, v := range vectors {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(v)), 4*len(v))
	}
}

func raceWrites(v []float32) {
	runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(v)), 4*len(v))
}

func raceReadsInts(v []int32) {
	runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(v)), 4*len(v))
}

func raceReadsBytes(v []byte) {
	runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(v)), len(v))
}

func raceReadsShorts(v []uint16) {
	runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(v)), 2*len(v))
}

// raceReadsAt tells of the k floats at each index.
func raceReadsAt[I int32 | uint16](w []float32, idx []I, k int) {
	for _, j := range idx {
		raceReads(w[int(j)*k:][:k])
	}
}

func raceWritesAt[I int32 | uint16](w []float32, idx []I, k int) {
	for _, j := range idx {
		raceWrites(w[int(j)*k:][:k])
	}
}
