package iterate

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/options"
)

// A Saved is what a checkpoint has of a State beside its arrays.
type Saved struct {
	Start      int64     `json:"start"`
	Began      []float64 `json:"began,omitempty"` // the biases of the model that it started from
	Steps      int64     `json:"steps"`           // those of the start included
	Violations int64     `json:"violations"`
	Checked    int64     `json:"checked"`
	Biases     []float64 `json:"vb"`
	Factor     float64   `json:"factor"`
	Norm2      float64   `json:"norm2"`

	// Of the average.
	Shift   uint          `json:"shift"`
	Old     *savedScalars `json:"old,omitempty"`
	Current *savedScalars `json:"cur,omitempty"`

	// Of the certificate, and what takes its place later.
	Recent         bool  `json:"recent"`
	RecentStart    int64 `json:"recent_start"`
	RecentOldStart int64 `json:"recent_old_start"`
}

type savedScalars struct {
	N       int       `json:"n"`
	Scalars []float64 `json:"scalars"`
}

// A Progress is what a checkpoint has, beside its arrays, of a solver that goes on from a State.
type Progress struct {
	Start  int64   `json:"start"` // the step after which it began
	Pass   int     `json:"pass"`
	Sum    float64 `json:"sum"`    // of how far apart the rows of this pass were, with their weights
	Apart  float64 `json:"apart"`  // the mean of those of the last pass
	Before float64 `json:"before"` // and of the one before
	Uneven float64 `json:"uneven,omitempty"`
}

// Save returns what is to be saved of s beside its arrays.
func (s *State) Save() Saved {
	k := Saved{
		Start: s.Start, Began: s.Began.B, Steps: s.T, Violations: s.Violations, Checked: s.Checked,
		Biases: slices.Clone(s.Biases), Factor: s.Factor, Norm2: s.Norm2,
	}
	if a := s.Average; a != nil {
		k.Shift, k.Old, k.Current = a.Shift, a.Old.save(), a.Current.save()
	}
	if r := s.Recent; r != nil {
		k.Recent, k.RecentStart, k.RecentOldStart = true, r.Start, r.OldStart
	}
	return k
}

func (s *Sum) save() *savedScalars { return &savedScalars{s.N, slices.Clone(s.Scalars)} }

// Arrays calls f with each long array of s, in a fixed order. f may write to it.
func (s *State) Arrays(f func([]float32)) {
	groups := [][][]float32{s.Vectors, s.Began.W}
	if s.Average != nil {
		groups = append(groups, s.Average.Old.Vectors, s.Average.Current.Vectors)
	}
	for _, g := range groups {
		for _, a := range g {
			f(a)
		}
	}
	if s.Recent != nil {
		s.InOrder(s.Recent.Count, f)
		s.InOrder(s.Recent.Old, f)
	}
}

// RestoreStep tells s which step it is at. It comes before a solver takes the place of the steps,
// and reports whether the numbers can be those of such a run.
func (s *State) RestoreStep(from *Saved) bool {
	if from.Start < 0 || from.Start > options.MaxSteps || from.Steps < from.Start ||
		from.Steps-from.Start > s.Total {
		return false
	}
	if n := len(from.Began); n > 0 {
		if n != len(s.Vectors) {
			return false
		}
		s.Began = Weights{Zeros(n, s.X.Cols()), from.Began}
	}
	s.Start, s.Origin, s.T, s.Total = from.Start, from.Start, from.Steps, s.Total+from.Start
	return true
}

// Restore sets the rest that is no array, and reports likewise.
func (s *State) Restore(from *Saved) bool {
	if len(from.Biases) != len(s.Biases) || (s.Recent != nil) != from.Recent {
		return false
	}
	s.Violations, s.Checked, s.Factor, s.Norm2 = from.Violations, from.Checked, from.Factor,
		from.Norm2
	copy(s.Biases, from.Biases)
	if a := s.Average; a != nil {
		if from.Shift > 62 || !a.Old.restore(from.Old) || !a.Current.restore(from.Current) {
			return false
		}
		a.Shift = from.Shift
	}
	if s.Recent != nil {
		s.Recent.Start, s.Recent.OldStart = from.RecentStart, from.RecentOldStart
	}
	return true
}

func (s *Sum) restore(from *savedScalars) bool {
	if from == nil || len(from.Scalars) != len(s.Scalars) {
		return false
	}
	s.N = from.N
	copy(s.Scalars, from.Scalars)
	return true
}
