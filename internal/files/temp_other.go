//go:build !unix && !windows

package files

import (
	"errors"
	"os"
)

// Temp is not supported: see temp_unix.go.
func Temp(dir, pattern string) (*os.File, error) { return nil, errors.ErrUnsupported }
