package atomicfile

import (
	"errors"
	"os"
	"sync"
)

// The files that have been created and are neither committed nor discarded. Under the lock a file
// is renamed or removed, never both.
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

// register notes a file that has been created.
func register(f *File) error {
	lock.Lock()
	defer lock.Unlock()
	if ended {
		f.remove()
		return errEnded
	}
	pending[f] = true
	return nil
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
