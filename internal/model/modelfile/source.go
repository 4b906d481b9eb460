package modelfile

import (
	"bufio"
	"errors"
	"io"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/sys/files"
)

// errUnpacksTooMuch is the error for a compressed file whose text or values take more bytes than
// its size allows.
var errUnpacksTooMuch = errors.New("unpacks to more than a compressed file of this size may hold: " +
	"unpack it with gunzip first if you trust it")

// account reads a file and limits the memory that its contents may take. The limit grows with the
// number of bytes read so far or, for a compressed file, of compressed bytes read so far.
type account struct {
	r       io.Reader
	read    int64 // bytes read so far, after decompression
	made    int64 // bytes allocated so far for decoded elements and empty vectors
	numbers int64 // bytes allocated so far for the numbers after the header
	peeked  bool  // whether only Peek has read the file; its unpacked size is then not limited
}

// Read reads from the file. It fails once a compressed file has unpacked to more than its limit.
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

// bufferSize is the size of the buffers of readers and writers, in bytes.
const bufferSize = 1 << 16

// NewSource returns a Source that reads a model from r. If r is a Source itself, NewSource returns
// r.
func NewSource(r io.Reader) *Source {
	s := newSource(r)
	s.account.peeked = false
	return s
}

// newSource returns a Source for peeking at r, whose unpacked size it does not limit yet. If r is a
// Source itself, newSource returns r unchanged.
func newSource(r io.Reader) *Source {
	if s, ok := r.(*Source); ok {
		return s
	}
	a := &account{r: r, peeked: true}
	return &Source{bufio.NewReaderSize(a, bufferSize), a}
}

// Packed returns the number of compressed bytes read so far, or false if the file is not
// compressed. Package files calls it.
func (s *Source) Packed() (int64, bool) { return files.Packed(s.account.r) }

// Take counts bytes of memory that the caller is about to allocate without reading their contents
// from the file, such as the headers of empty slices. It returns an error if the bytes counted so
// far exceed the limit.
func (s *Source) Take(bytes int) error { return s.account.take(int64(bytes)) }

// Numbers counts bytes of numbers that the caller is about to allocate and read from the file. It
// returns an error if the file is compressed and all bytes counted so far exceed the limit for the
// number of compressed bytes read so far.
func (s *Source) Numbers(bytes int) error {
	s.account.numbers += int64(bytes)
	packed, ok := s.Packed()
	if ok && s.account.made+s.account.numbers > budget.Numbers.Of(packed) {
		return errUnpacksTooMuch
	}
	return nil
}

// Unpack returns an error if the file is too small for vectors that take the given bytes of memory.
// The file stores these vectors in sparse form, a zero as a single bit. Callers call Unpack after
// reading the stored numbers and before allocating the vectors.
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
