//go:build (amd64 || arm64) && gc && !purego && !noasm

package bandwidth

//go:noescape
func update(x *float32, n int)

//go:noescape
func copyTo(x, y *float32, n int)

//go:noescape
func axpy(x, y *float32, n int)
