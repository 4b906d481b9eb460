//go:build !linux

package cpu

import "time"

var began = time.Now()

// ProcessSeconds returns wall-clock time, because CPU time is read on Linux only.
func ProcessSeconds() float64 { return time.Since(began).Seconds() }
