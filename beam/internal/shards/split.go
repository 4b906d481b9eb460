package shards

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
)

type Options struct {
	dataset.Options
	Shards int
	Force  bool // write even to a folder with other files
}

// Split writes the rows of a file, svmlight text or .pgsm, to shards in the folder dir, which it
// creates if necessary. It writes the manifest last. For text, the folder needs space for a second
// copy of the rows as a .pgsm file.
//
// The files of an older manifest are replaced, and its further shards removed. If splitting is
// interrupted, the older manifest does not accept changed files.
func Split(path, dir string, o Options) (*Manifest, error) {
	if o.Shards < 1 || o.Shards > MaxShards {
		return nil, fmt.Errorf("%d shards: want 1 to %d", o.Shards, MaxShards)
	}
	o.Context = cmp.Or(o.Context, context.Background())
	_, err := Read(filepath.Join(dir, manifestName))
	ours := err == nil
	if entries, err := os.ReadDir(dir); !ours && !o.Force && err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("the folder %s is not empty, and has no manifest of shards that can be "+
			"read: choose another folder, or write there anyway with -force", escape.Name(dir))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	set, whole, err := openSet(path, dir, o.Options)
	defer whole.Close() // may be nil
	if err != nil {
		return nil, err
	}
	defer set.Close()
	if set.Rows() == 0 || set.Cols() == 0 {
		return nil, fmt.Errorf("%s: %s of %s: want at least one of each", escape.Name(path),
			plural.Count(set.Rows(), "row"), plural.Count(set.Cols(), "feature"))
	}
	s := &splitter{o: &o, set: set, path: path, dir: dir, m: &Manifest{
		Version: Version, Data: filepath.Base(path), Rows: set.Rows(), Cols: set.Cols(),
		Layout: set.Layout(), IndexBase: set.IndexBase, HashBits: set.HashBits,
	}}
	if err := s.split(); err != nil {
		return nil, err
	}
	if ours {
		if err := removeFrom(dir, o.Shards); err != nil {
			return nil, err
		}
	}
	return Read(filepath.Join(dir, manifestName))
}

func removeFrom(dir string, first int) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		var i int
		fmt.Sscanf(entry.Name(), shardNames, &i)
		if i >= first && entry.Name() == shardName(i) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

// openSet converts svmlight text to a temporary .pgsm file in the folder dir. The caller closes
// that file after the set; it is nil if the data are .pgsm.
func openSet(path, dir string, o dataset.Options) (*dataset.Set, *os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	switch format := dataset.FormatOf(path); {
	case info.IsDir():
		return nil, nil, fmt.Errorf("%s: a folder: want a file of svmlight text or a .pgsm file",
			escape.Name(path))
	case files.Ending(path) == ".pgsm":
		set, err := dataset.Read(path, o)
		return set, nil, err
	case format == dataset.FormatPGSM:
		return nil, nil, fmt.Errorf("%s: a compressed .pgsm file: unpack it first", escape.Name(path))
	case format != dataset.FormatSvmlight && format != dataset.FormatAuto:
		return nil, nil, fmt.Errorf("%s: the format is %s: convert the file to .pgsm first, with "+
			"pegasimd convert", escape.Name(path), format)
	}
	whole, err := files.Temp(dir, "split-*.tmp")
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := dataset.ConvertSvmlight(whole, path, o); err != nil {
		return nil, whole, err
	}
	set, err := dataset.ReadPGSM(whole, dataset.Options{
		Context: o.Context, MaxFeatures: math.MaxInt32, // ConvertSvmlight has checked the limit
	})
	return set, whole, err
}

type splitter struct {
	o         *Options
	set       *dataset.Set
	path, dir string
	m         *Manifest
}

func (s *splitter) split() error {
	m := s.m
	c, err := measureColumns(s.o.Context, s.set, s.o.Threads)
	if err != nil {
		return fmt.Errorf("%s: %w", escape.Name(s.path), err)
	}
	m.Nonzeros = c.Nonzeros
	m.Classes, m.Count = measureLabels(s.set.Y)
	if s.set.Names != nil {
		m.Names = []string{}
		for _, label := range m.Classes {
			m.Names = append(m.Names, s.set.Names[int(label)])
		}
	}
	if m.Values, err = measureValues(s.o.Context, s.set, c, s.o.Threads); err != nil {
		return err
	}
	if m.Columns, err = s.writeJSON(columnsName, c); err != nil {
		return err
	}
	const block = rounds.Block
	blocks := (m.Rows + block - 1) / block
	for k := range s.o.Shards {
		first := min(m.Rows, blocks*k/s.o.Shards*block)
		end := min(m.Rows, blocks*(k+1)/s.o.Shards*block)
		file, err := s.shard(k, first, end)
		if err != nil {
			return err
		}
		m.Shards = append(m.Shards, Shard{file, end - first})
	}
	if err := s.set.Err(); err != nil {
		return err
	}
	_, err = s.writeJSON(manifestName, m)
	return err
}

func (s *splitter) shard(k, first, end int) (File, error) {
	x := store.Of(s.set.Examples())
	nonzeros := 0
	for i := first; i < end; i++ {
		_, values := x.Row(i)
		nonzeros += floats.CountNonzeros(values)
	}
	return s.write(shardName(k), func(w io.Writer) error {
		p, err := dataset.NewPGSMWriter(w.(*atomicfile.File), dataset.PGSMShape{
			Layout: s.m.Layout, Rows: end - first, Cols: s.m.Cols, NNZ: nonzeros,
			IndexBase: s.m.IndexBase, Names: s.set.Names, HashBits: s.m.HashBits,
		})
		for i := first; i < end && err == nil; i++ {
			index, values := x.Row(i)
			if err = s.o.Context.Err(); err != nil {
				return err
			}
			err = p.Append(s.set.Y[i], index, values)
		}
		if err != nil {
			return err
		}
		return p.Close()
	})
}

func (s *splitter) writeJSON(name string, v any) (File, error) {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return File{}, err
	}
	return s.write(name, func(w io.Writer) error {
		_, err := w.Write(append(escape.JSON(text), '\n'))
		return err
	})
}

func (s *splitter) write(name string, write func(w io.Writer) error) (File, error) {
	path := filepath.Join(s.dir, name)
	if err := atomicfile.WriteFile(path, write); err != nil {
		return File{}, err
	}
	return fileOf(path)
}
