package modelfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"reflect"

	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

// Writer writes a file and computes its checksum. After an error of writing it writes nothing more.
type Writer struct {
	*bufio.Writer
	w          io.Writer
	sum        hash.Hash
	compressed bool
}

// NewWriter writes the first line of a file of the given kind, and returns a Writer for the rest.
// If w is an *atomicfile.File, NewWriter calls CompressLess, because readers limit the compression
// ratio: see package budget.
func NewWriter(w io.Writer, kind Kind) *Writer {
	f, ok := w.(*atomicfile.File)
	compressed := ok && f.CompressLess()
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), bufferSize)
	fmt.Fprintf(b, "%s%d\n", kind.Magic, kind.Version)
	return &Writer{b, w, sum, compressed}
}

func (w *Writer) Header(fields []Field) error {
	if err := WriteLines(w, fields); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// WriteLines writes the lines of a header, without optional zero values. It returns an error for a
// value without a JSON form, but ignores write errors, which w must remember.
func WriteLines(w io.Writer, fields []Field) error {
	for _, f := range fields {
		if !f.Required && reflect.ValueOf(f.Value).Elem().IsZero() {
			continue
		}
		text, err := json.Marshal(f.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		fmt.Fprintf(w, "%s: %s\n", f.Name, text)
	}
	return nil
}

// Close writes the checksum and returns the first error of writing.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := w.w.Write(w.sum.Sum(nil))
	return err
}

// WriteFile writes the named file by [atomicfile.WriteFile].
func WriteFile(name string, write func(io.Writer) error) error {
	if err := atomicfile.WriteFile(name, write); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}

const chunk = 1 << 14 // numbers that are encoded or decoded at a time

// WriteNumbers writes numbers in little-endian order. It ignores errors of writing, which w must
// remember.
func WriteNumbers[T float32 | float64 | int32 | uint16 | uint64](w io.Writer, values []T) {
	var buf []byte
	for len(values) > 0 {
		n := min(len(values), chunk)
		// no error: numbers have a fixed size
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, values[:n])
		w.Write(buf)
		values = values[n:]
	}
}
