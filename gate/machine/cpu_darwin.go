package machine

import "golang.org/x/sys/unix"

func cpuName() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return fromCPUID()
	}
	return name
}

func cacheSizes() (l1, l2, l3 int) {
	// Apple's CPUs have two kinds of cores; level 0 are the fast ones, on which a benchmark runs.
	size := func(names ...string) int {
		for _, name := range names {
			if n, err := unix.SysctlUint64(name); err == nil && n > 0 {
				return int(n)
			}
		}
		return 0
	}
	l1 = size("hw.perflevel0.l1dcachesize", "hw.l1dcachesize")
	l2 = size("hw.perflevel0.l2cachesize", "hw.l2cachesize")
	return l1, l2, size("hw.l3cachesize")
}
