package pegasos

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Examples are the rows of the data. *dense.Matrix and *sparse.Matrix have these methods. They may
// be called from several goroutines at a time. If they have a method Err() error as well, training
// asks it once it has read all rows, before the first step, and fails with its error: see Err
// of a sparse.Matrix.
type Examples interface {
	Rows() int
	Cols() int
	// Dot returns the dot product of row i and w, which has Cols elements.
	Dot(i int, w []float32) float32
	// Axpy adds a times row i to w, which has Cols elements.
	Axpy(i int, a float32, w []float32)
	// SumSquares returns the squared Euclidean norm of row i.
	SumSquares(i int) float32
}

// Train trains a model on the rows of x with the labels y. Two labels make one problem, in which
// the larger is +1; for more see [Multiclass]. For the losses Squared and EpsInsensitive labels are
// numbers to predict.
//
// Data that can't be used give a *[RowError] that names the row, a bad setting a *[ConfigError]. If
// ctx is done before the run is over, Train returns the model it has got so far along with
// ctx.Err(): nil while the first step is being prepared, unless ctx was done from the start, and a
// model without its measures while these are found. With any other error the model is nil. A
// model's weights are always finite.
func Train(ctx context.Context, x Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// A Trainer is a Config along with what has no influence on the model.
type Trainer struct {
	Config

	// Threads is the number of goroutines to train the classes of one-vs-rest, or the pairs of
	// one-vs-one, with; 0 means GOMAXPROCS, and no number more than a few for each processor. A
	// joint problem, and one of two classes without Config.Shards, is trained by one.
	Threads int

	// Weights, if not nil, has a weight for each row: 0, or 1e-15 to 1e15. It multiplies that of
	// the row's class. A weight of 2 is the same problem as having the row twice; a row of weight 0
	// is as if it were not there. What is minimised is
	//
	//	lambda/2 |w|^2 + sum of weight*loss / sum of weights
	//
	// A step with a row takes its weight, over the mean of all, as a factor.
	Weights []float32

	// Start, if not nil, is a model to go on from: its weights are the first w, and t counts on
	// from its Result.Steps, so that the steps are small from the first one on. Epochs and Steps
	// are those of this run. Its result is not the same as that of one long run. Features that it
	// lacks have the weight 0. The labels must be among its classes.
	Start *Model

	// KeepState makes Train, and Progress.Model, put what Resume needs into the model: several
	// times the size of the model, and for the certificate twice four bytes for each row and weight
	// vector.
	KeepState bool

	// Fingerprint makes Train put a fingerprint of the data into Model.Data, against which Verify
	// holds the data that it is given. It takes a pass over the rows.
	Fingerprint bool

	// KeepProof makes Train put the dual variables of the bound into Model.Proof, rounded to two
	// bytes each. All bounds are what these prove, a little less than without: where Config.Tol is
	// small the run may have to go on for an epoch or more. It implies Fingerprint.
	KeepProof bool

	// Resume, if not nil, is a model whose state the run goes on from. The data and the Config must
	// be those of its run, which then ends with the same model, to the bit, as if it had never
	// stopped. Epochs or Steps, which are those of the run in all, may be larger: then the model is
	// not quite that of a run meant to be so long from the start, unless Average is LastIterate and
	// nothing ends the run early.
	Resume *Model

	// Pause, if not 0, ends the training after so many steps of each weight vector, with ErrPaused,
	// unless it ends before.
	Pause int64

	// Prior, if not nil, is a model that the result should not be far from: the penalty is lambda/2
	// |w - w0|^2, where w0 are its weights, and so with the appended feature's. Without Start the
	// run starts at w0. Its bias is kept if Bias is BiasNone. Features and labels are as in Start.
	Prior *Model

	// Costs, if not nil, has the cost of each mistake for CrammerSinger: Costs[y][r] that of
	// predicting the r-th class for a row of the y-th, in ascending order of the labels.
	// Costs[y][y] is 0, all others are above 0.
	Costs [][]float64

	// Valid is what Config.Patience goes by. A row whose label is none of the training data's is
	// never right.
	Valid *Labelled

	// MaxMemory is the most bytes that training may take beside the data; 0 means 4 GiB. What it
	// takes is estimated, by the numbers of classes, features and rows, before it is allocated: of
	// one-vs-rest some 24 bytes for each class and feature, and 8 for each class and row.
	MaxMemory int64

	// Progress, if not nil, is called after each epoch and at the end of the run, and after the
	// parts of the first epoch that Early names, from 0 to 1 and ascending.
	Progress func(Progress)
	Early    []float64

	classes   []float32 // those of the labels; nil to find them
	scaling   *Scaling  // of the rows and numbers that are given; nil for none
	columns   int       // that are not empty; 0 if that is not known
	priorHash string    // of the Prior as the caller gave it; empty to find it
	again     bool      // may be tried once more: see again.go

	until context.Context // of the preparation; nil for one that nothing stops
}

// Progress tells how far a run is. With one-vs-one its steps are those of all pairs together.
type Progress struct {
	Epoch      int   // epochs done; the last may be cut short
	Steps      int64 // steps done
	TotalSteps int64 // steps of the whole run
	Violations int64 // steps so far that changed the weights, over all classes

	session *session
}

// Measure returns how good the model would be if the run ended here. It takes about a pass over the
// rows, which is why it is not done unasked. It must not be called after the callback has returned.
func (p Progress) Measure() Result { return p.session.measured().Result }

// Model returns the model that the run would end with here, measured, and with its state if the
// trainer keeps it. It may be called when Measure may.
func (p Progress) Model() *Model {
	m := p.session.measured()
	if p.session.keep {
		m.State = p.session.checkpoint()
	}
	return p.session.data.scaling.Fold(m)
}

// Train is like the function of that name.
func (tr *Trainer) Train(ctx context.Context, x Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	prepared := *tr
	if ctx.Err() == nil {
		prepared.until = ctx
	}
	c, err := prepared.choose(x, y)
	if err != nil {
		return nil, err
	}
	m, err := c.trainer.train(ctx, c.x, c.y)
	if m != nil {
		m = c.trainer.scaling.Fold(m)
		if bad := m.checkFinite(); bad != nil {
			return nil, &StepError{m.Result.Steps, -1, bad.Error() + ": " + rows.TooLarge}
		}
	}
	if err == nil && c.trainer.again {
		return c.trainAgain(ctx, &prepared, m, x, y)
	}
	return m, err
}

// train is Train with settings that say everything, for rows as they are given.
func (tr *Trainer) train(ctx context.Context, x Examples, y []float32) (*Model, error) {
	if tr.Config.Calibrate == 0 {
		return tr.trainOnce(ctx, x, y)
	}
	if err := tr.Config.Validate(); err != nil {
		return nil, err
	}
	inner := *tr
	inner.Progress = inTurn(1+tr.Config.Calibrate, tr.Progress)
	m, err := inner.trainOnce(ctx, x, y)
	if err != nil {
		return m, err
	}
	if err := inner.calibrate(ctx, m, x, y); err != nil {
		if ctx.Err() != nil {
			return m, err
		}
		return nil, err
	}
	return m, nil
}

// interrupted returns an error if what is prepared is not wanted any more.
func (tr *Trainer) interrupted() error {
	if tr.until == nil {
		return nil
	}
	return tr.until.Err()
}

func (tr *Trainer) stopped() bool { return tr.interrupted() != nil }

func (tr *Trainer) trainOnce(ctx context.Context, x Examples, y []float32) (*Model, error) {
	s, err := newSession(x, y, tr)
	if err != nil {
		return nil, err
	}
	m, stopped, err := s.finish(ctx)
	if stopped {
		if err = ctx.Err(); err == nil {
			err = ErrPaused
		}
	}
	return m, err
}

// inTurn returns a callback that makes one run of so many equal ones in a row; nil for nil.
func inTurn(runs int, f func(Progress)) func(Progress) {
	if f == nil {
		return nil
	}
	var done, last Progress
	return func(p Progress) {
		if p.Steps <= last.Steps { // the next run
			done.Epoch += last.Epoch
			done.Steps += last.Steps
			done.Violations += last.Violations
		}
		last = p
		p.Epoch += done.Epoch
		p.Steps += done.Steps
		p.Violations += done.Violations
		p.TotalSteps *= int64(runs)
		f(p)
	}
}

// A session is the training of a model: of one run, or of one for each pair of classes. The runs
// train an epoch each, side by side, before any goes on to the next.
type session struct {
	cfg      Config // defaults filled in
	data     *data
	runs     []*run
	threads  int
	pause    int64 // the step to pause after
	keep     bool  // the state, in models
	again    bool  // it may be tried once more: for the state
	identify bool  // a fingerprint of the data, in the result
	proof    bool  // of the result
	progress func(Progress)
	early    []float64 // when in the first epoch it is called

	round int // epochs that all runs have been through
	// The context was done before it was known whether the run is at its end: the round goes on.
	undecided bool
	ended     bool // by a rule, before its last step
	stop      stopping

	proven *Model // the model of this moment, if it has been measured to end the session; else nil
}

func newSession(x Examples, y []float32, tr *Trainer) (*session, error) {
	if err := tr.validate(); err != nil {
		return nil, err
	}
	d, err := newData(x, y, tr, tr.classes)
	if err != nil {
		return nil, err
	}
	if err := tr.checkCosts(len(d.Classes)); err != nil {
		return nil, err
	}
	s := &session{
		cfg: tr.Config.inForce(), data: d, threads: parallel.Threads(tr.Threads), pause: tr.pause(),
		keep: tr.KeepState, again: tr.again, identify: tr.Fingerprint || tr.KeepProof, proof: tr.KeepProof,
		progress: tr.Progress, early: tr.Early,
	}
	if s.stop, err = newStopping(tr); err != nil {
		return nil, err
	}
	if err := s.checkPairs(); err != nil {
		return nil, err
	}
	d.keeps = s.proof
	s.setAuto(tr)
	if err := firstError(s.checkMemory(tr), tr.interrupted()); err != nil {
		return nil, err
	}
	if s.pairs() {
		err = s.addPairs(tr)
	} else {
		err = s.addRun(tr)
	}
	if err != nil {
		return nil, err
	}
	if tr.Resume != nil {
		return s, s.resume(tr)
	}
	return s, nil
}

// validate checks what can be checked without the data.
func (tr *Trainer) validate() error {
	if err := tr.Config.Validate(); err != nil {
		return err
	}
	return options.First(fieldError, []options.Rule{
		options.Range("Threads", tr.Threads, 0, math.MaxInt, "0 or more"),
		options.Range("Pause", tr.Pause, 0, math.MaxInt64, "0 or more"),
		options.Range("MaxMemory", tr.MaxMemory, 0, math.MaxInt64, "0 or more"),
		options.Not("KeepProof", tr.KeepProof && !tr.Config.bounds(),
			"with Order %q, Bias %q and Multiclass %q there is no bound to prove",
			tr.Config.Order, tr.Config.Bias, tr.Config.Multiclass),
		options.Not("Finish", tr.Config.Finish == FinishDual && tr.Prior != nil,
			"have %q, which can't be used with a prior", tr.Config.Finish),
	})
}

// pairs reports whether there is a run for each pair of classes.
func (s *session) pairs() bool { return s.cfg.Multiclass == OneVsOne && len(s.data.Classes) > 2 }

// checkPairs refuses pairs of more classes than there can be.
func (s *session) checkPairs() error {
	if k := len(s.data.Classes); s.pairs() && k > maxPairClasses {
		return badField("Multiclass", "have %q, want at most %d classes for that, not %d",
			OneVsOne, maxPairClasses, k)
	}
	return nil
}

// addPairs makes the runs of the pairs of classes that have rows: see untrained for the others.
func (s *session) addPairs(tr *Trainer) error {
	k := len(s.data.Classes)
	rows := s.data.CountClasses()
	vector := 0
	for a := range k {
		for b := a + 1; b < k; b++ {
			if rows[a]+rows[b] > 0 {
				r, err := s.data.run(tr, []int32{int32(a), int32(b)}, vector)
				if err != nil {
					return err
				}
				r.inner = 1
				s.runs = append(s.runs, r)
			}
			vector++
		}
	}
	return nil
}

// addRun makes the only run, and divides the threads among its learners.
func (s *session) addRun(tr *Trainer) error {
	r, err := s.data.run(tr, nil, 0)
	if err != nil {
		return err
	}
	r.threads = min(s.threads, len(r.learners))
	r.inner = s.threads / r.threads
	if k := r.cfg.Shards; k > 1 {
		for _, p := range r.problems {
			p.shards.Threads = max(1, min(s.threads/len(r.learners), k))
		}
	}
	s.runs = []*run{r}
	return nil
}

// parallel calls f for each run, from several goroutines. A run that is alone has its own threads.
func (s *session) parallel(f func(i int, r *run)) {
	parallel.For(s.threads, len(s.runs), func(_, i int) { f(i, s.runs[i]) })
}

// finish trains to the end and returns the model, measured, or that of the moment in which ctx was
// done.
func (s *session) finish(ctx context.Context) (m *Model, stopped bool, err error) {
	if stopped, err = s.advance(ctx); err != nil {
		return nil, false, err
	}
	m = s.model()
	if !stopped {
		m = s.stop.result(m, s.data.scaling)
	}
	if s.keep {
		m.State = s.checkpoint()
	}
	if m.check() != nil {
		return nil, false, s.failed("a weight")
	}
	if stopped {
		return m, true, nil
	}
	if s.settleUntil(ctx, m); ctx.Err() != nil {
		m.Result.unmeasure()
		return m, true, nil
	}
	if !floats.IsFinite(m.Result.Objective) {
		return nil, false, s.failed("the objective")
	}
	if s.proof {
		if m.Proof, err = s.prove(m); err != nil {
			return nil, false, err
		}
	}
	if err := m.Result.check(); err != nil {
		return nil, false, err
	}
	return m, false, nil
}

func (s *session) failed(what string) error {
	var t int64
	for _, r := range s.runs {
		t = max(t, r.t)
	}
	return &StepError{t, -1, what + " is not finite: " + rows.TooLarge}
}

// advance runs to the end, or until ctx is done: then it is stopped.
func (s *session) advance(ctx context.Context) (stopped bool, err error) {
	s.data.newtons.Until = ctx
	if !s.readyNewtons() {
		return true, nil
	}
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	if s.ended { // and what came after the steps was interrupted
		s.report()
		return false, nil
	}
	for {
		errs := make([]error, len(s.runs))
		s.parallel(func(i int, r *run) {
			if r.epoch == s.round {
				errs[i] = r.advance(ctx, s.pause)
			}
		})
		if err := firstError(errs...); err != nil {
			return false, err
		}
		if s.cut() {
			return true, nil // the round is not over
		}
		done, pause := true, true
		for _, r := range s.runs {
			if r.t < r.total {
				done = false
				if r.epoch == s.round { // ctx was done within its epoch, or it is time to pause
					return true, nil
				}
				pause = pause && r.t >= s.pause
			}
		}
		s.round++
		s.ended = !done && s.enough()
		if s.undecided {
			s.round--
			return true, nil
		}
		s.report()
		if done || s.ended {
			return false, nil
		}
		if pause || ctx.Err() != nil {
			return true, nil
		}
	}
}

// begin trains up to the last report within the first epoch, or not even so far if ctx is
// done or it is time to pause.
func (s *session) begin(ctx context.Context) error {
	if s.progress == nil {
		return nil
	}
	for _, part := range s.early {
		moved := make([]bool, len(s.runs))
		errs := make([]error, len(s.runs))
		s.parallel(func(i int, r *run) {
			step := int64(part * float64(r.order.Steps))
			if before := r.t; step < min(int64(r.order.Steps), r.total) {
				errs[i] = r.advance(ctx, min(step, s.pause))
				moved[i] = r.t > before
			}
		})
		if err := firstError(errs...); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		// Shards synchronise at fixed steps, which may be the epoch's end: that is reported when
		// all runs are there.
		ended := slices.ContainsFunc(s.runs, func(r *run) bool { return r.epoch > 0 })
		if slices.Contains(moved, true) && !ended {
			s.report()
		}
	}
	return nil
}

// report calls the callback.
func (s *session) report() {
	if s.progress == nil {
		return
	}
	p := Progress{Epoch: s.round, session: s}
	for _, r := range s.runs {
		p.Steps += r.t
		p.TotalSteps += r.total
		for _, l := range r.learners {
			p.Violations += l.common().Violations
		}
	}
	s.progress(p)
}

// model returns the model of this moment, not yet measured.
func (s *session) model() *Model {
	r := s.runs[0]
	m := &Model{
		Classes: slices.Clone(s.data.Classes),
		Lambda:  r.lambda,
		Config:  s.cfg,
		Prior:   s.data.priorHash,
		Result: Result{
			Weight: r.sum, R2: r.r2, T0: r.learners[0].common().T0,
			Objective: math.NaN(), DualObjective: math.NaN(), Gap: math.NaN(),
		},
	}
	n, err := weightVectors(s.cfg, len(m.Classes))
	if err != nil {
		panic(err) // newSession has looked
	}
	m.Weights = iterate.Zeros(n, s.data.X.Cols())
	if s.cfg.Bias != BiasNone || s.data.prior != nil && s.data.prior.Bias != nil {
		m.Bias = make([]float64, n)
	}
	if !s.cfg.Multiclass.Joint() {
		m.Result.PerClass = make([]ClassResult, n)
	}
	next := 0
	for i, r := range s.runs {
		if i > 0 {
			m.Result.Weight += r.sum
		}
		for ; next < r.first; next++ {
			s.untrained(m, next)
		}
		r.write(m)
		next += r.vectors()
	}
	for ; next < n; next++ {
		s.untrained(m, next)
	}
	if s.pairs() {
		m.Result.Weight /= float64(len(m.Classes) - 1) // each row is in so many pairs
	}
	s.centre(m)
	return m
}

// centre moves the constant of a model of scaled numbers such that the mean residual is 0. That is
// not where the objective of EpsInsensitive is least: with Tol and a finish it stays where it is.
func (s *session) centre(m *Model) {
	if s.data.scaling == nil || s.data.scaling.Spread == 0 || s.cfg.Bias == BiasNone ||
		s.cfg.Tol > 0 && s.cfg.finishes() && s.cfg.Loss == EpsInsensitive {
		return
	}
	p := s.runs[0].problems[0]
	var sum, weight float64
	for j := range p.Count() {
		i := p.Row(j)
		z := float64(p.X.Dot(i, m.Weights[0])) + m.Bias[0]
		sum += float64(p.Share(i) * (float64(p.Target[i]) - z))
		weight += p.Share(i)
	}
	if mean := sum / weight; floats.IsFinite(mean) {
		m.Bias[0] += mean
	}
}

// untrained gives m the k-th vector, that of a pair without rows: it is the one of Start or Prior
// if there is one, else 0.
func (s *session) untrained(m *Model, k int) {
	m.Result.PerClass[k] = ClassResult{Objective: math.NaN(), DualObjective: math.NaN()}
	old := s.data.start
	if old == nil {
		old = s.data.prior
	}
	if old == nil {
		return
	}
	copy(m.Weights[k], old.Weights[k])
	if m.Bias != nil {
		m.Bias[k] = old.bias(k)
	}
	m.Result.PerClass[k].Lambda = old.lambda(k)
	if s.data.start != nil {
		m.Result.PerClass[k].Steps = old.stepsOf(k)
	}
}

// measured is model, measured.
func (s *session) measured() *Model {
	m := s.model()
	s.settle(m)
	return m
}

// precision returns that of what is told of models.
func (s *session) precision() precision {
	if s.cfg.Tol > 0 {
		return exact
	}
	return asNeeded
}

// measure fills in the objective, the bound and the gap of m, whose weights the runs may have. It
// returns the mean of the mistakes.
func (s *session) measure(m *Model, how precision) (mistake float64) {
	if scaling := s.data.scaling; scaling != nil {
		s.data.folded = scaling.Fold(m)
		s.data.written = scaling.Unfold(s.data.folded)
	}
	mistakes := make([]float64, len(s.runs))
	s.parallel(func(i int, r *run) { mistakes[i] = r.measure(m, how) })
	s.total(&m.Result)
	n := 0
	for i, r := range s.runs {
		mistake += mistakes[i]
		n += len(r.learners)
	}
	return mistake / float64(n)
}

// total adds up what was measured of all vectors.
func (s *session) total(res *Result) {
	if res.PerClass != nil {
		res.Objective, res.DualObjective = 0, 0
		n := 0
		for _, r := range s.runs {
			for k := range r.problems {
				c := res.PerClass[r.first+k]
				res.Objective += c.Objective
				res.DualObjective += c.DualObjective
				n++
			}
		}
		res.Objective /= float64(n)
		res.DualObjective /= float64(n)
	}
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
}
