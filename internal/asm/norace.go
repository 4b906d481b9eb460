//go:build !race

package asm

const race = false

func raceReads[T any](...[]T)                             {}
func raceWrites[T any]([]T)                               {}
func raceReadsAt[T any, I int32 | uint16]([]T, []I, int)  {}
func raceWritesAt[T any, I int32 | uint16]([]T, []I, int) {}
