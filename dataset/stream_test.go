package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What is converted as a stream has the bytes of what is converted in memory, and the same errors.
func TestConvertSvmlight(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	check := func(s string, opt Options) {
		t.Helper()
		for _, path := range []string{
			file(t, "a.svm", []byte(s)), file(t, "a.svm.gz", zipped(t, s)),
		} {
			var got memory
			rows, cols, err := ConvertSvmlight(&got, path, opt)
			set, wantErr := Read(path, opt)
			if wantErr != nil || err != nil {
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%.80q: %v, want %v", s, err, wantErr)
				}
				continue
			}
			if !bytes.Equal(got, pgsm(t, set)) || rows != set.Rows() || cols != set.Cols() {
				t.Fatalf("%.80q: %d x %d, other bytes", s, rows, cols)
			}
		}
	}
	for i := range 60 {
		opt := Options{
			IndexBase: []IndexBase{BaseOne, BaseZero, BaseAuto}[i%3],
			Layout:    []Layout{"", LayoutDense, LayoutSparse}[r.IntN(3)],
			Unsorted:  []Unsorted{"", UnsortedSum}[r.IntN(2)], HashBits: r.IntN(2) * 7,
		}
		check(text(r, []int{0, 6}[i%2]), opt)
	}
	// More than a chunk, in either layout.
	check(strings.Repeat("1 1:1 100:0.5\n-1 7:2\n", 30_000), Options{})
	check(strings.Repeat("1 1:1 3:0.5\n-1 2:2\n", 30_000), Options{})
	check("", Options{})
	check("1 3:1\n1 0:1\n", Options{IndexBase: BaseAuto, MaxFeatures: 3})

	path := file(t, "a.svm", []byte("1 1:1\n"))
	for _, c := range []struct {
		path string
		opt  Options
	}{
		{path, Options{Features: 1}}, {"-", Options{}}, {path + "x", Options{}},
		{path, Options{Layout: "x"}}, {path, Options{Format: FormatCSV}},
		{file(t, "a.csv", []byte("1 1:1\n")), Options{}},
	} {
		if _, _, err := ConvertSvmlight(&memory{}, c.path, c.opt); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	full := &failing{err: errors.New("full")}
	if _, _, err := ConvertSvmlight(full, path, Options{}); err == nil {
		t.Error("no error")
	}

	// Memory does not grow with the nonzeros: these would take 40 MB, twice over while they are put
	// together.
	line := "1"
	for j := range 50 {
		line += fmt.Sprintf(" %d:1", 1+1000*j)
	}
	big := file(t, "big.svm", []byte(strings.Repeat(line+"\n", 100_000)))
	runtime.GC()
	w := &watching{}
	before := heap()
	if _, _, err := ConvertSvmlight(w, big, Options{}); err != nil {
		t.Fatal(err)
	}
	if w.most > before+20<<20 {
		t.Errorf("%d MB in use, %d before", w.most>>20, before>>20)
	}
}

// Text that is read as a stream, into memory, and in the plainest way gives the same rows, and the
// same errors.
func FuzzConvertSvmlight(f *testing.F) {
	for _, s := range []string{
		"1 1:2 3:4\n-1 2:0.5 # x\n", "+1 qid:3 0:1\r\n", "\ufeff1 1:1e-5\n\n", "1 2:1 1:1",
		"1 4:1\n1 0:1", "1\n\n-1 1:1 2:1 3:0\n",
	} {
		f.Add(s, uint8(0), false)
		f.Add(s, uint8(2+3*5), true)
	}
	path := filepath.Join(f.TempDir(), "a.svm")
	f.Fuzz(func(t *testing.T, s string, kind uint8, zip bool) {
		opt := Options{
			IndexBase: []IndexBase{BaseOne, BaseZero, BaseAuto}[kind%3], MaxFeatures: 1000,
			Unsorted: []Unsorted{UnsortedError, UnsortedSort, UnsortedSum}[kind/3%3],
			Layout:   []Layout{LayoutAuto, LayoutDense, LayoutSparse}[kind/9%3],
			HashBits: int(kind / 27),
		}
		b := []byte(s)
		if zip {
			b = zipped(t, s)
		} else if strings.HasPrefix(s, "\x1f\x8b") {
			return // it would be unpacked
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		var streamed memory
		rows, cols, err := ConvertSvmlight(&streamed, path, opt)
		read, readErr := Read(path, opt)
		if fmt.Sprint(err) != fmt.Sprint(readErr) {
			t.Fatalf("%v as a stream, %v in memory", err, readErr)
		}
		want, wantCols, base, _, line := reference(s, opt)
		if (err == nil) != (line == 0) {
			t.Fatalf("%v, want an error in line %d", err, line)
		}
		if err != nil {
			return
		}
		if rows != len(want) || cols != wantCols || !bytes.Equal(streamed, pgsm(t, read)) {
			t.Fatalf("%d x %d as a stream, other bytes or not %d x %d", rows, cols, len(want),
				wantCols)
		}
		back, err := readPGSMBytes(streamed, int64(len(streamed)), "a", opt)
		if err != nil || back.IndexBase != base || !equal(examples(back), want) {
			t.Fatalf("%v: the stream is not what was written", err)
		}
	})
}

// watching writes nowhere, and sees how much memory is in use.
type watching struct{ most uint64 }

func (w *watching) WriteAt(p []byte, at int64) (int, error) {
	w.most = max(w.most, heap())
	return len(p), nil
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
