// Package hugepage asks the system for huge pages. The first use of each page of an array causes a
// page fault, and random access needs the translation of the page's address: with pages of 2 MB
// there are fewer of both than with pages of 4 KB. The contents of the array do not change.
package hugepage

import "unsafe"

// least is the size in bytes of the smallest array for which huge pages are worth a system call.
const least = 4 << 20

// Advise asks the system to back a large array by huge pages when it is first used, and returns it.
// It does nothing if the array is small, or if the system has no such request.
func Advise[T int32 | float32](s []T) []T {
	if size := cap(s) * int(unsafe.Sizeof(T(0))); size >= least {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}
