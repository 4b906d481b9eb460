package modelfile

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
)

type packedReader struct {
	io.Reader
	size int64
}

func (p packedReader) Packed() (int64, bool) { return p.size, true }

func TestSourceBudgets(t *testing.T) {
	plain := func() *Source {
		s := NewSource(strings.NewReader(strings.Repeat("x", 1000)))
		if _, err := s.Peek(1); err != nil { // fills the buffer
			t.Fatal(err)
		}
		return s
	}
	packed := func() *Source { return NewSource(packedReader{strings.NewReader("x"), 1000}) }
	for _, c := range []struct {
		name string
		new  func() *Source
		call func(s *Source, bytes int) error
		most int64
		want error
	}{
		{"elements", plain, (*Source).Take, budget.Elements.Of(1000), budget.ErrTooMuch},
		{"vectors", plain, (*Source).Unpack, budget.Vectors.Of(1000), budget.ErrTooMuch},
		{"compressed elements", packed, (*Source).Take, budget.Elements.Of(1000), errUnpacksTooMuch},
		{"compressed numbers", packed, (*Source).Numbers, budget.Numbers.Of(1000), errUnpacksTooMuch},
		{"compressed vectors", packed, (*Source).Unpack, budget.PackedVectors.Of(1000), errUnpacksTooMuch},
	} {
		if err := c.call(c.new(), int(c.most)); err != nil {
			t.Errorf("%s: %d bytes: %v", c.name, c.most, err)
		}
		if err := c.call(c.new(), int(c.most)+1); !errors.Is(err, c.want) {
			t.Errorf("%s: %d bytes: %v, want %v", c.name, c.most+1, err, c.want)
		}
	}
	s := plain()
	if err := errors.Join(s.Take(int(budget.Elements.Of(1000))-1), s.Take(1)); err != nil {
		t.Error(err)
	}
	if s.Take(1) == nil {
		t.Error("elements do not add up")
	}
	s = packed()
	if err := errors.Join(s.Take(500), s.Numbers(100),
		s.Numbers(int(budget.Numbers.Of(1000))-600)); err != nil {
		t.Error(err)
	}
	if s.Numbers(1) == nil {
		t.Error("numbers and elements do not add up")
	}
	if err := plain().Numbers(math.MaxInt); err != nil {
		t.Errorf("the numbers of a file that is not compressed are limited: %v", err)
	}
	if n, ok := packed().Packed(); n != 1000 || !ok {
		t.Errorf("%d bytes compressed, %v", n, ok)
	}
}

func TestSourceUnpacked(t *testing.T) {
	const size = 1000
	most := budget.Unpacked.Of(size)
	for _, c := range []struct {
		bytes  int64
		peeked bool
		want   error
	}{{most, false, nil}, {most + 1, false, errUnpacksTooMuch}, {most + 1, true, nil}} {
		r := packedReader{io.LimitReader(endless{}, c.bytes), size}
		s, _, _ := Peek(r)
		if !c.peeked {
			if again := NewSource(s); again != s {
				t.Fatal("a Source is buffered twice")
			}
		}
		n, err := io.Copy(io.Discard, s)
		if !errors.Is(err, c.want) || err == nil && n != c.bytes {
			t.Errorf("%d bytes, peeked %v: %d read, %v", c.bytes, c.peeked, n, err)
		}
	}
}

func TestHeaderBudget(t *testing.T) {
	text := "pegasimd model 1\nlists: [" + strings.Repeat("[],", 99) + "[]]\n\n"
	read := func(taken int64) error {
		_, err := Read(strings.NewReader(text), Linear, func(r *Reader) (none int, err error) {
			if err := r.Take(int(taken)); err != nil {
				return 0, err
			}
			var lists [][]int
			return 0, r.Header([]Field{Required("lists", &lists)})
		})
		return err
	}
	most := budget.Elements.Of(int64(len(text))) - 100*24
	if err := read(most); err != nil {
		t.Error(err)
	}
	if err := read(most + 1); err == nil || !strings.Contains(err.Error(), "more memory") {
		t.Errorf("%d bytes taken before: %v", most+1, err)
	}
}
