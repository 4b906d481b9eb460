package hugepage

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

func TestAdvise(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("not tested: the kernel has no huge pages")
	}
	large := Advise(make([]float32, 3*least/4)[1:]) // starts within a page
	if !advised(t, uintptr(unsafe.Pointer(&large[len(large)/2]))) {
		t.Error("a large array does not get huge pages")
	}
	Advise([]int32(nil))
}

func advised(t *testing.T, at uintptr) bool {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip("not tested: ", err)
	}
	within := false
	for _, line := range strings.Split(string(maps), "\n") {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= at && at < to
		}
		if flags, found := strings.CutPrefix(line, "VmFlags:"); found && within {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	t.Fatalf("no mapping contains %x", at)
	return false
}
