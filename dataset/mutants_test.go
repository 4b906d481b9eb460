package dataset

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

var mutants = flag.Int("mutants", 1000, "number of mutants of each dataForm that TestMutants reads")

var pieces = []string{
	"", "0", "-1", ":", ",", "\t", "\n", "\r\n", "\"", " ", "#", "nan", "1e999", "1e-320", "\x00",
	"134217728:1", "18446744073709551615", "2147483648", "(2, 2)", "qid:1", "\xef\xbb\xbf",
	"\xff\xff\xff\x7f", "\x00\x00\x00\x80", "\xff\xff\xff\xff\xff\xff\xff\xff", "\x1f\x8b", "\x1b[31m",
	"\u202e",
}

func mutant(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b) + 1)
		if r.IntN(2) == 0 {
			at = min(at, r.IntN(128))
		}
		end := min(len(b), at+r.IntN(1<<r.IntN(8)))
		before, piece, after := b[:at:at], pieces[r.IntN(len(pieces))], b[end:]
		switch r.IntN(6) {
		case 0:
			if at < len(b) {
				b[at] ^= 1 << r.IntN(8)
			}
		case 1:
			b = append(append(before, piece...), after...)
		case 2:
			copy(b[at:], piece)
		case 3:
			b = append(bytes.Clone(b[:end]), b[at:]...)
		case 4:
			b = before
		case 5:
			from := r.IntN(len(b) + 1)
			b = append(append(before, b[from:min(len(b), from+end-at)]...), after...)
		}
	}
	return b
}

// A dataForm is a valid file from which mutants are made.
type dataForm struct {
	name string
	file []byte
	read func(b []byte) (*Set, error)
	// whole is nil unless a checksum covers the file's data. Then a mutant gives this set, an error
	// or, for a gzip file, several copies of its text.
	whole *Set
	text  string // decompressed text of a gzip file
}

func forms(t *testing.T) (all []dataForm) {
	dir := t.TempDir()
	svm := "1 1:1 2:0.5 # x\n-1 qid:3 2:3e-5 7:1\r\n1 3:2.25 11:-8\n+1\n-1 1:7 2:2 3:1\n"
	csv := "a,\"b \"\"1\"\"\",class\n1,0,yes\n2.5,-3e4,\"n,o\"\n0,1,yes\n"
	readCSVBytes := func(b []byte) (*Set, error) { return readCSVText(string(b), Options{}) }
	readSVM := func(b []byte) (*Set, error) { return readText(string(b), Options{Threads: 2}) }
	all = []dataForm{
		{"svmlight", []byte(svm), readSVM, nil, ""},
		{"svmlight, sorted and hashed", []byte(svm), func(b []byte) (*Set, error) {
			return readText(string(b), Options{HashBits: 5, Unsorted: UnsortedSum})
		}, nil, ""},
		{"csv", []byte(csv), readCSVBytes, nil, ""},
		{"tsv", []byte(strings.ReplaceAll(csv, ",", "\t")), readOf(t, "a.tsv", FormatTSV), nil, ""},
		{"lines", []byte("good\t1.5\nbad\t-2e3\ngood\t0\n"),
			readOf(t, "a.txt", FormatLines), nil, ""},
		{"jsonl", []byte("{\"a\": 1, \"b\": 0, \"y\": \"p\"}\n{\"a\": -2.5e1, \"b\": 7, \"y\": \"q\"}\n"),
			readOf(t, "a.jsonl", FormatJSONL), nil, ""},
		{"npy", npy(1, npyHeader("<f4", false, "(3, 4)"), encode("<f4", 1, 2, 3, 4, 5, 6, 7, 8, 9,
			10, 11, 12)), func(b []byte) (*Set, error) { return readNPYBytes(b, nil, Options{}) },
			nil, ""},
		{"idx", idx(8, []byte{1, 2, 3, 0, 0, 255, 7, 8}, 2, 2, 2), func(b []byte) (*Set, error) {
			return readIDXBytes(b, idx(8, []byte{1, 2}, 2), Options{})
		}, nil, ""},
	}
	zip := func(name string, text string, plain func([]byte) (*Set, error)) {
		whole, err := plain([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "a."+name+".gz")
		all = append(all, dataForm{name + ".gz", zipped(t, text), func(b []byte) (*Set, error) {
			return readFile(t, path, b, Options{})
		}, whole, text})
	}
	zip("svm", svm, readSVM)
	zip("csv", csv, readCSVBytes)
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		s := randomSet(rand.New(rand.NewPCG(4, 4)), 20, 9, layout)
		s.Names = []string{"a", "b", "c"}
		b, path := pgsm(t, s), filepath.Join(dir, string(layout)+".pgsm")
		mapped := func(b []byte) (*Set, error) {
			m, err := readFile(t, path, b, Options{})
			if err == nil {
				if err = touch(t, m); err != nil {
					err = fail(path, err)
				}
			}
			return m, err
		}
		all = append(all,
			dataForm{"pgsm, " + string(layout), b, func(b []byte) (*Set, error) {
				return readPGSMBytes(b, int64(len(b)), "a.pgsm", Options{})
			}, s, ""},
			dataForm{"pgsm mapped, " + string(layout), b, mapped, s, ""},
			dataForm{"pgsm with right checksums, " + string(layout), b, func(b []byte) (*Set, error) {
				resign(b)
				return mapped(b)
			}, nil, ""})
	}
	return all
}

func readOf(t *testing.T, name string, format Format) func(b []byte) (*Set, error) {
	path := filepath.Join(t.TempDir(), name)
	return func(b []byte) (*Set, error) { return readFile(t, path, b, Options{Format: format}) }
}

func TestMutantsOfAllFormats(t *testing.T) {
	all := forms(t)
	for _, f := range all {
		if _, err := f.read(f.file); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	for _, format := range Formats() {
		if !slices.ContainsFunc(all, func(f dataForm) bool {
			name, _, _ := strings.Cut(f.name, ",")
			return name == string(format)
		}) {
			t.Errorf("%s: no file for mutants", format)
		}
	}
}

// readFile renames a new file to path, because a mapped file must not change, and reads it.
func readFile(t *testing.T, path string, b []byte, opt Options) (*Set, error) {
	t.Helper()
	if err := os.WriteFile(path+".new", b, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return Read(path, opt)
}

// A mutant gives a valid set, or a short printable error that names the file.
func TestMutants(t *testing.T) {
	for _, f := range forms(t) {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(*mutants), uint64(len(f.name))))
			refused, changed := 0, 0
			for range *mutants {
				b := mutant(r, f.file)
				s, err := f.read(bytes.Clone(b))
				switch {
				case err != nil:
					refused++
					if !named(err) {
						t.Fatalf("%q: %v: no file named", b, err)
					}
					if text := err.Error(); len(text) > 400 || escape.Text(text) != text {
						t.Fatalf("an error of %d bytes: %.200q", len(text), text)
					}
				case f.whole != nil:
					if bytes.Equal(b, f.file) {
						break
					}
					changed++
					if !equal(examples(s), examples(f.whole)) && !severalTimes(b, f.text) {
						t.Fatalf("%q: another set, and no error", b)
					}
				default:
					checkSet(t, s)
				}
				if s != nil {
					s.Close()
				}
			}
			t.Logf("%d mutants, %d refused; %d changed, but with the same rows", *mutants, refused,
				changed)
		})
	}
}

func named(err error) bool {
	before, _, ok := strings.Cut(err.Error(), ":")
	return ok && !strings.Contains(before, " ") || strings.HasPrefix(err.Error(), "a.")
}

// severalTimes reports whether b, a gzip file in which a member may be repeated, holds two or more
// copies of text.
func severalTimes(b []byte, text string) bool {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return false
	}
	plain, err := io.ReadAll(z)
	n := len(plain) / max(len(text), 1)
	return err == nil && n > 1 && string(plain) == strings.Repeat(text, n)
}
