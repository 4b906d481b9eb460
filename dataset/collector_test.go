package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file and a stream of unknown size give the same set, also if estimates are wrong.
func TestCollector(t *testing.T) {
	long := strings.Repeat("0.123456789,"+strings.Repeat("-1.5,", 9)+"a\n", 8_000)
	short := strings.Repeat(strings.Repeat("1,", 10)+"b\n", 30_000)
	zeros := strings.Repeat(strings.Repeat("0,", 10)+"c\n", 80_000)
	mixed := strings.Repeat("0,2,0,0,5,0,0,8,0,0,d\n", 9_000)
	for i, c := range []struct {
		text  string
		grows bool
		turns bool
	}{
		{text: long[:1_000*len("0.123456789,a\n")]},
		{text: long},
		{text: short + mixed},
		{text: long + short + short, grows: true},
		{text: long + zeros, grows: true, turns: true},
		{text: zeros + short + short + short + short, turns: true},
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, layout := range []Layout{LayoutAuto, LayoutDense, LayoutSparse} {
			opt, err := Options{Format: FormatCSV, Layout: layout}.filled()
			if err != nil {
				t.Fatal(err)
			}
			all, space := collector{opt: opt}, 0
			from, err := sourcesOf(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = scanTable(from, opt, func(t *tableFile) error {
				if all.add(&piece{t.block, 0, t.cols(), t.share()}); space == 0 {
					space = all.space
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			from.close()
			first, got := all.layout, (*Set)(nil)
			if got, err = all.finish(0, 10); err != nil {
				t.Fatal(err)
			}
			if grows := all.space > space; layout == LayoutDense && grows != c.grows || space == 0 {
				t.Errorf("file %d: space for %d rows, then %d", i, space, all.space)
			}
			if turns := first != got.Layout(); turns != (c.turns && layout == LayoutAuto) {
				t.Errorf("file %d: the layout is %v, then %v", i, first, got.Layout())
			}
			if got, err = Read(path, opt); err != nil {
				t.Fatal(err)
			}
			want, err := ReadFrom(strings.NewReader(c.text), path, opt)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
			if got.Layout() != want.Layout() {
				t.Errorf("file %d: layout %v, want %v", i, got.Layout(), want.Layout())
			}
		}
	}
}

// The rows and the layout do not depend on the size of blocks and the number of threads.
func TestCollectorColumns(t *testing.T) {
	full := strings.Repeat("1 1:1 2:-2\n", 50)
	for _, text := range []string{
		full + strings.Repeat("2 1:1 2:4 3:5\n", 90) + full,
		full + "2 40:1\n",
		full + strings.Repeat("2 0:3 1:1 2:1\n", 20),
		"2 0:3 1:1 2:1\n" + full,
		full + "2 0:3 2:1 9:1\n" + full,
	} {
		for _, opt := range []Options{{}, {Features: 2}, {Features: 3}, {HashBits: 2}} {
			for _, opt.Layout = range []Layout{LayoutAuto, LayoutDense, LayoutSparse} {
				var sets []*Set
				for _, opt.Threads = range []int{1, 3} {
					for _, size := range []int{1 << 20, 40} {
						opt.IndexBase = BaseAuto
						opt, err := opt.filled()
						if err != nil {
							t.Fatal(err)
						}
						s, err := readSvmlight(textOf(strings.NewReader(text)), opt, size)
						if err != nil {
							t.Fatal(err)
						}
						sets = append(sets, s)
						if same(t, s, sets[0]); s.Layout() != sets[0].Layout() {
							t.Errorf("%q in blocks of %d: layout %v", text, size, s.Layout())
						}
					}
				}
			}
		}
	}
}
