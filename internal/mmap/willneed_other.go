//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris)

package mmap

func willNeed([]byte) {}
