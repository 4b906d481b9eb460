//go:build !linux

package machine

import "runtime"

// A Pinning does nothing: pinning is implemented for Linux only.
type Pinning struct{}

// Pin locks the calling goroutine to its thread.
func Pin() *Pinning {
	runtime.LockOSThread()
	return &Pinning{}
}

// String reports that the thread is not pinned.
func (*Pinning) String() string { return "not pinned: processes are pinned on Linux only" }

// Release does nothing.
func (*Pinning) Release() error { return nil }
