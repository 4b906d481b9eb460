// Package runs trains and verifies models over shards, in rounds. Its main type, Folder, keeps a
// run, and is shared by the driver and the workers. Each round is a pure function over files:
//
//	alpha-K-S, sums = round K of shard S (alpha-(K-1)-S, state-(K-1))     workers, on any machine
//	state-K         = the next state (state-(K-1), the total of the sums)  the driver
//
// Files are written under a temporary name and renamed, so that several workers may visit a shard,
// even repeatedly. The rename of a state commits the round; a new driver resumes after it. The
// folder keeps the files of the last two rounds, so that damaged files can be computed again.
//
//	f, err := runs.Start(dir, "shards/manifest.json", cfg)
//	err = f.Run(ctx, work.InProcess{}, progress)
//	model, err := f.Model()
package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pegasimd/pegasimd/beam/internal/shards"
	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Config is the configuration of a run. Zero values mean defaults. rounds.New says which fields of
// pegasos.Config may be set.
type Config struct {
	pegasos.Config
	Method rounds.Method `json:"method,omitempty"`
	// Verify, if not empty, is the path of a model whose claims the rounds verify. Claim is the
	// SHA-256 of its file. Of the other fields only Epochs is used then.
	Verify string `json:"verify,omitempty"`
	Claim  string `json:"claim,omitempty"`
}

// A run is the content of run.json.
type run struct {
	Version  int    `json:"version"`
	Manifest string `json:"manifest"` // path
	Data     string `json:"data"`     // hash of the manifest
	Settings Config `json:"settings"` // as passed to Start
}

type Folder struct {
	*run
	dir      string
	settings string // hash
	manifest *shards.Manifest
	rounds   *rounds.Rounds
	verified *pegasos.Model // the model to verify; nil when training

	mu     sync.Mutex
	shards map[int]func() (*rounds.Shard, error) // each opens a shard in its first call
}

func runPath(dir string) string { return filepath.Join(dir, "run.json") }

func readRun(dir string) (*run, []byte, error) {
	text, err := os.ReadFile(runPath(dir))
	if err != nil {
		return nil, nil, err
	}
	r := new(run)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil || r.Version != 1 {
		return nil, nil, fmt.Errorf("%s: this version of pegasimd-beam can't read the file: choose "+
			"another folder", escape.Name(runPath(dir)))
	}
	return r, text, nil
}

// Start prepares a folder for rounds over the shards of a manifest, or opens a prepared folder. It
// refuses a folder for other data or settings.
func Start(dir, manifest string, cfg Config) (*Folder, error) {
	m, err := shards.Read(manifest)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(manifest)
	if err != nil {
		return nil, err
	}
	if cfg.ClassWeight, err = numbered(cfg.ClassWeight, m); err != nil {
		return nil, err
	}
	want := &run{Version: 1, Manifest: path, Data: m.Hash(), Settings: cfg}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	have, _, err := readRun(dir)
	switch other := "%s: the run in this folder %s: choose another folder"; {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case have.Data != want.Data:
		return nil, fmt.Errorf(other, escape.Name(dir), "is for a manifest with other content")
	case have.Settings != want.Settings:
		return nil, fmt.Errorf(other, escape.Name(dir), differs(have.Settings, want.Settings))
	case *have == *want:
		return open(dir)
	}
	if _, err := newFolder(dir, want); err != nil { // checks the settings, too
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

// differs says what a run with other settings does.
func differs(have, want Config) string {
	switch {
	case have.Verify == "" && want.Verify != "":
		return "trains a model"
	case have.Verify != "" && want.Verify == "":
		return "verifies a model"
	case have.Verify != want.Verify || have.Claim != want.Claim:
		return "verifies another model file"
	}
	return "has other settings"
}

// numbered returns a list of class weights with the numbers of classes in place of their names.
func numbered(list string, m *shards.Manifest) (string, error) {
	if m.Names == nil || list == "" || list == pegasos.Balanced {
		return list, nil
	}
	parts := strings.Split(list, ",")
	for i, part := range parts {
		at := strings.LastIndexByte(part, '=')
		bad := func(format string, a ...any) (string, error) {
			return "", &pegasos.ConfigError{Field: "ClassWeight", Reason: fmt.Sprintf(format, a...)}
		}
		if at < 0 {
			return bad("have %q, want a list such as %s=1,%s=2.5, or balanced alone", part,
				escape.Name(m.Names[0]), escape.Name(m.Names[len(m.Names)-1]))
		}
		k := slices.Index(m.Names, part[:at])
		if k < 0 {
			return bad("no class is called %q", part[:at])
		}
		parts[i] = pegasos.FormatLabel(m.Classes[k]) + part[at:]
	}
	return strings.Join(parts, ","), nil
}

// StartVerify prepares a folder like Start, for rounds that verify the claims of a model file.
// iterations limits Newton's iterations or dual passes; 0 means the default of training.
func StartVerify(dir, manifest, model string, iterations int) (*Folder, error) {
	path, err := filepath.Abs(model)
	if err != nil {
		return nil, err
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	cfg := Config{Verify: path, Claim: hash(file)}
	cfg.Epochs = iterations
	return Start(dir, manifest, cfg)
}

func newFolder(dir string, r *run) (*Folder, error) {
	m, err := shards.Read(r.Manifest)
	if err != nil {
		return nil, err
	}
	if m.Hash() != r.Data {
		return nil, notBegunWith(r.Manifest, dir)
	}
	if m.Classes == nil {
		return nil, fmt.Errorf("%s: the rows have more than %d distinct labels: want classes",
			escape.Name(r.Manifest), labels.MaxClasses)
	}
	text, err := json.Marshal(r.Settings)
	if err != nil {
		return nil, err
	}
	f := &Folder{run: r, dir: dir, settings: hash(text), manifest: m,
		shards: make(map[int]func() (*rounds.Shard, error))}
	stats, err := m.Statistics()
	if err != nil {
		return nil, err
	}
	if r.Settings.Verify != "" {
		f.rounds, err = f.verification(stats)
		return f, err
	}
	var cfg settings.Settings
	settings.Copy(&cfg, r.Settings.Config)
	f.rounds, err = rounds.New(cfg, r.Settings.Method, stats, len(f.used()))
	if rule, ok := err.(options.Rule); ok {
		err = (*pegasos.ConfigError)(&rule)
	}
	return f, err
}

func notBegunWith(path, dir string) error {
	return fmt.Errorf("%s: not the file with which the rounds in %s began: it was changed, or this "+
		"worker's machine has another file at the path", escape.Name(path), escape.Name(dir))
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (f *Folder) verification(stats *scale.Statistics) (*rounds.Rounds, error) {
	name := escape.Name(f.Settings.Verify)
	file, err := os.ReadFile(f.Settings.Verify)
	if err != nil {
		return nil, err
	}
	if hash(file) != f.Settings.Claim {
		return nil, notBegunWith(f.Settings.Verify, f.dir)
	}
	m, err := pegasos.Read(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Names != nil && f.manifest.Names != nil && !slices.Equal(m.Names, f.manifest.Names) {
		return nil, fmt.Errorf("%s: the names of the model's classes differ from the names in the "+
			"manifest", name)
	}
	f.verified = m
	r, err := rounds.NewVerification(internal(m), stats, len(f.used()), f.Settings.Epochs)
	if rule, ok := err.(options.Rule); ok { // name the field as in the model's file
		err = fmt.Errorf("%s: %s", strings.ToLower(rule.Field), rule.Reason)
	}
	if m.Prior != "" {
		err = errors.New("the model has a prior")
	}
	if m.Scaling != nil && m.Scaling.Expansion != nil {
		err = errors.New("the model has curves: train it with pegasimd train -curves none")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: can't be verified in shards: %w", name, err)
	}
	return r, nil
}

func internal(m *pegasos.Model) *rounds.Model {
	to := &rounds.Model{Classes: m.Classes, Weights: m.Weights, Bias: m.Bias, Lambda: m.Lambda,
		Result: proof.Result(m.Result)}
	settings.Copy(&to.Config, m.Config)
	if m.Scaling != nil && m.Scaling.Kind != pegasos.ScaleNone {
		to.Scale = (*scale.Scale)(m.Scaling)
	}
	return to
}

func (f *Folder) used() (numbers []int) {
	for i, shard := range f.manifest.Shards {
		if shard.Rows > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

func (f *Folder) shard(number int) (*rounds.Shard, error) {
	f.mu.Lock()
	open := f.shards[number]
	if open == nil {
		open = sync.OnceValues(func() (*rounds.Shard, error) { return f.openShard(number) })
		f.shards[number] = open
	}
	f.mu.Unlock()
	shard, err := open()
	if err != nil { // another attempt may succeed
		f.mu.Lock()
		delete(f.shards, number)
		f.mu.Unlock()
	}
	return shard, err
}

func (f *Folder) openShard(number int) (*rounds.Shard, error) {
	part, err := f.manifest.Open(number)
	if err != nil {
		return nil, err
	}
	shard, err := f.rounds.Shard(number, part.Examples(), part.Y, part.First)
	if err != nil {
		err = fmt.Errorf("%s: %w", escape.Name(f.manifest.Path(number)), err)
	}
	return shard, err
}

// last keeps a folder open for the next item, so that shards are not mapped again.
var last work.Last[*Folder]

func open(dir string) (*Folder, error) {
	r, text, err := readRun(dir)
	if err != nil {
		return nil, err
	}
	return last.Get(dir+"\n"+string(text), func() (*Folder, error) { return newFolder(dir, r) })
}
