//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package files

import "golang.org/x/sys/unix"

// data must start at a page boundary. Errors are ignored: the request is a hint.
func willNeed(data []byte) { _ = unix.Madvise(data, unix.MADV_WILLNEED) }

func adviseOrder(data []byte, random bool) {
	advice := unix.MADV_NORMAL
	if random {
		advice = unix.MADV_RANDOM
	}
	_ = unix.Madvise(data, advice)
}
