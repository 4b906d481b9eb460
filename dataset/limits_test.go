package dataset

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHugeIndex(t *testing.T) {
	many := strings.Repeat("1 1:1 2:1 3:1\n", 1<<20/3+1) // 2^20+2 values
	for _, c := range []struct {
		text string
		opt  Options
		cols int
		want string // error; empty for none
	}{
		{"1 1048576:1", Options{}, 1 << 20, ""},
		{"1 1048577:1", Options{}, 0, "a.svm: 1048577 features are beyond the limit of " +
			"1048576 for data of this size (-max-features)"},
		{many + "1 1048579:1", Options{}, 1<<20 + 3, ""},
		{many + "1 1048580:1", Options{}, 0, "a.svm: 1048580 features are beyond the limit of " +
			"1048579 for data of this size (-max-features)"},
		{"1 134217728:1", Options{MaxFeatures: 1 << 27}, 1 << 27, ""},
		{"1 1:1 2147483647:1", Options{Features: 5}, 5, ""},
		{"1 2147483648:1", Options{Features: 5}, 0,
			`a.svm:1:3: token "2147483648:1": index larger than 2147483647`},
		{"1 2147483647:1 18446744073709551614:1", Options{HashBits: 27}, 1 << 27, ""},
	} {
		allocated(t, uint64(4<<20+64*len(c.text)), func() {
			s, err := readText(c.text, c.opt)
			if c.want != "" && (err == nil || err.Error() != c.want) ||
				c.want == "" && (err != nil || s.Cols() != c.cols) {
				t.Errorf("%.40q: %v, want %d columns or %s", c.text, err, c.cols, c.want)
			}
		})
	}
}

func TestLongText(t *testing.T) {
	size := 100_000_000
	if testing.Short() {
		size /= 20
	}
	line := io.MultiReader(strings.NewReader("1 1:1 #"), io.LimitReader(endless('1'), int64(size)),
		strings.NewReader("\n-1 2:1\n"))
	allocated(t, uint64(10*size), func() {
		s, err := readSvmlightFrom(line, "a.svm", Options{Threads: 1})
		if err != nil || s.Rows() != 2 || s.NNZ() != 2 {
			t.Error(err)
		}
	})
	allocated(t, uint64(10*size), func() {
		token := io.MultiReader(strings.NewReader("1 "), io.LimitReader(endless('1'), int64(size)))
		_, err := readSvmlightFrom(token, "a.svm", Options{Threads: 1})
		if err == nil || len(err.Error()) > 200 || !strings.HasPrefix(err.Error(), "a.svm:1:3: ") {
			t.Error(err)
		}
	})
	rows := size / 10
	allocated(t, uint64(64*rows), func() {
		text := io.LimitReader(&repeated{text: "1\n"}, int64(2*rows))
		s, err := readSvmlightFrom(text, "a.svm", Options{Threads: 1})
		if err != nil || s.Rows() != rows {
			t.Error(err)
		}
	})
}

func TestCSVWidth(t *testing.T) {
	bomb := "1" + strings.Repeat(",1", 1<<22) + "\n"
	for text, want := range map[string]string{
		bomb:                "a.csv:1: more than 263168 columns, beyond the limit (-max-features)",
		"a,b\n1,2\n" + bomb: "a.csv:3: more than 263168 columns",
	} {
		allocated(t, 64<<20, func() {
			if _, err := readCSVText(text, Options{}); !says(err, want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
		allocated(t, 16<<20, func() {
			_, err := readCSVText(text, Options{MaxFeatures: 100})
			if !says(err, "more than 1124 columns, beyond the limit (-max-features)") {
				t.Error(err)
			}
		})
	}
	quoted := "1,\"" + strings.Repeat(",\"\"\n", 5000) + "\"\n"
	s, err := readCSVText(strings.Repeat(quoted, 3), Options{MaxFeatures: 5})
	if err != nil || s.Rows() != 3 || len(s.Names) != 1 {
		t.Error(err)
	}
}

func TestChunkEnds(t *testing.T) {
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

func TestFullDisks(t *testing.T) {
	s := Digits()
	for _, write := range []func(io.Writer, *Set) error{WriteSvmlight, WriteCSV, WriteNPY} {
		if err := write(&fullDisk{left: 1000}, s); !errors.Is(err, errFull) {
			t.Error(err)
		}
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{ left int }

func (s *fullDisk) Write(p []byte) (int, error) {
	if len(p) > s.left {
		return s.left, errFull
	}
	s.left -= len(p)
	return len(p), nil
}

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
