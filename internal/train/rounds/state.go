package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Kind is what a round does.
type Kind string

const (
	Sums   Kind = "sums"   // a pass of Newton's method for the gradient and the Hessian
	Line   Kind = "line"   // one for the slopes of the objective along a direction
	Ascent Kind = "ascent" // a pass of the dual method
	Proof  Kind = "proof"  // recomputes the model's objective and the bound
)

// A State is the input of a round, made from the sums of the one before. Its fields are for reading
// and writing files: see Vectors.
type State struct {
	Round int  `json:"round"` // rounds that are done
	Kind  Kind `json:"kind"`  // of the next one; the last round's, if Done
	Done  bool `json:"done"`

	// Iterations is how many of Newton's steps, or passes of the dual method, there were.
	Iterations int     `json:"iterations"`
	Target     float64 `json:"target"` // the gap that the method aims at
	Retries    int     `json:"retries"`

	Problems []Problem `json:"problems"` // of each weight vector

	// Objective and Bound are means over the problems, from the last round, of the least objective
	// so far and of the best bound. With Done they are those of the model, with all roundings
	// accounted for.
	Objective float64 `json:"objective"`
	Bound     float64 `json:"bound"`
}

// A Problem is the part of one weight vector in a State.
type Problem struct {
	Done      bool    `json:"done"`
	Stuck     bool    `json:"stuck"`
	Objective float64 `json:"objective"` // the least so far
	Bound     float64 `json:"bound"`     // the best so far

	// Stall is of the difference of these two.
	newton.Stall

	// Wanted is the bound that is enough, of a verification; 0 where the gap is what counts.
	TargetBound float64 `json:"wanted,omitempty"`

	// Of Newton's method: the width of the zone, that of the best bound's dual variables, and the
	// slope at the beginning of a line.
	Width     float64 `json:"width,omitempty"`
	DualWidth float64 `json:"dual_width,omitempty"`
	Slope     float64 `json:"slope,omitempty"`

	// Of the dual method: sigma', the largest that has failed, and whether the last pass made the
	// bound worse, so that the dual variables before it are in force.
	Sigma  float64 `json:"sigma,omitempty"`
	FailedSigma float64 `json:"failed,omitempty"`
	RolledBack   bool    `json:"back,omitempty"`

	// Weights, the bias's last: now, the best by the objective, those of the best bound's dual
	// variables (of Newton's method), and a direction (in a line).
	W, BestW, DualW, Direction []float64 `json:"-"`
}

// Vectors returns pointers to the vectors that a file of the state has beside its other fields,
// each with a number for each variable.
func (s *State) Vectors() (v []*[]float64) {
	for k := range s.Problems {
		p := &s.Problems[k]
		v = append(v, &p.W, &p.BestW, &p.DualW, &p.Direction)
	}
	return v
}

// Gap is that of [Result]: the share of the bound by which the objective is above it.
func (s *State) Gap() float64 { return proof.Gap(s.Objective, s.Bound) }

// Vars returns the number of variables of a problem: the columns, and the bias if there is one.
func (r *Rounds) Vars() int { return r.vars }

// Problems returns the number of weight vectors, and of dual variables that a row has: one for two
// classes, else one for each.
func (r *Rounds) Problems() int {
	if len(r.labels) == 2 {
		return 1
	}
	return len(r.labels)
}

// targetShare is the share of the wanted gap that the method itself is content with: the weights
// are rounded to float32, and the proof allows for all roundings.
const targetShare = 0.95

// rounds has for each kind its method, the function that adds the row that is read to the sums of a
// block, and the one that takes in the sums.
var handlers = map[Kind]struct {
	method Method // empty for both
	visit  func(*worker, *task)
	next   func(*Rounds, *State, []task) error
}{
	Sums:   {Newton, (*worker).visitNewton, (*Rounds).nextSums},
	Line:   {Newton, (*worker).visitLine, (*Rounds).nextLine},
	Ascent: {Dual, (*worker).visitAscent, (*Rounds).nextAscent},
	Proof:  {"", (*worker).visitProof, (*Rounds).nextProof},
}

// first returns the kind of round that the method begins with.
func (r *Rounds) firstKind() Kind {
	if r.Method == Dual {
		return Ascent
	}
	return Sums
}

// Check returns an error unless the state is one of these rounds.
func (r *Rounds) Check(s *State) error {
	if len(s.Problems) != r.Problems() {
		return fmt.Errorf("pegasos: a state of %d problems, want %d", len(s.Problems), r.Problems())
	}
	for _, v := range s.Vectors() {
		if len(*v) != r.vars {
			return fmt.Errorf("pegasos: a state of %d variables, want %d", len(*v), r.vars)
		}
		for _, z := range *v {
			if math.IsNaN(z) || math.IsInf(z, 0) {
				return fmt.Errorf("pegasos: a state with a weight that is %v", z)
			}
		}
	}
	if kind, ok := handlers[s.Kind]; !ok || kind.method != "" && kind.method != r.Method {
		return fmt.Errorf("pegasos: a state for a round of the kind %q", s.Kind)
	}
	return nil
}

// clone returns a copy that shares nothing with s.
func (s *State) clone() *State {
	c := *s
	c.Problems = slices.Clone(s.Problems)
	for _, v := range c.Vectors() {
		*v = slices.Clone(*v)
	}
	return &c
}

// Next returns the state after the round that s begins, of which the sums of all shards, added up,
// are given.
func (r *Rounds) Next(s *State, sum []int64) (*State, error) {
	next := s.clone()
	of, size, err := r.tasks(next)
	if err != nil {
		return nil, err
	}
	if len(sum) != size {
		return nil, fmt.Errorf("pegasos: round %d: a sum of %d numbers, want %d", s.Round+1,
			len(sum), size)
	}
	next.Round++
	if err := handlers[s.Kind].next(r, next, splitSums(of, sum)); err != nil {
		return nil, err
	}
	if !next.Done {
		next.Objective, next.Bound = 0, 0
		for _, p := range next.Problems {
			next.Objective += p.Objective / float64(len(next.Problems))
			next.Bound += p.Bound / float64(len(next.Problems))
		}
	}
	return next, nil
}

// objective returns that of the weights, and keeps them if it is the least so far.
func (r *Rounds) objective(at *task) float64 {
	p := float64(r.Lambda/2*objectives.SquareSum(at.W)) + r.mean(at.sum[0], at.segments[0])
	if p < at.Objective {
		at.Objective = p
		copy(at.BestW, at.W)
	}
	return p
}

// settle says what is next when a problem has had its turn: it is done with a gap that is small
// enough, or where that no longer falls.
func (s *State) updateDone(p *Problem, patience int) {
	stalls := p.Over(p.Objective-p.Bound, s.Iterations, patience)
	enough := p.TargetBound > 0 && p.Bound >= p.TargetBound ||
		p.TargetBound == 0 && proof.Gap(p.Objective, p.Bound) <= s.Target
	p.Done, p.Stuck = enough || stalls, stalls && !enough
}

// prove makes the next round the last one, if all problems are done or there were enough.
func (r *Rounds) finish(s *State) bool {
	for _, p := range s.Problems {
		if !p.Done && s.Iterations < r.Config.Epochs {
			return false
		}
	}
	s.Kind = Proof
	return true
}
