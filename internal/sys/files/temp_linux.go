package files

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Temp creates a file without a name in dir, or in [os.TempDir] if dir is empty. The file
// disappears when it is neither open nor mapped, however the program ends. pattern is as for
// [os.CreateTemp]. On file systems without unnamed files, a program killed before the name is
// removed leaves an empty file.
func Temp(dir, pattern string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return createUnnamed(dir, pattern)
	}
	return os.NewFile(uintptr(fd), filepath.Join(dir, pattern)), nil
}
