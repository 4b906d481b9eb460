//go:build !(amd64 || arm64) || !gc || purego || noasm

package bandwidth

const available = false

const reason = "bandwidth: not available on this machine or in this build"

func read(x *float32, n int)      { panic(reason) }
func read2(x, y *float32, n int)  { panic(reason) }
func update(x *float32, n int)    { panic(reason) }
func copyTo(x, y *float32, n int) { panic(reason) }
func axpy(x, y *float32, n int)   { panic(reason) }
