package atomicfile

import (
	"errors"
	"os"
	"sync"
)

// The files that have been created and are neither committed nor discarded. Under the lock a file
// is created and noted, and is renamed or removed, never both.
var (
	lock    sync.Mutex
	pending = map[*File]bool{}
	ended   bool // nothing is created or renamed any more
)

var errEnded = errors.New("the program ends")

// DiscardAll discards all files that are not yet committed, whoever writes them, and has every
// further one fail: it is for a program that is about to end.
func DiscardAll() {
	lock.Lock()
	defer lock.Unlock()
	ended = true
	for f := range pending {
		f.remove()
	}
}

// create makes the new file, and notes that it is pending, in one step: a program that ends in
// between would leave it.
func (f *File) create() (err error) {
	lock.Lock()
	defer lock.Unlock()
	if f.f, err = createBeside(f.target, 0o600); err == nil {
		pending[f] = true
	}
	return err
}

// rename puts the new file into the old one's place.
func (f *File) rename() error {
	lock.Lock()
	defer lock.Unlock()
	if f.settled {
		return errEnded
	}
	if err := os.Rename(f.f.Name(), f.target); err != nil {
		f.remove()
		return err
	}
	f.settle()
	return nil
}

// remove removes the new file unless it has been renamed.
func (f *File) remove() {
	if f.settled {
		return
	}
	f.settle()
	f.f.Close() // a second time does no harm, and Windows wants it closed
	if f.target != "" {
		os.Remove(f.f.Name())
	}
}

func (f *File) settle() {
	f.settled = true
	delete(pending, f)
}
