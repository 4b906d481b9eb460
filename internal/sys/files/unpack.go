package files

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

type Decompressor struct {
	Magic  string // first bytes of such a file
	Ending string // of the names of such files, such as ".gz"
	Open   func(io.Reader) (io.ReadCloser, error)
}

var gzipped = Decompressor{"\x1f\x8b", ".gz", func(r io.Reader) (io.ReadCloser, error) {
	return gzip.NewReader(r)
}}

var packedEndings = []string{".gz", ".bz2", ".zst"}

// CutEnding cuts an ASCII ending, in any case of letters, from a file's name. is reports whether
// name has the ending.
func CutEnding(name, ending string) (plain string, is bool) {
	at := len(name) - len(ending)
	if at < 0 || !strings.EqualFold(name[at:], ending) {
		return name, false
	}
	return name[:at], true
}

// Ending returns the ending of a file's name in lower case, such as ".csv".
func Ending(name string) string { return strings.ToLower(filepath.Ext(name)) }

func PlainName(name string) string {
	for _, ending := range packedEndings {
		if plain, is := CutEnding(name, ending); is {
			return plain
		}
	}
	return name
}

// Unpack returns a reader of r's decompressed content if r's first bytes, or else the ending of
// name, are those of gzip or of one of the formats. Otherwise it returns a reader of r's bytes.
// packed reports whether the reader decompresses. The caller may close plain if it is an io.Closer.
func Unpack(r io.Reader, name string, formats ...Decompressor) (
	plain io.Reader, packed bool, err error,
) {
	from := &countingReader{r: r}
	b := bufio.NewReaderSize(from, 1<<16)
	format, err := formatOf(b, name, append(formats[:len(formats):len(formats)], gzipped))
	if err != nil {
		return nil, false, err
	}
	if format == nil {
		return &buffered{b, r}, false, nil
	}
	if _, err = b.Peek(1); err == io.EOF {
		return nil, false, fmt.Errorf("decompressing %s: %w: the file is empty", format.Ending,
			io.ErrUnexpectedEOF)
	}
	z, err := format.Open(b)
	if err != nil {
		return nil, false, from.explain(err, format)
	}
	return &unpacked{z, from, format}, true, nil
}

// formatOf returns the format by the first bytes, or else by the name. It returns nil if the file
// is not compressed.
func formatOf(b *bufio.Reader, name string, formats []Decompressor) (*Decompressor, error) {
	for i := range formats {
		head, err := b.Peek(len(formats[i].Magic))
		if err != nil && err != io.EOF {
			return nil, err
		}
		if bytes.Equal(head, []byte(formats[i].Magic)) {
			return &formats[i], nil
		}
	}
	for i := range formats {
		if _, is := CutEnding(name, formats[i].Ending); is {
			return &formats[i], nil
		}
	}
	return nil, nil
}

// Packed returns the number of compressed bytes that r has read, if r is a reader of Unpack that
// decompresses. A reader that wraps r should have a method Packed that returns Packed(r).
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

type unpacked struct {
	io.ReadCloser
	from   *countingReader
	format *Decompressor
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	return n, u.from.explain(err, u.format)
}

func (u *unpacked) Packed() (int64, bool) {
	if n, packed := Packed(u.from.r); packed { // gzip within gzip: count the outer file
		return n, true
	}
	return u.from.n, true
}

// countingReader keeps errors of r other than io.EOF.
type countingReader struct {
	r   io.Reader
	n   int64
	err error
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if c.n += int64(n); err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// explain adds the format to errors of decompression, not to errors of reading the file.
func (c *countingReader) explain(err error, format *Decompressor) error {
	switch {
	case err == nil || err == io.EOF || c.err != nil:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("decompressing %s: %w: the file is cut off or damaged", format.Ending, err)
	}
	return fmt.Errorf("decompressing %s: %w", format.Ending, err)
}
