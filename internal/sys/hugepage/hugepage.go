// Package hugepage asks the system to back large arrays by huge pages, to save page faults and
// address translations.
package hugepage

import "unsafe"

// least is the least size, in bytes, that is worth a system call.
const least = 4 << 20

// Advise asks the system to back a large array by huge pages, and returns s. It does nothing for
// small arrays, or if the system has no such request.
func Advise[T int32 | float32](s []T) []T {
	if size := cap(s) * int(unsafe.Sizeof(T(0))); size >= least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}
