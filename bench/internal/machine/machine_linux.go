package machine

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cpuName is cpuid's name, or what the kernel says of an Arm core.
func cpuName() string {
	if name := fromCPUID(); name != "" {
		return name
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	field := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && field[strings.TrimSpace(key)] == "" {
			field[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if field["model name"] != "" {
		return field["model name"]
	}
	if field["CPU part"] == "" {
		return ""
	}
	return fmt.Sprintf("%s implementer %s, part %s, revision r%sp%s",
		runtime.GOARCH, field["CPU implementer"], field["CPU part"], strings.TrimPrefix(field["CPU variant"], "0x"), field["CPU revision"])
}

func cacheSizes() (l1, l2, l3 int) {
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, dir := range dirs {
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			return strings.TrimSpace(string(text))
		}
		kib, err := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		if err != nil || read("type") == "Instruction" {
			continue
		}
		switch read("level") {
		case "1":
			l1 = kib << 10
		case "2":
			l2 = kib << 10
		case "3":
			l3 = kib << 10
		}
	}
	return l1, l2, l3
}

// Pin keeps the calling goroutine, its thread and processes that are started from it on the last core that may be used:
// the first one has most of the interrupts. It says what it did.
func Pin() string {
	runtime.LockOSThread()
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

// Counters are the thread's count of cycles and of instructions, in user mode.
type Counters struct {
	cycles, instructions int // file descriptors
}

// OpenCounters opens the counters of the calling thread, which must be locked. Many virtual machines have none.
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
