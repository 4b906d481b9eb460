package rounds

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// The kinds of files. Each begins with a line of its kind, then a line of JSON; numbers follow, as
// the kind has them, little-endian, and the SHA-256 of all bytes before it.
const (
	stateKind = "pegasimd round state 1\n"
	alphaKind = "pegasimd round alpha 1\n"
	partKind  = "pegasimd round part 1\n"
)

// errDamaged is that of a file that was cut off, or changed.
var errDamaged = errors.New("the file was cut off or damaged")

// encode returns the bytes of a file.
func encode(kind string, header any, numbers ...any) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	size := len(kind) + len(text) + 1 + sha256.Size
	for _, values := range numbers {
		size += binary.Size(values)
	}
	b := append(append(append(make([]byte, 0, size), kind...), text...), '\n')
	for _, values := range numbers {
		if b, err = binary.Append(b, binary.LittleEndian, values); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// decode reads a file into the header, and returns the bytes of its numbers. Its hash is what the
// file ends with.
func decode(path, kind string, header any) (numbers []byte, hash string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	end := len(b) - sha256.Size
	rest, ok := bytes.CutPrefix(b[:max(0, end)], []byte(kind))
	text, numbers, found := bytes.Cut(rest, []byte("\n"))
	if !ok || !found {
		return nil, "", damaged(path)
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, "", damaged(path)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(header); err != nil {
		return nil, "", fmt.Errorf("%s: %w", visible.Name(path), err)
	}
	return numbers, hex.EncodeToString(b[end:]), nil
}

func damaged(path string) error { return fmt.Errorf("%s: %w", visible.Name(path), errDamaged) }

// values fills numbers, slices, with what decode has returned.
func values(path string, b []byte, numbers ...any) error {
	for _, v := range numbers {
		n, err := binary.Decode(b, binary.LittleEndian, v)
		if err != nil {
			return damaged(path)
		}
		b = b[n:]
	}
	if len(b) > 0 {
		return damaged(path)
	}
	return nil
}

// commit writes a file that has to be there after a crash.
func commit(path string, b []byte) error {
	return replace.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// place writes a file that can be made again: nobody sees a part of it, but after a crash of the
// machine it may be damaged.
func place(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s: %w", visible.Name(path), err)
	}
	return nil
}

// missing reports whether a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
