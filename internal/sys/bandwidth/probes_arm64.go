//go:build gc && !purego && !noasm

package bandwidth

const available = true

//go:noescape
func read(x *float32, n int)

//go:noescape
func read2(x, y *float32, n int)
