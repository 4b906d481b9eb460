//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris)

package files

func willNeed([]byte) {}

func adviseOrder([]byte, bool) {}
