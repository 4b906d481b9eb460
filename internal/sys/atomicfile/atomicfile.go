// Package atomicfile writes files atomically: readers find the old or the new content of a file,
// also after a crash.
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
	"sync"
	"syscall"

	"github.com/pegasimd/pegasimd/internal/sys/files"
)

// File is a new file that replaces the file of the given name when committed. Until then it has a
// temporary name in the same directory, and only its owner may read it. An fs.PathError contains
// the given name.
type File struct {
	name    string
	target  string // file to replace, after symbolic links; empty if written in place
	mode    fs.FileMode
	f       *os.File
	zip     *gzip.Writer // nil unless the file is compressed
	failed  error        // first error
	settled bool         // committed or discarded
}

// Create creates a File that will replace the file with the given name, which need not exist, or
// the target of a symbolic link. An existing file's permissions are kept. If name ends in .gz, the
// content is compressed. A file that is not regular, such as a pipe, or that is an open descriptor,
// such as /dev/stdout, is written in place.
//
// A File must be committed or discarded. A killed process may leave a temporary file. Its name is
// that of the file to replace (at most 200 bytes), a dot, 8 hexadecimal digits and ".tmp".
func Create(name string) (*File, error) {
	f := &File{name: name}
	if err := f.open(); err != nil {
		return nil, f.named(err)
	}
	if files.Ending(name) == ".gz" {
		f.zip = gzip.NewWriter(writerFunc(f.write))
	}
	return f, nil
}

// CompressLess restricts the compression to Huffman coding, which needs at least a bit per byte, so
// that the content is at most 8 times as long as the file. Call it before writing. It reports
// whether the file is compressed.
func (f *File) CompressLess() (compressed bool) {
	if f.zip != nil {
		f.zip, _ = gzip.NewWriterLevel(writerFunc(f.write), gzip.HuffmanOnly)
	}
	return f.zip != nil
}

func (f *File) open() (err error) {
	if f.name == "" {
		return &fs.PathError{Op: "create", Path: "", Err: fs.ErrNotExist}
	}
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
			flags |= os.O_APPEND // keep the old content, and what other processes append
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

// named replaces the temporary name in an fs.PathError.
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

func (f *File) Err() error { return f.failed }

func (f *File) Write(p []byte) (int, error) {
	if f.zip != nil {
		return f.zip.Write(p)
	}
	return f.write(p)
}

func (f *File) write(p []byte) (int, error) { return f.keep(f.f.Write(p)) }

// WriteAt writes p at the given offset of the new file. It fails for compressed files.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	if f.zip != nil {
		return f.keep(0, errors.New("a compressed file cannot be written at an offset"))
	}
	return f.keep(f.f.WriteAt(p, at))
}

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

// Commit syncs the new file to disk and replaces the old one with it. If Commit or an earlier write
// fails before the replacement, the old file stays unchanged, and the new one is discarded. A file
// that is written in place is only completed and closed.
func (f *File) Commit() error {
	if f.zip != nil {
		f.keep(0, f.zip.Close())
	}
	if f.target != "" && f.failed == nil {
		f.keep(0, f.setMode())
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

func (f *File) setMode() error {
	if info, err := f.f.Stat(); err != nil || info.Mode().Perm() == f.mode {
		return err
	}
	return f.f.Chmod(f.mode)
}

// Discard removes the new file and leaves the old one unchanged. It only closes a file that is
// written in place. After Commit it does nothing.
func (f *File) Discard() {
	lock.Lock()
	defer lock.Unlock()
	f.remove()
}

// WriteFile creates a File, calls write, and commits the File, or discards it if write fails.
func WriteFile(name string, write func(io.Writer) error) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Target follows symbolic links and returns the last target, which need not exist. descriptor
// reports whether one of the links is an open file descriptor in Linux's /proc or /dev/fd, as for
// /dev/stdout.
func Target(link string) (target string, descriptor bool, err error) {
	name := link
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, descriptor, nil // most likely no link, or no such file
		}
		dir := filepath.Dir(name)
		descriptor = descriptor || dir == "/dev/fd" ||
			strings.HasPrefix(dir, "/proc/") && filepath.Base(dir) == "fd"
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", false, fmt.Errorf("%s: too many symbolic links", link)
}

// newMode returns the permissions of a new file. These depend on the umask and the file system, so
// newMode creates a file and removes it.
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

// The caller must hold lock.
func createBeside(name string, mode fs.FileMode) (*os.File, error) {
	if ended {
		return nil, errEnded
	}
	dir, base := filepath.Split(name)
	base = base[:min(len(base), 200)] // most systems limit names to 255 bytes
	for try := 0; ; try++ {
		temporary := fmt.Sprintf("%s%s.%08x.tmp", dir, base, rand.Uint32())
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if try == 100 || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// syncDir syncs a directory, if the system can, so that the new name survives a crash.
func syncDir(dir string) error {
	switch runtime.GOOS {
	case "windows", "plan9", "js", "wasip1":
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil // most likely no permission to read dir; the file itself is complete
	}
	err = d.Sync()
	d.Close()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// pending holds the temporary files that are neither committed nor discarded. lock guards
// creations, renames and removals of temporary files.
var (
	lock    sync.Mutex
	pending = map[*File]bool{}
	ended   bool // after DiscardAll, create and rename fail
)

var errEnded = errors.New("the program is ending")

// DiscardAll discards all uncommitted files, and makes later Create and Commit calls fail, except
// for files written in place.
func DiscardAll() {
	lock.Lock()
	defer lock.Unlock()
	ended = true
	for f := range pending {
		f.remove()
	}
}

// create holds lock for both statements, so that DiscardAll can't miss the file.
func (f *File) create() (err error) {
	lock.Lock()
	defer lock.Unlock()
	if f.f, err = createBeside(f.target, 0o600); err == nil {
		pending[f] = true
	}
	return err
}

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

// The caller must hold lock.
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
