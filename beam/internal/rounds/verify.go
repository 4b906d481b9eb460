package rounds

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	training "github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file holds models to what they claim of the rows of shards: rounds as those of training, at
// whose end is what Verified returns in place of a model.

// StartVerify is Start for rounds that hold a model to what it claims, for at most the given
// number of iterations; 0 is as many as training has.
func StartVerify(dir, manifest, model string, iterations int) (*Folder, error) {
	path, err := filepath.Abs(model)
	if err != nil {
		return nil, err
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	cfg := Config{Verify: path, Claim: claimOf(file)}
	cfg.Epochs = iterations
	return Start(dir, manifest, cfg)
}

// claimOf returns what stands for a model's file in the settings: its SHA-256, in hexadecimal.
func claimOf(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// verification returns the rounds of a folder that verifies a model.
func (f *Folder) verification(stats *scale.Statistics) (*training.Rounds, error) {
	name := escape.Name(f.Settings.Verify)
	file, err := os.ReadFile(f.Settings.Verify)
	if err != nil {
		return nil, err
	}
	if claimOf(file) != f.Settings.Claim {
		return nil, fmt.Errorf("%s: the rounds in %s are of another model: take another folder, or "+
			"remove it", name, escape.Name(f.dir))
	}
	m, err := pegasos.Read(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Names != nil && f.manifest.Names != nil && !slices.Equal(m.Names, f.manifest.Names) {
		return nil, fmt.Errorf("%s: its classes are not those of the shards", name)
	}
	r, err := training.NewVerification(m, stats, len(f.used()), f.Settings.Epochs)
	var bad *pegasos.ConfigError
	if errors.As(err, &bad) { // a setting of the model's is not one of the caller's
		err = fmt.Errorf("%s: %s", strings.ToLower(bad.Field), bad.Reason)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: it can't be verified in shards: %w", name, err)
	}
	return r, nil
}

// Verified returns what the rounds that StartVerify began have found, once they are done.
func (f *Folder) Verified() (*pegasos.Verification, error) {
	state, err := f.newest()
	if err != nil {
		return nil, err
	}
	return f.rounds.Verified(state)
}
