package files

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func open(f *os.File, size int) ([]byte, error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY,
		0, 0, nil)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(mapping) // the view keeps it
	address, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, err
	}
	// The address is not one of Go's memory: reading it as a pointer, in place of converting it, is
	// what vet accepts.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

func unmap(data []byte) error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
}
