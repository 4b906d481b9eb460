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
	packed := &counted{r: r}
	b := bufio.NewReaderSize(packed, 1<<16)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if !must && !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return &buffered{b, r}, false, nil
	}
	z, err := gzip.NewReader(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // an empty file is no gzip file
	}
	if err != nil {
		return nil, false, err
	}
	return &unzipped{z, packed}, true, nil
}

// Packed returns how many bytes of a gzip file r has read, or false if it is no reader of Unzip for
// one. A reader that wraps one has a method Packed that says what this function does.
func Packed(r io.Reader) (n int64, packed bool) {
	if p, ok := r.(interface{ Packed() (int64, bool) }); ok {
		return p.Packed()
	}
	return 0, false
}

type buffered struct {
	*bufio.Reader
	from io.Reader
}

func (b *buffered) Packed() (int64, bool) { return Packed(b.from) }

type unzipped struct {
	io.Reader
	from *counted
}

func (u *unzipped) Packed() (int64, bool) {
	if n, packed := Packed(u.from.r); packed { // a gzip file in another
		return n, true
	}
	return u.from.n, true
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}
