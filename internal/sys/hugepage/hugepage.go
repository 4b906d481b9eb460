// Package hugepage asks the system to back large arrays by huge pages, to save page faults and
// address translations.
package hugepage

import "unsafe"

// least is the least size, in bytes, that is worth a system call.
const least = 4 << 20

// Advise requests huge pages for s if s is large and the system has such a request, and returns s.
func Advise[T int32 | float32](s []T) []T {
	if size := cap(s) * int(unsafe.Sizeof(T(0))); size >= least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}
