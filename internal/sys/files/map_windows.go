package files

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func mapFile(f *os.File, size int) ([]byte, error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY,
		0, 0, nil)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(mapping) // the view keeps the mapping open
	address, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, err
	}
	// The address is outside Go memory. Vet rejects converting it to a pointer, but not reading it
	// as one.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

func unmap(data []byte) error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
}
