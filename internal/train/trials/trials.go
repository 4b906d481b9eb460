// Package trials chooses lambda, curves and the multi-class scheme by cross-validation: for each
// choice of a choose.Search and each lambda, it trains models and compares their predictions of
// held-out rows.
package trials

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/murmur"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/sys/machine"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Best returns the choice of s whose models predict held-out rows best, its lambda, and an
// estimate of how well such a model predicts other rows; nil for none. jobOf returns the job of
// training on all rows for a choice.
//
// The free memory decides how many folds run in parallel and whether rows are copied, but not the
// result: if it is too small for one fold, Best returns an error. If Job.MaxMemory is set and too
// small, Best returns an error for the first choice, and skips a later one. The result is undefined
// if the context of the jobs is done before Best returns.
func Best(s *choose.Search, jobOf func(*choose.Choice) engine.Job) (
	best *choose.Choice, lambda float64, e *proof.Estimate, err error,
) {
	t := &trial{search: s}
	var leader *candidate
	for k, c := range s.Choices {
		t.job = jobOf(c)
		t.prepareJob()
		if k == 0 {
			t.assignParts()
			t.deviation = c.TargetDeviation()
		}
		if t.stopped() {
			return nil, 0, nil, nil
		}
		t.takeSample()
		one := t.newCandidate(c, s.Paths[k])
		if err := t.holdOutAll(one); err != nil {
			if k > 0 && t.job.MaxMemory > 0 {
				continue // the leader's models fit in MaxMemory
			}
			return nil, 0, nil, err
		}
		one.chooseLambda(t)
		if leader == nil || t.beats(one, leader) {
			leader = one
		}
	}
	if t.stopped() {
		return nil, 0, nil, nil
	}
	return leader.choice, leader.path.Lambdas[leader.best], t.estimate(leader), nil
}

func (t *trial) prepareJob() {
	job := &t.job
	s := &job.Settings
	settings.KeepOnly(s, settings.Trial)
	s.Finish, s.Tol, s.Epochs = settings.FinishAuto, t.search.Tol, choose.PathEpochs
	*s = s.Plain()
	job.Quality, job.Progress, job.Early, job.Pause = nil, nil, nil, 0
	job.KeepState, job.KeepProof = false, false
}

type candidate struct {
	choice *choose.Choice
	path   *choose.Path
	wrong  [][]float64
	best   int
}

func (t *trial) newCandidate(c *choose.Choice, p *choose.Path) *candidate {
	one := &candidate{choice: c, path: p, wrong: make([][]float64, len(p.Lambdas))}
	for k := range one.wrong {
		one.wrong[k] = make([]float64, len(t.job.Rows.Y))
	}
	return one
}

func (t *trial) holdOutAll(c *candidate) error {
	atOnce := min(parallel.Threads(t.job.Threads), t.search.Folds)
	if x := t.job.Rows.X; x.WillNeed() != nil && store.CopySize(x) > machine.Free() {
		atOnce = 1 // parallel folds would read the file in different orders
	}
	for ; ; atOnce /= 2 {
		err := t.holdOutSome(c, atOnce)
		if err == nil || atOnce == 1 {
			return err
		}
	}
}

func (t *trial) holdOutSome(c *candidate, atOnce int) error {
	t.job.Share = atOnce
	t.copies = t.sample == nil && t.fits(float64(atOnce)*store.CopySize(t.job.Rows.X))
	errs := make([]error, t.search.Folds)
	parallel.For(atOnce, len(errs), func(_, fold int) { errs[fold] = t.holdOut(c, int32(fold)) })
	return cmp.Or(errs...)
}

func (t *trial) fits(size float64) bool {
	most := float64(cmp.Or(t.job.MaxMemory, options.DefaultMaxMemory))
	return size <= min(most, machine.Spare())/4
}

const (
	// A lambda must beat the default lambda by sureErrors standard errors, a choice with curves the
	// best choice before by sureCurves, and other choices by sureSchemes.
	sureErrors  = 1.5
	sureCurves  = 1.25
	sureSchemes = 1

	// maxDeviations limits the error of a regression model in comparisons, in standard deviations
	// of the targets.
	maxDeviations = 4
)

type trial struct {
	job       engine.Job
	search    *choose.Search
	sample    []uint32 // indices of the sample's rows; nil for all rows
	copies    bool     // sessions copy their rows
	group     []int32  // index of the first row of each row's group
	part      []int32  // index of each row's part; store.NeverDealt or absent for a row in no part
	deviation float64
}

// absent is the part number of a row that no model is trained on: a row of weight 0 or, while the
// sample is drawn, outside the sample.
const absent = store.AbsentRow

// about the least number of each class's groups of equal rows in a sample
const minSampleGroups = 10 * choose.Parts

// The result of assignParts does not depend on the order or copies of rows. If the search is on a
// sample, it leaves out some groups of a class, chosen by their hashes, after about the first
// minSampleGroups.
func (t *trial) assignParts() {
	set := t.job.Rows
	hashes := store.Hashes(scale.Raw(set.X), parallel.Threads(t.job.Threads), t.stopped)
	if t.stopped() {
		return
	}
	t.group, t.part = store.Deal(set.Labeled(hashes), t.job.Seed)
	least := uint64(math.MaxUint64)
	if t.search.Factor > 1 {
		least = uint64(float64(1<<63)/t.search.Factor) * 2
	}
	for i, place := range t.part {
		switch {
		case place < 0:
		case place >= minSampleGroups && murmur.Mix64(hashes[i]+t.job.Seed) > least:
			t.part[i] = absent
		default:
			t.part[i] = place % choose.Parts
		}
	}
	if t.search.Factor > 1 {
		t.drawSample()
	}
}

func (t *trial) drawSample() {
	places := make([]int32, len(t.part)) // index of each row in the sample
	var group, part []int32
	for i, p := range t.part {
		if p != absent {
			places[i] = int32(len(part))
			t.sample = append(t.sample, uint32(i))
			group = append(group, places[t.group[i]]) // the sample also has the group's first row
			part = append(part, p)
		}
	}
	t.group, t.part = group, part
}

func (t *trial) takeSample() {
	if set := t.job.Rows; t.sample != nil {
		share := float64(len(t.sample)) / float64(set.X.Rows())
		t.job.Rows = set.Subset(t.sample, t.fits(store.CopySize(set.X)*share))
	}
}

func (t *trial) stopped() bool { return t.job.Until != nil && t.job.Until.Err() != nil }

// holdOut trains a model with each lambda on the rows outside the given part, starting from the
// model of the previous lambda. After a model without mistakes on its training rows, all smaller
// lambdas get its mistakes on the part. holdOut returns an error if there is too little memory.
func (t *trial) holdOut(c *candidate, part int32) error {
	if t.stopped() {
		return nil
	}
	held := 0
	outside := make([]uint32, 0, len(t.part))
	for i, p := range t.part {
		switch p {
		case absent:
		case part:
			held++
		default:
			outside = append(outside, uint32(i))
		}
	}
	if held == 0 {
		return nil
	}
	job, all := t.job, *t.job.Rows
	job.Threads, job.Scale, job.Start = 1, nil, nil
	all.X = all.X.Clone()
	job.Rows = all.Subset(outside, t.copies)
	for k, lambda := range c.path.Lambdas {
		if t.stopped() {
			return nil
		}
		job.Lambda, job.C = float64(lambda*t.search.Factor), 0
		m, err := run(job)
		if err != nil {
			return err
		}
		rest := c.wrong[k:]
		if m == nil || !perfect(&job.Settings, m, job.Rows) {
			rest = rest[:1]
		} // the model is perfect
		for i, p := range t.part {
			if p != part {
				continue
			}
			wrong := mistake(&job.Settings, m, &all, i)
			for _, w := range rest {
				w[i] = wrong
			}
		}
		if len(rest) > 1 {
			return nil
		}
		job.Start = m
	}
	return nil
}

func perfect(s *settings.Settings, m *engine.Point, set *store.Set) bool {
	for i := range set.Y {
		if mistake(s, m, set, i) != 0 {
			return false
		}
	}
	return true
}

// Trained models claim startSteps steps, so that the run that starts from such a model takes small
// steps.
const startSteps = 1 << 20

// run returns a nil model if training fails or is stopped. It returns an error only if there is too
// little memory.
func run(job engine.Job) (*engine.Point, error) {
	s, err := engine.New(job)
	if rule := (options.Rule{}); errors.As(err, &rule) && rule.Field == "MaxMemory" {
		rule.Reason += "; these models are trained to choose settings: set Lambda and Finish \"none\" " +
			"to train in less memory"
		rule.Mentions += " Lambda Finish"
		return nil, rule
	}
	if err != nil {
		return nil, nil
	}
	m, stopped, err := s.Train(s.Until)
	if err != nil || stopped {
		return nil, nil
	}
	m.Result.PerClass = slices.Repeat([]proof.ClassResult{{Steps: startSteps}}, len(m.Weights))
	return m, nil
}

// mistake returns the weight of row i if its predicted class is wrong, else 0; for regression, the
// weighted squared error. If m is nil, it returns +Inf.
func mistake(s *settings.Settings, m *engine.Point, set *store.Set, i int) float64 {
	if m == nil {
		return math.Inf(1)
	}
	weight := floats.At(set.Weight, i, 1)
	scores := make([]float64, len(m.Weights))
	for k, w := range m.Weights {
		scores[k] = float64(set.X.Dot(i, w)) + floats.At(m.Bias, k, 0)
	}
	if set.Classes == nil {
		d := scores[0] - float64(set.Y[i])
		return float64(weight * float64(d*d))
	}
	k := len(set.Classes)
	class := labels.Highest(labels.ClassScores(scores, make([]float64, k), k, s.Pairwise(k)))
	if class == int(set.Class[i]) {
		return 0
	}
	return weight
}

func (c *candidate) chooseLambda(t *trial) {
	c.best = c.path.Rule
	least := 0.0
	for k := range c.wrong {
		mean, deviation := t.compare(c.wrong[k], c.wrong[c.path.Rule])
		if mean < least && -mean > sureErrors*deviation {
			c.best, least = k, mean
		}
	}
}

func (t *trial) beats(c, d *candidate) bool {
	sure := float64(sureSchemes)
	if c.choice.Scale.Expansion != nil {
		sure = sureCurves
	}
	mean, deviation := t.compare(c.wrong[c.best], d.wrong[d.best])
	return mean < 0 && -mean > sure*deviation
}

func (t *trial) heldOut(i int) bool { return t.part[i] >= 0 && int(t.part[i]) < t.search.Folds }

// compare returns the weighted mean difference a - b of held-out rows' mistakes, and its standard
// error; zeros if the mean is not finite. The rows of a group count as one observation, and a row
// of weight w as w copies.
func (t *trial) compare(a, b []float64) (mean, deviation float64) {
	sums, weights := make([]float64, len(t.group)), make([]float64, len(t.group))
	all := 0.0
	for i := range t.part {
		if !t.heldOut(i) {
			continue
		}
		d, weight := t.clipped(a[i], i)-t.clipped(b[i], i), floats.At(t.job.Rows.Weight, i, 1)
		sums[t.group[i]] += d
		weights[t.group[i]] += weight
		mean += d
		all += weight
	}
	if mean /= all; !(math.Abs(mean) <= math.MaxFloat64) {
		return 0, 0
	}
	for g, sum := range sums {
		d := sum - float64(weights[g]*mean)
		deviation += float64(d * d)
	}
	return mean, math.Sqrt(deviation) / all
}

func (t *trial) clipped(mistake float64, i int) float64 {
	if t.deviation == 0 || !(mistake <= math.MaxFloat64) {
		return mistake
	}
	most := float64(maxDeviations * t.deviation)
	return min(mistake, float64(float64(most*most)*floats.At(t.job.Rows.Weight, i, 1)))
}

// estimate returns the accuracy, or R^2, on the held-out rows; nil if a model is missing, or if
// proof.Errors.Estimate fails.
func (t *trial) estimate(c *candidate) *proof.Estimate {
	var errs proof.Errors
	for i, wrong := range c.wrong[c.best] {
		if !t.heldOut(i) {
			continue
		}
		if math.IsInf(wrong, 1) {
			return nil
		}
		weight := floats.At(t.job.Rows.Weight, i, 1)
		if t.job.Rows.Classes == nil {
			errs.Square(t.group[i], float64(t.job.Rows.Y[i]), wrong/weight, weight)
		} else {
			errs.Class(t.group[i], wrong == 0, weight)
		}
	}
	e, err := errs.Estimate()
	if err != nil {
		return nil
	}
	e.Folds = t.search.Folds
	return e
}
