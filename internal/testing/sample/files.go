package sample

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"testing"
)

// Seal makes a model file of a header and numbers: with the right checksum, so that only the
// content can be wrong.
func Seal(header, numbers string) string {
	text := header + numbers
	sum := sha256.Sum256([]byte(text))
	return text + string(sum[:])
}

// A FailingWriter has no space for more than Left bytes.
type FailingWriter struct{ Left int }

// ErrFull is a FailingWriter's error.
var ErrFull = errors.New("disk full")

func (f *FailingWriter) Write(b []byte) (int, error) {
	if f.Left -= len(b); f.Left < 0 {
		return 0, ErrFull
	}
	return len(b), nil
}

// OnlyFiles fails unless dir holds nothing but the names: no temporary file is left.
func OnlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if fmt.Sprint(have) != fmt.Sprint(names) {
		t.Errorf("%s holds %v, want %v", dir, have, names)
	}
}
