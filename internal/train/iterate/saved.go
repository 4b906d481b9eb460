package iterate

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/train/options"
)

// Saved is a State in a checkpoint, without its arrays.
type Saved struct {
	Start      int64     `json:"start"`           // steps taken before the run
	Began      []float64 `json:"began,omitempty"` // State.StartWeights.B
	Steps      int64     `json:"steps"`           // including those before the run
	Violations int64     `json:"violations"`
	T0         float64   `json:"t0,omitempty"` // State.T0 if LeastT0 > 0; else 0
	Gradients  float64   `json:"gradients,omitempty"`
	Checked    int64     `json:"checked"`
	Biases     []float64 `json:"vb"`
	Factor     float64   `json:"factor"`
	Norm2      float64   `json:"norm2"`

	// State.Average, without the vectors; nil if there is none
	Shift   uint `json:"shift"`
	Old     *Sum `json:"old,omitempty"`
	Current *Sum `json:"cur,omitempty"`

	// State.Windows, without its arrays. Recent is false if there are no windows.
	Recent         bool  `json:"recent"`
	RecentStart    int64 `json:"recent_start"`
	RecentOldStart int64 `json:"recent_old_start"`
}

// Progress holds a dual solver's counters for a checkpoint.
type Progress struct {
	Start   int64   `json:"start"`  // steps before the solver began
	Pass    int     `json:"pass"`   // passes completed
	GapSum  float64 `json:"sum"`    // weighted sum of the rows' gaps in this pass
	MeanGap float64 `json:"apart"`  // weighted mean of the rows' gaps in the last pass
	PrevGap float64 `json:"before"` // MeanGap of the pass before the last

	// GainSum is the sum of the steps' gains in this pass. MeanGain is GainSum of the last pass,
	// divided by the number of rows. It decides which steps are taken.
	GainSum  float64 `json:"gain"`
	MeanGain float64 `json:"meanGain"`

	NextFace int `json:"nextFace"` // passes before the next step with all free variables

	// BiasSum is the sum of c_i*a_i*y_i over the rows for a bias without a penalty; else 0.
	BiasSum float64 `json:"uneven,omitempty"`
}

func (s *State) Save() Saved {
	k := Saved{
		Start: s.Start, Began: s.StartWeights.B, Steps: s.T, Violations: s.Violations, Checked: s.Checked,
		Biases: slices.Clone(s.Biases), Factor: s.Factor, Norm2: s.Norm2,
	}
	if s.LeastT0 > 0 {
		k.T0, k.Gradients = s.T0, s.Gradients
	}
	if a := s.Average; a != nil {
		k.Shift, k.Old, k.Current = a.Shift, a.Old.save(), a.Current.save()
	}
	if r := s.Windows; r != nil {
		k.Recent, k.RecentStart, k.RecentOldStart = true, r.Start, r.OldStart
	}
	return k
}

func (s *Sum) save() *Sum { return &Sum{N: s.N, Scalars: slices.Clone(s.Scalars)} }

// Arrays calls f with each array for a checkpoint, in a fixed order. f may write to the array.
func (s *State) Arrays(f func([]float32)) {
	groups := [][][]float32{s.Vectors, s.StartWeights.W}
	if s.Average != nil {
		groups = append(groups, s.Average.Old.Vectors, s.Average.Current.Vectors)
	}
	for _, g := range groups {
		for _, a := range g {
			f(a)
		}
	}
	if s.Windows != nil {
		s.InOrder(s.Windows.Count, f)
		s.InOrder(s.Windows.Old, f)
	}
}

// RestoreStep sets the step counts of s. For a run that started from a model, it sets the model's
// biases and allocates its weights. It must be called before BeginDual. It returns false if from
// does not fit s.
func (s *State) RestoreStep(from *Saved) bool {
	if from.Start < 0 || from.Start > options.MaxSteps || from.Steps < from.Start ||
		from.Steps-from.Start > s.Total {
		return false
	}
	if n := len(from.Began); n > 0 {
		if n != len(s.Vectors) {
			return false
		}
		s.StartWeights = Weights{Zeros(n, s.X.Cols()), from.Began}
	}
	s.Start, s.Origin, s.T, s.Total = from.Start, from.Start, from.Steps, s.Total+from.Start
	return true
}

// Restore sets the numbers that Arrays and RestoreStep leave out. It returns false if from does not
// fit s.
func (s *State) Restore(from *Saved) bool {
	if len(from.Biases) != len(s.Biases) || (s.Windows != nil) != from.Recent {
		return false
	}
	s.Violations, s.Checked, s.Factor, s.Norm2 = from.Violations, from.Checked, from.Factor,
		from.Norm2
	copy(s.Biases, from.Biases)
	switch {
	case from.T0 == 0:
		s.LeastT0 = 0 // the T0 of the saved run is fixed
	case !(s.LeastT0 > 0 && from.T0 >= s.LeastT0 && from.T0 <= math.MaxFloat64 && from.Gradients >= 0):
		return false
	default:
		s.T0, s.Gradients = from.T0, from.Gradients
	}
	if a := s.Average; a != nil {
		if from.Shift > 62 || !a.Old.restore(from.Old) || !a.Current.restore(from.Current) {
			return false
		}
		a.Shift = from.Shift
	}
	if s.Windows != nil {
		s.Windows.Start, s.Windows.OldStart = from.RecentStart, from.RecentOldStart
	}
	return true
}

func (s *Sum) restore(from *Sum) bool {
	if from == nil || len(from.Scalars) != len(s.Scalars) {
		return false
	}
	s.N = from.N
	copy(s.Scalars, from.Scalars)
	return true
}
