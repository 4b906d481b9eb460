package shards

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// A Part is the rows of a shard, mapped into memory. Its Err tells of a damaged file once they have
// been visited.
type Part struct {
	*dataset.Set
	First int // the number of the first row among those of all shards
}

// Path returns the name of the file of shard i.
func (m *Manifest) Path(i int) string { return filepath.Join(m.dir, m.Shards[i].Name) }

// Open maps shard i, or returns an error if its file is not the one that the manifest means. What
// is wrong in the middle of the file is found when a row there is first visited, or by Verify. The
// caller closes the part.
func (m *Manifest) Open(i int) (*Part, error) {
	if i < 0 || i >= len(m.Shards) {
		return nil, fmt.Errorf("there is no shard %d, only 0 to %d", i, len(m.Shards)-1)
	}
	s, path := &m.Shards[i], m.Path(i)
	seal, size, err := sealOf(path)
	if err != nil {
		return nil, err
	}
	if size != s.Bytes || seal != s.Seal {
		return nil, m.foreign(path)
	}
	set, err := dataset.Read(path, dataset.Options{
		Format: dataset.FormatPGSM, Layout: m.Layout, MaxFeatures: m.Cols,
	})
	if err != nil {
		return nil, err
	}
	if set.Rows() != s.Rows || set.Cols() != m.Cols || set.Layout() != m.Layout {
		set.Close()
		return nil, m.foreign(path)
	}
	return &Part{Set: set, First: s.First}, nil
}

// foreign is the error of a file that the manifest does not mean.
func (m *Manifest) foreign(path string) error {
	return fmt.Errorf("%s: the manifest beside it means another file: it was cut off, damaged or "+
		"replaced; split the data again", visible.Name(path))
}

// Verify reads all of shard i and holds it against the manifest's hash.
func (m *Manifest) Verify(i int) error {
	return m.verify(m.Shards[i].File)
}

func (m *Manifest) verify(file File) error {
	path := filepath.Join(m.dir, file.Name)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != file.SHA256 {
		return m.foreign(path)
	}
	return nil
}

// The bytes of a file that its seal is of.
const (
	sealHead = 64
	sealTail = 64 << 10
)

// sealOf returns the seal of a file, and its size.
func sealOf(path string) (seal string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	size = info.Size()
	h := sha256.New()
	for _, part := range []*io.SectionReader{
		io.NewSectionReader(f, 0, sealHead),
		io.NewSectionReader(f, max(0, size-sealTail), sealTail),
	} {
		if _, err := io.Copy(h, part); err != nil {
			return "", 0, err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
