package atomicfile

import (
	"errors"
	"os"
	"sync"
)

// pending holds the files that have been created, but neither committed nor discarded. All
// creations, renames and removals hold lock, so that a file is either renamed or removed.
var (
	lock    sync.Mutex
	pending = map[*File]bool{}
	ended   bool // whether DiscardAll was called, after which create and rename fail
)

var errEnded = errors.New("the program is ending")

// DiscardAll discards all uncommitted files of the process, and makes all later Create and Commit
// calls fail. It is for programs that are about to exit.
func DiscardAll() {
	lock.Lock()
	defer lock.Unlock()
	ended = true
	for f := range pending {
		f.remove()
	}
}

// create creates the temporary file and adds f to pending under one lock: otherwise DiscardAll
// could miss the file.
func (f *File) create() (err error) {
	lock.Lock()
	defer lock.Unlock()
	if f.f, err = createBeside(f.target, 0o600); err == nil {
		pending[f] = true
	}
	return err
}

// rename renames the temporary file to the target.
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

// remove closes and removes the temporary file, unless f is settled.
func (f *File) remove() {
	if f.settled {
		return
	}
	f.settle()
	f.f.Close() // harmless if already closed; Windows removes only closed files
	if f.target != "" {
		os.Remove(f.f.Name())
	}
}

func (f *File) settle() {
	f.settled = true
	delete(pending, f)
}
