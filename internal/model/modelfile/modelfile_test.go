package modelfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func numbersFile(t testing.TB, kind Kind, floats []float32, doubles []float64, ints []int32,
	shorts []uint16) []byte {
	t.Helper()
	rows, name := len(floats), "a name"
	var b bytes.Buffer
	w := NewWriter(&b, kind)
	if err := w.Header([]Field{Required("rows", &rows), Optional("name", &name)}); err != nil {
		t.Fatal(err)
	}
	WriteNumbers(w, floats)
	WriteNumbers(w, doubles)
	WriteNumbers(w, ints)
	WriteNumbers(w, shorts)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for i, n := range []int{0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 2*chunk + chunk/2} {
		floats, doubles := make([]float32, n), make([]float64, n)
		ints, shorts := make([]int32, n), make([]uint16, n)
		for j := range floats {
			floats[j], doubles[j] = float32(j)/7, -float64(j)/3
			ints[j], shorts[j] = int32(j)-5, uint16(j*3)
		}
		if n > 1 {
			floats[0], doubles[0] = float32(math.Inf(1)), math.Inf(-1)
			ints[0], shorts[0] = math.MinInt32, math.MaxUint16
		}
		kind := []Kind{Linear, Kernel, Proof}[i%3]
		text := numbersFile(t, kind, floats, doubles, ints, shorts)
		buffered, have, ok := Peek(bytes.NewReader(text), Linear, Kernel, Proof)
		if !ok || have != kind {
			t.Errorf("a file of kind %s has the kind %v", kind.Name, have)
		}
		rows, err := Read(buffered, kind, func(r *Reader) (int, error) {
			var rows int
			var name string
			if err := r.Header([]Field{Required("rows", &rows), Optional("name", &name)}); err != nil {
				return 0, err
			}
			f, err := r.Floats(n)
			d, err2 := r.Doubles(n)
			i, err3 := r.Ints(n)
			s, err4 := r.Shorts(n)
			if !slices.Equal(f, floats) || !slices.Equal(d, doubles) || !slices.Equal(i, ints) ||
				!slices.Equal(s, shorts) || name != "a name" {
				t.Errorf("%d numbers of each type: wrong numbers or a wrong name were read", n)
			}
			return rows, errors.Join(err, err2, err3, err4, r.End())
		})
		if rows != n || err != nil {
			t.Errorf("%d rows, want %d: %v", rows, n, err)
		}
	}
}

func readSmall(r *Reader) ([]float32, error) {
	var rows int
	var name string
	var pairs [][]int
	err := r.Header([]Field{Required("rows", &rows), Optional("name", &name),
		Optional("pairs", &pairs).UpTo(2)})
	if err != nil {
		return nil, err
	}
	values, err := r.Floats(rows)
	if err != nil {
		return nil, err
	}
	return values, r.End()
}

func TestHeaderErrors(t *testing.T) {
	const first = "pegasimd model 1\n"
	name99 := strings.Repeat("n", 99)
	for text, want := range map[string]string{
		"":                                       "cut short",
		"pegasimd mod":                           "cut short",
		"pegasimd modem 1\n":                     `does not begin with "pegasimd model "`,
		"pegasimd kernel model 1\n":              "a kernel model, not a linear model",
		"pegasimd proof 1\n":                     "a proof, not a linear model",
		"pegasimd model x\n":                     `version "x"`,
		"pegasimd model 0\n":                     `version "0"`,
		"pegasimd model 2\n":                     "version 2 is newer than this program, which reads",
		"pegasimd model 1":                       "cut short",
		first + "\n":                             "rows is missing",
		first + "name: \"a\"\nrows: 1\n\n":       "rows is missing",
		first + "rows: 1\nrows: 1\n\n":           `rows is there twice, or in the wrong`,
		first + "rows: 1\npairs: []\nname: \"\"": `name is there twice, or in the wrong`,
		first + "rows: 1\nrow: 1\n\n":            `unknown field "row"`,
		first + "rows 1\n\n":                     `"rows 1\n": want a key`,
		first + ": 1\n\n":                        `": 1\n": want a key`,
		first + name99 + ": 1\n":                 "unknown field",
		first + name99 + "n: 1\n":                "want a key",
		first + "rows: 1 2\n\n":                  "rows: more than one value",
		first + "rows: \n\n":                     "rows: the line ends before its value does",
		first + "rows: 1\npairs: [[1\n\n":        "pairs: the line ends before its value does",
		first + "rows: \"1\"\n\n":                "rows: json: cannot unmarshal",
		first + "rows: 1":                        "cut short",
		first + "rows: 1\n":                      "cut short",
		first + "rows: 1\n\n":                    "cut short",
		first + "rows: 1\npairs: [[],[],[]]\n\n": "pairs: more than 2 elements",
		first[:15] + strings.Repeat("1", 1<<16):  "the first line is too long",
	} {
		_, err := Read(strings.NewReader(text), Linear, readSmall)
		if err == nil || !strings.HasPrefix(err.Error(), "pegasos: model file: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func TestHeader(t *testing.T) {
	long := strings.Repeat("x", 3*bufferSize)
	for _, header := range []string{
		"rows: 1\n\n", "rows: 1\nname: \"" + long + "\"\n\n", "rows: 1\npairs: [[1,2,3],[4]]\n\n",
		"rows: 1   \nname: \"\"\npairs: [  [ ] ]\n\n",
	} {
		text := sealed("pegasimd model 1\n"+header, "\x00\x00\x80\x3f")
		values, err := Read(strings.NewReader(text), Linear, readSmall)
		if err != nil || !slices.Equal(values, []float32{1}) {
			t.Errorf("%.60q: %v, %v", header, values, err)
		}
	}
	values, err := Read(strings.NewReader(sealed("pegasimd model 1\nrows: 1\n\n",
		"\x00\x00\x80\x3f")+"x"), Linear, readSmall)
	if err == nil || !strings.Contains(err.Error(), "something follows the checksum") {
		t.Errorf("%v, %v", values, err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, sealed("pegasimd model 1\nrows: 1\n\n", "\x00\x00\x80\x3f"))
	z.Close()
	whole, name := packed.String(), filepath.Join(t.TempDir(), "a.gz")
	for _, text := range []string{whole + "x", whole + strings.Repeat("x", 20), whole[:len(whole)-3]} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		values, err := ReadFile(name, func(r io.Reader) ([]float32, error) {
			return Read(r, Linear, readSmall)
		})
		if err == nil || !strings.Contains(err.Error(), "are cut short, or something follows them") {
			t.Errorf("%v, %v", values, err)
		}
	}
}

func TestDamage(t *testing.T) {
	text := sealed("pegasimd model 1\nrows: 3\nname: \"n\"\n\n", "123456789012")
	read := func(text string) error {
		_, err := Read(strings.NewReader(text), Linear, readSmall)
		return err
	}
	if err := read(text); err != nil {
		t.Fatal(err)
	}
	fire := errors.New("disk on fire")
	for n := range text {
		if err := read(text[:n]); err == nil || !strings.Contains(err.Error(), "cut short") {
			t.Errorf("cut to %d of %d bytes: %v", n, len(text), err)
		}
		for _, flip := range []byte{1, 0x80} {
			bad := []byte(text)
			bad[n] ^= flip
			if read(string(bad)) == nil {
				t.Errorf("read with byte %d changed", n)
			}
		}
		r := io.MultiReader(strings.NewReader(text[:n]), failingReader{fire})
		if _, err := Read(r, Linear, readSmall); !errors.Is(err, fire) {
			t.Errorf("the reader fails after %d bytes: %v", n, err)
		}
	}
}

func TestReadMemory(t *testing.T) {
	text := sealed("pegasimd model 1\nrows: 1000000000\n\n", "12345678")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(strings.NewReader(text), Linear, readSmall)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 1<<20 {
		t.Errorf("%d bytes for a file of %d: %v", n, len(text), err)
	}
}

func TestWriteErrors(t *testing.T) {
	size := len(numbersFile(t, Linear, []float32{1, 2, 3}, nil, nil, nil))
	for n := range size {
		rows := 3
		w := NewWriter(&failingWriter{n}, Linear)
		err := w.Header([]Field{Required("rows", &rows)})
		WriteNumbers(w, []float32{1, 2, 3})
		if err := errors.Join(err, w.Close()); n < size-len("name: \"a name\"\n") &&
			!errors.Is(err, errFull) {
			t.Errorf("space for %d of %d bytes: %v", n, size, err)
		}
	}
	bad := math.NaN()
	err := NewWriter(io.Discard, Linear).Header([]Field{Required("lambda", &bad)})
	if err == nil || !strings.HasPrefix(err.Error(), "lambda: ") {
		t.Error(err)
	}
}

func TestWriteLines(t *testing.T) {
	var none []string
	zero, one, text := 0, 1, "a\n\"b\""
	var b strings.Builder
	if err := WriteLines(&b, []Field{Required("zero", &zero), Optional("none", &none),
		Optional("left", &zero), Optional("one", &one), Optional("text", &text)}); err != nil {
		t.Fatal(err)
	}
	if want := "zero: 0\none: 1\ntext: \"a\\n\\\"b\\\"\"\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestCheckData(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	for text, ok := range map[string]bool{
		"": true, "dense:" + hash: true, "sparse:" + hash: true, "other:" + hash: true,
		hash: false, "csr:" + hash: false, "dense:" + hash[1:]: false, "dense:" + hash + "0": false,
		"dense:" + strings.ToUpper(hash): false, "a dense:" + hash: false, "dense:": false,
	} {
		if err := CheckData(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := CheckData("csr:"); !strings.Contains(err.Error(), `want "dense:", "sparse:" or`) {
		t.Error(err)
	}
}

func TestPeek(t *testing.T) {
	for text, want := range map[string]Kind{
		"pegasimd model 1\n": Linear, "pegasimd kernel model 1\n": Kernel, "pegasimd pro": Proof,
		"pegasimd ": Linear, "p": Linear, "pegasimd k": Kernel,
		"": {}, "pegasimd modem": {}, "P": {}, "1 1:2\n": {},
	} {
		s, kind, ok := Peek(strings.NewReader(text), Linear, Kernel, Proof)
		if kind != want || ok != (want.Magic != "") {
			t.Errorf("%q: %v %v", text, kind, ok)
		}
		if all, err := io.ReadAll(s); string(all) != text || err != nil {
			t.Errorf("%q: %q is left, %v", text, all, err)
		}
	}
}

func TestFiles(t *testing.T) {
	text := sealed("pegasimd model 1\nrows: 3\n\n", "123456789012")
	dir := t.TempDir()
	read := func(r io.Reader) ([]float32, error) { return Read(r, Linear, readSmall) }
	for _, name := range []string{"model", "model.gz"} {
		path := filepath.Join(dir, name)
		if err := WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if v, err := ReadFile(path, read); err != nil || len(v) != 3 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		raw, err := os.ReadFile(path)
		if zipped := bytes.HasPrefix(raw, []byte{0x1f, 0x8b}); err != nil ||
			zipped != strings.HasSuffix(name, ".gz") {
			t.Errorf("%s: %.20q, %v", name, raw, err)
		}
		if err := WriteFile(path, func(w io.Writer) error {
			fmt.Fprint(w, "half of the new")
			return errFull
		}); !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "pegasos: ") {
			t.Error(err)
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, raw) {
			t.Errorf("%s after a write that failed: %.20q, %v", name, again, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("files %v, want the two that were written; %v", entries, err)
	}

	path := filepath.Join(dir, "none")
	if _, err := ReadFile(path, read); !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "pegasos: ") {
		t.Error(err)
	}
	for bad, want := range map[string]string{"\x1f\x8bcut": "decompressing .gz: ",
		"pegasimd model 1\n": "cut short"} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path, read); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "pegasos: ") ||
			!strings.HasSuffix(err.Error(), "("+path+")") {
			t.Errorf("%q: %v, want %q", bad, err, want)
		}
	}
}
