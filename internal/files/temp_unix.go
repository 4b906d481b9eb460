//go:build unix

package files

import "os"

// Temp creates a file without a name in dir, or in the system's folder for temporary files if dir is
// empty. The file is gone when it is neither open nor mapped any more, however the program ends. A
// program that is killed between the file's creation and the removal of its name leaves an empty
// file. The error is errors.ErrUnsupported where the system has no such files.
func Temp(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
