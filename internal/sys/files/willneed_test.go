package files

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/machine"
)

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
		{2*pages - 4, 2*pages + 1}, // one call per page and pass, then one for the rest
		{40, 2*pages + 1},
		{0, pages},
	} {
		m, err := Map(f, pages*page-1)
		if errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "linux" {
			t.Skip("not tested: package files does not map files on this system")
		}
		if err != nil {
			t.Fatal(err)
		}
		var calls int64
		m.memory = c.room * page
		m.advise = func([]byte) { calls++ }
		for range 2 {
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

func TestWillNeedPages(t *testing.T) {
	page := int64(os.Getpagesize())
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(10*page - 1); err != nil {
		t.Fatal(err)
	}
	m, err := Map(f, 10*page-1)
	if errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "linux" {
		t.Skip("not tested: package files does not map files on this system")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.memory, m.left = 1, 1<<40
	var asked [][2]int64
	m.advise = func(pages []byte) {
		from := int64(cap(m.data) - cap(pages))
		asked = append(asked, [2]int64{from / page, from + int64(len(pages))})
	}
	m.WillNeed(3*page+5, 4*page)
	m.WillNeed(6*page-1, 6*page+1)
	m.WillNeed(2*page, 11*page)
	m.WillNeed(page-1, page)
	if want := [][2]int64{{3, 4 * page}, {5, 7 * page}, {2, 3 * page}, {4, 5 * page},
		{7, 10*page - 1}, {0, page}}; !slices.Equal(asked, want) {
		t.Errorf("%v, want %v", asked, want)
	}
	for _, c := range []struct {
		from, to int64
		random   bool
	}{{0, 1<<16 - 1, true}, {0, 1 << 16, false}, {7, 8, true}, {0, 0, false}} {
		if m.WillNeed(c.from, c.to); m.random != c.random {
			t.Errorf("after a request for %d bytes, random is %v", c.to-c.from, m.random)
		}
	}
}

func TestRoom(t *testing.T) {
	room := machine.Available()
	if room < 0 || runtime.GOOS == "linux" && room < 1<<20 {
		t.Errorf("%d bytes", room)
	}
}
