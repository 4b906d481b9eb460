//go:build !linux

package machine

import "errors"

// Counters are there on Linux only.
type Counters struct{}

// OpenCounters returns an error.
func OpenCounters() (*Counters, error) {
	return nil, errors.New("only Linux has them for any user")
}

// Read returns an error.
func (*Counters) Read() (cycles, instructions uint64, err error) {
	return 0, 0, errors.ErrUnsupported
}
