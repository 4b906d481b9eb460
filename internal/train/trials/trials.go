// Package trials finds lambda by the data's own word: by how models of a part of the rows predict
// the others.
package trials

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/machine"
	"github.com/pegasimd/pegasimd/internal/murmur"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Lambda returns that of a path by which held-out rows are predicted best: the rule's, unless
// another one is better by more than 1.5 standard errors. The job is that of all rows, in full.
// Once it is stopped what is returned is of no use. How much memory there is decides how many folds
// are held out side by side, and whether rows are copied, which changes no result. The error says
// that there is too little.
func Lambda(job engine.Job, p *choose.Path) (float64, error) {
	s := &job.Settings
	settings.Only(s, settings.Trial)
	s.Finish, s.Tol, s.Epochs = settings.FinishAuto, p.Tol, mostEpochs
	*s = s.Plain()
	job.Quality, job.Progress, job.Early, job.Pause = nil, nil, nil, 0
	job.KeepState, job.KeepProof = false, false
	t := &trial{job: job, path: p, wrong: make([][]float64, len(p.Lambdas))}
	t.deal()
	for k := range t.wrong {
		t.wrong[k] = make([]float64, len(job.Rows.Y))
	}
	atOnce := min(parallel.Threads(job.Threads), p.Folds)
	if x := job.Rows.X; x.WillNeed() != nil && store.CopySize(x) > machine.Free() {
		atOnce = 1 // each fold reads the file in an order of its own
	}
	for ; ; atOnce /= 2 {
		err := t.holdOutAll(atOnce)
		if err == nil {
			return p.Lambdas[t.best()], nil
		}
		if atOnce == 1 {
			return 0, err
		}
	}
}

// holdOutAll holds out each fold, atOnce folds at a time.
func (t *trial) holdOutAll(atOnce int) error {
	t.job.Share = atOnce
	most := float64(cmp.Or(t.job.MaxMemory, options.DefaultMaxMemory))
	t.copies = float64(atOnce)*store.CopySize(t.job.Rows.X) <= min(most, machine.Spare())/4
	errs := make([]error, t.path.Folds)
	parallel.For(atOnce, t.path.Folds, func(_, fold int) { errs[fold] = t.holdOut(int32(fold)) })
	return cmp.Or(errs...)
}

const (
	mostEpochs = 15  // of a run
	sureErrors = 1.5 // standard errors by which a lambda has to be better than the rule's
)

// A trial is the runs of a path.
type trial struct {
	job    engine.Job // of all rows
	path   *choose.Path
	copies bool        // of the rows that models are trained on
	group  []int32     // of each row: the first row that is equal
	part   []int32     // of each row; never if it is never held out, absent if it has no weight
	wrong  [][]float64 // of each lambda how wrong the prediction of each row is
}

const (
	never  = -1
	absent = -2
)

// deal deals groups of equal rows out to the parts: those of each class in the order of their
// hashes, so that the rows' order makes no difference, nor how often there is a row. A group's
// class is the least of its rows.
func (t *trial) deal() {
	set := t.job.Rows
	t.group, t.part = make([]int32, len(set.Y)), make([]int32, len(set.Y))
	hashes := store.Hashes(store.Raw(set.X), t.job.Threads, t.stopped)
	if t.stopped() {
		return
	}
	order := make([]int32, 0, len(hashes)) // by the groups' hashes, and then by the row
	for i := range hashes {
		hashes[i] = murmur.Mix64(hashes[i] ^ t.job.Seed)
		if t.part[i] = absent; set.Weight == nil || set.Weight[i] != 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b))
	})
	class := func(i int32) int32 {
		if set.Classes == nil {
			return 0
		}
		return set.Class[i]
	}
	// The first call counts the groups of each class, the second one deals them out.
	groups := func(f func(class int32, rows []int32)) {
		for from := 0; from < len(order); {
			to, least := from, class(order[from])
			for ; to < len(order) && hashes[order[to]] == hashes[order[from]]; to++ {
				least = min(least, class(order[to]))
			}
			f(least, order[from:to])
			from = to
		}
	}
	ofClass := make([]int, max(1, len(set.Classes)))
	groups(func(class int32, rows []int32) { ofClass[class]++ })
	dealt := make([]int32, len(ofClass))
	groups(func(class int32, rows []int32) {
		part := int32(never)
		if ofClass[class] > 1 {
			part = (dealt[class] + class) % choose.Parts
			dealt[class]++
		}
		for _, i := range rows {
			t.group[i], t.part[i] = rows[0], part
		}
	})
}

func (t *trial) stopped() bool { return t.job.Until != nil && t.job.Until.Err() != nil }

// holdOut trains without a part, with each lambda from the model of the one before, and judges the
// models by the part. The error is that of too little memory.
func (t *trial) holdOut(part int32) error {
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
	all.X = all.X.ForWorker()
	job.Rows = all.Take(outside, t.copies)
	for k, lambda := range t.path.Lambdas {
		if t.stopped() {
			return nil
		}
		job.Lambda, job.C = lambda, 0
		m, err := run(job)
		if err != nil {
			return err
		}
		rest := t.wrong[k:]
		if m == nil || !perfect(&job.Settings, m, job.Rows) {
			rest = rest[:1]
		} // else a smaller lambda has nothing to gain
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

// perfect reports whether a model makes no mistake with any row.
func perfect(s *settings.Settings, m *engine.Point, set *rows.Set) bool {
	for i := range set.Y {
		if mistake(s, m, set, i) != 0 {
			return false
		}
	}
	return true
}

// longAgo is how many steps a model is taken to have: those of the next run, up to its finish, are
// small then.
const longAgo = 1 << 20

// run returns the model of a job, nil if there is none. The error is that of too little memory.
func run(job engine.Job) (*engine.Point, error) {
	s, err := engine.New(job)
	if rule := (options.Rule{}); errors.As(err, &rule) && rule.Field == "MaxMemory" {
		rule.Reason += ", for models that Lambda is chosen by: set that"
		return nil, rule
	}
	if err != nil {
		return nil, nil
	}
	m, stopped, err := s.Train(s.Until)
	if err != nil || stopped {
		return nil, nil
	}
	m.Result.PerClass = slices.Repeat([]result.Problem{{Steps: longAgo}}, len(m.Weights))
	return m, nil
}

// mistake returns how wrong a model predicts a row: 0 or the row's weight, or, of numbers, the
// squared error times the weight. Without a model it is +Inf.
func mistake(s *settings.Settings, m *engine.Point, set *rows.Set, i int) float64 {
	if m == nil {
		return math.Inf(1)
	}
	weight := weightOf(set, i)
	scores := make([]float64, len(m.Weights))
	for k, w := range m.Weights {
		scores[k] = float64(set.X.Dot(i, w))
		if m.Bias != nil {
			scores[k] += m.Bias[k]
		}
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

// weightOf returns the weight of row i.
func weightOf(set *rows.Set, i int) float64 {
	if set.Weight == nil {
		return 1
	}
	return set.Weight[i]
}

// best returns the place of the lambda to take.
func (t *trial) best() int {
	best, least := t.path.Rule, 0.0
	for k := range t.wrong {
		mean, deviation := t.beside(k)
		if mean < least && -mean > sureErrors*deviation {
			best, least = k, mean
		}
	}
	return best
}

// beside returns the mean difference between the mistakes with lambda k and with the rule's lambda,
// and its standard error. The rows of a group count as one observation; a row of weight w counts as
// w copies.
func (t *trial) beside(k int) (mean, deviation float64) {
	sums, weights := make([]float64, len(t.group)), make([]float64, len(t.group))
	all := 0.0
	for i, p := range t.part {
		if p < 0 || int(p) >= t.path.Folds {
			continue
		}
		d, weight := t.wrong[k][i]-t.wrong[t.path.Rule][i], weightOf(t.job.Rows, i)
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
