package modelfile

import (
	"bufio"
	"errors"
	"io"

	"github.com/pegasimd/pegasimd/internal/files"
)

// A reader of models makes at most memorySlack bytes, plus memoryFactor times the bytes it has
// read, of the things that a short text can ask for in bulk: slices whose elements are larger than
// their text, and vectors without numbers. Twice that, with garbage and buffers in between, stays
// below the 64 MB and 20 times the file, or 25 times a compressed one, that docs/data.md promises.
//
// Of a compressed file, the compressed bytes count as read. Its numbers and slices together take at
// most numberSlack bytes plus numberFactor times those, and all that is unpacked of it at most
// unpackedSlack plus unpackedFactor times those, so that reading it ends. The files that this
// package writes always keep to these limits.
const (
	memorySlack  = 8 << 20
	memoryFactor = 6

	numberSlack    = 8 << 20
	numberFactor   = 8
	unpackedSlack  = 32 << 20
	unpackedFactor = 64
)

// Vectors that were sparse take at most sparseSlack bytes of memory, plus sparseFactor times the
// bytes that were read, or numberFactor times the compressed bytes of a compressed file.
const (
	sparseSlack  = 16 << 20
	sparseFactor = 16
)

var (
	errTooMuch = errors.New("asks for more memory than a file of this size may: it is damaged, " +
		"or made to do harm")
	errPacked = errors.New("holds more than a compressed file of this size may: it is made to do " +
		"harm, or has to be unpacked with gunzip first")
)

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
	if ok && !a.peeked && a.read > unpackedSlack+unpackedFactor*packed {
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
	case ok && a.made+more > memorySlack+memoryFactor*packed:
		return errPacked
	case !ok && a.made+more > memorySlack+memoryFactor*a.read:
		return errTooMuch
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
	if ok && s.account.made+s.account.numbers > numberSlack+numberFactor*packed {
		return errPacked
	}
	return nil
}

// Unpack is to be called, when numbers were read, before vectors of the given bytes are made of
// them and of the zeros between them, for which the file has paid a bit each.
func (s *Source) Unpack(bytes int) error {
	packed, ok := s.Packed()
	switch {
	case ok && int64(bytes) > sparseSlack+numberFactor*packed:
		return errPacked
	case !ok && int64(bytes) > sparseSlack+sparseFactor*s.account.read:
		return errTooMuch
	}
	return nil
}
