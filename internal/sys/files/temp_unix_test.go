//go:build unix

package files

import (
	"os"
	"testing"
)

func TestCreateUnnamed(t *testing.T) {
	dir := t.TempDir()
	f, err := createUnnamed(dir, "a-*.b")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("abc"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
