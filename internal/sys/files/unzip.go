package files

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
)

// Unzip returns a reader of the decompressed content of r if r is in gzip format, else a reader of
// r's bytes. zipped reports whether r is in gzip format. If must is true, any other format than
// gzip is an error.
func Unzip(r io.Reader, must bool) (plain io.Reader, zipped bool, err error) {
	packed := &countingReader{r: r}
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
		err = io.ErrUnexpectedEOF // an empty file is not a gzip file
	}
	if err != nil {
		return nil, false, err
	}
	return &unzipped{z, packed}, true, nil
}

// Packed returns the number of compressed bytes that r has read so far, if r is a reader that Unzip
// returned for a gzip file. For other readers packed is false. A reader that wraps such a reader
// should have a method Packed that returns the same.
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
	from *countingReader
}

func (u *unzipped) Packed() (int64, bool) {
	if n, packed := Packed(u.from.r); packed { // gzip within gzip: count the outer file
		return n, true
	}
	return u.from.n, true
}

// countingReader counts the bytes read from r.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}
