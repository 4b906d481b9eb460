// Package atomicfile writes files in one piece: a file is the old one or the new one, never half of
// either.
package atomicfile

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// A File is a new file beside an old one, which it replaces when it is committed. Until then
// nobody else may read it. Its errors have the name of the old one.
type File struct {
	name    string // as it was asked for
	target  string // what name's links lead to; empty if it is written to as it is
	mode    fs.FileMode
	f       *os.File
	zip     *gzip.Writer // or nil
	failed  error        // the first error of writing
	settled bool         // committed or discarded
}

// Create makes a new file beside that of the given name, which need not exist. A symbolic link
// stays one: the file that it points to will be replaced. The mode stays too. A file that is not
// regular, such as a pipe, or is open already, such as /dev/stdout, is written to as it is. If the
// name ends in .gz the new file is compressed.
//
// A File has to be committed or discarded. A killed process leaves a file behind with the name of
// the old one, a dot, 8 hexadecimal digits and ".tmp".
func Create(name string) (*File, error) {
	f := &File{name: name}
	if err := f.open(); err != nil {
		return nil, f.named(err)
	}
	if strings.HasSuffix(name, ".gz") {
		f.zip = gzip.NewWriter(writerFunc(f.write))
	}
	return f, nil
}

// CompressLess has a compressed file, to which nothing was written yet, keep at least a bit of
// each byte: its content is at most 8 times as long. It reports whether the file is compressed.
func (f *File) CompressLess() (compressed bool) {
	if f.zip != nil {
		f.zip, _ = gzip.NewWriterLevel(writerFunc(f.write), gzip.HuffmanOnly) // a level there is
	}
	return f.zip != nil
}

func (f *File) open() (err error) {
	old, err := os.Stat(f.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	target, descriptor, err := Target(f.name)
	if err != nil {
		return err
	}
	if old != nil && (descriptor || !old.Mode().IsRegular()) {
		flags := os.O_WRONLY
		if old.Mode().IsRegular() {
			flags |= os.O_APPEND // to what is there, and what others write
		}
		f.f, err = os.OpenFile(f.name, flags, 0)
		return err
	}
	f.target = target
	if old != nil {
		f.mode = old.Mode().Perm()
	} else if f.mode, err = newMode(f.target); err != nil {
		return err
	}
	return f.create()
}

// named returns an error with the file's name in place of the temporary one.
func (f *File) named(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		op := p.Op
		if op == "open" {
			op = "create"
		}
		return &fs.PathError{Op: op, Path: f.name, Err: p.Err}
	}
	return err
}

// Err returns the first error that writing had, which Commit returns too: it tells a full disk
// from anything else that may end the writing.
func (f *File) Err() error { return f.failed }

// Write writes to the new file.
func (f *File) Write(p []byte) (int, error) {
	if f.zip != nil {
		return f.zip.Write(p)
	}
	return f.write(p)
}

func (f *File) write(p []byte) (int, error) { return f.keep(f.f.Write(p)) }

// WriteAt writes at a place of the new file, which can't be a compressed one.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	if f.zip != nil {
		return f.keep(0, errors.New("a compressed file can't be written at any place"))
	}
	return f.keep(f.f.WriteAt(p, at))
}

// keep keeps the first error.
func (f *File) keep(n int, err error) (int, error) {
	if err != nil {
		err = f.named(err)
		if f.failed == nil {
			f.failed = err
		}
	}
	return n, err
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

// Commit replaces the old file with the new one once all of the new one is on the disk, so that a
// reader finds the old content or the new, even after a crash. If that fails, or writing did, the
// old file stays as it was, and the new one is discarded.
func (f *File) Commit() error {
	if f.zip != nil {
		f.keep(0, f.zip.Close())
	}
	if f.target != "" && f.failed == nil {
		f.keep(0, f.publish())
		f.keep(0, f.f.Sync())
	}
	f.keep(0, f.f.Close())
	if f.failed != nil || f.target == "" {
		f.Discard()
		return f.failed
	}
	if err := f.rename(); err != nil {
		return f.named(err)
	}
	return f.named(syncDir(filepath.Dir(f.target)))
}

// publish gives the new file the mode that it is to have.
func (f *File) publish() error {
	if info, err := f.f.Stat(); err != nil || info.Mode().Perm() == f.mode {
		return err
	}
	return f.f.Chmod(f.mode)
}

// Discard leaves the old file as it is. After Commit it does nothing.
func (f *File) Discard() {
	lock.Lock()
	defer lock.Unlock()
	f.remove()
}

// WriteFile creates, writes and commits a file. The writer is the *File.
func WriteFile(name string, write func(io.Writer) error) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	defer f.Discard() // also if write panics
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Target follows the symbolic links at the end of name; the last need not exist. It reports whether
// one of them is what Linux has for an open file: a descriptor, such as that of /dev/stdout.
func Target(name string) (target string, descriptor bool, err error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, descriptor, nil // no link, or nothing there
		}
		dir := filepath.Dir(name)
		descriptor = descriptor || dir == "/dev/fd" ||
			strings.HasPrefix(dir, "/proc/") && filepath.Base(dir) == "fd"
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", false, fmt.Errorf("%s: too many symbolic links", name)
}

// newMode returns the mode that a new file of this name gets, which only the system knows: it
// makes one and removes it.
func newMode(name string) (fs.FileMode, error) {
	lock.Lock()
	defer lock.Unlock()
	f, err := createBeside(name, 0o666)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	f.Close()
	os.Remove(f.Name())
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// createBeside makes a new file in the same folder, unless the program ends. The lock is held.
func createBeside(name string, mode fs.FileMode) (*os.File, error) {
	if ended {
		return nil, errEnded
	}
	dir, base := filepath.Split(name)
	base = base[:min(len(base), 200)] // systems take names of 255 bytes
	for try := 0; ; try++ {
		temporary := fmt.Sprintf("%s%s.%08x.tmp", dir, base, rand.Uint32())
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if try == 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// syncDir makes the new name survive a crash. Where folders can't be opened or synced, the system
// has other ways.
func syncDir(dir string) error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil // no right to read it: the file is written, which is what was asked
	}
	err = d.Sync()
	d.Close()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
