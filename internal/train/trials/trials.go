// Package trials chooses lambda by cross-validation. It trains models with each lambda of a
// choose.Path on a part of the rows, and compares their predictions of the other rows. Lambda is
// its only exported function. The package runs engine sessions, and package pegasos calls it before
// training.
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

// Lambda returns the lambda of p.Lambdas whose models predict held-out rows best. It returns the
// default, p.Lambdas[p.Rule], unless another lambda is better by more than 1.5 standard errors. job
// is the complete job of training on all rows. The free memory decides how many folds run in
// parallel and whether rows are copied, which does not change the result; Lambda returns an error
// if the memory is too little for one fold. If job.Until is done before Lambda returns, the result
// means nothing.
func Lambda(job engine.Job, p *choose.Path) (float64, error) {
	s := &job.Settings
	settings.KeepOnly(s, settings.Trial)
	s.Finish, s.Tol, s.Epochs = settings.FinishAuto, p.Tol, maxEpochs
	*s = s.Plain()
	job.Quality, job.Progress, job.Early, job.Pause = nil, nil, nil, 0
	job.KeepState, job.KeepProof = false, false
	t := &trial{job: job, path: p, wrong: make([][]float64, len(p.Lambdas))}
	t.assignParts()
	for k := range t.wrong {
		t.wrong[k] = make([]float64, len(job.Rows.Y))
	}
	atOnce := min(parallel.Threads(job.Threads), p.Folds)
	if x := job.Rows.X; x.WillNeed() != nil && store.CopySize(x) > machine.Free() {
		atOnce = 1 // parallel folds would read the file in different orders
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

// holdOutAll calls holdOut for every fold of the path, for up to atOnce of them in parallel. If
// some calls fail, it returns the error of one of them.
func (t *trial) holdOutAll(atOnce int) error {
	t.job.Share = atOnce
	most := float64(cmp.Or(t.job.MaxMemory, options.DefaultMaxMemory))
	t.copies = float64(atOnce)*store.CopySize(t.job.Rows.X) <= min(most, machine.Spare())/4
	errs := make([]error, t.path.Folds)
	parallel.For(atOnce, t.path.Folds, func(_, fold int) { errs[fold] = t.holdOut(int32(fold)) })
	return cmp.Or(errs...)
}

const (
	maxEpochs  = 15  // largest number of epochs of a run with one lambda
	sureErrors = 1.5 // standard errors by which a lambda must be better than the default lambda
)

// trial is the cross-validation of the lambdas of a path.
type trial struct {
	job    engine.Job   // the job of training on all rows
	path   *choose.Path // lambdas and number of folds to try
	copies bool         // training rows are copied; otherwise sessions refer to the rows of the job
	group  []int32      // for each row the index of the first row that equals it
	part   []int32      // index of each row's part; never or absent for a row in no part
	wrong  [][]float64  // result of mistake for each lambda's model and each row
}

const (
	never  = -1 // part number of a row that is never held out: all models are trained on it
	absent = -2 // part number of a row of weight 0: no model is trained on it
)

// assignParts divides the rows into choose.Parts parts; fold k holds out part k. Rows that are
// equal form a group, and stay together. The groups of each class are assigned to the parts in
// turn, in the order of their hashes, so that neither the order of the rows nor copies of rows
// change the parts. The class of a group is the lowest class of its rows. If a class has only one
// group, the rows of the group are in no part: all models are trained on them.
func (t *trial) assignParts() {
	set := t.job.Rows
	t.group, t.part = make([]int32, len(set.Y)), make([]int32, len(set.Y))
	hashes := store.Hashes(scale.Raw(set.X), t.job.Threads, t.stopped)
	if t.stopped() {
		return
	}
	order := make([]int32, 0, len(hashes)) // rows, sorted by hash and then by index
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
	// groups calls f for each group of rows with equal hashes: first to count the groups of each
	// class, then to deal them out.
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

// stopped reports whether job.Until is done.
func (t *trial) stopped() bool { return t.job.Until != nil && t.job.Until.Err() != nil }

// holdOut runs the fold that holds out the rows of the given part. It trains a model with each
// lambda on the other rows, starting from the model of the previous lambda, and stores the mistakes
// of each model on the held-out rows in t.wrong. After a model without a mistake on the rows it was
// trained on, holdOut trains no more models: all smaller lambdas get the mistakes of this model. It
// returns an error if there is too little memory.
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
	all.X = all.X.Clone()
	job.Rows = all.Subset(outside, t.copies)
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
		} // for a perfect model: all smaller lambdas get its mistakes
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

// perfect reports whether the model m makes no mistake on any row of set.
func perfect(s *settings.Settings, m *engine.Point, set *store.Set) bool {
	for i := range set.Y {
		if mistake(s, m, set, i) != 0 {
			return false
		}
	}
	return true
}

// startSteps is the number of steps that each trained model is said to have taken. The run with the
// next lambda starts from this model, and takes small steps from the beginning because of this
// number.
const startSteps = 1 << 20

// run trains the model of a job. It returns a nil model if training fails or is stopped. It returns
// an error only if there is too little memory.
func run(job engine.Job) (*engine.Point, error) {
	s, err := engine.New(job)
	if rule := (options.Rule{}); errors.As(err, &rule) && rule.Field == "MaxMemory" {
		rule.Reason += "; these models are trained to choose Lambda: set Lambda to skip them"
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

// mistake returns the loss of a model's prediction of row i:
//
//   - for classes, the row's weight if the prediction is wrong, otherwise 0
//   - for regression, the squared error times the row's weight
//   - without a model, if m is nil, +Inf
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

// best returns the index of the best lambda. Only lambdas whose mean mistake is smaller than that
// of the default lambda by more than sureErrors standard errors are considered, and among them the
// one with the smallest mean mistake is the best. If there are none, it is the default lambda.
func (t *trial) best() int {
	best, least := t.path.Rule, 0.0
	for k := range t.wrong {
		mean, deviation := t.compare(k)
		if mean < least && -mean > sureErrors*deviation {
			best, least = k, mean
		}
	}
	return best
}

// compare returns the weighted mean difference between the mistakes with lambda k and with the
// default lambda, negative if lambda k is better, and the standard error of this mean. The rows of
// a group count as one observation, and a row of weight w counts as w copies. compare returns zeros
// if the mean is not finite.
func (t *trial) compare(k int) (mean, deviation float64) {
	sums, weights := make([]float64, len(t.group)), make([]float64, len(t.group))
	all := 0.0
	for i, p := range t.part {
		if p < 0 || int(p) >= t.path.Folds {
			continue
		}
		d, weight := t.wrong[k][i]-t.wrong[t.path.Rule][i], floats.At(t.job.Rows.Weight, i, 1)
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
