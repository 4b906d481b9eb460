package modelfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/gunzip"
)

// A Reader reads a model file and sums up what it has read.
type Reader struct {
	r   *bufio.Reader
	sum hash.Hash
}

// Read calls read with a reader of a file of the kind, after its first line, and makes sure that
// the file ends as it should behind what read has taken. Errors say what is wrong with the file.
func Read[M any](r io.Reader, kind Kind, read func(*Reader) (M, error)) (M, error) {
	var none M
	mr := &Reader{bufio.NewReaderSize(r, bufferSize), sha256.New()}
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
	return none, fmt.Errorf("pegasos: model file: %w", err)
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
	plain, _, err := gunzip.Reader(f, false)
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

// line reads a line and returns it without its end.
func (r *Reader) line() (string, error) {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		r.sum.Write(part)
		line = append(line, part...)
		if err == nil {
			return string(line[:len(line)-1]), nil
		}
		if err != bufio.ErrBufferFull {
			return "", err
		}
		if len(line) > maxLine {
			return "", errors.New("a line of the header is too long")
		}
	}
}

// Header reads the header into the fields' values.
func (r *Reader) Header(fields []Field) error {
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		if line == "" {
			return missing(fields)
		}
		name, text, _ := strings.Cut(line, ": ")
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if at < 0 {
			return fmt.Errorf("header: %.40q is unknown, there twice, or in the wrong place", name)
		}
		if err := decode(text, fields[at].Value); err != nil {
			return fmt.Errorf("header: %s: %w", name, err)
		}
		if err := missing(fields[:at]); err != nil {
			return err
		}
		fields = fields[at+1:]
	}
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

// decode reads a value in JSON that is the whole text.
func decode(text string, value any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(value); err != nil {
		return errors.New(err.Error()) // the end of the text is not that of the file
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// Floats reads n numbers. The slice grows with what is there, whatever n is.
func (r *Reader) Floats(n int) ([]float32, error) { return numbers[float32](r, n, 4) }

// Doubles is like Floats.
func (r *Reader) Doubles(n int) ([]float64, error) { return numbers[float64](r, n, 8) }

// Ints is like Floats.
func (r *Reader) Ints(n int) ([]int32, error) { return numbers[int32](r, n, 4) }

func numbers[T float32 | float64 | int32](r *Reader, n, size int) ([]T, error) {
	var values []T
	buf := make([]byte, size*min(n, chunk))
	for len(values) < n {
		have := len(values)
		values = append(values, make([]T, min(n-have, chunk))...)
		part := buf[:size*(len(values)-have)]
		if _, err := io.ReadFull(r.r, part); err != nil {
			return nil, err
		}
		r.sum.Write(part)
		if _, err := binary.Decode(part, binary.LittleEndian, values[have:]); err != nil {
			return nil, err
		}
	}
	return values, nil
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

// Known returns v as a value of a header, in which what was not measured is left out, for JSON has
// no NaN.
func Known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Finite is Known of a number that may be infinite, and is left out then as well: for what is found
// again from others.
func Finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return Known(v)
}

// OrNaN is the inverse of Known.
func OrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
