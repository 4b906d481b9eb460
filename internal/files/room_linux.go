package files

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// roomForFiles returns how many bytes of files the memory may hold: what the machine has available,
// and no more than the limits of the process's control groups; 0 if that is not known.
func roomForFiles() int64 {
	room := int64(math.MaxInt64)
	text, _ := os.ReadFile("/proc/meminfo")
	if _, after, ok := strings.Cut(string(text), "MemAvailable:"); ok {
		if fields := strings.Fields(after); len(fields) > 0 {
			if kB, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
				room = kB << 10
			}
		}
	}
	text, _ = os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		switch {
		case parts[1] == "":
			room = min(room, leastLimit("/sys/fs/cgroup", parts[2], "memory.max"))
		case parts[1] == "memory":
			room = min(room, leastLimit("/sys/fs/cgroup/memory", parts[2],
				"memory.limit_in_bytes"))
		}
	}
	if room == math.MaxInt64 {
		return 0
	}
	return room
}

// leastLimit returns the least of the limits in the files of that name of a group and those that it
// is part of.
func leastLimit(root, group, name string) int64 {
	least := int64(math.MaxInt64)
	for ; ; group = path.Dir(group) {
		text, _ := os.ReadFile(path.Join(root, group, name))
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			least = min(least, n)
		}
		if group == "/" || group == "." {
			return least
		}
	}
}
