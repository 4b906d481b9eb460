package cpu

import "golang.org/x/sys/unix"

// ProcessSeconds returns the CPU seconds of all threads of this process so far.
func ProcessSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // the arguments are valid
	}
	return float64(t.Sec) + 1e-9*float64(t.Nsec)
}
