package sample

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"testing"
)

// Seal returns a model file that consists of the given header and numbers and their checksum.
func Seal(header, numbers string) string {
	text := header + numbers
	sum := sha256.Sum256([]byte(text))
	return text + string(sum[:])
}

// FailingWriter is an io.Writer that fails after Left bytes.
type FailingWriter struct{ Left int }

var ErrFull = errors.New("disk full")

func (f *FailingWriter) Write(b []byte) (int, error) {
	if f.Left -= len(b); f.Left < 0 {
		return 0, ErrFull
	}
	return len(b), nil
}

// OnlyFiles fails the test unless dir contains exactly the files with the given names, which must
// be in ascending order.
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
