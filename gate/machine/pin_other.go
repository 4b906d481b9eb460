//go:build !linux

package machine

import (
	"runtime"
	"time"
)

// A Pinning does nothing: only Linux lets a thread choose its core.
type Pinning struct{}

// Pin locks the calling goroutine to its thread.
func Pin() *Pinning {
	runtime.LockOSThread()
	return &Pinning{}
}

// String says what Pin did.
func (*Pinning) String() string { return "not pinned: only Linux can" }

// Release does nothing.
func (*Pinning) Release() error { return nil }

var began = time.Now()

// ProcessSeconds returns the wall clock's time: CPU time is read on Linux only.
func ProcessSeconds() float64 { return time.Since(began).Seconds() }
