package rounds

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/pegasimd/pegasimd/beam/internal/shards"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	training "github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A Config says how to train. Zero values are chosen by the manifest's statistics. These fields of
// pegasos.Config may be set: Loss (hinge, squared hinge, log), ClassWeight, Lambda or C, Tol (0 is
// 0.01), Bias (none, augmented), BiasScale, Scale, Seed, and Epochs, the most rounds of the dual
// method or iterations of Newton's.
type Config struct {
	pegasos.Config
	Method training.Method `json:"method,omitempty"`
	// Verify, if not empty, is the path of a model that the rounds hold to what it claims, and
	// Claim, which StartVerify sets, the SHA-256 of its file. Of the other fields only Epochs
	// counts.
	Verify string `json:"verify,omitempty"`
	Claim  string `json:"claim,omitempty"`
}

// A run is what a folder's rounds are of.
type run struct {
	Version  int    `json:"version"`
	Manifest string `json:"manifest"` // its path
	Data     string `json:"data"`     // its hash
	Settings Config `json:"settings"` // as they were asked for
}

// A Folder is what a process knows of a folder's rounds.
type Folder struct {
	*run
	dir      string
	settings string // their hash
	manifest *shards.Manifest
	rounds   *training.Rounds

	mu     sync.Mutex
	shards map[int]*opened
}

// An opened shard is opened once.
type opened struct {
	once  sync.Once
	shard *training.Shard
	err   error
}

func runPath(dir string) string { return filepath.Join(dir, "run.json") }

// readRun reads a folder's run.json.
func readRun(dir string) (*run, []byte, error) {
	text, err := os.ReadFile(runPath(dir))
	if err != nil {
		return nil, nil, err
	}
	r := new(run)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil || r.Version != 1 {
		return nil, nil, fmt.Errorf("%s: not what rounds began with", escape.Name(runPath(dir)))
	}
	return r, text, nil
}

// Start makes a folder ready for rounds over the shards of a manifest, or finds that it is. A
// folder of other data or settings is refused.
func Start(dir, manifest string, cfg Config) (*Folder, error) {
	m, err := shards.Read(manifest)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(manifest)
	if err != nil {
		return nil, err
	}
	want := &run{Version: 1, Manifest: path, Data: m.Hash(), Settings: cfg}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	have, _, err := readRun(dir)
	switch other := "%s: the rounds in this folder %s: take another folder, or remove it"; {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case have.Data != want.Data:
		return nil, fmt.Errorf(other, escape.Name(dir), "are of other data")
	case have.Settings != want.Settings:
		return nil, fmt.Errorf(other, escape.Name(dir), "have other settings")
	case *have == *want:
		return open(dir)
	}
	if _, err := newFolder(dir, want); err != nil { // what is wrong with the settings
		return nil, err
	}
	text, err := json.MarshalIndent(want, "", "\t")
	if err != nil {
		return nil, err
	}
	err = atomicfile.WriteFile(runPath(dir), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return nil, err
	}
	return open(dir)
}

// newFolder makes one, and reads what the manifest says.
func newFolder(dir string, r *run) (*Folder, error) {
	m, err := shards.Read(r.Manifest)
	if err != nil {
		return nil, err
	}
	if m.Hash() != r.Data {
		return nil, fmt.Errorf("%s: the rounds in %s are of other data: split them into another "+
			"folder, or train in one", escape.Name(r.Manifest), escape.Name(dir))
	}
	text, err := json.Marshal(r.Settings)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	f := &Folder{run: r, dir: dir, settings: hex.EncodeToString(sum[:]), manifest: m,
		shards: make(map[int]*opened)}
	stats, err := statistics(m)
	if err != nil {
		return nil, err
	}
	if r.Settings.Verify != "" {
		f.rounds, err = f.verification(stats)
	} else {
		f.rounds, err = training.New(r.Settings.Config, r.Settings.Method, stats, len(f.used()))
	}
	return f, err
}

// statistics returns what a manifest knows of all rows.
func statistics(m *shards.Manifest) (*scale.Statistics, error) {
	c, err := m.ReadColumns()
	if err != nil {
		return nil, err
	}
	s := &scale.Statistics{Rows: m.Rows, Cols: m.Cols, Nonzeros: int64(m.Nonzeros),
		Dense: m.Layout == dataset.LayoutDense, Classes: m.Classes, MaxAbs: c.MaxAbs,
		Mean: c.Mean, Variance: c.Variance, Constant: c.Constant, Lengths: m.Values.Lengths,
		Sizes: map[scale.Kind]scale.RowSizes{scale.None: m.Values.RowSizes}}
	for _, n := range m.Count {
		s.Counts = append(s.Counts, int64(n))
	}
	maps.Copy(s.Sizes, m.Values.Scaled)
	return s, nil
}

// used returns the numbers of the shards that have rows.
func (f *Folder) used() (numbers []int) {
	for i, shard := range f.manifest.Shards {
		if shard.Rows > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// shard opens one, or finds it open.
func (f *Folder) shard(number int) (*training.Shard, error) {
	f.mu.Lock()
	o := f.shards[number]
	if o == nil {
		o = new(opened)
		f.shards[number] = o
	}
	f.mu.Unlock()
	o.once.Do(func() {
		part, err := f.manifest.Open(number)
		if err != nil {
			o.err = err
			return
		}
		o.shard, o.err = f.rounds.Shard(number, part.Examples(), part.Y, part.First)
		if o.err != nil {
			o.err = fmt.Errorf("%s: %w", escape.Name(f.manifest.Path(number)), o.err)
		}
	})
	if o.err != nil { // another try may be luckier
		f.mu.Lock()
		delete(f.shards, number)
		f.mu.Unlock()
	}
	return o.shard, o.err
}

// The last folder that this process was asked for stays open: its shards are mapped into memory,
// and some numbers of each row are kept.
var last struct {
	sync.Mutex
	text []byte
	*Folder
}

// open returns a folder that Start has made ready.
func open(dir string) (*Folder, error) {
	r, text, err := readRun(dir)
	if err != nil {
		return nil, err
	}
	last.Lock()
	defer last.Unlock()
	if last.Folder != nil && last.dir == dir && bytes.Equal(last.text, text) {
		return last.Folder, nil
	}
	f, err := newFolder(dir, r)
	if err != nil {
		return nil, err
	}
	last.text, last.Folder = text, f
	return f, nil
}
