// Package files opens files: mapped into memory, and decompressed.
package files

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/pegasimd/pegasimd/internal/machine"
)

// A Mapped file is in memory. Its pages are read from the disk when they are first used, and may
// be dropped again.
//
// The pages are the file's own: they change when the file does, and if it is cut short, reading
// beyond its new end kills the process. Files have to be left alone, or replaced by renaming, as
// long as they are mapped.
type Mapped struct {
	mu   sync.Mutex
	data []byte

	// WillNeed uses these fields: see there.
	advise func(pages []byte)
	random bool  // the system was told to read no more than is asked for
	room   int64 // bytes of memory for files; 0 if that is not known
	size   int64
	asked  []bool // pages
	left   int64  // bytes to be asked for before asked is forgotten
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
	return &Mapped{data: data, advise: willNeed, room: machine.Available(), size: size}, nil
}

// Bytes returns the file's bytes. They begin at a page, must not be written to, and are gone after
// Close: touching them kills the process then.
func (f *Mapped) Bytes() []byte { return f.data }

// unknownRoom is the assumed memory for files where the true one is not known.
const unknownRoom = 1 << 30

// WillNeed asks for the bytes from from to to-1 to be read from the disk, for they will soon be
// used, and does not wait for that. Where the system does not know such a request, nothing happens.
//
// A file that fits in the memory is not asked for, since a request costs more than a row. A page
// of any other file is asked for once, and again only after requests for a quarter of the memory.
// After a request for less than 64 KiB the system reads no more than a page that is missing: what
// it reads around that, up to megabytes, would take the place of pages that are needed. A longer
// request, or one for nothing, ends that.
func (f *Mapped) WillNeed(from, to int64) {
	if f.Fits() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if random := from < to && to-from < 1<<16; random != f.random {
		f.random = random
		adviseOrder(f.data, random)
	}
	size := int64(len(f.data))
	if from, to = max(from, 0), min(to, size); from >= to {
		return
	}
	page := int64(os.Getpagesize())
	if f.asked == nil {
		f.asked = make([]bool, (size+page-1)/page)
	}
	for first, end := from/page, (to+page-1)/page; first < end; first++ {
		if f.asked[first] {
			continue
		}
		if f.left <= 0 {
			clear(f.asked)
			f.left = cmp.Or(f.room, unknownRoom) / 4
		}
		next := first
		for next < end && !f.asked[next] {
			f.asked[next] = true
			next++
		}
		f.advise(f.data[first*page : min(next*page, size)])
		f.left -= (next - first) * page
		first = next
	}
}

// Fits reports whether the file takes so little of the memory that it stays there once it was read.
func (f *Mapped) Fits() bool { return f.size <= f.room/2 }

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
