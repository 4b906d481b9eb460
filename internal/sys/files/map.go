// Package files maps files into memory, creates temporary files, decompresses files as they are
// read, and reads ahead.
package files

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/pegasimd/pegasimd/internal/sys/machine"
)

// Mapped is a file mapped into memory. The file may be replaced by renaming another, but not
// changed: its pages would change, and reading beyond the end of a truncated file may kill the
// process.
type Mapped struct {
	mu   sync.Mutex
	data []byte

	// The state of WillNeed.
	advise func(pages []byte)
	random bool  // the system was told that pages are read in random order
	memory int64 // for cached files; 0 if unknown
	size   int64
	asked  []bool
	left   int64 // bytes that may be requested before asked is cleared
}

// Map maps the first size bytes of f, which may be closed afterwards. The error is
// errors.ErrUnsupported on systems that can't map files.
func Map(f *os.File, size int64) (*Mapped, error) {
	if size == 0 {
		return &Mapped{}, nil // systems reject empty mappings
	}
	if size < 0 || size > math.MaxInt {
		return nil, fmt.Errorf("cannot map %d bytes into memory: want 0 to %d", size, math.MaxInt)
	}
	data, err := mapFile(f, int(size))
	if err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			return nil, errors.ErrUnsupported
		}
		return nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return &Mapped{data: data, advise: willNeed, memory: machine.Available(), size: size}, nil
}

// Bytes returns the file's bytes. They start at a page boundary. Writing them, or accessing them
// after Close, may kill the process.
func (f *Mapped) Bytes() []byte { return f.data }

// defaultMemory, in bytes, is assumed if the machine's memory is unknown.
const defaultMemory = 1 << 30

// WillNeed asks the system to read bytes start to end-1 of the file from disk, and does not wait.
// On systems without such requests it does nothing.
//
// A file that Fits is not requested. Of other files, no page is requested again until the requests
// add up to a quarter of the memory; then all may be requested anew. A request for less than 64 KiB
// turns the system's readahead off, because readahead could evict needed pages. A longer or empty
// request turns it on.
func (f *Mapped) WillNeed(start, end int64) {
	if f.Fits() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if random := start < end && end-start < 1<<16; random != f.random {
		f.random = random
		adviseOrder(f.data, random)
	}
	size := int64(len(f.data))
	if start, end = max(start, 0), min(end, size); start >= end {
		return
	}
	page := int64(os.Getpagesize())
	if f.asked == nil {
		f.asked = make([]bool, (size+page-1)/page)
	}
	for first, after := start/page, (end+page-1)/page; first < after; first++ {
		if f.asked[first] {
			continue
		}
		if f.left <= 0 {
			clear(f.asked)
			f.left = cmp.Or(f.memory, defaultMemory) / 4
		}
		next := first
		for next < after && !f.asked[next] {
			f.asked[next] = true
			next++
		}
		f.advise(f.data[first*page : min(next*page, size)])
		f.left -= (next - first) * page
		first = next
	}
}

// Fits reports whether the file takes at most half of the memory for cached files.
func (f *Mapped) Fits() bool { return f.size <= f.memory/2 }

// Close unmaps the file. Further calls do nothing.
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
