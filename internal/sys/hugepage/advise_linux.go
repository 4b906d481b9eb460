package hugepage

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise requests huge pages for the whole pages of data. It ignores errors: the request is a hint.
func advise(data []byte) {
	page := os.Getpagesize()
	start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data))) % uintptr(page))
	length := (len(data) - start) / page * page
	_ = unix.Madvise(data[start:start+length], unix.MADV_HUGEPAGE)
}
