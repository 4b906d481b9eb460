package files

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
)

// Unzip returns a reader of what r holds in gzip form, or of r itself if it holds something else,
// and which of the two it is. If must is set, something else is an error.
func Unzip(r io.Reader, must bool) (plain io.Reader, zipped bool, err error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if !must && !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, false, nil
	}
	z, err := gzip.NewReader(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // an empty file is no gzip file
	}
	if err != nil {
		return nil, false, err
	}
	return z, true, nil
}
