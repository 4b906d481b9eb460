package runs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
)

// fileKind is the kind of the files of states and dual variables. The header contains a stamp and,
// in a state's file, the fields that are not vectors. The numbers are the state's vectors, or a
// shard's dual variables.
var fileKind = modelfile.Kind{Magic: "pegasimd rounds ", Name: "round", Version: 1}

type stamp struct {
	Data     string `json:"data"`     // hash of the manifest
	Settings string `json:"settings"` // hash
	Round    int    `json:"round"`
	Shard    int    `json:"shard"` // 0 in a file of a state
}

func (f *Folder) stamp(k, shard int) stamp { return stamp{f.Data, f.settings, k, shard} }

// errForeign is wrapped with what the file belongs to.
var errForeign = errors.New("the file belongs to")

// compare returns an error unless the stamp of a file is s.
func (s stamp) compare(have stamp) error {
	switch {
	case have.Data != s.Data:
		return fmt.Errorf("%w other data", errForeign)
	case have.Settings != s.Settings:
		return fmt.Errorf("%w other settings", errForeign)
	case have.Round != s.Round:
		return fmt.Errorf("%w round %d", errForeign, have.Round)
	case have.Shard != s.Shard:
		return fmt.Errorf("%w shard %d", errForeign, have.Shard)
	}
	return nil
}

func (s stamp) write(w io.Writer, state *rounds.State, write func(*modelfile.Writer)) error {
	m := modelfile.NewWriter(w, fileKind)
	if err := m.Header(s.fields(&state)); err != nil {
		return err
	}
	write(m)
	return m.Close()
}

func (s *stamp) fields(state **rounds.State) []modelfile.Field {
	return []modelfile.Field{modelfile.Required("of", s), modelfile.Optional("state", state)}
}

// read reads the file at path, which must have the stamp. The parameter read reads the numbers; it
// gets a nil state if the file has none.
func (s stamp) read(path string, read func(*modelfile.Reader, *rounds.State) error) error {
	file := func(r *modelfile.Reader) (any, error) {
		var have stamp
		var state *rounds.State
		if err := r.Header(have.fields(&state)); err != nil {
			return nil, err
		}
		if err := s.compare(have); err != nil {
			return nil, err
		}
		if err := read(r, state); err != nil {
			return nil, err
		}
		return nil, r.End()
	}
	_, err := modelfile.ReadFile(path, func(r io.Reader) (any, error) {
		return modelfile.Read(r, fileKind, file)
	})
	return err
}

func (f *Folder) statePath(k int) string {
	return filepath.Join(f.dir, fmt.Sprintf("state-%06d", k))
}

// Round 0 has no file.
func (f *Folder) state(k int) (state *rounds.State, err error) {
	if k == 0 {
		return f.rounds.Start(), nil
	}
	of := f.stamp(k, 0)
	return state, of.read(f.statePath(k), func(r *modelfile.Reader, s *rounds.State) error {
		state = s
		if s == nil || s.Round != k || len(s.Problems) != f.rounds.Problems() {
			return errors.New("the file does not contain the state of this round")
		}
		for _, v := range s.Vectors() {
			if *v, err = r.Doubles(f.rounds.Vars()); err != nil {
				return err
			}
		}
		return f.rounds.Check(s)
	})
}

// writeState commits a round, which must survive a crash.
func (f *Folder) writeState(state *rounds.State) error {
	return atomicfile.WriteFile(f.statePath(state.Round), func(w io.Writer) error {
		return f.stamp(state.Round, 0).write(w, state, func(m *modelfile.Writer) {
			for _, v := range state.Vectors() {
				modelfile.WriteNumbers(m, *v)
			}
		})
	})
}

func (f *Folder) alphaPath(k, shard int) string {
	return filepath.Join(f.dir, fmt.Sprintf("alpha-%06d-%05d", k, shard))
}

func (f *Folder) readAlpha(k, shard, n int) (alpha []float32, err error) {
	err = f.stamp(k, shard).read(f.alphaPath(k, shard),
		func(r *modelfile.Reader, _ *rounds.State) error {
			alpha, err = r.Floats(n)
			return err
		})
	return alpha, err
}

// writeAlpha does not sync the file to disk: a file that a crash damages is computed again.
func (f *Folder) writeAlpha(k, shard int, alpha []float32) error {
	path := f.alphaPath(k, shard)
	temp, err := os.CreateTemp(f.dir, filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the file was renamed
	err = f.stamp(k, shard).write(temp, nil, func(m *modelfile.Writer) {
		modelfile.WriteNumbers(m, alpha)
	})
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	return err
}

// each visits files in the order of their names.
func (f *Folder) each(kind string, use func(path string, round int)) error {
	entries, err := os.ReadDir(f.dir)
	for _, entry := range entries {
		k := 0
		if n, _ := fmt.Sscanf(entry.Name(), kind+"-%06d", &k); n == 1 {
			use(filepath.Join(f.dir, entry.Name()), k)
		}
	}
	return err
}

// newest returns the newest state that is not damaged. A state with another stamp is an error.
func (f *Folder) newest() (*rounds.State, error) {
	var found []int
	err := f.each("state", func(path string, k int) {
		if k > 0 && path == f.statePath(k) {
			found = append(found, k)
		}
	})
	if err != nil {
		return nil, err
	}
	var failed error
	for _, k := range slices.Backward(found) {
		state, err := f.state(k)
		if err == nil || errors.Is(err, errForeign) {
			return state, err
		}
		failed = err
	}
	if failed != nil && found[0] > 1 {
		return nil, fmt.Errorf("%w, and no other state in the folder can be read: start again in "+
			"another folder", failed)
	}
	return f.state(0)
}

func (f *Folder) clear(k int) {
	for _, kind := range []string{"state", "alpha"} {
		f.each(kind, func(path string, round int) {
			if round < k-1 {
				os.Remove(path)
			}
		})
	}
}
