package rounds

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/pegasimd/pegasimd/beam/shards"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A Config says how to train. What is zero is chosen by the manifest's statistics: see
// [pegasos.NewRounds], which also says which fields may be set.
type Config struct {
	pegasos.Config
	Method pegasos.RoundMethod `json:"method,omitempty"`
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

const runName = "run.json"

func runPath(dir string) string { return filepath.Join(dir, runName) }

func statePath(dir string, k int) string {
	return filepath.Join(dir, fmt.Sprintf("state-%06d", k))
}

func alphaPath(dir string, k, shard int) string {
	return filepath.Join(dir, fmt.Sprintf("alpha-%06d-%05d", k, shard))
}

func partPath(dir string, k, shard int) string {
	return filepath.Join(dir, fmt.Sprintf("part-%06d-%05d", k, shard))
}

// settingsHash stands for the settings.
func (r *run) settingsHash() (string, error) {
	text, err := json.Marshal(r.Settings)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

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
		return nil, nil, fmt.Errorf("%s: not what rounds began with", visible.Name(runPath(dir)))
	}
	return r, text, nil
}

// Start makes a folder ready for rounds over the shards of a manifest, or finds that it is. A
// folder of other data or settings is refused.
func Start(dir, manifest string, cfg Config) error {
	m, err := shards.Read(manifest)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(manifest)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	want := &run{Version: 1, Manifest: path, Data: m.Hash(), Settings: cfg}
	have, _, err := readRun(dir)
	switch {
	case missing(err):
		if err := unused(dir); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if err := want.same(dir, have); err != nil {
			return err
		}
		if *have == *want {
			return nil
		}
	}
	text, err := json.MarshalIndent(want, "", "\t")
	if err != nil {
		return err
	}
	if _, err := newSession(dir, want); err != nil { // what is wrong with the settings
		return err
	}
	return commit(runPath(dir), append(text, '\n'))
}

// unused returns an error if a folder has states, but not what says what they are of.
func unused(dir string) error {
	found, err := filepath.Glob(filepath.Join(dir, "state-*"))
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%s: there are rounds, but no %s: take another folder", visible.Name(dir),
			runName)
	}
	return err
}

// same returns an error if the folder is one of other data or settings.
func (r *run) same(dir string, have *run) error {
	switch {
	case have.Data != r.Data:
		return fmt.Errorf("%s: the rounds in this folder are of other data: take another folder, or "+
			"remove it", visible.Name(dir))
	case have.Settings != r.Settings:
		return fmt.Errorf("%s: the rounds in this folder have other settings: take another folder, "+
			"or remove it", visible.Name(dir))
	}
	return nil
}

// A session is what a process knows of a folder's rounds.
type session struct {
	*run
	dir      string
	settings string // their hash
	manifest *shards.Manifest
	rounds   *pegasos.Rounds

	mu     sync.Mutex
	shards map[int]*opened
}

// An opened shard is opened once.
type opened struct {
	once  sync.Once
	shard *pegasos.RoundShard
	err   error
}

// newSession makes one, and reads what the manifest says.
func newSession(dir string, r *run) (*session, error) {
	m, err := shards.Read(r.Manifest)
	if err != nil {
		return nil, err
	}
	if m.Hash() != r.Data {
		return nil, fmt.Errorf("%s: the rounds in %s are of other data: split them into another "+
			"folder, or train in one", visible.Name(r.Manifest), visible.Name(dir))
	}
	s := &session{run: r, dir: dir, manifest: m, shards: make(map[int]*opened)}
	if s.settings, err = r.settingsHash(); err != nil {
		return nil, err
	}
	stats, err := Statistics(m)
	if err != nil {
		return nil, err
	}
	if r.Settings.Verify != "" {
		s.rounds, err = s.verification(stats)
	} else {
		s.rounds, err = pegasos.NewRounds(r.Settings.Config, r.Settings.Method, stats,
			len(s.used()))
	}
	return s, err
}

// Statistics returns what a manifest knows of all rows, for [pegasos.Statistics.Choose].
func Statistics(m *shards.Manifest) (*pegasos.Statistics, error) {
	c, err := m.ReadColumns()
	if err != nil {
		return nil, err
	}
	s := &pegasos.Statistics{Rows: m.Rows, Cols: m.Cols, Nonzeros: int64(m.Nonzeros),
		Dense: m.Layout == dataset.LayoutDense, Classes: m.Labels.Classes, MaxAbs: c.MaxAbs,
		Mean: c.Mean, Variance: c.Variance, Constant: c.Constant, Lengths: m.Values.Lengths,
		Sizes: map[pegasos.Scale]pegasos.RowSizes{pegasos.ScaleNone: sizes(m.Values.Size)}}
	for _, n := range m.Labels.Count {
		s.Counts = append(s.Counts, int64(n))
	}
	for kind, size := range m.Values.Scaled {
		s.Sizes[pegasos.Scale(kind)] = sizes(size)
	}
	return s, nil
}

func sizes(s shards.Size) pegasos.RowSizes {
	return pegasos.RowSizes{MeanSquare: s.MeanSquare, MaxSquare: s.MaxSquare}
}

// used returns the numbers of the shards that have rows.
func (s *session) used() (numbers []int) {
	for i, shard := range s.manifest.Shards {
		if shard.Rows > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// shard opens one, or finds it open.
func (s *session) shard(number int) (*pegasos.RoundShard, error) {
	s.mu.Lock()
	o := s.shards[number]
	if o == nil {
		o = new(opened)
		s.shards[number] = o
	}
	s.mu.Unlock()
	o.once.Do(func() {
		part, err := s.manifest.Open(number)
		if err == nil && s.Settings.Verify != "" { // all of the file counts
			err = s.manifest.Verify(number)
		}
		if err != nil {
			o.err = err
			return
		}
		o.shard, o.err = s.rounds.Shard(number, part.Examples(), part.Y, part.First)
		if o.err != nil {
			o.err = fmt.Errorf("%s: %w", visible.Name(s.manifest.Path(number)), o.err)
		}
	})
	if o.err != nil { // another try may be luckier
		s.mu.Lock()
		delete(s.shards, number)
		s.mu.Unlock()
	}
	return o.shard, o.err
}

// The last folder that this process was asked for stays open: its shards are mapped into memory,
// and some numbers of each row are kept.
var last struct {
	sync.Mutex
	text []byte
	dir  string
	*session
}

// open returns the session of a folder.
func open(dir string) (*session, error) {
	r, text, err := readRun(dir)
	if missing(err) {
		return nil, fmt.Errorf("%s: no rounds have been started in this folder", visible.Name(dir))
	}
	if err != nil {
		return nil, err
	}
	last.Lock()
	defer last.Unlock()
	if last.session != nil && last.dir == dir && bytes.Equal(last.text, text) {
		return last.session, nil
	}
	s, err := newSession(dir, r)
	if err != nil {
		return nil, err
	}
	last.text, last.dir, last.session = text, dir, s
	return s, nil
}
