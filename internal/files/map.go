// Package files opens files: mapped into memory, and decompressed.
package files

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
)

// A Mapped file is in memory. What is read there is read from the disk when it is first used, and
// may be dropped again.
//
// The pages are the file's own: they change when the file does, and if it is cut short, reading
// beyond its new end kills the process. Files have to be left alone, or replaced by renaming, as
// long as they are mapped.
type Mapped struct {
	mu   sync.Mutex
	data []byte
}

// Map maps the first size bytes of f, which may be closed then. Where the system has no such thing
// the error is errors.ErrUnsupported.
func Map(f *os.File, size int64) (*Mapped, error) {
	if size == 0 {
		return &Mapped{}, nil // systems refuse to map nothing
	}
	if size < 0 || size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes can't be mapped into memory here", size)
	}
	data, err := open(f, int(size))
	if err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, errors.ErrUnsupported
		}
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return &Mapped{data: data}, nil
}

// Bytes returns the file's bytes. They begin at a page, must not be written to, and are gone after
// Close: touching them kills the process then.
func (f *Mapped) Bytes() []byte { return f.data }

// WillNeed asks for the bytes from from to to-1 to be read from the disk, for they will soon be
// used, and does not wait for that. Where the system does not know such a request, nothing happens.
func (f *Mapped) WillNeed(from, to int64) {
	page := int64(os.Getpagesize())
	from = max(from, 0) / page * page
	if to = min(to, int64(len(f.data))); from < to {
		willNeed(f.data[from:to:to])
	}
}

// Close takes the file out of memory. It may be called more than once.
func (f *Mapped) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	data := f.data
	f.data = nil
	if data == nil {
		return nil
	}
	return unmap(data)
}
