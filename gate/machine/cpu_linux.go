package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
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
		runtime.GOARCH, field["CPU implementer"], field["CPU part"],
		strings.TrimPrefix(field["CPU variant"], "0x"), field["CPU revision"])
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
