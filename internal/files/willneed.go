//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package files

import "golang.org/x/sys/unix"

// willNeed asks for whole pages: Map's memory begins at one. That it was refused is of no
// consequence.
func willNeed(data []byte) { _ = unix.Madvise(data, unix.MADV_WILLNEED) }

// adviseOrder tells whether pages are read in random order.
func adviseOrder(data []byte, random bool) {
	advice := unix.MADV_NORMAL
	if random {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(data, advice)
}
