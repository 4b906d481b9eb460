package modelfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/sys/files"
)

// Reader reads a file and computes its checksum.
type Reader struct {
	r   *Source
	sum hash.Hash
	buf []byte
}

// Read reads the first line of a file of the given kind, and returns parse's result for the rest.
// parse must end with a call of [Reader.End].
func Read[M any](r io.Reader, kind Kind, parse func(*Reader) (M, error)) (M, error) {
	var none M
	mr := &Reader{r: NewSource(r), sum: sha256.New()}
	m, err := none, mr.readMagic(kind)
	if err == nil {
		m, err = parse(mr)
	}
	if err == nil {
		return m, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("cut short")
	}
	return none, fmt.Errorf("pegasos: %s file: %w", kind.Name, escape.Error(err))
}

// ReadFile returns parse's result for the contents of the named file, decompressed if it is a gzip
// file. Errors name the file.
func ReadFile[M any](name string, parse func(io.Reader) (M, error)) (M, error) {
	var none M
	f, err := os.Open(name)
	if err != nil {
		return none, fmt.Errorf("pegasos: %w", err)
	}
	defer f.Close()
	plain, _, err := files.Unpack(f, "")
	if err != nil {
		return none, fmt.Errorf("pegasos: %w (%s)", err, name)
	}
	m, err := parse(plain)
	if err != nil {
		return none, fmt.Errorf("%w (%s)", err, name)
	}
	return m, nil
}

func (r *Reader) readMagic(kind Kind) error {
	if _, err := r.r.Peek(1); err != nil {
		return err
	}
	if !kind.matches(r.r) {
		for _, other := range []Kind{Linear, Kernel, Proof} {
			if other.matches(r.r) {
				return fmt.Errorf("a %s, not a %s", other.what(), kind.what())
			}
		}
		return fmt.Errorf("does not begin with %q", kind.Magic)
	}
	line, err := r.readLine()
	if err != nil {
		return err
	}
	text := line[len(kind.Magic):]
	version, err := strconv.Atoi(text)
	switch {
	case err == nil && version > kind.Version:
		return fmt.Errorf("version %d is newer than this program, which reads versions up to %d",
			version, kind.Version)
	case err != nil || version < 1:
		return fmt.Errorf("version %.20q: want a whole number, 1 or more", text)
	}
	return nil
}

func (r *Reader) readLine() (string, error) {
	line, err := r.r.ReadSlice('\n')
	r.sum.Write(line)
	if err == bufio.ErrBufferFull {
		return "", errors.New("the first line is too long")
	}
	if err != nil {
		return "", err
	}
	return string(line[:len(line)-1]), nil
}

// Header reads the header and the empty line after it, and stores each value in the variable of its
// field. The lines must be in the order of fields. Only optional lines may be missing; their
// variables stay unchanged.
func (r *Reader) Header(fields []Field) error {
	known := fields
	for {
		name, err := r.readKey()
		if err != nil {
			return err
		}
		if name == "" {
			return missingField(fields)
		}
		called := func(f Field) bool { return f.Name == name }
		at := slices.IndexFunc(fields, called)
		switch {
		case at >= 0:
		case slices.ContainsFunc(known, called):
			return fmt.Errorf("header: %s is there twice, or in the wrong place", name)
		default:
			return fmt.Errorf("header: unknown field %.40q", name)
		}
		if err := r.readValue(fields[at]); err != nil {
			return fmt.Errorf("header: %s: %w", name, err)
		}
		if err := missingField(fields[:at]); err != nil {
			return fmt.Errorf("%w before %s", err, name)
		}
		fields = fields[at+1:]
	}
}

// readKey reads a key and the divider, or returns "" for the empty line that ends the header.
func (r *Reader) readKey() (string, error) {
	const divider = ": "
	var name []byte
	for len(name) <= maxKeyLen {
		c, err := r.r.ReadByte()
		if err != nil {
			return "", err
		}
		r.sum.Write([]byte{c})
		if c == '\n' && len(name) == 0 {
			return "", nil
		}
		if name = append(name, c); c == '\n' {
			break
		}
		if name, ok := strings.CutSuffix(string(name), divider); ok && name != "" {
			return name, nil
		}
	}
	return "", fmt.Errorf("header: %.40q: want a key, \": \" and a value", name)
}

// Keys of maxKeyLen bytes or more are rejected.
const maxKeyLen = 100

func (r *Reader) readValue(f Field) error {
	line := &lineReader{r: r}
	d := newDecoder(line, r.r.account)
	err := d.Field(f)
	if err == nil {
		if _, err = d.Token(); err == io.EOF && line.ended {
			return nil
		} else if err == nil {
			err = errors.New("more than one value: want one per line")
		}
	}
	if line.err != nil {
		return line.err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // of the line, not the file
		return errors.New("the line ends before its value does")
	}
	return err
}

type lineReader struct {
	r     *Reader
	ended bool
	err   error // of reading the file, such as its end within the line
}

func (l *lineReader) Read(b []byte) (int, error) {
	if l.ended {
		return 0, io.EOF
	}
	if _, err := l.r.r.Peek(1); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		l.err = err
		return 0, err
	}
	text, _ := l.r.r.Peek(min(len(b), l.r.r.Buffered()))
	n := len(text)
	text, _, l.ended = bytes.Cut(text, []byte("\n"))
	copy(b, text)
	if l.ended {
		n = len(text) + 1
	}
	whole, _ := l.r.r.Peek(n)
	l.r.sum.Write(whole)
	l.r.r.Discard(n) // cannot fail: n bytes are in the buffer
	return len(text), nil
}

func missingField(fields []Field) error {
	for _, f := range fields {
		if f.Required {
			return fmt.Errorf("header: %s is missing", f.Name)
		}
	}
	return nil
}

func (r *Reader) Take(bytes int) error { return r.r.Take(bytes) }

// Floats reads n float32 numbers; it returns nil if n is 0 or less. Like Doubles, Ints and Shorts
// it allocates memory as it reads, so that n need not be checked against the length of the file.
func (r *Reader) Floats(n int) ([]float32, error) { return numbers[float32](r, n, 4) }

func (r *Reader) Doubles(n int) ([]float64, error) { return numbers[float64](r, n, 8) }

func (r *Reader) Ints(n int) ([]int32, error) { return numbers[int32](r, n, 4) }

func (r *Reader) Shorts(n int) ([]uint16, error) { return numbers[uint16](r, n, 2) }

// size is the length of a T in the file, in bytes.
func numbers[T float32 | float64 | int32 | uint16 | uint8](r *Reader, n, size int) ([]T, error) {
	if n <= 0 {
		return nil, nil
	}
	var full [][]T
	for left := n; ; {
		part := make([]T, min(left, chunk))
		if r.buf == nil {
			r.buf = make([]byte, 8*chunk)
		}
		raw := r.buf[:size*len(part)]
		if err := r.r.Numbers(len(raw)); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(r.r, raw); err != nil {
			return nil, err
		}
		r.sum.Write(raw)
		if _, err := binary.Decode(raw, binary.LittleEndian, part); err != nil {
			return nil, err
		}
		if len(part) == n {
			return part, nil
		}
		full = append(full, part)
		if left -= len(part); left == 0 {
			return slices.Concat(full...), nil
		}
	}
}

// End reads the checksum, and returns an error if it is wrong or if anything follows it.
func (r *Reader) End() error {
	want := r.sum.Sum(nil)
	have := make([]byte, len(want))
	if _, err := io.ReadFull(r.r, have); err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return errors.New("wrong checksum: the file is damaged or edited")
	}
	switch _, err := r.r.ReadByte(); {
	case err == nil:
		return errors.New("something follows the checksum")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrHeader):
		return errors.New("the compressed data are cut short, or something follows them")
	case err != io.EOF:
		return err
	}
	return nil
}
