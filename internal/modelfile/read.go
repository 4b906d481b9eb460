package modelfile

import (
	"bufio"
	"bytes"
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

	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/files"
)

// A Reader reads a model file and sums up what it has read.
type Reader struct {
	r   *Source
	sum hash.Hash
	buf []byte // of numbers
}

// Read calls read with a reader of a file of the kind, after its first line, and makes sure that
// the file ends as it should behind what read has taken. Errors say what is wrong with the file.
func Read[M any](r io.Reader, kind Kind, read func(*Reader) (M, error)) (M, error) {
	var none M
	mr := &Reader{r: NewSource(r), sum: sha256.New()}
	m, err := none, mr.begin(kind)
	if err == nil {
		m, err = read(mr)
	}
	if err == nil {
		return m, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("cut short")
	}
	return none, fmt.Errorf("pegasos: model file: %w", escape.Error(err))
}

// ReadFile calls read with the file of that name, or what it holds if it is compressed with gzip.
// Errors have the name.
func ReadFile[M any](name string, read func(io.Reader) (M, error)) (M, error) {
	var none M
	f, err := os.Open(name)
	if err != nil {
		return none, fmt.Errorf("pegasos: %w", err)
	}
	defer f.Close()
	plain, _, err := files.Unzip(f, false)
	if err != nil {
		return none, fmt.Errorf("pegasos: model file: %w (%s)", err, name)
	}
	m, err := read(plain)
	if err != nil {
		return none, fmt.Errorf("%w (%s)", err, name)
	}
	return m, nil
}

// begin reads the first line.
func (r *Reader) begin(kind Kind) error {
	if _, err := r.r.Peek(1); err != nil {
		return err
	}
	if !kind.begins(r.r) {
		return fmt.Errorf("not a %s of pegasimd", kind.Name)
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	text := line[len(kind.Magic):]
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return fmt.Errorf("version %.20q", text)
	}
	if version > kind.Version {
		return fmt.Errorf("version %d is newer than this program, which knows %d", version,
			kind.Version)
	}
	return nil
}

// line reads a line, which is to be short, and returns it without its end.
func (r *Reader) line() (string, error) {
	line, err := r.r.ReadSlice('\n')
	r.sum.Write(line)
	if err == bufio.ErrBufferFull {
		return "", errors.New("a line of the header is too long")
	}
	if err != nil {
		return "", err
	}
	return string(line[:len(line)-1]), nil
}

// Header reads the header into the fields' values.
func (r *Reader) Header(fields []Field) error {
	for {
		name, err := r.name()
		if err != nil {
			return err
		}
		if name == "" {
			return missing(fields)
		}
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if at < 0 {
			return fmt.Errorf("header: %.40q is unknown, there twice, or in the wrong place", name)
		}
		if err := r.value(fields[at]); err != nil {
			return fmt.Errorf("header: %s: %w", name, err)
		}
		if err := missing(fields[:at]); err != nil {
			return err
		}
		fields = fields[at+1:]
	}
}

// name reads a line's name and what divides it from the value, or the empty line, whose name is
// empty.
func (r *Reader) name() (string, error) {
	const divider = ": "
	var name []byte
	for len(name) <= maxName {
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
	return "", fmt.Errorf("header: %.40q is no line of it", name)
}

// maxName is far longer than any name of a line.
const maxName = 100

// value reads the rest of a line, a value in JSON.
func (r *Reader) value(f Field) error {
	rest := &rest{r: r}
	d := newDecoder(rest, r.r.account)
	err := d.Field(f)
	if err == nil {
		if _, err = d.Token(); err == io.EOF && rest.over {
			return nil
		} else if err == nil {
			err = errors.New("more than one value")
		}
	}
	if rest.err != nil {
		return rest.err
	}
	return errors.New(err.Error()) // the end of the line is not that of the file
}

// rest reads a line to its end.
type rest struct {
	r    *Reader
	over bool
	err  error // of the file
}

func (l *rest) Read(b []byte) (int, error) {
	if l.over {
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
	text, _, l.over = bytes.Cut(text, []byte("\n"))
	copy(b, text)
	if l.over {
		n = len(text) + 1
	}
	whole, _ := l.r.r.Peek(n)
	l.r.sum.Write(whole)
	l.r.r.Discard(n) // all of it is in the buffer
	return len(text), nil
}

// missing returns an error if one of the fields, none of which the file has, is required.
func missing(fields []Field) error {
	for _, f := range fields {
		if f.Required {
			return fmt.Errorf("header: %s is missing", f.Name)
		}
	}
	return nil
}

// Take is that of Source.
func (r *Reader) Take(bytes int) error { return r.r.Take(bytes) }

// Floats reads n numbers. The slice grows with what is there, whatever n is.
func (r *Reader) Floats(n int) ([]float32, error) { return numbers[float32](r, n, 4) }

// Doubles is like Floats.
func (r *Reader) Doubles(n int) ([]float64, error) { return numbers[float64](r, n, 8) }

// Ints is like Floats.
func (r *Reader) Ints(n int) ([]int32, error) { return numbers[int32](r, n, 4) }

// Shorts is like Floats.
func (r *Reader) Shorts(n int) ([]uint16, error) { return numbers[uint16](r, n, 2) }

func numbers[T float32 | float64 | int32 | uint16 | uint8](r *Reader, n, size int) ([]T, error) {
	if n <= 0 {
		return nil, nil
	}
	// Of a short slice a part is all.
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

// End reads the checksum and makes sure that nothing follows.
func (r *Reader) End() error {
	want := r.sum.Sum(nil)
	have := make([]byte, len(want))
	if _, err := io.ReadFull(r.r, have); err != nil {
		return err
	}
	if !bytes.Equal(have, want) {
		return errors.New("wrong checksum: the file is damaged")
	}
	if _, err := r.r.ReadByte(); err != io.EOF {
		if err == nil {
			err = errors.New("something follows the checksum")
		}
		return err
	}
	return nil
}
