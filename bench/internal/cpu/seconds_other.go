//go:build !linux

package cpu

import "time"

var began = time.Now()

// ProcessSeconds returns wall-clock seconds, because the CPU time is only read on Linux.
func ProcessSeconds() float64 { return time.Since(began).Seconds() }
