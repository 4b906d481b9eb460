//go:build !race

package asm

const race = false

func raceReads(...[]float32)                             {}
func raceWrites([]float32)                               {}
func raceReadsInts([]int32)                              {}
func raceReadsBytes([]byte)                              {}
func raceReadsShorts([]uint16)                           {}
func raceReadsAt[I int32 | uint16]([]float32, []I, int)  {}
func raceWritesAt[I int32 | uint16]([]float32, []I, int) {}
