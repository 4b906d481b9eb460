package dataset

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
)

const small = "1 1:2 3:4\n-1 2:0.5\n"

func TestReadFormats(t *testing.T) {
	want := mustText(t, small, Options{})
	csv := "2,0,4,1\n0,0.5,0,-1\n"
	for _, c := range []struct {
		name, text string
		opt        Options
	}{
		{"a.svm", small, Options{}},
		{"a.libsvm", small, Options{}},
		{"a.svmlight", small, Options{}},
		{"a.txt", small, Options{}},
		{"a.csv", csv, Options{}},
		{"a.tsv", strings.ReplaceAll(csv, ",", "\t"), Options{}},
		{"a", small, Options{Format: FormatSvmlight}},
		{"a.svm", csv, Options{Format: FormatCSV}},
		{"a,b.csv", csv, Options{}},
		{"idx-ubyte,x.csv", csv, Options{}},
	} {
		for _, content := range [][]byte{[]byte(c.text), zipped(t, c.text)} {
			got, err := Read(file(t, c.name, content), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
		}
		if c.opt.Format == "" {
			got, err := Read(file(t, c.name+".gz", zipped(t, c.text)), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
		}
	}

	images := file(t, "train-images-idx3-ubyte.gz",
		zipped(t, string(idx(8, []byte{255, 0, 51, 0, 102, 0}, 2, 3, 1))))
	labels := file(t, "train-labels-idx1-ubyte", idx(8, []byte{1, 3}, 2))
	var read, total int64
	opt := Options{Progress: func(r, t int64) { read, total = r, t }}
	got, err := Read(images+","+labels, opt)
	if err != nil {
		t.Fatal(err)
	}
	want = mustText(t, "1 1:1 3:0.2\n3 2:0.4\n", Options{})
	same(t, got, want)
	if read == 0 || read != total {
		t.Errorf("%d bytes of %d", read, total)
	}
}

func TestReadStdin(t *testing.T) {
	want := mustText(t, small, Options{})
	defer func(f *os.File) { os.Stdin = f }(os.Stdin)
	for _, c := range []struct {
		content []byte
		format  Format
	}{
		{[]byte(small), FormatAuto},
		{zipped(t, small), ""},
		{[]byte("2,0,4,1\n0,0.5,0,-1\n"), FormatCSV},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			w.Write(c.content)
			w.Close()
		}()
		os.Stdin = r
		got, err := Read("-", Options{Format: c.format})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		r.Close()
	}
}

func TestReadErrors(t *testing.T) {
	if _, err := Read("missing.svm", Options{}); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "missing.svm") {
		t.Error(err)
	}
	dir := t.TempDir()
	if _, err := Read(dir, Options{Format: FormatSvmlight}); err == nil ||
		strings.Count(err.Error(), dir) != 1 {
		t.Error(err)
	}
	for _, name := range []string{"a", "a.xls", "a.gz", "a.xls.gz", "a,b", "images-idx3-ubyte"} {
		_, err := Read(name, Options{})
		if !says(err, name+": the name does not tell the format") {
			t.Error(err)
		}
	}
	if _, err := Read("a", Options{Format: FormatIDX}); err == nil ||
		err.Error() != "a: want two file names with a comma between them: images,labels" {
		t.Error(err)
	}
	for want, opt := range map[string]Options{
		fmt.Sprintf(`dataset: format "xls": want one of %q`,
			append([]Format{FormatAuto}, Formats()...)): {Format: "xls"},
		`dataset: layout "round": want one of ["auto" "dense" "sparse"]`: {Layout: "round"},
		`dataset: index base "2": want one of ["1" "0" "auto"]`:          {IndexBase: "2"},
		`dataset: header "maybe": want one of ["auto" "yes" "no"]`:       {Header: "maybe"},
		`dataset: MaxFeatures -1 (-max-features): want 1 to 2147483647, or 0 for the default`: {
			MaxFeatures: -1,
		},
		`dataset: Features -1 (of a model or its table): want 0 to 134217728 (-max-features)`: {
			Features: -1},
		`dataset: Features 11 (of a model or its table): want 0 to 10 (-max-features)`: {
			Features: 11, MaxFeatures: 10,
		},
		`dataset: separator "none": want a printable ASCII character or a tab`: {Separator: "none"},
		`dataset: quote "ab": want a printable ASCII character or a tab, or "none"`: {
			Quote: "ab",
		},
		`dataset: SkipLines -2: want 0 or more, or -1 for none`: {SkipLines: -2},
		`dataset: Decompressors[0]: want a Magic and an Open`: {
			Decompressors: []Decompressor{{Magic: "x", Ending: ".x"}},
		},
		`dataset: MaxBytes -1 is negative`: {MaxBytes: -1},
		`dataset: Threads -1 is negative`:  {Threads: -1},
	} {
		if _, err := Read("a.svm", opt); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestGzip(t *testing.T) {
	whole := zipped(t, small)
	read := func(content []byte) (*Set, error) {
		return Read(file(t, "a.svm.gz", content), Options{})
	}

	many, err := read([]byte(strings.Repeat(string(whole), 5)))
	if err != nil || many.Rows() != 10 {
		t.Errorf("members lost: %v", err)
	}
	// A line may begin in one member and end in the next.
	if s, err := read(append(zipped(t, "1 1:"), zipped(t, "7\n")...)); err != nil ||
		s.Rows() != 1 || s.Dense.Row(0)[0] != 7 {
		t.Error(err)
	}
	if s, err := read(zipped(t, "")); err != nil || s.Rows() != 0 {
		t.Error(err)
	}
	for n := range whole {
		_, err := read(whole[:n])
		if !errors.Is(err, io.ErrUnexpectedEOF) || !says(err, "a.svm.gz") {
			t.Errorf("cut off after %d bytes: %v", n, err)
		}
	}
	for n := len(whole) - 8; n < len(whole); n++ {
		bad := []byte(string(whole))
		bad[n] ^= 1
		if _, err := read(bad); !errors.Is(err, gzip.ErrChecksum) || !says(err, "a.svm.gz") {
			t.Errorf("checksum or length: %v", err)
		}
	}
	for _, tail := range []string{"\x00", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"garbage after the end", small, string(whole[:5])} {
		if _, err := read([]byte(string(whole) + tail)); !says(err, "a.svm.gz: ") {
			t.Errorf("%q after the end: %v", tail, err)
		}
	}
	if _, err := read([]byte(small)); !errors.Is(err, gzip.ErrHeader) {
		t.Errorf("a plain file called .gz: %v", err)
	}

	// Wrong checksums of CSV and IDX files.
	csv := zipped(t, "1,2,3\n")
	images := zipped(t, string(idx(8, []byte{5}, 1, 1)))
	labels := zipped(t, string(idx(8, []byte{5}, 1)))
	for _, b := range [][]byte{csv, images, labels} {
		b[len(b)-8] ^= 1
	}
	if _, err := Read(file(t, "a.csv.gz", csv), Options{}); !errors.Is(err, gzip.ErrChecksum) {
		t.Error(err)
	}
	good := file(t, "l-idx1-ubyte", idx(8, []byte{5}, 1))
	_, err = Read(file(t, "i-idx3-ubyte.gz", images)+","+good, Options{})
	if !errors.Is(err, gzip.ErrChecksum) || !says(err, "i-idx3-ubyte.gz: ") {
		t.Error(err)
	}
	good = file(t, "i-idx3-ubyte", idx(8, []byte{5}, 1, 1))
	_, err = Read(good+","+file(t, "l-idx1-ubyte.gz", labels), Options{})
	if !errors.Is(err, gzip.ErrChecksum) || !says(err, "l-idx1-ubyte.gz: ") {
		t.Error(err)
	}
}
