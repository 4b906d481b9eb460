// Package replace writes files in one piece: a file is the old one or the new one, never half of
// either.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// File writes a new file beside the old one and renames it over the old one when all of it is on
// the disk, so that whoever opens name finds the old content or the new, also after a crash. A
// symbolic link stays one: what it points to is replaced. The mode stays too. What is no regular
// file, such as a pipe or /dev/stdout, is written to.
func File(name string, write func(io.Writer) error) (err error) {
	old, err := os.Stat(name)
	if err == nil && !old.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if name, err = target(name); err != nil {
		return err
	}
	temporary, err := writeBeside(name, old, write)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, name); err != nil {
		os.Remove(temporary)
		return err
	}
	return syncDir(filepath.Dir(name))
}

// writeBeside writes a new file in the folder of name, with the mode of the old one unless that is
// nil, and returns its name when all of it is on the disk.
func writeBeside(
	name string, old fs.FileInfo, write func(io.Writer) error,
) (temporary string, err error) {
	f, err := createBeside(name)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			f.Close() // a second time does no harm
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return "", err
	}
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return "", err
		}
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// target follows the symbolic links at the end of name; the last need not exist.
func target(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link, or nothing there
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many symbolic links", name)
}

// createBeside makes a new file in the same folder, with the mode that a new file gets:
// os.CreateTemp would say 0600.
func createBeside(name string) (*os.File, error) {
	for try := 0; ; try++ {
		temporary := fmt.Sprintf("%s.%08x.tmp", name, rand.Uint32())
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
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
