package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestMap(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, n := range []int{0, 1, 4096, 100_000} {
		want := bytes.Repeat([]byte("pegasos "), n/8+1)[:n]
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Map(f, int64(n))
		f.Close()
		if n > 0 && errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "linux" {
			t.Skip("not tested: package files does not map files on this system")
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range [][2]int64{{0, int64(n)}, {-5, 1}, {5000, 5001}, {1, 1 << 40}, {8, 2},
			{1 << 40, 1 << 41}} {
			m.WillNeed(r[0], r[1])
		}
		if !bytes.Equal(m.Bytes(), want) {
			t.Errorf("%d bytes: the mapped bytes are wrong", n)
		}
		for range 2 {
			if err := m.Close(); err != nil || m.Bytes() != nil {
				t.Error(err)
			}
		}
	}
}

func TestMapErrors(t *testing.T) {
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int64{-1, 1} {
		if m, err := Map(f, size); err == nil {
			t.Errorf("a folder of %d bytes: %v", size, m)
		}
	}
}
