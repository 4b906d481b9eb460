package shards

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// The names of the files in the manifest's folder.
const (
	manifestName = "manifest.json"
	columnsName  = "columns.bin"
)

func shardName(i int) string { return fmt.Sprintf("shard-%05d.pgsm", i) }

// Options say how to split.
type Options struct {
	dataset.Options
	Shards int // how many
	// MaxMemory is how many bytes reading may take, by an estimate, of a file that is held in
	// memory: DefaultMaxMemory if 0.
	MaxMemory int64
}

func (o *Options) err() error {
	if o.Context == nil {
		return nil
	}
	return o.Context.Err()
}

func (o *Options) stopped() bool { return o.err() != nil }

// Split writes the rows of a file to shards in the folder dir, which is made, and the manifest
// last. svmlight text is read twice and never held in memory, nor is the .pgsm form; other formats
// are, if they don't take more than Options.MaxMemory. In memory are some 12 bytes for each row
// besides, and the statistics of the columns. The folder needs room for two copies of the rows as
// .pgsm files, unless they are in this form already.
//
// An older manifest's files are replaced. If the splitting is interrupted, the older manifest
// refuses the files that are new.
func Split(path, dir string, o Options) (*Manifest, error) {
	if o.Shards < 1 || o.Shards > MaxShards {
		return nil, fmt.Errorf("%d shards: want 1 to %d", o.Shards, MaxShards)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	set, err := openSet(path, dir, &o)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	if set.Rows() == 0 || set.Cols() == 0 {
		return nil, fmt.Errorf("%s: %d rows of %d features: want some", visible.Name(path),
			set.Rows(), set.Cols())
	}
	s := &splitter{o: &o, set: set, dir: dir, m: &Manifest{
		Version: Version, Data: filepath.Base(path),
		Rows: set.Rows(), Cols: set.Cols(), Layout: set.Layout(),
		IndexBase: set.IndexBase, HashBits: set.HashBits, Names: set.Names,
	}}
	if err := s.split(); err != nil {
		return nil, err
	}
	return Read(filepath.Join(dir, manifestName))
}

// openSet opens data in the .pgsm form, which text is brought into in dir if it can be done without
// holding it in memory, or reads them.
func openSet(path, dir string, o *Options) (*dataset.Set, error) {
	if o.Format == "" || o.Format == dataset.FormatAuto {
		o.Format = formatOf(path)
	}
	info, err := os.Stat(path)
	text := o.Format == dataset.FormatSvmlight
	if !text || o.Features > 0 || err != nil || !info.Mode().IsRegular() {
		if err := o.fits(path); err != nil {
			return nil, err
		}
		return dataset.Read(path, o.Options)
	}
	whole, err := os.CreateTemp(dir, "split-*.tmp")
	if err != nil {
		return nil, err
	}
	defer os.Remove(whole.Name()) // a mapping stays
	_, _, err = dataset.ConvertSvmlight(whole, path, o.Options)
	if failed := whole.Close(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return dataset.Read(whole.Name(), dataset.Options{
		Format: dataset.FormatPGSM, Context: o.Context, MaxFeatures: o.MaxFeatures,
	})
}

// formatOf returns svmlight for the names that package dataset takes for it, else auto.
func formatOf(path string) dataset.Format {
	switch filepath.Ext(strings.TrimSuffix(path, ".gz")) {
	case ".svm", ".libsvm", ".svmlight", ".txt":
		return dataset.FormatSvmlight
	}
	return dataset.FormatAuto
}

// tableOf returns what a model keeps of the table of a set, nil for none: without its names if they
// can't tell columns apart.
func tableOf(set *dataset.Set) (json.RawMessage, error) {
	t := set.Table
	if t == nil {
		return nil, nil
	}
	if t.Check(set.Cols()) != nil {
		t = t.Plain()
	}
	return json.Marshal(t)
}

// A splitter splits a set.
type splitter struct {
	o   *Options
	set *dataset.Set
	dir string
	m   *Manifest
}

func (s *splitter) split() error {
	columns, err := measureColumns(s.set, s.o)
	if err != nil {
		return err
	}
	m := s.m
	m.Nonzeros, m.Labels = columns.Nonzeros, measureLabels(s.set.Y)
	if m.Values, err = measureValues(s.set, columns, s.o); err != nil {
		return err
	}
	if m.Table, err = tableOf(s.set); err != nil {
		return err
	}
	if m.Columns, err = s.write(columnsName, func(f *replace.File) error {
		_, err := f.Write(encodeColumns(columns))
		return err
	}); err != nil {
		return err
	}
	blocks := (m.Rows + Block - 1) / Block
	for k := range s.o.Shards {
		first := min(m.Rows, blocks*k/s.o.Shards*Block)
		end := min(m.Rows, blocks*(k+1)/s.o.Shards*Block)
		if err := s.shard(k, first, end); err != nil {
			return err
		}
	}
	if err := s.set.Err(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	_, err = s.write(manifestName, func(f *replace.File) error {
		_, err := f.Write(append(visible.JSON(text), '\n'))
		return err
	})
	return err
}

// shard writes rows first to end-1 as shard k.
func (s *splitter) shard(k, first, end int) error {
	x := (*rowsOf)(s.set)
	nonzeros := 0
	for i := first; i < end; i++ {
		nonzeros += x.nonzeros(i)
	}
	file, err := s.write(shardName(k), func(f *replace.File) error {
		p, err := dataset.NewPGSMWriter(f, dataset.PGSMShape{
			Layout: s.m.Layout, Rows: end - first, Cols: s.m.Cols, NNZ: nonzeros,
			IndexBase: s.m.IndexBase, Names: s.m.Names, HashBits: s.m.HashBits,
		})
		if err != nil {
			return err
		}
		for i := first; i < end; i++ {
			if i%Block == 0 {
				if err := s.o.err(); err != nil {
					return err
				}
			}
			if err := x.appendTo(p, i); err != nil {
				return err
			}
		}
		return p.Close()
	})
	if err != nil {
		return err
	}
	seal, _, err := sealOf(filepath.Join(s.dir, file.Name))
	s.m.Shards = append(s.m.Shards, Shard{
		File: file, Seal: seal, First: first, Rows: end - first, Nonzeros: nonzeros,
	})
	return err
}

// write writes a file in one piece, and returns what the manifest says of it.
func (s *splitter) write(name string, write func(f *replace.File) error) (File, error) {
	path := filepath.Join(s.dir, name)
	f, err := replace.Create(path)
	if err != nil {
		return File{}, err
	}
	defer f.Discard()
	err = write(f)
	if err := cmp.Or(f.Err(), err); err != nil {
		return File{}, err
	}
	if err := f.Commit(); err != nil {
		return File{}, err
	}
	return hashed(path)
}

// hashed reads a file that was just written.
func hashed(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return File{
		Name: filepath.Base(path), Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil)),
	}, err
}

// rowsOf is the rows of a set, to be written.
type rowsOf dataset.Set

func (x *rowsOf) nonzeros(i int) (n int) {
	_, values := x.row(i)
	for _, v := range values {
		if v != 0 {
			n++
		}
	}
	return n
}

func (x *rowsOf) row(i int) (index []int32, values []float32) {
	if x.Dense != nil {
		return nil, x.Dense.Row(i)
	}
	return x.Sparse.Row(i)
}

func (x *rowsOf) appendTo(p *dataset.PGSMWriter, i int) error {
	index, values := x.row(i)
	return p.Append(x.Y[i], index, values)
}

// Replaceable returns an error if a folder holds something else than what Split has written there,
// and so should not be written to without being asked.
func Replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := Read(filepath.Join(dir, manifestName)); err != nil {
		return fmt.Errorf("the folder %s is neither empty nor one of shards", visible.Name(dir))
	}
	return nil
}
