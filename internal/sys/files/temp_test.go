package files

import (
	"errors"
	"os"
	"testing"
)

func TestTemp(t *testing.T) {
	dir := t.TempDir()
	f, err := Temp(dir, "a-*.b")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has no unnamed files: NOT TESTED")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("abc"), 2); err != nil {
		t.Fatal(err)
	}
	m, err := Map(f, 5)
	if err != nil {
		t.Fatal(err)
	}
	if have := string(m.Bytes()); have != "\x00\x00abc" {
		t.Errorf("%q", have)
	}
	if err := errors.Join(m.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := Temp(dir+"/none", "a-*.b"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
