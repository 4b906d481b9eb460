// Package cpu provides the sizes of this machine's caches and the CPU time of this process.
package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Caches are the sizes of the data caches, in bytes.
type Caches struct {
	L1, L2, L3 int
	Known      bool // false if no sizes were found, so that typical sizes are assumed
}

// Sizes returns the sizes of the data caches. A missing level has the size of the next lower one.
func Sizes() Caches {
	known := cpuid.CPU.Cache
	c := Caches{L1: known.L1D, L2: known.L2, L3: known.L3, Known: true}
	if c.L1 <= 0 {
		c.L1, c.L2, c.L3 = linuxSizes()
	}
	if c.L1 <= 0 {
		return Caches{L1: 32 << 10, L2: 1 << 20, L3: 16 << 20}
	}
	c.L2 = max(c.L2, c.L1)
	c.L3 = max(c.L3, c.L2)
	return c
}

func linuxSizes() (l1, l2, l3 int) {
	bytes := map[string]int{}
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, dir := range dirs {
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			return strings.TrimSpace(string(text))
		}
		kib, err := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		if err == nil && read("type") != "Instruction" {
			bytes[read("level")] = kib << 10
		}
	}
	return bytes["1"], bytes["2"], bytes["3"]
}

// Level returns the name of the first cache of which bytes fill at most three quarters, or DRAM.
func (c Caches) Level(bytes int) string {
	switch {
	case bytes <= c.L1*3/4:
		return "L1"
	case bytes <= c.L2*3/4:
		return "L2"
	case bytes <= c.L3*3/4:
		return "L3"
	}
	return "DRAM"
}

func (c Caches) String() string {
	s := fmt.Sprintf("L1 %d KiB", c.L1>>10)
	if c.L2 > c.L1 {
		s += fmt.Sprintf(", L2 %d KiB", c.L2>>10)
	}
	if c.L3 > c.L2 {
		s += fmt.Sprintf(", L3 %d KiB", c.L3>>10)
	}
	if !c.Known {
		s += " (assumed: no sizes were found)"
	}
	return s
}
