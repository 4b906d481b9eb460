package modelfile

import (
	"bufio"
	"errors"
	"io"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/sys/files"
)

var errUnpacksTooMuch = errors.New("holds more than the compressed bytes read so far allow: " +
	"decompress it first if you trust it")

// account reads a file and limits the memory that its contents may take. The limits grow with the
// bytes read so far: for a compressed file, with the compressed bytes.
type account struct {
	r       io.Reader
	read    int64 // after decompression
	made    int64 // bytes counted by take
	numbers int64 // bytes counted by Numbers
	peeked  bool  // only Peek has read so far: no limit of the decompressed size
}

func (a *account) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	a.read += int64(n)
	packed, ok := files.Packed(a.r)
	if ok && !a.peeked && a.read > budget.Unpacked.Of(packed) {
		return 0, errUnpacksTooMuch
	}
	return n, err
}

func (a *account) take(bytes int64) error {
	a.made += bytes
	return a.check(0)
}

func (a *account) check(extra int64) error {
	packed, ok := files.Packed(a.r)
	switch {
	case ok && a.made+extra > budget.Elements.Of(packed):
		return errUnpacksTooMuch
	case !ok && a.made+extra > budget.Elements.Of(a.read):
		return budget.ErrTooMuch
	}
	return nil
}

// Source is a buffered reader of a model file that limits the memory its contents may take.
type Source struct {
	*bufio.Reader
	account *account
}

const bufferSize = 1 << 16

// NewSource returns a Source that reads from r, or r itself if it is a Source.
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

// Packed returns the number of compressed bytes read so far; false if the file is not compressed.
func (s *Source) Packed() (int64, bool) { return files.Packed(s.account.r) }

// Take counts bytes that the caller is about to allocate for contents that take fewer bytes in the
// file, such as empty slices. It returns an error if the bytes so counted exceed the limit.
func (s *Source) Take(bytes int) error { return s.account.take(int64(bytes)) }

// Numbers counts bytes of numbers that the caller is about to allocate and read. It returns an
// error if the file is compressed and the bytes counted by Take and Numbers exceed the limit.
func (s *Source) Numbers(bytes int) error {
	s.account.numbers += int64(bytes)
	packed, ok := s.Packed()
	if ok && s.account.made+s.account.numbers > budget.Numbers.Of(packed) {
		return errUnpacksTooMuch
	}
	return nil
}

// Unpack returns an error if the bytes read so far are too few for vectors in sparse form that take
// the given bytes of memory. Call it after reading the stored numbers, before allocating the
// vectors.
func (s *Source) Unpack(bytes int) error {
	packed, ok := s.Packed()
	switch {
	case ok && int64(bytes) > budget.PackedVectors.Of(packed):
		return errUnpacksTooMuch
	case !ok && int64(bytes) > budget.Vectors.Of(s.account.read):
		return budget.ErrTooMuch
	}
	return nil
}
