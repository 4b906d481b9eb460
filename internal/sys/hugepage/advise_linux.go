package hugepage

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Errors are ignored: the request is a hint.
func advise(data []byte) {
	page := os.Getpagesize()
	start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) % uintptr(page))
	length := (len(data) - start) / page * page
	_ = unix.Madvise(data[start:start+length], unix.MADV_HUGEPAGE)
}
