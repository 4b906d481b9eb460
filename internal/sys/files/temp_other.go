//go:build !unix && !windows

package files

import (
	"errors"
	"os"
)

// Temp returns errors.ErrUnsupported: this system can neither create unnamed files nor map them.
func Temp(dir, pattern string) (*os.File, error) { return nil, errors.ErrUnsupported }
