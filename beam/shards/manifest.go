package shards

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// Block is the number of rows that no boundary between shards cuts.
const Block = 256

// Version is that of the manifest's form.
const Version = 1

// MaxShards is the most shards that a manifest can have.
const MaxShards = 1 << 20

// A Manifest describes shards. Its fields are those of the JSON file.
type Manifest struct {
	Version   int             `json:"version"`
	Data      string          `json:"data"` // what was split, by its name without the folder
	Rows      int             `json:"rows"`
	Cols      int             `json:"cols"`
	Nonzeros  int             `json:"nonzeros"`
	Layout    dataset.Layout  `json:"layout"`
	IndexBase int             `json:"index_base"`          // as in dataset.Set
	HashBits  int             `json:"hash_bits,omitempty"` // likewise
	Names     []string        `json:"names,omitempty"`     // of the classes, likewise
	Table     json.RawMessage `json:"table,omitempty"`     // likewise, for models
	Labels    Labels          `json:"labels"`
	Values    Values          `json:"values"`
	Columns   File            `json:"columns"` // what ReadColumns reads
	Shards    []Shard         `json:"shards"`

	dir  string // where the files are
	hash string
}

// Labels are statistics of the labels.
type Labels struct {
	// Classes has the distinct labels, ascending, and Count how many rows have each; nil if there
	// are more than package pegasos can tell apart.
	Classes []float32 `json:"classes,omitempty"`
	Count   []int     `json:"count,omitempty"`

	MaxAbs    float64 `json:"max_abs"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // 1 if all labels are the same
}

// Values are statistics of the features, as they are and as each kind of scaling makes them.
type Values struct {
	Size
	// Lengths are the least, the median and the largest |x|^2 that is above 0, and Magnitudes the
	// least, the 10th and 90th percentile and the largest of the columns' largest magnitudes.
	Lengths    [3]float64 `json:"length_quantiles"`
	Magnitudes [4]float64 `json:"magnitude_quantiles"`
	Used       int        `json:"used_columns"` // that are not zeros, nor known to be constant

	// Scaled says for each kind of scaling that is possible what it makes of the rows.
	Scaled map[string]Size `json:"scaled"`
}

// A Size says how large rows are: bounds that all of them keep, and a mean.
type Size struct {
	MaxAbs     float64 `json:"max_abs"`     // the largest |x_j|
	MaxSquare  float64 `json:"max_square"`  // the largest |x|^2
	MeanSquare float64 `json:"mean_square"` // of |x|^2
}

// A File is one beside the manifest.
type File struct {
	Name   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// A Shard is a .pgsm file of rows.
type Shard struct {
	File
	// Seal is the SHA-256 of the file's first 64 bytes and its last 64 KiB. They hold the sizes and
	// the checksums, so that a file of other rows is told apart without reading all of it.
	Seal     string `json:"seal"`
	First    int    `json:"first"` // the number of its first row
	Rows     int    `json:"rows"`
	Nonzeros int    `json:"nonzeros"`
}

// Read reads a manifest. The shards' files are looked at when they are opened.
func Read(path string) (*Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{dir: filepath.Dir(path)}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(m); err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("there is more behind its end")
		}
	}
	if version := versionOf(text); err != nil && version > Version {
		err = fmt.Errorf("version %d of the form: this program knows version %d", version, Version)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a manifest of shards: %w", visible.Name(path), err)
	}
	sum := sha256.Sum256(text)
	m.hash = hex.EncodeToString(sum[:])
	return m, nil
}

// versionOf returns the version that a file says it has.
func versionOf(text []byte) int {
	var v struct{ Version int }
	if json.Unmarshal(text, &v) != nil {
		return 0
	}
	return v.Version
}

// Hash is the SHA-256 of the manifest, in hexadecimal digits. As the manifest has those of its
// files, it stands for all of the data.
func (m *Manifest) Hash() string { return m.hash }

// check returns what is wrong with a manifest.
func (m *Manifest) check() error {
	switch {
	case m.Version != Version:
		return fmt.Errorf("version %d of the form: this program knows version %d",
			m.Version, Version)
	case m.Rows < 1 || m.Cols < 1 || m.Cols > math.MaxInt32 || m.Nonzeros < 0:
		return fmt.Errorf("%d rows of %d features with %d nonzeros", m.Rows, m.Cols, m.Nonzeros)
	case m.Layout != dataset.LayoutDense && m.Layout != dataset.LayoutSparse:
		return fmt.Errorf("the layout is %q", m.Layout)
	case len(m.Shards) == 0 || len(m.Shards) > MaxShards:
		return fmt.Errorf("%d shards: want 1 to %d", len(m.Shards), MaxShards)
	}
	if err := m.Labels.check(m.Rows, m.Names); err != nil {
		return err
	}
	if err := m.Values.check(); err != nil {
		return err
	}
	if err := m.Columns.check(); err != nil {
		return err
	}
	return m.checkShards()
}

// checkShards checks that the shards have all rows, in order, in whole blocks.
func (m *Manifest) checkShards() error {
	first, nonzeros := 0, 0
	for i, s := range m.Shards {
		if err := s.check(); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		if s.First != first || s.Rows < 0 || s.Nonzeros < 0 || s.Rows > m.Rows-first {
			return fmt.Errorf("shard %d has rows %d to %d, where row %d of %d is the next",
				i, s.First, s.First+s.Rows-1, first, m.Rows)
		}
		if s.Rows > 0 && first%Block != 0 {
			return fmt.Errorf("shard %d begins at row %d, which is no multiple of %d",
				i, first, Block)
		}
		first += s.Rows
		nonzeros += s.Nonzeros
	}
	if first != m.Rows || nonzeros != m.Nonzeros {
		return fmt.Errorf("the shards have %d rows and %d nonzeros, want %d and %d",
			first, nonzeros, m.Rows, m.Nonzeros)
	}
	return nil
}

// check returns what is wrong with the labels of so many rows.
func (l *Labels) check(rows int, names []string) error {
	if len(l.Count) != len(l.Classes) || floats.FirstNotFinite(l.Classes) >= 0 {
		return fmt.Errorf("the classes do not make sense")
	}
	for k, n := range l.Count {
		if n < 1 || n > rows || k > 0 && l.Classes[k] <= l.Classes[k-1] {
			return fmt.Errorf("the classes do not make sense")
		}
		if c := l.Classes[k]; names != nil && (c < 0 || int(c) >= len(names)) {
			return fmt.Errorf("the label %v has no name", c)
		}
		rows -= n
	}
	if l.Classes != nil && rows != 0 || !good(l.MaxAbs) || !floats.IsFinite(l.Mean) ||
		!(l.Deviation > 0) || !good(l.Deviation) {
		return fmt.Errorf("the statistics of the labels do not make sense")
	}
	return nil
}

// good reports whether a statistic is a number that can be one.
func good(x float64) bool { return x >= 0 && floats.IsFinite(x) }

func (s Size) check() error {
	if !good(s.MaxAbs) || !good(s.MaxSquare) || !good(s.MeanSquare) {
		return fmt.Errorf("the sizes of the rows do not make sense")
	}
	return nil
}

func (v *Values) check() error {
	for _, x := range append(v.Lengths[:], v.Magnitudes[:]...) {
		if !good(x) {
			return fmt.Errorf("the statistics of the features do not make sense")
		}
	}
	for kind, s := range v.Scaled {
		switch kind {
		case scaling.Standard, scaling.MaxAbs, scaling.Unit:
		default:
			return fmt.Errorf("there is no scaling %q", kind)
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return v.Size.check()
}

// check returns an error if the name is not one in the manifest's own folder, or if a hash can't be
// one.
func (f *File) check() error {
	if f.Name == "" || filepath.Base(f.Name) != f.Name || !filepath.IsLocal(f.Name) {
		return fmt.Errorf("the file name %q: want one in the manifest's folder", f.Name)
	}
	raw, err := hex.DecodeString(f.SHA256)
	if err != nil || len(raw) != sha256.Size || f.Bytes < 0 {
		return fmt.Errorf("%s: the hash %q does not make sense", f.Name, f.SHA256)
	}
	return nil
}
