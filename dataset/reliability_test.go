package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

// TestReliability has a subtest for each kind of input that breaks many parsers. Each input gives
// the expected set or an error that says where, and most tests limit the memory. More detailed
// tests are beside each reader.
func TestReliability(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"index 0 with base 1, negative, 2^31, 2^63, 30 digits, 1e3, none, no value, two " +
			"colons, blanks", hostileIndices},
		{"huge index in a short file", hostileHugeIndex},
		{"unsorted indices, index twice in a row", hostileOrder},
		{"value NaN, infinite, hexadecimal, subnormal, 1e39; label NaN, +1, 1.0, -0, abc",
			hostileNumbers},
		{"CRLF, lone CR, tabs, blanks, no final newline, BOM, NUL, comments, blank lines, " +
			"qid, no features, empty file", hostileLines},
		{"base 0 or 1 is detected, reported and stored", hostileBase},
		{"100 MB on a line, many rows", hostileLength},
		{"gz cut off, bad CRC, garbage after the end, several members, bomb", hostileGzip},
		{"CSV ragged, newline in quotes, missing cell, header, words", hostileCSV},
		{"IDX with wrong magic, overflowing dimensions, short data", hostileIDX},
		{"npy with a lie in the header, Fortran order, objects, big endian, versions 2 " +
			"and 3", hostileNPY},
		{"binary data with bad magic, newer version, cut off, checksum, lies, NaN, 1e9 " +
			"columns in 50 bytes", hostilePGSM},
		{"chunk split in a line, in CRLF, at the end", hostileChunks},
		{"writing to a full disk", fullDisks},
	} {
		t.Run(c.name, c.test)
	}
}

// refused reads invalid svmlight text and fails the test unless the error begins with want.
func refused(t *testing.T, text string, opt Options, want string) {
	t.Helper()
	bounded(t, len(text), func() {
		s, err := readText(text, opt)
		if err == nil || s != nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	})
}

// accepted reads svmlight text with opt and fails the test unless the rows equal the rows of plain.
func accepted(t *testing.T, text string, opt Options, plain string) {
	t.Helper()
	bounded(t, len(text), func() {
		got, err := readText(text, opt)
		if err != nil {
			t.Errorf("%.60q: %v", text, err)
			return
		}
		want := mustText(t, plain, Options{})
		if !equal(examples(got), examples(want)) {
			t.Errorf("%.60q: %v, want %v", text, examples(got), examples(want))
		}
	})
}

func hostileIndices(t *testing.T) {
	for token, reason := range map[string]string{
		"0:1":                                 `token "0:1": index 0: indices start at 1`,
		"-1:1":                                `token "-1:1": index is negative`,
		"2147483648:1":                        `token "2147483648:1": index larger than 2147483647`,
		"9223372036854775808:1":               `token "9223372036854775808:1": index larger than`,
		"123456789012345678901234567890:1":    `token "123456789012345678901234567890:1": index l`,
		"1e3:1":                               `token "1e3:1": index is not a whole number`,
		":1":                                  `token ":1": no index before the colon`,
		"1:":                                  `token "1:": no value after the colon`,
		"1:2:3":                               `token "1:2:3": more than one colon`,
		"1 : 2":                               `token "1": want index:value, without blanks`,
		"1:1 00000000000000000000000000000:1": `token "00000000000000000000000000000:1": index 0`,
	} {
		column := 3
		if strings.HasPrefix(token, "1:1 ") {
			column = 7
		}
		refused(t, "1 1:1\n\n1 "+token+" 9:9\n1 x\n", Options{Threads: 1},
			fmt.Sprintf("a.svm:3:%d: %s", column, reason))
	}
}

func hostileHugeIndex(t *testing.T) {
	refused(t, "1 1:1\n1 2147483647:1", Options{},
		`a.svm:2:3: token "2147483647:1": index beyond the limit of 134217728 features `+
			`(-max-features); -hash-bits`)
	refused(t, "1 11:1", Options{MaxFeatures: 10},
		`a.svm:1:3: token "11:1": index beyond the limit of 10 features`)
	// Unless MaxFeatures is set, a file may have 2^20 columns, or as many as it has values.
	refused(t, "1 1048577:1", Options{}, "a.svm: 1048577 columns are beyond the limit of 1048576 "+
		"features for a file of 1 values (-max-features)")
	accepted(t, "1 1048576:1", Options{}, "1 1048576:1")
	many := strings.Repeat("1 1:1 2:1 3:1\n", 1<<20/3+1) // 2^20+2 values
	for index, ok := range map[int]bool{1<<20 + 3: true, 1<<20 + 4: false} {
		s, err := readText(fmt.Sprintf("%s1 %d:1", many, index), Options{})
		if ok && (err != nil || s.Cols() != index) || !ok && !says(err, "1048579 values") {
			t.Errorf("index %d: %v", index, err)
		}
	}
	most := Options{MaxFeatures: 1 << 27}
	s, err := readText("1 134217728:1", most)
	if err != nil || s.Cols() != 1<<27 {
		t.Error(err)
	}
	accepted(t, "1 1:1 2147483647:1", Options{Features: 5}, "1 1:1 5:0")
	bounded(t, 0, func() { // hashed columns take no memory until they have values
		s, err := readText("1 2147483647:1 18446744073709551614:1", Options{HashBits: 27})
		if err != nil || s.Cols() != 1<<27 || s.NNZ() != 2 {
			t.Error(err)
		}
	})
	bounded(t, 0, func() {
		// A dense row would take 512 MiB, and 100 rows more memory than most machines have.
		text := strings.Repeat("1 1:1 134217728:1\n", 100)
		_, err := readText(text, Options{Layout: LayoutDense, MaxFeatures: 1 << 27})
		if !says(err, "use the sparse layout") {
			t.Error(err)
		}
	})
}

func hostileOrder(t *testing.T) {
	refused(t, "1 2:1 1:1", Options{},
		`a.svm:1:7: token "1:1": index 1 after 2: indices have to ascend`)
	refused(t, "1 2:1 2:1", Options{}, `a.svm:1:7: token "2:1": index 2 twice in a line`)
	accepted(t, "1 2:1 1:3", Options{Unsorted: UnsortedSort}, "1 1:3 2:1")
	refused(t, "1 2:1 1:1 2:1", Options{Unsorted: UnsortedSort},
		`a.svm:1:11: token "2:1": index 2 twice in a line`)
	accepted(t, "1 2:1 1:3 2:5", Options{Unsorted: UnsortedSum}, "1 1:3 2:6")
}

func hostileNumbers(t *testing.T) {
	for value, reason := range map[string]string{
		"nan":          cell.NotFinite,
		"NaN":          cell.NotFinite,
		"inf":          cell.NotFinite,
		"Infinity":     cell.NotFinite,
		"0x1p3":        cell.NotNumber,
		"0x10":         cell.NotNumber,
		"1_0":          cell.NotNumber,
		"1e39":         cell.Overflows,
		"-1e400":       cell.Overflows,
		"3.4028236e38": cell.Overflows,
	} {
		refused(t, "1 1:1 2:"+value, Options{},
			fmt.Sprintf(`a.svm:1:7: token "2:%s": value is %s`, value, reason))
	}
	accepted(t, "1 1:1e-40 2:-1e-45 3:1e-50 4:3.4028235e38", Options{},
		"1 1:1e-40 2:-1e-45 4:3.4028235e38")
	refused(t, "nan 1:1", Options{}, `a.svm:1:1: token "nan": label is not finite`)
	refused(t, "abc 1:1", Options{}, `a.svm:1:1: token "abc": label is not a decimal number`)
	refused(t, "1,2 1:1", Options{}, `a.svm:1:1: token "1,2": several labels: want one`)
	refused(t, "16777217 1:1", Options{},
		`a.svm:1:1: token "16777217": label is an integer that float32 can't hold exactly`)
	accepted(t, "+1 1:1\n1.0 1:1\n-0 1:1\n1e0\n", Options{}, "1 1:1\n1 1:1\n0 1:1\n1\n")
}

func hostileLines(t *testing.T) {
	accepted(t, "1 1:1\r\n-1 2:1\r\n", Options{}, "1 1:1\n-1 2:1\n")
	refused(t, "1 1:1\r-1 2:1\r", Options{},
		`a.svm:1:7: token "-1": want index:value, without blanks`)
	accepted(t, "1 1:1\r", Options{}, "1 1:1\n")
	accepted(t, "\t1\t 1:1\t\t2:1 \t\n", Options{}, "1 1:1 2:1\n")
	accepted(t, "1 1:1   \n", Options{}, "1 1:1\n")
	accepted(t, "1 1:1\n-1 2:1", Options{}, "1 1:1\n-1 2:1\n")
	accepted(t, "\ufeff1 1:1\n", Options{}, "1 1:1\n")
	refused(t, "1 1:1\n\ufeff1 1:1\n", Options{},
		`a.svm:2:1: token "\ufeff1": label is not a decimal number`)
	refused(t, "1 1:1\n1 2:1\x00\n", Options{},
		`a.svm:2:3: token "2:1\x00": value is not a decimal number`)
	refused(t, "1 1:1\x00 2:1\n", Options{}, `a.svm:1:3: token "1:1\x00"`)
	accepted(t, "# all of it\n1 1:1 # 2:2\n  #\n", Options{}, "1 1:1\n")
	accepted(t, "\n\n1 1:1\n \t\n\n", Options{}, "1 1:1\n")
	accepted(t, "1 qid:12 1:1\n", Options{}, "1 1:1\n")
	late := `a.svm:1:7: token "qid:12": qid:N must come right after the label`
	refused(t, "1 1:1 qid:12\n", Options{}, late)
	refused(t, "1 1:1 qid:12\n"+strings.Repeat("1 1:1\n", 20), Options{}, late) // plainFeatures
	accepted(t, "1\n-1 \n1 #\n", Options{}, "1\n-1\n1\n")
	accepted(t, "", Options{}, "")
	accepted(t, "\ufeff", Options{}, "")
}

func hostileBase(t *testing.T) {
	for text, base := range map[string]int{"1 1:1\n": 1, "1 2:1\n1 0:1\n": 0, "1\n": 1} {
		s, err := readText(text, Options{IndexBase: BaseAuto})
		if err != nil || s.IndexBase != base {
			t.Errorf("%q: %v", text, err)
			continue
		}
		b := pgsm(t, s)
		s, err = readPGSMBytes(b, int64(len(b)), "a", Options{})
		if err != nil || s.IndexBase != base {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func hostileLength(t *testing.T) {
	size := 100_000_000
	if testing.Short() {
		size /= 20
	}
	// A comment may have any length: the buffer doubles until it holds the line.
	line := io.MultiReader(strings.NewReader("1 1:1 #"), io.LimitReader(ones{}, int64(size)),
		strings.NewReader("\n-1 2:1\n"))
	allocated(t, uint64(10*size), func() {
		s, err := readSvmlightFrom(line, "a.svm", Options{Threads: 1})
		if err != nil || s.Rows() != 2 || s.NNZ() != 2 {
			t.Error(err)
		}
	})
	// A token of size bytes is refused with a short message.
	allocated(t, uint64(10*size), func() {
		token := io.MultiReader(strings.NewReader("1 "), io.LimitReader(ones{}, int64(size)))
		_, err := readSvmlightFrom(token, "a.svm", Options{Threads: 1})
		if err == nil || len(err.Error()) > 200 || !strings.HasPrefix(err.Error(), "a.svm:1:3: ") {
			t.Error(err)
		}
	})
	// Rows without features have the shortest text, and may take 64 bytes of memory each.
	rows := size / 10
	allocated(t, uint64(64*rows), func() {
		text := io.LimitReader(&repeated{text: "1\n"}, int64(2*rows))
		s, err := readSvmlightFrom(text, "a.svm", Options{Threads: 1})
		if err != nil || s.Rows() != rows {
			t.Error(err)
		}
	})
}

func hostileGzip(t *testing.T) {
	whole := zipped(t, "1 1:1\n-1 2:1\n")
	read := func(content []byte, opt Options) (*Set, error) {
		return Read(file(t, "a.svm.gz", content), opt)
	}
	if _, err := read(whole[:len(whole)-9], Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	bad := bytes.Clone(whole)
	bad[len(bad)-8] ^= 1
	if _, err := read(bad, Options{}); !errors.Is(err, gzip.ErrChecksum) {
		t.Error(err)
	}
	_, err := read(append(bytes.Clone(whole), "garbage"...), Options{})
	if !says(err, "a.svm.gz: ") {
		t.Error(err)
	}
	s, err := read(append(bytes.Clone(whole), whole...), Options{})
	if err != nil || s.Rows() != 4 {
		t.Error(err)
	}
	bomb := zipped(t, strings.Repeat("#", 1<<25)+"\n") // compressed to about a thousandth
	if len(bomb) > 1<<25/900 {
		t.Fatal(len(bomb))
	}
	allocated(t, 8<<20, func() {
		_, err := read(bomb, Options{MaxBytes: 1 << 20, Threads: 1})
		if !says(err, "more than 1048576 bytes (MaxBytes)") {
			t.Error(err)
		}
	})
}

func hostileCSV(t *testing.T) {
	for text, want := range map[string]string{
		"1,2,3\n4,5\n":          "a.csv:2: 2 cells where the table has 3 columns",
		"1,2,3\n4,\"5\n6\",7\n": "a.csv:2:3: token \"5\\n6\": feature is not a number",
		"1,2,3\n4,,6\n":         "a.csv:2:3: missing value",
		"1,2,3\n4,\"5,6\n":      "a.csv:2:3: token \"\\\"5\": feature is not a number",
		"1,2,3\n4,red,6\n":      "a.csv:2:3: token \"red\": feature is not a number: to encode words",
		"a,b\n1,nan\n":          "a.csv:2:3: column \"b\": token \"nan\": missing label",
	} {
		_, err := readCSVText(text, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	// A line of more columns than are allowed is not read to its end.
	bomb := "1" + strings.Repeat(",1", 1<<22) + "\n"
	for text, want := range map[string]string{
		bomb:                "a.csv:1: more than 263168 columns (-max-features)",
		"a,b\n1,2\n" + bomb: "a.csv:3: more than 263168 columns",
	} {
		allocated(t, 64<<20, func() {
			if _, err := readCSVText(text, Options{}); !says(err, want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
		allocated(t, 16<<20, func() { // several times the size of the sampled text
			_, err := readCSVText(text, Options{MaxFeatures: 100})
			if !says(err, "more than 1124 columns (-max-features)") {
				t.Error(err)
			}
		})
	}
	// Commas within quotes, even over several lines, do not separate columns.
	quoted := "1,\"" + strings.Repeat(",\"\"\n", 5000) + "\"\n"
	s, err := readCSVText(strings.Repeat(quoted, 3), Options{MaxFeatures: 5})
	if err != nil || s.Rows() != 3 || len(s.Names) != 1 {
		t.Error(err)
	}
	s, err = readCSVText("height,class,width\n1,yes,2\n3,no,4\n", Options{LabelColumn: "class"})
	if err != nil || s.Rows() != 2 || s.Cols() != 2 || strings.Join(s.Names, " ") != "no yes" {
		t.Error(err)
	}
}

func hostileIDX(t *testing.T) {
	labels := idx(8, []byte{1, 2}, 2)
	for want, images := range map[string][]byte{
		"not an IDX file":                         []byte("GIF89a..............."),
		"their product is too large":              idx(8, nil, 2, 1<<31, 1<<31, 1<<31),
		"3 bytes of data where the header says 4": idx(8, []byte{1, 2, 3}, 2, 2),
		"header cut off":                          idx(8, nil, 2, 2)[:7],
		"where the header says 2000000":           idx(8, []byte{1, 2, 3}, 2, 1_000_000),
	} {
		bounded(t, len(images), func() {
			if _, err := readIDXBytes(images, labels, Options{}); !says(err, want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

func hostileNPY(t *testing.T) {
	objects := npy(1, npyHeader("|O", false, "(2, 2)"), nil)
	f4 := func(shape string, bytes int) []byte {
		return npy(1, npyHeader("<f4", false, shape), make([]byte, bytes))
	}
	for want, b := range map[string][]byte{
		"at most 65536":              []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"),
		"header cut off":             f4("(2, 2)", 0)[:30],
		"where the header says 1600": f4("(20, 20)", 16),
		"4 bytes of data where the header says 1073741824": f4("(16384, 16384)", 4),
		"the product is too large":                         f4("(9223372036854775807, 3)", 0),
		"are Python objects":                               objects,
	} {
		path := file(t, "a.npy", b)
		bounded(t, len(b), func() {
			if _, err := readNPYBytes(b, nil, Options{}); !says(err, want) {
				t.Errorf("%v, want %s", err, want)
			}
			if _, err := Read(path, Options{}); !says(err, want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	for version := 1; version <= 3; version++ {
		for _, descr := range []string{"<f4", ">f4"} {
			data := encode(descr, 1, 4, 2, 5, 3, 6)
			file := npy(version, npyHeader(descr, true, "(2, 3)"), data)
			s, err := readNPYBytes(file, nil, Options{})
			if err != nil {
				t.Fatal(err)
			}
			have := fmt.Sprint(s.Dense.Row(0), s.Dense.Row(1), s.Y)
			if have != "[1 2] [4 5] [3 6]" {
				t.Errorf("version %d, %s: %s", version, descr, have)
			}
		}
	}
}

func hostilePGSM(t *testing.T) {
	s, err := readText("1 1:1 2:2\n-1 2:3\n", Options{Layout: LayoutSparse})
	if err != nil {
		t.Fatal(err)
	}
	good := pgsm(t, s)
	le := binary.LittleEndian
	for want, spoil := range map[string]func(b []byte) []byte{
		"not a .pgsm file":        func(b []byte) []byte { b[0] = 'X'; return b },
		"version 7 of the format": func(b []byte) []byte { le.PutUint32(b[8:], 7); return b },
		"cut off":                 func(b []byte) []byte { return b[:50] },
		"the file is cut off":     func(b []byte) []byte { return b[:len(b)-1] },
		"checksum is wrong":       func(b []byte) []byte { b[20] = 1; return b },
		"where the header says": func(b []byte) []byte {
			le.PutUint64(b[16:], 1e6)
			resign(b)
			return b
		},
		"the label is not finite": func(b []byte) []byte {
			le.PutUint32(b[64:], math.Float32bits(float32(math.NaN())))
			resign(b)
			return b
		},
		"are beyond the limit of": func(b []byte) []byte {
			le.PutUint64(b[24:], 1e9)
			resign(b)
			return b
		},
		"columns: want at most 2147": func(b []byte) []byte {
			le.PutUint64(b[24:], 1e10)
			resign(b)
			return b
		},
	} {
		b := spoil(bytes.Clone(good))
		path := file(t, "a.pgsm", b)
		for _, opt := range []Options{{}, {InMemory: true}} {
			bounded(t, len(b), func() {
				if s, err := Read(path, opt); !says(err, want) {
					t.Errorf("%v %v, want %s", s, err, want)
				}
			})
		}
	}
}

func hostileChunks(t *testing.T) {
	text := "\ufeff1 qid:1 1:0.5 20:12345.678\r\n\r\n# comment\r\n-1 3:1e-3\r\n+1\r\n-1 2:1 # x"
	for chunk := 1; chunk <= len(text)+1; chunk++ {
		for threads := 1; threads <= 3; threads++ {
			checkText(t, text, iotest.HalfReader(strings.NewReader(text)),
				Options{Threads: threads}, chunk)
			checkText(t, text+" \r\n1 x", strings.NewReader(text+" \r\n1 x"),
				Options{Threads: threads}, chunk)
		}
	}
}

func fullDisks(t *testing.T) {
	s := Digits()
	for _, write := range []func(io.Writer, *Set) error{WriteSvmlight, WriteCSV, WriteNPY} {
		if err := write(&fullDisk{left: 1000}, s); !errors.Is(err, errFull) {
			t.Error(err)
		}
	}
}

// bounded fails the test if f allocates more than 4 MiB, for the threads' buffers, and 64 times
// size, the size of the input in bytes.
func bounded(t *testing.T, size int, f func()) {
	t.Helper()
	allocated(t, uint64(4<<20+64*size), f)
}

var errFull = errors.New("no space left on device")

// fullDisk is an io.Writer that fails when more than left bytes are written.
type fullDisk struct{ left int }

func (s *fullDisk) Write(p []byte) (int, error) {
	if len(p) > s.left {
		return s.left, errFull
	}
	s.left -= len(p)
	return len(p), nil
}

// ones is a reader of endless digits 1.
type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

// repeated is a reader of a text that repeats without end.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}
