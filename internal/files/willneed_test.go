package files

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pegasimd/pegasimd/internal/machine"
)

// A file that fits in memory is not requested. In other files, each page is requested once, and
// again only when later requests may have evicted it.
func TestWillNeed(t *testing.T) {
	page := int64(os.Getpagesize())
	const pages = 100
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, make([]byte, pages*page-1), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		room  int64 // memory for cached files, in pages
		calls int64
	}{
		{2 * pages, 0},
		{2*pages - 4, 2*pages + 1}, // once in each pass, and a few in one request
		{40, 2*pages + 1},
		{0, pages},
	} {
		m, err := Map(f, pages*page-1)
		if errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "linux" {
			t.Skip("not tested: this system maps no files")
		}
		if err != nil {
			t.Fatal(err)
		}
		var calls int64
		m.memory = c.room * page
		m.advise = func([]byte) { calls++ }
		for range 2 { // rows of a 64th of a page, and then the whole file
			for at := int64(0); at < pages*page; at += page / 64 {
				m.WillNeed(at, at+page/64)
			}
		}
		m.WillNeed(0, pages*page)
		if calls != c.calls {
			t.Errorf("%d requests with a memory of %d pages, want %d", calls, c.room, c.calls)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The memory for cached files is never negative, and at least 1 MiB on Linux.
func TestRoom(t *testing.T) {
	room := machine.Available()
	if room < 0 || runtime.GOOS == "linux" && room < 1<<20 {
		t.Errorf("%d bytes", room)
	}
}
