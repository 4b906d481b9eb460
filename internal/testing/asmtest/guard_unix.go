//go:build unix

package asmtest

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Guarded reports whether accesses beyond a Guard's operands fault on this system.
const Guarded = true

// Guard allocates operands between pages that can't be accessed. Free releases them.
type Guard struct {
	AtStart bool // operands begin after a protected page, not end before it
	pages   [][]byte
}

func (g *Guard) bytes(n int) unsafe.Pointer {
	page := unix.Getpagesize()
	size := (n + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	g.pages = append(g.pages, all)
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			panic(err)
		}
	}
	start := page
	if !g.AtStart {
		start = page + size - n
	}
	return unsafe.Pointer(&all[start])
}

func (g *Guard) Floats(n int) []float32  { return unsafe.Slice((*float32)(g.bytes(4*n)), n) }
func (g *Guard) Ints(n int) []int32      { return unsafe.Slice((*int32)(g.bytes(4*n)), n) }
func (g *Guard) Bytes(n int) []byte      { return unsafe.Slice((*byte)(g.bytes(n)), n) }
func (g *Guard) Shorts(n int) []uint16   { return unsafe.Slice((*uint16)(g.bytes(2*n)), n) }
func (g *Guard) Doubles(n int) []float64 { return unsafe.Slice((*float64)(g.bytes(8*n)), n) }

func (g *Guard) Free() {
	for _, p := range g.pages {
		if err := unix.Munmap(p); err != nil {
			panic(err)
		}
	}
	g.pages = nil
}
