//go:build !linux

package machine

import "errors"

// Pin does nothing: only Linux lets a thread choose its core.
func Pin() string { return "not pinned: only Linux can" }

// Counters are there on Linux only.
type Counters struct{}

func OpenCounters() (*Counters, error) { return nil, errors.New("only Linux has them for any user") }

func (*Counters) Read() (cycles, instructions uint64, err error) { return 0, 0, errors.ErrUnsupported }
