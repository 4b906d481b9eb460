package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A pinning keeps this thread, and with it the processes that it starts, on one core.
type pinning struct {
	where    string
	all, one unix.CPUSet
}

// pin chooses the last core that the thread may use, as the first has most of the interrupts.
func pin() *pinning {
	p := &pinning{where: "not pinned"}
	if err := unix.SchedGetaffinity(0, &p.all); err != nil {
		return p
	}
	core, left := 0, p.all.Count()
	for ; left > 0; core++ {
		if p.all.IsSet(core) {
			left--
		}
	}
	p.one.Set(core - 1)
	if p.hold() == nil {
		p.where = fmt.Sprintf("pinned to core %d", core-1)
	}
	return p
}

func (p *pinning) hold() error    { return unix.SchedSetaffinity(0, &p.one) }
func (p *pinning) release() error { return unix.SchedSetaffinity(0, &p.all) }

// processSeconds returns the CPU time of all threads of this process.
func processSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // there is nothing that could be wrong
	}
	return float64(t.Sec) + 1e-9*float64(t.Nsec)
}

// allSeconds returns the CPU time of this process and of those that it has started and that have ended.
func allSeconds() (sum float64) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			panic(err) // there is nothing that could be wrong
		}
		sum += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	return sum
}
