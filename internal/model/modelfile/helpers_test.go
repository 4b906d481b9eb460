package modelfile

import (
	"crypto/sha256"
	"errors"
)

func sealed(header, numbers string) string {
	sum := sha256.Sum256([]byte(header + numbers))
	return header + numbers + string(sum[:])
}

var errFull = errors.New("disk full")

type failingWriter struct{ left int }

func (f *failingWriter) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}
