//go:build !unix && !windows

package files

import (
	"errors"
	"os"
)

// Temp returns errors.ErrUnsupported: a file without a name can neither be made nor mapped here.
func Temp(dir, pattern string) (*os.File, error) { return nil, errors.ErrUnsupported }
