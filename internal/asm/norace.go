//go:build !race

package asm

const race = false

func raceReads(...[]float32)               {}
func raceWrites([]float32)                 {}
func raceReadsInts([]int32)                {}
func raceReadsBytes([]byte)                {}
func raceReadsAt([]float32, []int32, int)  {}
func raceWritesAt([]float32, []int32, int) {}
