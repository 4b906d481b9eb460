//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime returns what the process has used of all processors, which other processes don't add to.
func cpuTime() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
