//go:build !race

package asm

const race = false

func raceReads[T any](...[]T)                             {}
func raceWrites[T any]([]T)                               {}
func raceReadsAt[T any, I int32 | uint16]([]T, []I, int)  {}
func raceWritesAt[T any, I int32 | uint16]([]T, []I, int) {}
func raceReadRows[T any]([]T, int, []uint32, int, int)    {}
func raceWriteRows[T any]([]T, int, int, int)             {}
