package shards

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// A Part is an open shard.
type Part struct {
	*dataset.Set
	First int // first row, among the rows of all shards
}

func (m *Manifest) Path(i int) string { return filepath.Join(m.dir, shardName(i)) }

// Open opens shard i, after reading and verifying its whole file. The caller closes the part.
func (m *Manifest) Open(i int) (*Part, error) {
	if i < 0 || i >= len(m.Shards) {
		return nil, fmt.Errorf("no shard %d: want 0 to %d", i, len(m.Shards)-1)
	}
	path := m.Path(i)
	if err := m.Shards[i].File.verify(path); err != nil {
		return nil, err
	}
	set, err := dataset.Read(path, dataset.Options{
		Format: dataset.FormatPGSM, Layout: m.Layout, MaxFeatures: m.Cols,
	})
	if err != nil {
		return nil, err
	}
	if set.Rows() != m.Shards[i].Rows || set.Cols() != m.Cols {
		set.Close()
		return nil, foreign(path)
	}
	first := 0
	for _, s := range m.Shards[:i] {
		first += s.Rows
	}
	return &Part{Set: set, First: first}, nil
}

func foreign(path string) error {
	return fmt.Errorf("%s: not the file that the manifest beside it describes: split the data again",
		escape.Name(path))
}

func fileOf(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return File{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

func (f File) verify(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() != f.Bytes {
		return foreign(path)
	}
	have, err := fileOf(path)
	if err == nil && have != f {
		err = foreign(path)
	}
	return err
}
