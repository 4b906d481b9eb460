package asmtest

import "unsafe"

type Memory interface {
	Floats(n int) []float32
	Ints(n int) []int32
	Bytes(n int) []byte
	Shorts(n int) []uint16
	Doubles(n int) []float64
}

type Heap struct{}

func (Heap) Floats(n int) []float32  { return make([]float32, n) }
func (Heap) Ints(n int) []int32      { return make([]int32, n) }
func (Heap) Bytes(n int) []byte      { return make([]byte, n) }
func (Heap) Shorts(n int) []uint16   { return make([]uint16, n) }
func (Heap) Doubles(n int) []float64 { return make([]float64, n) }

const sentinel = -12345.5

const margin = 16 // least number of sentinels on each side of an operand of floats

// Shifted allocates operands that differ in alignment. Operand k of floats starts (Offset + 2k) mod
// 16 floats after a multiple of 64 bytes, between sentinels.
type Shifted struct {
	Offset int
	all    [][]float32
}

func (m *Shifted) Floats(n int) []float32 {
	offset := (m.Offset + len(m.all)) % 16
	all := make([]float32, n+2*margin+32)
	skip := int(-uintptr(unsafe.Pointer(&all[0]))%64)/4 + margin + offset
	for i := range all {
		all[i] = sentinel
	}
	v := all[skip : skip+n : skip+n]
	clear(v)
	m.all = append(m.all, all[:skip:skip], all[skip+n:])
	return v
}

func (m *Shifted) Ints(n int) []int32 {
	return make([]int32, n+m.Offset%4)[m.Offset%4:]
}

// Bytes returns n bytes, followed by nonzero bytes that a sum must not include.
func (m *Shifted) Bytes(n int) []byte {
	all := make([]byte, m.Offset+n+margin)
	for i := range all[m.Offset+n:] {
		all[m.Offset+n+i] = 0xa7
	}
	return all[m.Offset:][:n:n]
}

func (m *Shifted) Shorts(n int) []uint16 {
	return make([]uint16, n+m.Offset%4)[m.Offset%4:]
}

func (m *Shifted) Doubles(n int) []float64 {
	return make([]float64, n+m.Offset%8)[m.Offset%8:]
}

// Intact reports whether all sentinels are unchanged.
func (m *Shifted) Intact() bool {
	for _, v := range m.all {
		for _, f := range v {
			if f != sentinel {
				return false
			}
		}
	}
	return true
}
