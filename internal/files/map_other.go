//go:build !unix && !windows

package files

import (
	"errors"
	"os"
)

func open(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return errors.ErrUnsupported }
