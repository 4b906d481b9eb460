package modelfile

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// A file of every type of number reads as what was written, and the two kinds are told apart.
func TestRoundTrip(t *testing.T) {
	floats := make([]float32, 40_000) // more than a chunk
	for i := range floats {
		floats[i] = float32(i) / 7
	}
	doubles := []float64{math.Pi, math.Inf(-1)}
	ints := []int32{-1, math.MaxInt32}
	for _, kind := range []Kind{Linear, Kernel} {
		rows, name := 3, "a name"
		var b bytes.Buffer
		w := NewWriter(&b, kind)
		if err := w.Header([]Field{Required("rows", &rows), Optional("name", &name)}); err != nil {
			t.Fatal(err)
		}
		WriteNumbers(w, floats)
		WriteNumbers(w, doubles)
		WriteNumbers(w, ints)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		buffered, have, ok := Peek(bytes.NewReader(b.Bytes()), Linear, Kernel)
		if !ok || have != kind {
			t.Errorf("%s is taken for %v", kind.Name, have)
		}
		n, err := Read(buffered, kind, func(r *Reader) (int, error) {
			var n int
			var text string
			if err := r.Header([]Field{Required("rows", &n), Optional("name", &text)}); err != nil {
				return 0, err
			}
			f, _ := r.Floats(len(floats))
			d, _ := r.Doubles(2)
			i, _ := r.Ints(2)
			if !slices.Equal(f, floats) || !slices.Equal(d, doubles) || !slices.Equal(i, ints) ||
				text != name {
				t.Error("other numbers")
			}
			return n, r.End()
		})
		if n != 3 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "cut short",
		"pegasimd modem 1\n":   "not a model",
		"pegasimd model x\n":   "version",
		"pegasimd model 2\n":   "version 2 is newer",
		"pegasimd model 1\n\n": "rows is missing",
		"pegasimd model 1\nname: \"a\"\nrows: 1\n\n": "rows is missing",
		"pegasimd model 1\nrows: 1\nrows: 1\n\n":     "there twice",
		"pegasimd model 1\nrows: 1 2\n\n":            "more than one value",
		"pegasimd model 1\nrows: \n\n":               "rows: EOF",
		"pegasimd model 1\nrows: 1\n\n":              "cut short",
	} {
		_, err := Read(strings.NewReader(text), Linear, func(r *Reader) (int, error) {
			var n int
			var name string
			if err := r.Header([]Field{Required("rows", &n), Optional("name", &name)}); err != nil {
				return 0, err
			}
			return n, r.End()
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
