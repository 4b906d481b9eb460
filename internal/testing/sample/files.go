package sample

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"testing"
)

// Seal returns a model file of the given header and numbers, followed by their checksum.
func Seal(header, numbers string) string {
	text := header + numbers
	sum := sha256.Sum256([]byte(text))
	return text + string(sum[:])
}

type FailingWriter struct{ Left int }

var ErrFull = errors.New("disk full")

func (f *FailingWriter) Write(b []byte) (int, error) {
	if f.Left -= len(b); f.Left < 0 {
		return 0, ErrFull
	}
	return len(b), nil
}

// OnlyFiles fails the test unless dir contains exactly the named files. Names must ascend.
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
