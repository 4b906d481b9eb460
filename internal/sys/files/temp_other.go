//go:build !unix && !windows

package files

import (
	"errors"
	"os"
)

// Temp returns errors.ErrUnsupported: this system has no unnamed files.
func Temp(dir, pattern string) (*os.File, error) { return nil, errors.ErrUnsupported }
