package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pegasimd/pegasimd/internal/base/murmur"
)

func readText(text string, opt Options) (*Set, error) {
	return readSvmlightFrom(strings.NewReader(text), "a.svm", opt)
}

func mustText(t testing.TB, text string, opt Options) *Set {
	t.Helper()
	s, err := readText(text, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	indexZero = "index 0: indices start at 1; if the data count from 0, set the index base to 0 " +
		"or auto (-index-base)"
	indexTooLarge = "index larger than 2147483647"
	indexToHash   = "; -hash-bits hashes larger indices"
	unsortedIndex = "indices have to ascend (-unsorted sort, or sum)"
)

const addTwice = " (-unsorted sum adds the values)"

func TestSvmlightErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"index 0", "1 1:1\n1 0:1 2:1\n",
			`a.svm:2:3: token "0:1": ` + indexZero},
		{"negative index", "1 -1:1\n", `a.svm:1:3: token "-1:1": index is negative`},
		{"index 2^31", "1 2147483648:1\n",
			`a.svm:1:3: token "2147483648:1": ` + indexTooLarge + indexToHash},
		{"index 2^63", "1 9223372036854775808:1\n",
			`a.svm:1:3: token "9223372036854775808:1": ` + indexTooLarge + indexToHash},
		{"index 2^64+1", "1 18446744073709551617:1\n",
			`a.svm:1:3: token "18446744073709551617:1": ` + indexTooLarge},
		{"index of 30 digits", "1 111111111122222222223333333333:1\n",
			`a.svm:1:3: token "111111111122222222223333333333:1": ` + indexTooLarge},
		{"index past MaxFeatures", "1 134217729:1\n",
			`a.svm:1:3: token "134217729:1": index beyond the limit of 134217728 features ` +
				`(-max-features); -hash-bits hashes larger indices`},
		{"index of 29 zeros", "1 1:1 00000000000000000000000000000:1\n",
			`a.svm:1:7: token "00000000000000000000000000000:1": ` + indexZero},
		{"index 1e3", "+1 1e3:1\n", `a.svm:1:4: token "1e3:1": index is not written in digits only`},
		{"index +1", "1 +1:1\n", `a.svm:1:3: token "+1:1": index is not written in digits only`},
		{"index x", "1 x:1\n", `a.svm:1:3: token "x:1": index is not written in digits only`},
		{"no index", "1 :1\n", `a.svm:1:3: token ":1": no index before the colon`},
		{"no value", "1 1:\n", `a.svm:1:3: token "1:": no value after the colon`},
		{"no value before a comment", "1 1:# 2\n",
			`a.svm:1:3: token "1:": no value after the colon`},
		{"two colons", "1 1:2:3\n", `a.svm:1:3: token "1:2:3": more than one colon`},
		{"blanks about the colon", "1 1 : 2\n",
			`a.svm:1:3: token "1": want index:value, without blanks`},
		{"lone colon", "1 :\n", `a.svm:1:3: token ":": no index before the colon`},
		{"unsorted", "1 1:1 3:1 2:1\n",
			`a.svm:1:11: token "2:1": index 2 after 3: ` + unsortedIndex},
		{"duplicate", "1 1:1 1:2\n", `a.svm:1:7: token "1:2": index 1 twice in a line` + addTwice},
		{"duplicate of a zero", "1 1:0 1:2\n",
			`a.svm:1:7: token "1:2": index 1 twice in a line` + addTwice},
		{"value nan", "1 1:nan\n", `a.svm:1:3: token "1:nan": value is not finite`},
		{"value NaN", "1 1:1 2:NaN 3:1\n", `a.svm:1:7: token "2:NaN": value is not finite`},
		{"value -inf", "1 1:-inf\n", `a.svm:1:3: token "1:-inf": value is not finite`},
		{"value infinity", "1 1:Infinity\n", `a.svm:1:3: token "1:Infinity": value is not finite`},
		{"value hexadecimal", "1 1:0x1p3\n",
			`a.svm:1:3: token "1:0x1p3": value is not a decimal number`},
		{"value 1e39", "1 1:1e39\n", `a.svm:1:3: token "1:1e39": value is beyond the range of float32`},
		{"value -1e400", "1 1:-1e400\n",
			`a.svm:1:3: token "1:-1e400": value is beyond the range of float32`},
		{"value 1_0", "1 1:1_0\n", `a.svm:1:3: token "1:1_0": value is not a decimal number`},
		{"value 1,5", "1 1:1,5\n", `a.svm:1:3: token "1:1,5": value is not a decimal number`},
		{"label nan", "nan 1:1\n", `a.svm:1:1: token "nan": label is not finite`},
		{"label inf", "1 1:1\n\n# three\n  +inf 1:1\n",
			`a.svm:4:3: token "+inf": label is not finite`},
		{"label abc", "abc 1:1\n", `a.svm:1:1: token "abc": label is not a decimal number`},
		{"label missing", "1:1 2:1\n", `a.svm:1:1: token "1:1": a feature where the label should be`},
		{"two labels", "1,2 1:1\n", `a.svm:1:1: token "1,2": a comma in the label: want one label; ` +
			`the decimal mark is a point`},
		{"colon in a label", "a:b 1:1\n", `a.svm:1:1: token "a:b": label is not a decimal number`},
		{"label 1e39", "1e39 1:1\n", `a.svm:1:1: token "1e39": label is beyond the range of float32`},
		{"label 2^24+1", "16777217 1:1\n",
			`a.svm:1:1: token "16777217": label is an integer that float32 can't hold exactly`},
		{"label -(2^24+1).0", "-16777217.0 1:1\n",
			`a.svm:1:1: token "-16777217.0": label is an integer that float32 can't hold exactly`},
		{"qid late", "1 1:1 qid:3 2:1\n",
			`a.svm:1:7: token "qid:3": qid:N must come once, before the features`},
		{"qid late, more lines", "1 1:1 qid:3\n" + strings.Repeat("1 1:1\n", 20),
			`a.svm:1:7: token "qid:3": qid:N must come once, before the features`},
		{"qid twice", "1 qid:3 qid:3 2:1\n",
			`a.svm:1:9: token "qid:3": qid:N must come once, before the features`},
		{"qid without number", "1 qid: 2:1\n",
			`a.svm:1:3: token "qid:": index is not written in digits only`},
		{"NUL", "1 1:1\x00\n", `a.svm:1:3: token "1:1\x00": value is not a decimal number`},
		{"NUL line", "1 1:1\n\x00\n", `a.svm:2:1: token "\x00": label is not a decimal number`},
		{"lone CR for a line end", "1 1:1\r-1 1:1\r",
			`a.svm:1:7: token "-1": want index:value, without blanks`},
		{"byte order mark within", "1 1:1\n\ufeff1 1:1\n",
			`a.svm:2:1: token "\ufeff1": label is not a decimal number`},
		{"no final newline", "1 1:1\n1 x",
			`a.svm:2:3: token "x": want index:value, without blanks`},
		{"long token", "1 " + strings.Repeat("x", 1000),
			`a.svm:1:3: token "` + strings.Repeat("x", 40) +
				`...": want index:value, without blanks`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readText(c.text, Options{})
			var place *SyntaxError
			if s != nil || err == nil || err.Error() != c.want || !errors.As(err, &place) {
				t.Errorf("%q:\n%v, want\n%v", c.text, err, c.want)
			}
		})
	}
}

func TestSvmlightAccepts(t *testing.T) {
	row := func(y float32, features ...float64) example {
		e := example{y: y}
		for i := 0; i < len(features); i += 2 {
			e.idx = append(e.idx, int32(features[i]))
			e.val = append(e.val, float32(features[i+1]))
		}
		return e
	}
	for _, c := range []struct {
		name, text string
		opt        Options
		cols       int
		rows       []example
	}{
		{"empty file", "", Options{}, 0, nil},
		{"byte order mark only", "\ufeff", Options{}, 0, nil},
		{"blank lines only", "\n \n\t\r\n", Options{}, 0, nil},
		{"plain", "1 1:2 3:4\n-1 2:0.5\n", Options{}, 3,
			[]example{row(1, 0, 2, 2, 4), row(-1, 1, 0.5)}},
		{"no final newline", "1 1:2", Options{}, 1, []example{row(1, 0, 2)}},
		{"CRLF", "1 1:2\r\n\r\n2 1:3\r\n", Options{}, 1, []example{row(1, 0, 2), row(2, 0, 3)}},
		{"CR at the end", "1 1:2\r", Options{}, 1, []example{row(1, 0, 2)}},
		{"tabs and blanks", " \t1\t 1:2  2:3 \t\n", Options{}, 2, []example{row(1, 0, 2, 1, 3)}},
		{"byte order mark", "\ufeff1 1:2\n", Options{}, 1, []example{row(1, 0, 2)}},
		{"comments", "# one\n1 1:2 # two: 3:nonsense\n2 1:3#three\n3#four\n  # five", Options{}, 1,
			[]example{row(1, 0, 2), row(2, 0, 3), row(3)}},
		{"label only", "1\n-1\n", Options{}, 0, []example{row(1), row(-1)}},
		{"labels", "+1\n1.0\n-0\n0.5\n1e1\n16777216\n33554432\n16777217.5\n1e30\n001\n-16777218\n",
			Options{}, 0,
			[]example{row(1), row(1), row(0), row(0.5), row(10), row(1 << 24), row(1 << 25),
				row(16777218), row(1e30), row(1), row(-16777218)}},
		{"qid", "1 qid:7 1:2\n1 qid:18446744073709551616\n", Options{}, 1,
			[]example{row(1, 0, 2), row(1)}},
		{"zeros are not stored", "1 1:0 2:1 3:-0 4:1e-50\n", Options{}, 4, []example{row(1, 1, 1)}},
		{"subnormal", "1 1:1e-45\n", Options{}, 1, []example{row(1, 0, 1e-45)}},
		{"index with zeros before it", "1 0000000000000000000000000001:2\n", Options{}, 1,
			[]example{row(1, 0, 2)}},
		{"largest index allowed", "1 134217728:1\n",
			Options{MaxFeatures: 1 << 27}, 1 << 27,
			[]example{row(1, 1<<27-1, 1)}},
		{"largest index of all", "1 2147483647:1\n", Options{MaxFeatures: math.MaxInt32},
			math.MaxInt32, []example{row(1, math.MaxInt32-1, 1)}},
		{"largest index of all, base 0", "1 0:1 2147483646:1\n",
			Options{MaxFeatures: math.MaxInt32, IndexBase: BaseAuto}, math.MaxInt32,
			[]example{row(1, 0, 1, math.MaxInt32-1, 1)}},
		{"base 0", "1 0:1 2:3\n", Options{IndexBase: BaseZero}, 3, []example{row(1, 0, 1, 2, 3)}},
		{"base 0, no index 0", "1 1:1\n", Options{IndexBase: BaseZero}, 2, []example{row(1, 1, 1)}},
		{"base auto, 1", "1 1:1\n", Options{IndexBase: BaseAuto}, 1, []example{row(1, 0, 1)}},
		{"base auto, 0 late", "1 1:1\n1 2:1\n1 0:1\n", Options{IndexBase: BaseAuto}, 3,
			[]example{row(1, 1, 1), row(1, 2, 1), row(1, 0, 1)}},
		{"base auto, 0 with value 0", "1 1:1\n1 0:0\n", Options{IndexBase: BaseAuto}, 2,
			[]example{row(1, 1, 1), row(1)}},
		{"base auto, no rows", "", Options{IndexBase: BaseAuto}, 0, nil},
		{"features fixed, more", "1 1:1\n", Options{Features: 5}, 5, []example{row(1, 0, 1)}},
		{"features fixed, less", "1 1:1 2:2 3:3 2147483647:4\n", Options{Features: 2}, 2,
			[]example{row(1, 0, 1, 1, 2)}},
		{"features fixed, base auto 0", "1 1:1 2:2 3:3\n1 0:9 2:8\n",
			Options{Features: 2, IndexBase: BaseAuto}, 2, []example{row(1, 1, 1), row(1, 0, 9)}},
		{"features fixed, base auto 1", "1 1:1 2:2 3:3\n",
			Options{Features: 2, IndexBase: BaseAuto}, 2, []example{row(1, 0, 1, 1, 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if s.Cols() != c.cols || !equal(examples(s), c.rows) {
				t.Errorf("%d columns, %v; want %d, %v", s.Cols(), examples(s), c.cols, c.rows)
			}
		})
	}
}

func TestSvmlightBaseAndIgnored(t *testing.T) {
	for _, c := range []struct {
		text    string
		opt     Options
		base    int
		ignored int64
	}{
		{"1 1:1\n", Options{}, 1, 0},
		{"1 1:1\n", Options{IndexBase: BaseZero}, 0, 0},
		{"1 1:1\n", Options{IndexBase: BaseAuto}, 1, 0},
		{"1 1:1\n1 0:1", Options{IndexBase: BaseAuto}, 0, 0},
		{"1 1:1 2:1 3:0 4:1\n1 3:1", Options{Features: 1}, 1, 3},
		{"1 0:1 1:1 2:1\n1 1:1 2:2", Options{Features: 1, IndexBase: BaseAuto}, 0, 4},
		{"1 0:1 1:1 2:1\n1 1:1 2:2", Options{Features: 1, IndexBase: BaseZero}, 0, 4},
	} {
		s, err := readText(c.text, c.opt)
		if err != nil || s.IndexBase != c.base || s.Ignored != c.ignored {
			t.Errorf("%q: base %d, ignored %d, %v; want %d, %d", c.text, s.IndexBase, s.Ignored,
				err, c.base, c.ignored)
		}
	}
}

func TestSvmlightMaxFeatures(t *testing.T) {
	for _, c := range []struct {
		text string
		base IndexBase
		want string
	}{
		{"1 3:1\n", BaseOne, ""},
		{"1 4:1\n", BaseOne, "a.svm:1:3"},
		{"1 3:1\n", BaseZero, "a.svm:1:3"},
		{"1 3:1\n", BaseAuto, ""},
		{"1 4:1\n", BaseAuto, "a.svm:1:3"},
		{"1 1:1\n\n1 1:1 3:1\n1 0:1\n", BaseAuto, "a.svm:3:7"},
		{"1 0:1 2:1\n", BaseAuto, ""},
		{"1 2147483648:1\n", BaseAuto, "a.svm:1:3"},
	} {
		_, err := readText(c.text, Options{IndexBase: c.base, MaxFeatures: 3})
		if c.want == "" && err != nil || c.want != "" && !says(err, c.want) {
			t.Errorf("%q, base %s: %v, want %q", c.text, c.base, err, c.want)
		}
	}
}

// text returns random svmlight text. If bad is not 0, about one row in bad has an invalid or
// unusual piece.
func text(r *rand.Rand, bad int) string {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	var b strings.Builder
	if r.IntN(4) == 0 {
		b.WriteString("\ufeff")
	}
	for range r.IntN(12) {
		if r.IntN(8) > 0 {
			b.WriteString(pick("1", "-1", "+1", "2.5", "1e3", "-0", "33554432"))
			b.WriteString(pick("", "", "", " qid:1"))
			j := r.IntN(3)
			for range r.IntN(6) {
				j += 1 + r.IntN(1+r.IntN(200))
				fmt.Fprintf(&b, "%s%d:%s", pick(" ", "  ", "\t", " \r"), j,
					pick("1", "0", "-0.5", "0.031250", "1e-3", "123456789012", "1e-45",
						fmt.Sprint(r.NormFloat64())))
			}
			if bad > 0 && r.IntN(bad) == 0 {
				b.WriteString(pick(" 0:1", " :", " 1:", "x", " 1e3:1", " 1:1 1:1", " 99999999999:1",
					" 5:1e39", "\n\x00", "\nnan", "\n1,2", " 1:2:3", " qid:4", " 300:1",
					" 2:7 1:1e-3 2:3.5", " 18446744073709551614:1", " 18446744073709551615:1 3:1"))
			}
		}
		b.WriteString(pick("", "", " ", "# comment: 1:1", " #"))
		b.WriteString(pick("\n", "\n", "\n", "\r\n", "\n\n"))
	}
	s := b.String()
	if r.IntN(3) == 0 {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

func textOf(r io.Reader) *sources { return oneFile(openFile{r: r, name: "a.svm"}, Options{}) }

// checkText fails the test unless reading s from r in chunks of about the given size gives the
// result of reference. Errors must be in the same line, except with BaseAuto.
func checkText(t testing.TB, s string, r io.Reader, opt Options, chunk int) {
	t.Helper()
	opt, err := opt.filled()
	if err != nil {
		t.Fatal(err)
	}
	rows, cols, base, ignored, line := reference(s, opt)
	got, err := readSvmlight(textOf(r), opt, chunk)
	if line > 0 || err != nil {
		var e *SyntaxError
		if line == 0 || !errors.As(err, &e) || e.Line != line && opt.IndexBase != BaseAuto {
			t.Fatalf("%q, chunks of %d: %v, want an error in line %d", s, chunk, err, line)
		}
		line := strings.Split(strings.TrimPrefix(s, "\ufeff"), "\n")[e.Line-1]
		token := strings.TrimSuffix(e.Token, "...")
		if e.Column > 0 && !strings.HasPrefix(line[e.Column-1:], token) {
			t.Fatalf("%q: %v: the token is not there", s, err)
		}
		return
	}
	if got.Cols() != cols || got.IndexBase != base || got.Ignored != ignored ||
		!equal(examples(got), rows) {
		t.Fatalf("%q, chunks of %d: %d columns, base %d, ignored %d, %v\nwant %d, %d, %d, %v",
			s, chunk, got.Cols(), got.IndexBase, got.Ignored, examples(got),
			cols, base, ignored, rows)
	}
}

func TestSvmlightChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	readers := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader,
		iotest.DataErrReader,
	}
	n := 300
	if testing.Short() {
		n = 30
	}
	for i := range n {
		s := text(r, []int{0, 6}[i%2])
		opt := Options{
			IndexBase: []IndexBase{BaseOne, BaseZero, BaseAuto}[r.IntN(3)],
			Features:  []int{0, 1 + r.IntN(300)}[r.IntN(2)],
			Layout:    []Layout{LayoutAuto, LayoutDense, LayoutSparse}[r.IntN(3)],
		}
		switch r.IntN(4) {
		case 0:
			opt.Unsorted = []Unsorted{UnsortedSort, UnsortedSum}[r.IntN(2)]
		case 1:
			opt.HashBits, opt.Features = 1+r.IntN(9), 0
			opt.Unsorted = []Unsorted{UnsortedError, UnsortedSum}[r.IntN(2)]
		}
		for chunk := 1; chunk <= len(s)+1; chunk++ {
			opt.Threads = 1 + chunk%3
			checkText(t, s, readers[r.IntN(len(readers))](strings.NewReader(s)), opt, chunk)
		}
	}
}

func TestSvmlightTight(t *testing.T) {
	s := "1"
	for j := range 9 {
		s += fmt.Sprintf(" %d:1", j+1)
		checkText(t, s, strings.NewReader(s), Options{}, len(s))
		checkText(t, s+"\n", strings.NewReader(s+"\n"), Options{}, len(s)+1)
	}
}

func TestSvmlightFirstError(t *testing.T) {
	good := strings.Repeat("1 1:1\n", 1000)
	s := good + "1 bad1\n" + strings.Repeat(good+"1 bad2\n", 20)
	opt, _ := Options{Threads: 8}.filled()
	for i := range 50 {
		_, err := readSvmlight(textOf(strings.NewReader(s)), opt, 1000+100*i)
		if err == nil || !strings.HasPrefix(err.Error(), `a.svm:1001:3: token "bad1"`) {
			t.Fatal(err)
		}
	}
}

func TestSvmlightReadError(t *testing.T) {
	broken := errors.New("broken")
	for chunk := 1; chunk < 40; chunk++ {
		opt, _ := Options{}.filled()
		r := io.MultiReader(strings.NewReader("1 1:1\n1 2:1\n1 bad"), iotest.ErrReader(broken))
		if _, err := readSvmlight(textOf(r), opt, chunk); !errors.Is(err, broken) ||
			err.Error() != "a.svm: broken" {
			t.Fatalf("%v, want the read error, not an error of the line that it cut off", err)
		}
		r = io.MultiReader(strings.NewReader("1 1:1\n1 bad\n1"), iotest.ErrReader(broken))
		if _, err := readSvmlight(textOf(r), opt, chunk); err == nil ||
			!strings.HasPrefix(err.Error(), "a.svm:2:3") {
			t.Fatalf("%v, want the error of line 2, which is before the read error", err)
		}
	}
	if _, err := readSvmlightFrom(idle{}, "a.svm", Options{}); !errors.Is(err, io.ErrNoProgress) {
		t.Fatal(err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestSvmlightLongLine(t *testing.T) {
	var b strings.Builder
	b.WriteString("1")
	n := 0
	for b.Len() < 5*chunkSize {
		n++
		fmt.Fprintf(&b, " %d:1", n)
	}
	s, err := readText("1 1:1\n"+b.String()+"\n1 2:1", Options{})
	if err != nil || s.Rows() != 3 || s.Cols() != n || s.NNZ() != n+2 {
		t.Fatal(s, err)
	}
	s, err = readText("1 1:1 #"+strings.Repeat("x", 5*chunkSize)+"\n1 2:1", Options{})
	if err != nil || s.Rows() != 2 || s.NNZ() != 2 {
		t.Fatal(s, err)
	}
}

func TestSvmlightUnsorted(t *testing.T) {
	text := "1 qid:2 3:1 1:2 2:0.5 # x\n-1 5:1 4:-0\n"
	for _, c := range []struct {
		text     string
		unsorted Unsorted
		want     string // as svmlight text, or an error
	}{
		{text, UnsortedError,
			`a.svm:1:13: token "1:2": index 1 after 3: ` + unsortedIndex},
		{text, UnsortedSort, "1 1:2 2:0.5 3:1\n-1 5:1\n"},
		{text, UnsortedSum, "1 1:2 2:0.5 3:1\n-1 5:1\n"},
		{"1 2:1 1:1 2:3\n", UnsortedError,
			`a.svm:1:7: token "1:1": index 1 after 2: ` + unsortedIndex},
		{"1 2:1 1:1 2:3\n", UnsortedSort,
			`a.svm:1:11: token "2:3": index 2 twice in a line` + addTwice},
		{"1 1:1\n\n1 qid:1 2:0 1:1 2:3\n", UnsortedSort,
			`a.svm:3:17: token "2:3": index 2 twice in a line` + addTwice},
		{"1 2:1 1:1 2:3\n", UnsortedSum, "1 1:1 2:4\n"},
		{"1 2:1 1:1 2:-1\n", UnsortedSum, "1 1:1 2:0\n"},
		{"1 2:16777216 2:1 2:1 1:1\n", UnsortedSum, "1 1:1 2:16777216\n"}, // in the file's order
		{"1 2:1 2:1 2:16777216 1:1\n", UnsortedSum, "1 1:1 2:16777218\n"},
		{"1 1:1\n1 2:3e38 2:3e38\n", UnsortedSum,
			`a.svm:2: adding the values of a column overflows float32`},
		{"1 2:1 0:1\n", UnsortedSum,
			`a.svm:1:7: token "0:1": ` + indexZero},
	} {
		got, err := readText(c.text, Options{Unsorted: c.unsorted})
		if strings.HasPrefix(c.want, "a.svm") {
			if err == nil || err.Error() != c.want {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		want := mustText(t, c.want, Options{})
		same(t, got, want)
	}
}

func TestSvmlightHash(t *testing.T) {
	// The values of MurmurHash3's fmix64.
	for j, want := range map[uint64]uint64{0: 0, 1: 0xb456bcfc34c2cb2c, 2: 0x3abf2a20650683e7,
		math.MaxUint64: 0x64b5720b4b825f21} {
		if got := murmur.Mix64(j); got != want {
			t.Errorf("%d: %#x, want %#x", j, got, want)
		}
	}
	const text = "1 1:1 2:2 4294967296:3 18446744073709551614:0.5\n-1\n1 7:0\n"
	opt := Options{HashBits: 10}
	s, err := readText(text, opt)
	if err != nil {
		t.Fatal(err)
	}
	rows, cols, _, _, _ := reference(text, opt)
	if s.Cols() != 1024 || cols != 1024 || s.HashBits != 10 || s.IndexBase != 1 ||
		!equal(examples(s), rows) || s.NNZ() != 4 {
		t.Errorf("%+v, want %v", examples(s), rows)
	}
	if idx, val := s.Sparse.Row(0); !slices.Contains(idx, 0xb456bcfc34c2cb2c%1024) ||
		!slices.Contains(val, -1) {
		t.Errorf("%v %v", idx, val)
	}
	s, err = readText("1 1:1 2:2 3:4\n", Options{HashBits: 1, Layout: LayoutDense})
	rows, _, _, _, _ = reference("1 1:1 2:2 3:4\n", Options{HashBits: 1})
	if err != nil || !equal(examples(s), rows) {
		t.Error(err)
	}
	for _, c := range []struct {
		text string
		opt  Options
		want string
	}{
		{"1 18446744073709551615:1\n", opt,
			`a.svm:1:3: token "18446744073709551615:1": index larger than 18446744073709551614`},
		{"1 18446744073709551616:1\n", opt,
			`a.svm:1:3: token "18446744073709551616:1": index larger than 18446744073709551614`},
		{"1 5:1 4:1\n", opt,
			`a.svm:1:7: token "4:1": index 4 after 5: ` + unsortedIndex},
		{"1 0:1\n", opt,
			`a.svm:1:3: token "0:1": ` + indexZero},
		{"", Options{HashBits: 31}, `dataset: HashBits 31 (-hash-bits): want 0 to 30`},
		{"", Options{HashBits: -1}, `dataset: HashBits -1 (-hash-bits): want 0 to 30`},
		{"", Options{HashBits: 28}, `dataset: HashBits 28 means 268435456 features: want at most ` +
			`134217728 (-max-features)`},
		{"", Options{HashBits: 4, Features: 15},
			`dataset: HashBits 4 means 16 features, but Features is 15`},
		{"", Options{Unsorted: "x"},
			`dataset: unsorted "x": want one of ["error" "sort" "sum"]`},
	} {
		if _, err := readText(c.text, c.opt); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, name := range []string{"a.csv", "a.tsv", "a.npy"} {
		path := file(t, name, []byte("1,2\n"))
		_, err := Read(path, opt)
		if err == nil || !strings.HasPrefix(err.Error(), path+": want features hashed to ") {
			t.Error(err)
		}
	}
	if _, err := readIDXBytes(nil, nil, opt); !says(err, "can be hashed") {
		t.Error(err)
	}
	s, err = readText(text, opt)
	if err != nil {
		t.Fatal(err)
	}
	b := pgsm(t, s)
	got, err := readPGSMBytes(b, int64(len(b)), "a", opt)
	if err != nil || got.HashBits != 10 || s.Subset([]int{0}).HashBits != 10 {
		t.Error(got, err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opt := Options{Context: ctx, Progress: func(read, total int64) {
		if read > 3<<20 {
			cancel()
		}
	}}
	s := strings.Repeat("1 1:1\n", 1<<20)
	if _, err := readText(s, opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err := readCSVFrom(strings.NewReader("1,2\n"), "a.csv", opt)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	s := strings.Repeat("1 1:1\n", 1<<20)
	path := file(t, "a.svm", []byte(s))
	var calls, last int64
	opt := Options{Progress: func(read, total int64) {
		if read < last || total != int64(len(s)) {
			t.Errorf("%d of %d after %d", read, total, last)
		}
		calls++
		last = read
	}}
	if _, err := Read(path, opt); err != nil || last != int64(len(s)) || calls < 5 || calls > 8 {
		t.Errorf("%d calls, last %d, %v", calls, last, err)
	}
}

func TestMaxBytes(t *testing.T) {
	for n, s := range []string{"", "1", "1\n", "1 1:1\n"} {
		for limit := int64(1); limit < 10; limit++ {
			_, err := readText(s, Options{MaxBytes: limit})
			if (err != nil) != (int64(len(s)) > limit) {
				t.Errorf("text %d, limit %d: %v", n, limit, err)
			}
		}
	}
	bomb := file(t, "a.svm.gz", zipped(t, strings.Repeat("#", 1<<25)))
	allocated(t, 8<<20, func() {
		_, err := Read(bomb, Options{MaxBytes: 1 << 20, Threads: 1})
		if err == nil || err.Error() != bomb+": the data have more than 1048576 bytes (-max-bytes)" {
			t.Error(err)
		}
	})
}

func TestSvmlightMemory(t *testing.T) {
	s := "1 134217728:1\n" + strings.Repeat("1 1:1\n", 1000)
	allocated(t, 2<<20, func() {
		if _, err := readText(s, Options{Threads: 1, MaxFeatures: 1 << 27}); err != nil {
			t.Error(err)
		}
	})
	if _, err := readText(s, Options{Layout: LayoutDense, MaxFeatures: 1 << 27}); !says(err,
		"use the sparse layout") {
		t.Error(err)
	}
}

func FuzzSvmlight(f *testing.F) {
	for _, s := range []string{
		"1 1:2 3:4\n-1 2:0.5 # x\n", "+1 qid:3 0:1\r\n", "\ufeff1 1:1e-5\n\n", "1 2:1 1:1",
		"1,2 1:1", "nan", "1 1:2:3", "1 99999999999:1", "1 4:1\n1 0:1",
	} {
		f.Add(s, uint8(0), uint16(7), uint8(0))
		f.Add(s, uint8(2), uint16(1), uint8(3))
		f.Add(s, uint8(9*1+1), uint16(100), uint8(0))
		f.Add(s, uint8(9*6+2), uint16(100), uint8(0))
	}
	f.Fuzz(func(t *testing.T, s string, kind uint8, chunk uint16, features uint8) {
		opt := Options{
			IndexBase: []IndexBase{BaseOne, BaseZero, BaseAuto}[kind%3],
			Features:  int(features), Threads: 1 + int(kind/3)%3, Layout: LayoutSparse,
			MaxFeatures: 1000,
			Unsorted:    []Unsorted{UnsortedError, UnsortedSort, UnsortedSum}[kind/9%3],
		}
		if bits := int(kind / 27); bits > 0 {
			opt.HashBits, opt.Features = bits, 0
		}
		checkText(t, s, strings.NewReader(s), opt, 1+int(chunk))
	})
}

func BenchmarkSvmlight(b *testing.B) {
	for _, name := range []string{
		"imdb/imdb.tfidf.train", "a9a/a9a", "reuters-moneyfx/reuters.moneyfx.train",
		"rcv1-small/rcv1.small.train",
		"covtype20k/covtype20k.binary", "cal_housing/cal_housing",
	} {
		path, ok := data(b, name+".svm.gz")
		if !ok {
			return
		}
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("set="+filepath.Base(name), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			start := processorSeconds()
			for b.Loop() {
				_, err := readSvmlightFrom(bytes.NewReader(text), name, Options{Threads: 1})
				if err != nil {
					b.Fatal(err)
				}
			}
			// Processor time is less disturbed by other processes than wall-clock time.
			if seconds := processorSeconds() - start; seconds > 0 {
				b.ReportMetric(float64(b.N)*float64(len(text))/1e6/seconds, "MB/cpu-s")
			}
		})
	}
}
