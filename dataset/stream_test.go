package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ConvertSvmlight writes the bytes that Read and WritePGSM write, or returns the error of Read.
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
		t.Errorf("%d MiB in use, %d before", w.most>>20, before>>20)
	}
}

func TestConvertCSV(t *testing.T) {
	long := strings.Repeat("1,0,0,0,0,c\n0,2,0,0,0,a\n0,0,3,0,0,b\n", blockSize/2)
	tabs := func(s string) string { return strings.ReplaceAll(s, ",", "\t") }
	words := "colour,size,y\nred,2,b\nblue,,a\nred,3,b\n"
	for _, c := range []struct {
		name, file, text string
		opt              Options
	}{
		{"numbers", "a.csv", "1,2,3\n4,0,6\n", Options{}},
		{"header", "a.csv", "a,b,y\n1,2,3\n4,0,6\n", Options{}},
		{"class names", "a.csv", "1,2,pear\n4,0,apple\n5,5,pear\n", Options{}},
		{"label in the middle", "a.csv", "1,pear,3\n4,apple,6\n", Options{LabelColumn: "1"}},
		{"label by name", "a.csv", "a,y,b\n1,pear,3\n4,apple,6\n", Options{LabelColumn: "y"}},
		{"no labels", "a.csv", "1,2\n4,0\n", Options{Labels: LabelsNo}},
		{"tsv", "a.tsv", tabs("1,2,pear\n4,0,apple\n"), Options{}},
		{"tsv by its format", "a.txt", tabs("1,2,pear\n4,0,apple\n"), Options{Format: FormatTSV}},
		{"more than a block, sparse", "a.csv", long, Options{}},
		{"more than a block, dense", "a.csv", long, Options{Layout: LayoutDense}},
		{"sparse", "a.csv", "1,2,3\n4,0,6\n", Options{Layout: LayoutSparse}},
		{"byte order mark", "a.csv", "\ufeff1,2,3\r\n4,0,6", Options{}},
		{"by a table", "a.csv", "b,x,a,y\n1,2,3,p\n4,5,6,q\n", Options{Features: 2,
			Table: &Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: -1}}},
		{"encoder", "a.csv", words, Options{Encoder: lengths{columns: 2}}},
		{"encoder, tsv", "a.tsv", tabs(words), Options{Encoder: lengths{columns: 2}}},
		{"header only", "a.csv", "a,b,y\n", Options{}},
		{"empty", "a.csv", "", Options{}},

		{"word", "a.csv", "1,2,3\n4,red,6\n", Options{}},
		{"refused cells", "a.csv", "1,2,3\n4,bad,6\nbad,1,6\n", Options{Encoder: lengths{columns: 2}}},
		{"ragged", "a.csv", "1,2,3\n4,6\n", Options{}},
		{"missing label", "a.csv", "1,2,\n", Options{}},
		{"layout", "a.csv", "1,2,3\n", Options{Layout: "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{
				file(t, c.file, []byte(c.text)), file(t, c.file+".gz", zipped(t, c.text)),
			} {
				var got memory
				rows, cols, err := ConvertCSV(&got, path, c.opt)
				set, wantErr := Read(path, c.opt)
				if wantErr != nil || err != nil {
					if fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Fatalf("%s: %v, want %v", path, err, wantErr)
					}
					continue
				}
				if !bytes.Equal(got, pgsm(t, set)) || rows != set.Rows() || cols != set.Cols() {
					t.Errorf("%s: %d x %d, other bytes", path, rows, cols)
				}
			}
		})
	}
	path := file(t, "a.csv", []byte("1,2,3\n4,0,6\n"))
	if _, _, err := ConvertCSV(&memory{}, path+"x", Options{}); err == nil {
		t.Error("no error")
	}
	if _, _, err := ConvertCSV(&failing{err: errors.New("full")}, path, Options{}); !says(err, "full") {
		t.Error(err)
	}
}

func TestConvertMaxBytes(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		convert func(io.WriterAt, string, Options) (rows, cols int, err error)
	}{
		"a.svm": {"1 1:2\n2 1:3\n", ConvertSvmlight},
		"a.csv": {"1,2,3\n4,5,6\n", ConvertCSV},
	} {
		path, size := file(t, name, []byte(c.text)), int64(len(c.text))
		if _, _, err := c.convert(&memory{}, path, Options{MaxBytes: size}); err != nil {
			t.Error(err)
		}
		_, _, err := c.convert(&memory{}, path, Options{MaxBytes: size - 1})
		if !says(err, "(-max-bytes)") {
			t.Errorf("%s: %v, want an error of -max-bytes", name, err)
		}
	}
}

func TestConvertStdin(t *testing.T) {
	for _, convert := range []func(io.WriterAt, string, Options) (int, int, error){
		ConvertSvmlight, ConvertCSV,
	} {
		for _, opt := range []Options{{Format: FormatCSV}, {Format: FormatSvmlight}} {
			opt.Stdin = strings.NewReader("1 1:2\n")
			if _, _, err := convert(&memory{}, "-", opt); !says(err, "stdin: want a regular file") {
				t.Error(err)
			}
			opt.More = []string{"-"}
			if _, _, err := convert(&memory{}, "a.csv", opt); !says(err, "stdin: want a regular file") {
				t.Error(err)
			}
		}
	}
}

// A changing is a file in memory whose first write replaces the content of the file path by text.
type changing struct {
	memory
	path, text string
	t          *testing.T
}

func (c *changing) WriteAt(p []byte, at int64) (int, error) {
	if c.path != "" {
		if err := os.WriteFile(c.path, []byte(c.text), 0o666); err != nil {
			c.t.Error(err)
		}
		c.path = ""
	}
	return c.memory.WriteAt(p, at)
}

func TestConvertCSVChanges(t *testing.T) {
	const text = "1,2,pear\n3,0,apple\n5,6,pear\n"
	for name, after := range map[string]string{
		"fewer rows":          "1,2,pear\n3,0,apple\n",
		"more rows":           text + "7,8,pear\n",
		"none":                "",
		"fewer columns":       "1,pear\n3,apple\n5,pear\n",
		"more columns":        "1,2,3,pear\n3,0,3,apple\n5,6,7,pear\n",
		"fewer zeros":         "1,2,pear\n3,4,apple\n5,6,pear\n",
		"more zeros":          "1,0,pear\n3,0,apple\n5,6,pear\n",
		"another class":       "1,2,pear\n3,0,apple\n5,6,plum\n",
		"a class less":        "1,2,pear\n3,0,pear\n5,6,pear\n",
		"other classes":       "1,2,plum\n3,0,peach\n5,6,plum\n",
		"another first class": "1,2,apple\n3,0,pear\n5,6,pear\n",
		"numbers for classes": "1,2,0\n3,0,1\n5,6,0\n",
		"words":               "1,2,pear\n3,red,apple\n5,6,pear\n",
	} {
		t.Run(name, func(t *testing.T) {
			// The first write, of the class names, comes between the two readings.
			for _, layout := range []Layout{LayoutSparse, LayoutDense} {
				path := file(t, "a.csv", []byte(text))
				w := &changing{path: path, text: after, t: t}
				if _, _, err := ConvertCSV(w, path, Options{Layout: layout}); err == nil {
					t.Errorf("%s: no error", layout)
				}
			}
		})
	}
	path := file(t, "a.csv", []byte("1,2,3\n3,0,4\n"))
	w := &changing{path: path, text: "1,2,a\n3,0,b\n", t: t}
	if _, _, err := ConvertCSV(w, path, Options{Layout: LayoutSparse}); err == nil {
		t.Error("classes for numbers: no error")
	}
}

// ConvertSvmlight, Read and the reference reader give the same rows for any text, or all fail.
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
			return // it would be decompressed
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
			t.Fatalf("%v, or the rows read back are not the rows of the text", err)
		}
	})
}

// watching discards the data and records the largest size of the heap at a write.
type watching struct{ most uint64 }

func (w *watching) WriteAt(p []byte, at int64) (int, error) {
	w.most = max(w.most, heap())
	return len(p), nil
}

// heap returns the bytes in use, with objects that are not yet collected.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
