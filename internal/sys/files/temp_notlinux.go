//go:build unix && !linux

package files

import "os"

// Temp creates a file without a name in dir, or in [os.TempDir] if dir is empty. The file
// disappears when it is neither open nor mapped, however the program ends. A program killed before
// the name is removed leaves an empty file.
func Temp(dir, pattern string) (*os.File, error) { return createUnnamed(dir, pattern) }
