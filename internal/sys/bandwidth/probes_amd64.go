//go:build gc && !purego && !noasm

package bandwidth

import "golang.org/x/sys/cpu"

var available = cpu.X86.HasAVX

var wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL

func read(x *float32, n int) {
	if wide {
		read512(x, n)
	} else {
		read256(x, n)
	}
}

func read2(x, y *float32, n int) {
	if wide {
		read2of512(x, y, n)
	} else {
		read2of256(x, y, n)
	}
}

//go:noescape
func read256(x *float32, n int)

//go:noescape
func read512(x *float32, n int)

//go:noescape
func read2of256(x, y *float32, n int)

//go:noescape
func read2of512(x, y *float32, n int)
