package pegasos_test

import (
	"context"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
	"github.com/pegasimd/pegasimd/pegasos"
)

// run is the first run of an engine's session, for tests of its steps.
type run struct {
	*engine.Run
	session  *engine.Session
	task     *pegasos.Task
	problems []*problem
	joint    *joint
}

// problem is the learner of one weight vector.
type problem struct {
	*sgd.Binary
	learner *engine.Learner
}

func (p *problem) TakeSteps(idx []uint32) { p.learner.TakeSteps(idx) }

func (p *problem) EndEpoch(epochs int) { p.learner.EndEpoch(epochs) }

// joint is the learner of one weight vector for each class.
type joint struct {
	*sgd.Joint
	learner *engine.Learner
}

// sessionOf returns the engine's session for a trainer whose open settings Plain fills in.
func sessionOf(x pegasos.Examples, y []float32, tr *pegasos.Trainer) (*engine.Session,
	*pegasos.Task, error) {
	t := &pegasos.Task{Trainer: *tr}
	t.Config = t.Config.Plain()
	set, err := pegasos.PrepareTask(t, x, y)
	if err != nil {
		return nil, nil, err
	}
	s, err := engine.New(pegasos.JobOf(t, set))
	return s, t, pegasos.PublicError(err)
}

// runOf returns the first run of a session, with its learners.
func runOf(s *engine.Session) *run {
	r := &run{Run: s.Runs[0], session: s}
	for _, l := range r.Learners {
		if l.Joint != nil {
			r.joint = &joint{l.Joint, l}
		} else {
			r.problems = append(r.problems, &problem{l.Binary, l})
		}
	}
	return r
}

// newRun returns the first run of sessionOf, on one thread unless the trainer sets more.
func newRun(x pegasos.Examples, y []float32, tr *pegasos.Trainer) (*run, error) {
	one := *tr
	one.Threads = max(1, tr.Threads)
	s, t, err := sessionOf(x, y, &one)
	if err != nil {
		return nil, err
	}
	r := runOf(s)
	r.task = t
	return r, nil
}

func mustRun(t testing.TB, x pegasos.Examples, y []float32, cfg pegasos.Config) *run {
	t.Helper()
	r, err := newRun(x, y, &pegasos.Trainer{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *run) advance(ctx context.Context, pause int64) error {
	return pegasos.PublicError(r.Advance(ctx, pause))
}

// train runs to the end, or until ctx is done.
func (r *run) train(ctx context.Context) (stopped bool, err error) {
	for r.T < r.Total && ctx.Err() == nil {
		if err := r.advance(ctx, r.Total); err != nil {
			return false, err
		}
	}
	return r.T < r.Total, nil
}

// model returns the current model, not measured.
func (r *run) model() *pegasos.Model {
	return pegasos.ModelOf(r.task, r.session, r.session.Now(), true)
}

// weights writes the current vector to w and returns its bias.
func (p *problem) weights(w []float32) float64 {
	var b [1]float64
	p.State.Weights([][]float32{w}, b[:])
	return b[0]
}

func (j *joint) TakeSteps(idx []uint32) { j.learner.TakeSteps(idx) }

func (j *joint) EndEpoch(epochs int) { j.learner.EndEpoch(epochs) }

// boundOf returns the lower bound that dual variables prove.
func boundOf(p objective.Problem, a []float32, r2 float64) float64 {
	bound, _ := certificate.Bound(p, a, r2)
	return bound
}

// hasBounds reports whether a lower bound exists with the settings.
func hasBounds(cfg pegasos.Config) bool {
	s := pegasos.SettingsOf(cfg)
	return s.HasBound()
}
