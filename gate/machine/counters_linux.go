package machine

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Counters are the thread's count of cycles and of instructions, in user mode.
type Counters struct {
	cycles, instructions int // file descriptors
}

// OpenCounters opens the counters of the calling thread, which must be locked. Many virtual
// machines have none.
func OpenCounters() (*Counters, error) {
	open := func(config uint64) (int, error) {
		attr := unix.PerfEventAttr{
			Type:   unix.PERF_TYPE_HARDWARE,
			Size:   unix.PERF_ATTR_SIZE_VER0,
			Config: config,
			Bits:   unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		}
		fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return 0, fmt.Errorf("perf_event_open: %w", err)
		}
		return fd, nil
	}
	cycles, err := open(unix.PERF_COUNT_HW_CPU_CYCLES)
	if err != nil {
		return nil, err
	}
	instructions, err := open(unix.PERF_COUNT_HW_INSTRUCTIONS)
	if err != nil {
		unix.Close(cycles)
		return nil, err
	}
	return &Counters{cycles, instructions}, nil
}

// Read returns what was counted since the counters were opened.
func (c *Counters) Read() (cycles, instructions uint64, err error) {
	read := func(fd int) (n uint64) {
		var b [8]byte
		if err == nil {
			_, err = unix.Read(fd, b[:])
		}
		return binary.NativeEndian.Uint64(b[:])
	}
	return read(c.cycles), read(c.instructions), err
}
