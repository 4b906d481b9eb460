package modelfile

import (
	"bufio"
	"errors"
	"io"

	"github.com/pegasimd/pegasimd/internal/budget"
	"github.com/pegasimd/pegasimd/internal/files"
)

// errPacked is the error of a compressed file whose budget is spent.
var errPacked = errors.New("holds more than a compressed file of this size may: it is made to do " +
	"harm, or has to be unpacked with gunzip first")

// An account reads a file, and compares the bytes that are made of it with those that were read.
type account struct {
	r          io.Reader
	read, made int64
	numbers    int64 // bytes of them
	peeked     bool  // It may be no model: its size counts for nothing.
}

func (a *account) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	a.read += int64(n)
	packed, ok := files.Packed(a.r)
	if ok && !a.peeked && a.read > budget.Unpacked.Of(packed) {
		return 0, errPacked
	}
	return n, err
}

// take adds the bytes that are about to be made.
func (a *account) take(bytes int64) error {
	a.made += bytes
	return a.check(0)
}

// check returns an error if the bytes made so far, and more beside them, are too many.
func (a *account) check(more int64) error {
	packed, ok := files.Packed(a.r)
	switch {
	case ok && a.made+more > budget.Elements.Of(packed):
		return errPacked
	case !ok && a.made+more > budget.Elements.Of(a.read):
		return budget.ErrTooMuch
	}
	return nil
}

// A Source is a model's file with a buffer.
type Source struct {
	*bufio.Reader
	account *account
}

// bufferSize is the buffer size of readers and writers.
const bufferSize = 1 << 16

// NewSource returns r with a buffer: r itself if it is a Source.
func NewSource(r io.Reader) *Source {
	s := newSource(r)
	s.account.peeked = false
	return s
}

func newSource(r io.Reader) *Source {
	if s, ok := r.(*Source); ok {
		return s
	}
	a := &account{r: r, peeked: true}
	return &Source{bufio.NewReaderSize(a, bufferSize), a}
}

// Packed is what package files asks of a reader that wraps another.
func (s *Source) Packed() (int64, bool) { return files.Packed(s.account.r) }

// Take is to be called before bytes are made that the file has not paid for yet, such as those of
// many empty slices. It returns an error if the file does not allow them.
func (s *Source) Take(bytes int) error { return s.account.take(int64(bytes)) }

// Numbers is to be called before numbers of the given bytes are made, for which the file has paid
// unless it is compressed.
func (s *Source) Numbers(bytes int) error {
	s.account.numbers += int64(bytes)
	packed, ok := s.Packed()
	if ok && s.account.made+s.account.numbers > budget.Numbers.Of(packed) {
		return errPacked
	}
	return nil
}

// Unpack is to be called, when numbers were read, before vectors of the given bytes are made of
// them and of the zeros between them, for which the file has paid a bit each.
func (s *Source) Unpack(bytes int) error {
	packed, ok := s.Packed()
	switch {
	case ok && int64(bytes) > budget.PackedVectors.Of(packed):
		return errPacked
	case !ok && int64(bytes) > budget.Vectors.Of(s.account.read):
		return budget.ErrTooMuch
	}
	return nil
}
