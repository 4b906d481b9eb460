package rounds

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A stamp says what a file is of.
type stamp struct {
	Data     string `json:"data"`     // the manifest's hash
	Settings string `json:"settings"` // their hash
	Round    int    `json:"round"`
}

func (s *session) stamp(k int) stamp { return stamp{s.Data, s.settings, k} }

// stateHeader is that of a state's file. Its numbers are the state's vectors.
type stateHeader struct {
	Of     stamp               `json:"of"`
	Before string              `json:"before"` // the hash of the file of the state before
	Vars   int                 `json:"vars"`
	State  *pegasos.RoundState `json:"state"`
}

// A saved state has the hash of its file, and that of the file before.
type saved struct {
	*pegasos.RoundState
	hash, before string
}

// errForeign is that of a file of other rounds.
var errForeign = errors.New("the file is of other data, other settings or another round")

// state reads that after round k. Round 0 has no file.
func (s *session) state(k int) (*saved, error) {
	if k == 0 {
		return &saved{RoundState: s.rounds.Start()}, nil
	}
	path := statePath(s.dir, k)
	h := stateHeader{State: new(pegasos.RoundState)}
	b, hash, err := decode(path, stateKind, &h)
	if err != nil {
		return nil, err
	}
	if h.Of != s.stamp(k) || h.State.Round != k {
		return nil, fmt.Errorf("%s: %w", visible.Name(path), errForeign)
	}
	if h.Vars != s.rounds.Vars() || len(h.State.Problems) != s.rounds.Problems() {
		return nil, damaged(path)
	}
	var numbers []any
	for _, v := range h.State.Vectors() {
		*v = make([]float64, h.Vars)
		numbers = append(numbers, *v)
	}
	if err := values(path, b, numbers...); err != nil {
		return nil, err
	}
	return &saved{h.State, hash, h.Before}, s.rounds.Check(h.State)
}

// writeState commits a round, which began with the state before.
func (s *session) writeState(state *pegasos.RoundState, before *saved) error {
	h := stateHeader{Of: s.stamp(state.Round), Before: before.hash, Vars: s.rounds.Vars(),
		State: state}
	var numbers []any
	for _, v := range state.Vectors() {
		numbers = append(numbers, *v)
	}
	b, err := encode(stateKind, h, numbers...)
	if err != nil {
		return err
	}
	return commit(statePath(s.dir, state.Round), b)
}

// newest returns the state after the last round that was committed. One that is damaged counts as
// if it had not been; one of other rounds is an error.
func (s *session) newest() (*saved, error) {
	found := s.committed()
	var failed error
	for _, k := range slices.Backward(found) {
		state, err := s.state(k)
		if err == nil {
			return state, nil
		}
		if !errors.Is(err, errDamaged) {
			return nil, err
		}
		if failed == nil {
			failed = err
		}
	}
	if failed != nil && found[0] > 1 {
		return nil, fmt.Errorf("%w, and there is none of the round before: remove the folder and "+
			"begin anew", failed)
	}
	return s.state(0)
}

// committed returns the numbers of the rounds that there are states of, ascending.
func (s *session) committed() (rounds []int) {
	files, _ := filepath.Glob(filepath.Join(s.dir, "state-*"))
	for _, name := range files {
		k, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(name), "state-"))
		if err == nil && k > 0 && name == statePath(s.dir, k) {
			rounds = append(rounds, k)
		}
	}
	slices.Sort(rounds)
	return rounds
}

// clear removes what is older than the round before round k.
func (s *session) clear(k int) {
	for _, kind := range []string{"state", "alpha", "part"} {
		files, _ := filepath.Glob(filepath.Join(s.dir, kind+"-*"))
		for _, name := range files {
			number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), kind+"-"), "-")
			if of, err := strconv.Atoi(number); err == nil && of < k-1 {
				os.Remove(name)
			}
		}
	}
}

// A Report says where rounds are.
type Report struct {
	Round      int               // the last one that is committed
	Kind       pegasos.RoundKind // of the next one
	Method     pegasos.RoundMethod
	Iterations int // Newton's steps, or passes of the dual method
	Done       bool
	Reached    bool // with Done: the gap is no larger than was asked for

	// Objective is the least objective P so far, Bound the best bound D on the least there is, and
	// Gap is (P-D)/D; with Done they are those of the model, with all roundings accounted for.
	Objective, Bound, Gap float64

	Seconds float64 // of the round; 0 where it is not known
}

func (s *session) report(state *saved) Report {
	r := Report{Round: state.Round, Kind: state.Kind, Method: s.rounds.Method,
		Iterations: state.Iterations, Done: state.Done, Objective: state.Objective,
		Bound: state.Bound, Gap: state.Gap()}
	r.Reached = r.Done && r.Gap <= s.rounds.Config.Tol
	if math.IsNaN(r.Gap) {
		r.Gap = math.Inf(1)
	}
	return r
}

// Status tells where the rounds of a folder are.
func Status(dir string) (Report, error) {
	s, state, err := newestOf(dir)
	if err != nil {
		return Report{}, err
	}
	return s.report(state), nil
}

// newestOf opens a folder, and reads the last state that was committed.
func newestOf(dir string) (*session, *saved, error) {
	s, err := open(dir)
	if err != nil {
		return nil, nil, err
	}
	state, err := s.newest()
	return s, state, err
}

// Plan returns the settings of a folder's rounds in full, and the shards that have rows.
func Plan(dir string) (*pegasos.Rounds, []int, error) {
	s, err := open(dir)
	if err != nil {
		return nil, nil, err
	}
	return s.rounds, s.used(), nil
}

// Model returns the model that the rounds of a folder have made. Before they are done it is the
// best so far, which claims nothing of itself.
func Model(dir string) (*pegasos.Model, error) {
	s, state, err := newestOf(dir)
	if err != nil {
		return nil, err
	}
	m, err := s.rounds.Model(state.RoundState)
	if err != nil {
		return nil, err
	}
	m.IndexBase, m.HashBits = s.manifest.IndexBase, s.manifest.HashBits
	m.Names, m.Table = s.manifest.Names, s.manifest.Table
	return m, nil
}
