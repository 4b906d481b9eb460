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

	"github.com/pegasimd/pegasimd/internal/atomicfile"
)

// A Writer writes a model file. It is an io.Writer for the numbers, and keeps its first error,
// which Close returns.
type Writer struct {
	*bufio.Writer
	w          io.Writer
	sum        hash.Hash
	compressed bool
}

// NewWriter returns a writer of a model of the kind. A file that is compressed is made no smaller
// than readers trust.
func NewWriter(w io.Writer, kind Kind) *Writer {
	f, ok := w.(*atomicfile.File)
	compressed := ok && f.CompressLess()
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), bufferSize)
	fmt.Fprintf(b, "%s%d\n", kind.Magic, kind.Version)
	return &Writer{b, w, sum, compressed}
}

// Header writes the header. An error is that of a value that can't be written as JSON.
func (w *Writer) Header(fields []Field) error {
	if err := WriteLines(w, fields); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// WriteLines writes the lines of a header to a writer that keeps its first error, such as a hash.
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

// Close writes the checksum. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil { // has the first error of all before
		return err
	}
	_, err := w.w.Write(w.sum.Sum(nil))
	return err
}

// WriteFile calls write with the file of that name, which is either written in full or left as it
// was. If the name ends in .gz it is compressed.
func WriteFile(name string, write func(io.Writer) error) error {
	if err := atomicfile.WriteFile(name, write); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	return nil
}

// chunk is how many numbers are turned into bytes at a time.
const chunk = 1 << 14

// WriteNumbers writes numbers, little-endian, to a writer that keeps its first error, such as a
// Writer or a hash.
func WriteNumbers[T float32 | float64 | int32 | uint16 | uint64](w io.Writer, values []T) {
	var buf []byte
	for len(values) > 0 {
		n := min(len(values), chunk)
		// It can't fail: a slice of numbers has a size.
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, values[:n])
		w.Write(buf)
		values = values[n:]
	}
}
