package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// pin keeps this thread on the last core it may use, as the first has most of the interrupts.
func pin() string {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return "not pinned: " + err.Error()
	}
	core, left := 0, set.Count()
	for ; left > 0; core++ {
		if set.IsSet(core) {
			left--
		}
	}
	core--
	set.Zero()
	set.Set(core)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return "not pinned: " + err.Error()
	}
	return fmt.Sprintf("pinned to core %d", core)
}
