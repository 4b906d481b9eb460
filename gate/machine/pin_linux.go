package machine

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// A Pinning is the result of Pin.
type Pinning struct {
	said string
	all  unix.CPUSet
}

// Pin locks the calling goroutine to its thread. If possible, it pins the thread, and processes
// that the thread starts, to the last core that they may use: the first often handles most
// interrupts.
func Pin() *Pinning {
	runtime.LockOSThread()
	p := &Pinning{}
	err := unix.SchedGetaffinity(0, &p.all)
	core, left := 0, p.all.Count()
	for ; left > 0; core++ {
		if p.all.IsSet(core) {
			left--
		}
	}
	if err == nil {
		var one unix.CPUSet
		one.Set(core - 1)
		err = unix.SchedSetaffinity(0, &one)
	}
	p.said = fmt.Sprintf("pinned to CPU %d", core-1)
	if err != nil {
		p.said = "not pinned: " + err.Error()
	}
	return p
}

// String returns the core, or the error.
func (p *Pinning) String() string { return p.said }

// Release lets the calling thread use the cores that it could use before Pin.
func (p *Pinning) Release() error { return unix.SchedSetaffinity(0, &p.all) }
