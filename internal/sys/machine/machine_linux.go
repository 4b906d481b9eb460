package machine

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

func memory(of string) int64 { return memoryOf("/", of) }

// memoryOf returns the least of the bytes in a line of root/proc/meminfo and the limits of the
// process's control groups, or 0 if none is known.
func memoryOf(root, line string) int64 {
	var least int64
	limit := func(bytes int64) {
		if bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	info, _ := os.ReadFile(root + "proc/meminfo")
	if _, after, ok := strings.Cut(string(info), line); ok {
		var kB int64
		fmt.Sscan(after, &kB)
		limit(kB << 10)
	}
	groups, _ := os.ReadFile(root + "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		mount, file := root+"sys/fs/cgroup", "memory.max"
		switch fields[1] {
		case "":
			if _, err := os.Stat(mount + "/unified"); err == nil {
				mount += "/unified"
			}
		case "memory":
			mount, file = mount+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// In a container the path may be the host's. Then the group is at the mount itself.
		for group := path.Join("/", fields[2]); ; group = path.Dir(group) {
			text, _ := os.ReadFile(mount + group + "/" + file)
			bytes, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // 0 for "max"
			limit(bytes)
			if group == "/" {
				break
			}
		}
	}
	return least
}
