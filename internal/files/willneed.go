//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package files

import "golang.org/x/sys/unix"

// willNeed asks for whole pages: Map's memory begins at one. That it was refused is of no
// consequence.
func willNeed(data []byte) { _ = unix.Madvise(data, unix.MADV_WILLNEED) }
