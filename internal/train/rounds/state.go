package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

type Kind string

const (
	Sums   Kind = "sums"   // Newton's method: gradient and Hessian
	Line   Kind = "line"   // Newton's method: slopes of the objective along the direction
	Ascent Kind = "ascent" // dual method: a pass of coordinate ascent
	Proof  Kind = "proof"  // both: objective of the stored model, and lower bound
)

// State is the input of a round. The caller stores it as JSON, stores its Vectors apart, and must
// not change it.
type State struct {
	Round int  `json:"round"` // number of rounds completed
	Kind  Kind `json:"kind"`  // kind of the next round; kind of the last round if Done
	Done  bool `json:"done"`  // no round follows

	Iterations int     `json:"iterations"` // Newton's iterations or dual passes completed
	Target     float64 `json:"target"`     // relative duality gap at which the method stops
	Retries    int     `json:"retries"`    // proofs after which the method resumed

	Problems []Problem `json:"problems"` // one per weight vector

	// Objective and Bound are means over the problems. If Done, they are proven for the model.
	Objective float64 `json:"objective"`
	Bound     float64 `json:"bound"`
}

// Problem is the part of a State that belongs to one weight vector.
type Problem struct {
	Done      bool    `json:"done"`      // the problem needs no more rounds before the proof
	Stuck     bool    `json:"stuck"`     // Done because the method makes no more progress
	Objective float64 `json:"objective"` // smallest so far; a proof sets it to the model's
	Bound     float64 `json:"bound"`     // largest lower bound so far; a proof recomputes it

	newton.Stall

	// TargetBound is the Bound at which the problem is done in a verification; 0 means that the gap
	// decides.
	TargetBound float64 `json:"wanted,omitempty"`

	// Newton's method.
	Width     float64 `json:"width,omitempty"`      // of the zone around the kink
	DualWidth float64 `json:"dual_width,omitempty"` // width of the zone with which Bound was found
	Slope     float64 `json:"slope,omitempty"`      // smoothed objective's slope along Direction

	// Dual method. RolledBack means that the dual variables before the last pass are valid.
	Sigma       float64 `json:"sigma,omitempty"`  // damping factor sigma', 1 to Rounds.Shards
	FailedSigma float64 `json:"failed,omitempty"` // largest sigma' that was rolled back; 0 for none
	RolledBack  bool    `json:"back,omitempty"`

	// vectors of Rounds.Vars variables
	W         []float64 `json:"-"`
	BestW     []float64 `json:"-"` // with the smallest objective
	DualW     []float64 `json:"-"` // weights whose dual variables gave Bound, in Newton's method
	Direction []float64 `json:"-"`
}

// Vectors returns pointers to the problems' vectors, which the JSON lacks.
func (s *State) Vectors() (v []*[]float64) {
	for k := range s.Problems {
		p := &s.Problems[k]
		v = append(v, &p.W, &p.BestW, &p.DualW, &p.Direction)
	}
	return v
}

// Gap returns the relative duality gap: see proof.Gap.
func (s *State) Gap() float64 { return proof.Gap(s.Objective, s.Bound) }

// Vars returns the number of variables of a weight vector: the columns, plus 1 for a bias.
func (r *Rounds) Vars() int { return r.vars }

// Problems returns the number of weight vectors: 1 for two classes, else the number of classes.
func (r *Rounds) Problems() int {
	if len(r.labels) == 2 {
		return 1
	}
	return len(r.labels)
}

// "" is for both methods.
var methods = map[Kind]Method{Sums: Newton, Line: Newton, Ascent: Dual, Proof: ""}

var firstKind = map[Method]Kind{Newton: Sums, Dual: Ascent}

// Check returns an error if s does not fit r.
func (r *Rounds) Check(s *State) error {
	if len(s.Problems) != r.Problems() {
		return fmt.Errorf("pegasos: the state has %s, want %d",
			plural.Count(len(s.Problems), "problem"), r.Problems())
	}
	for _, v := range s.Vectors() {
		if len(*v) != r.vars {
			return fmt.Errorf("pegasos: the state has a vector of %s, want %d",
				plural.Count(len(*v), "variable"), r.vars)
		}
		for _, z := range *v {
			if math.IsNaN(z) || math.IsInf(z, 0) {
				return fmt.Errorf("pegasos: the state has %v in a vector, want finite numbers", z)
			}
		}
	}
	if method, ok := methods[s.Kind]; !ok || method != "" && method != r.Method {
		return fmt.Errorf("pegasos: the state has the kind %q, want a kind of the method %q",
			s.Kind, r.Method)
	}
	return nil
}

func (s *State) clone() *State {
	c := *s
	c.Problems = slices.Clone(s.Problems)
	for _, v := range c.Vectors() {
		*v = slices.Clone(*v)
	}
	return &c
}

// updateDone sets p.Done if p reaches its target: a lower bound of TargetBound or, if that is 0, a
// gap of s.Target. Otherwise it sets Done and Stuck if P - D did not fall by a tenth in the last
// patience iterations.
func (s *State) updateDone(p *Problem, patience int) {
	stalled := p.Over(p.Objective-p.Bound, s.Iterations, patience)
	reached := p.TargetBound > 0 && p.Bound >= p.TargetBound ||
		p.TargetBound == 0 && proof.Gap(p.Objective, p.Bound) <= s.Target
	p.Done, p.Stuck = reached || stalled, stalled && !reached
}

func (r *Rounds) scheduleProof(s *State) bool {
	for _, p := range s.Problems {
		if !p.Done && s.Iterations < r.Config.Epochs {
			return false
		}
	}
	s.Kind = Proof
	return true
}
