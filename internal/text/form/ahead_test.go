package form

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// readEach returns up to the given number of rows, their positions, the error and, at the end, the
// doubts and the form, as text.
func readEach(r *Reader, most int) string {
	var all strings.Builder
	for range most {
		cells, err := r.Read()
		if err != nil {
			fmt.Fprintln(&all, err)
			if err == io.EOF {
				fmt.Fprintln(&all, r.Doubts(), r.Form())
			}
			break
		}
		fmt.Fprintf(&all, "%q", cells)
		for i := range cells {
			fmt.Fprintln(&all, fmt.Sprint(r.FieldPos(i)))
		}
	}
	return all.String()
}

func TestReadAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 400 {
		text := strings.Repeat(seeds[i%len(seeds)], 1+rng.IntN(1+rng.IntN(300)))
		for range rng.IntN(4) {
			at := rng.IntN(len(text) + 1)
			text = text[:at] + []string{`"`, ",", "\n", "\xff", "x,\"a\nb\",", ""}[rng.IntN(6)] + text[at:]
		}
		open := func() *Reader {
			r, err := Open(strings.NewReader(text), nil, -1, Given{Keep: i%3 == 0})
			if err != nil {
				return nil
			}
			return r
		}
		one, ahead := open(), open()
		if one == nil {
			continue
		}
		most := 1 << 30
		if i%5 == 0 {
			most = rng.IntN(100)
		}
		stop := ahead.ReadAhead()
		want, have := readEach(one, most), readEach(ahead, most)
		if stop(); have != want {
			t.Fatalf("%q:\n%s\nwant\n%s", text, have, want)
		}
	}
}

func TestReadAheadError(t *testing.T) {
	rows := strings.Repeat("1,2\n", 100_000)
	broken := io.MultiReader(strings.NewReader(rows), iotest.ErrReader(io.ErrUnexpectedEOF))
	r, err := Open(broken, nil, -1, Given{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.ReadAhead()()
	n := 0
	for ; err == nil; n++ {
		_, err = r.Read()
	}
	if line, _ := r.FieldPos(1); n != 100_001 || line != 100_000 || err != io.ErrUnexpectedEOF {
		t.Errorf("%v after %d rows, the last in line %d", err, n-1, line)
	}
	if _, err = r.Read(); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

func TestReadAheadPanic(t *testing.T) {
	r, err := Open(strings.NewReader(strings.Repeat("1,2\n", 1000)), nil, -1, Given{})
	if err != nil {
		t.Fatal(err)
	}
	r.scanner.src = nil
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	defer r.ReadAhead()()
	for err == nil {
		_, err = r.Read()
	}
}
