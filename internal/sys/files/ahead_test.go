package files

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

func TestAhead(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int{0, 1, aheadBytes - 1, aheadBytes, 10*aheadBytes + 7} {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(rand.Int())
		}
		r, stop := Ahead(iotest.HalfReader(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken))))
		have, err := io.ReadAll(r)
		if !bytes.Equal(have, text) || err != broken {
			t.Errorf("%d of %d bytes, %v", len(have), size, err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != broken {
			t.Error(n, err)
		}
		stop()
		r, stop = Ahead(bytes.NewReader(text))
		if _, err := io.CopyN(io.Discard, r, int64(size/2)); err != nil {
			t.Error(err)
		}
		stop()
	}
	defer func() {
		if v := recover(); v != broken {
			t.Error("panicked with", v)
		}
	}()
	r, stop := Ahead(readerFunc(func([]byte) (int, error) { panic(broken) }))
	defer stop()
	io.ReadAll(r)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
