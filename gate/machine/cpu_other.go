//go:build !linux && !darwin

package machine

func cpuName() string { return fromCPUID() }

func cacheSizes() (l1, l2, l3 int) { return 0, 0, 0 }
