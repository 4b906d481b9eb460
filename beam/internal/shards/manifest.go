// Package shards divides data into files of rows, called shards, for several workers or machines. A
// manifest describes the shards.
//
//	m, err := shards.Read("shards/manifest.json")
//	part, err := m.Open(3)
//
// Rows are numbered from 0 through all shards. A shard is an ordinary .pgsm file of whole blocks of
// rounds.Block rows, except for the last block, so that sums over blocks do not depend on the
// number of shards. A shard may have no rows.
package shards

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
)

const Version = 2

const (
	manifestName = "manifest.json"
	columnsName  = "columns.json"
	shardNames   = "shard-%05d.pgsm"
)

func shardName(i int) string { return fmt.Sprintf(shardNames, i) }

const MaxShards = 1 << 20

// A Manifest is the content of manifest.json.
type Manifest struct {
	Version  int            `json:"version"`
	Data     string         `json:"data"` // name of the file that was split, without its folder
	Rows     int            `json:"rows"`
	Cols     int            `json:"cols"`
	Nonzeros int            `json:"nonzeros"`
	Layout   dataset.Layout `json:"layout"`
	// IndexBase and HashBits are as in dataset.Set.
	IndexBase int `json:"index_base"`
	HashBits  int `json:"hash_bits,omitempty"`

	// Classes are the distinct labels in ascending order, Names their names, if any, and Count the
	// number of rows with each label. Classes and Count are nil for more labels than package
	// pegasos allows.
	Classes []float32 `json:"classes,omitempty"`
	Names   []string  `json:"names,omitempty"`
	Count   []int     `json:"count,omitempty"`

	Values  Values  `json:"values"`
	Columns File    `json:"columns"` // file of the columns' statistics
	Shards  []Shard `json:"shards"`

	dir  string // folder of the files
	hash string
}

// Values are statistics of the rows' lengths.
type Values struct {
	scale.RowSizes
	// Lengths are the quantiles 0, 0.5 and 1 of the squared lengths, by scale.Quantiles.
	Lengths [3]float64 `json:"length_quantiles"`
	// Scaled has the sizes of the scaled rows, for each kind of scaling that can be applied.
	Scaled map[scale.Kind]scale.RowSizes `json:"scaled"`
}

type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Shard is a .pgsm file with the rows after those of the previous shard.
type Shard struct {
	File
	Rows int `json:"rows"`
}

// Read reads a manifest. The shards' files are checked when they are opened.
func Read(path string) (*Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{dir: filepath.Dir(path)}
	var form struct {
		Version *int `json:"version"`
	}
	switch err = json.Unmarshal(text, &form); {
	case err != nil:
	case form.Version == nil:
		err = errors.New("it has no version")
	case *form.Version != Version:
		err = fmt.Errorf("its version is %d, but this program reads version %d: split the data again",
			*form.Version, Version)
	}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(m)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: can't be read as a manifest of shards: %w", escape.Name(path), err)
	}
	sum := sha256.Sum256(text)
	m.hash = hex.EncodeToString(sum[:])
	return m, nil
}

// Hash returns the SHA-256, in hexadecimal, of the manifest, which contains the files' hashes.
func (m *Manifest) Hash() string { return m.hash }

func (m *Manifest) check() error {
	rows := 0
	for _, n := range m.Count {
		if n < 1 || n > m.Rows-rows {
			return fmt.Errorf("the rows of a class: have %d, want 1 or more for each class, and %d "+
				"for all", n, m.Rows)
		}
		rows += n
	}
	switch {
	case m.Rows < 1 || m.Cols < 1 || m.Cols > math.MaxInt32 || m.Nonzeros < 0:
		return fmt.Errorf("rows %d, cols %d, nonzeros %d: want 1 row or more, 1 to %d columns, and "+
			"0 nonzeros or more", m.Rows, m.Cols, m.Nonzeros, math.MaxInt32)
	case m.Layout != dataset.LayoutDense && m.Layout != dataset.LayoutSparse:
		return fmt.Errorf("unknown layout %q", m.Layout)
	case m.IndexBase != 0 && m.IndexBase != 1:
		return fmt.Errorf("the index base is %d: want 0 or 1", m.IndexBase)
	case m.HashBits < 0 || m.HashBits > 0 && m.Cols != 1<<m.HashBits:
		return fmt.Errorf("hash_bits %d, cols %d: want 0 hash bits, or 2^bits columns", m.HashBits,
			m.Cols)
	case len(m.Count) != len(m.Classes) || m.Classes != nil && rows != m.Rows:
		return fmt.Errorf("classes: have %d, with %s of %s: want a count for each class, and %d rows",
			len(m.Classes), plural.Count(len(m.Count), "count"), plural.Count(rows, "row"), m.Rows)
	}
	if err := labels.CheckClasses(m.Classes, m.Names); err != nil {
		return err
	}
	if err := m.Values.check(); err != nil {
		return err
	}
	return m.checkShards()
}

func (m *Manifest) checkShards() error {
	if len(m.Shards) == 0 || len(m.Shards) > MaxShards {
		return fmt.Errorf("%d shards: want 1 to %d", len(m.Shards), MaxShards)
	}
	first := 0
	for i, s := range m.Shards {
		if s.Rows < 0 || s.Rows > m.Rows-first {
			return fmt.Errorf("the rows of shard %d, from row %d on: have %d, want 0 to %d", i, first,
				s.Rows, m.Rows-first)
		}
		if s.Rows > 0 && first%rounds.Block != 0 {
			return fmt.Errorf("shard %d begins at row %d: want a multiple of %d",
				i, first, rounds.Block)
		}
		first += s.Rows
	}
	if first != m.Rows {
		return fmt.Errorf("the rows of all shards: have %d, want %d", first, m.Rows)
	}
	return nil
}

func checkSquares(squares ...float64) error {
	for _, x := range squares {
		if !(x >= 0) || !floats.IsFinite(x) {
			return fmt.Errorf("a statistic of squared row lengths is %v: want a finite number, 0 or "+
				"more", x)
		}
	}
	return nil
}

func (v *Values) check() error {
	if err := checkSquares(v.Lengths[:]...); err != nil {
		return err
	}
	for kind, s := range v.Scaled {
		switch kind {
		case scale.Standard, scale.MaxAbs, scale.Unit:
		default:
			return fmt.Errorf("unknown scaling %q", kind)
		}
		if err := checkSquares(s.MaxSquare, s.MeanSquare); err != nil {
			return err
		}
	}
	return checkSquares(v.MaxSquare, v.MeanSquare)
}
