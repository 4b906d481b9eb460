// Package trials finds lambda by the data's own word: by how models of a part of the rows predict
// the others.
package trials

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/murmur"
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
// Once it is stopped what is returned is of no use.
func Lambda(job engine.Job, p *choose.Path) float64 {
	s := &job.Settings
	settings.Only(s, settings.Trial)
	s.Finish, s.Tol, s.Epochs = settings.FinishAuto, p.Tol, mostEpochs
	*s = s.Plain()
	job.Quality, job.Progress, job.Early, job.Pause = nil, nil, nil, 0
	job.KeepState, job.KeepProof = false, false
	t := &trial{job: job, path: p, wrong: make([][]float64, len(p.Lambdas))}
	for k := range t.wrong {
		t.wrong[k] = make([]float64, len(job.Rows.Y))
	}
	t.deal()
	parallel.For(parallel.Threads(job.Threads), p.Folds, func(_, fold int) {
		t.holdOut(int32(fold))
	})
	return p.Lambdas[t.best()]
}

const (
	mostEpochs = 15  // of a run
	sureErrors = 1.5 // standard errors by which a lambda has to be better than the rule's
)

// A trial is the runs of a path.
type trial struct {
	job   engine.Job // of all rows
	path  *choose.Path
	group []int32     // of each row: equal rows have one
	part  []int32     // of each row; never if it is never held out, absent if it has no weight
	wrong [][]float64 // of each lambda how wrong the prediction of each row is
}

const (
	never  = -1
	absent = -2
)

// A group is equal rows.
type group struct {
	hash  uint64
	class int32 // the least of its rows; 0 of numbers
}

// groups finds the groups of the rows with a weight. It returns none once it is stopped.
func (t *trial) groups() (groups []group) {
	set := t.job.Rows
	hashes := store.Hashes(store.Raw(set.X), t.job.Threads, t.stopped)
	if t.stopped() {
		return nil
	}
	t.group, t.part = make([]int32, len(hashes)), make([]int32, len(hashes))
	at := map[uint64]int32{}
	for i, h := range hashes {
		if t.part[i] = absent; set.Weight != nil && set.Weight[i] == 0 {
			continue
		}
		class := int32(0)
		if set.Classes != nil {
			class = set.Class[i]
		}
		g, found := at[h]
		if !found {
			g = int32(len(groups))
			at[h] = g
			groups = append(groups, group{murmur.Mix64(h ^ t.job.Seed), class})
		}
		groups[g].class = min(groups[g].class, class)
		t.group[i], t.part[i] = g, never
	}
	return groups
}

// deal deals groups of equal rows out to the parts: those of each class in the order of their
// hashes, so that the rows' order makes no difference, nor how often there is a row.
func (t *trial) deal() {
	groups := t.groups()
	order := make([]int32, len(groups))
	ofClass := make([]int, max(1, len(t.job.Rows.Classes)))
	for g := range order {
		order[g] = int32(g)
		ofClass[groups[g].class]++
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(groups[a].hash, groups[b].hash), cmp.Compare(a, b))
	})
	part := make([]int32, len(groups))
	dealt := make([]int32, len(ofClass))
	for _, g := range order {
		class := groups[g].class
		if part[g] = never; ofClass[class] > 1 {
			part[g] = (dealt[class] + class) % choose.Parts
			dealt[class]++
		}
	}
	for i, p := range t.part {
		if p != absent {
			t.part[i] = part[t.group[i]]
		}
	}
}

func (t *trial) stopped() bool { return t.job.Until != nil && t.job.Until.Err() != nil }

// holdOut trains without a part, with each lambda from the model of the one before, and judges the
// models by the part.
func (t *trial) holdOut(part int32) {
	if t.stopped() {
		return
	}
	var inside, outside []uint32
	for i, p := range t.part {
		switch p {
		case absent:
		case part:
			inside = append(inside, uint32(i))
		default:
			outside = append(outside, uint32(i))
		}
	}
	if len(inside) == 0 {
		return
	}
	job := t.job
	job.Threads, job.Scale, job.Start = 1, nil, nil
	job.Rows = t.job.Rows.Take(outside)
	judged := t.job.Rows.Take(inside)
	for k, lambda := range t.path.Lambdas {
		if t.stopped() {
			return
		}
		job.Lambda, job.C = lambda, 0
		m := run(job)
		for j, i := range inside {
			t.wrong[k][i] = mistake(&job.Settings, m, judged, j)
		}
		if m != nil && perfect(&job.Settings, m, job.Rows) {
			for _, w := range t.wrong[k+1:] { // a smaller lambda has nothing to gain
				for _, i := range inside {
					w[i] = t.wrong[k][i]
				}
			}
			return
		}
		job.Start = m
	}
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

// run returns the model of a job, nil if there is none.
func run(job engine.Job) *engine.Point {
	s, err := engine.New(job)
	if err != nil {
		return nil
	}
	m, stopped, err := s.Train(s.Until)
	if err != nil || stopped {
		return nil
	}
	m.Result.PerClass = slices.Repeat([]result.Problem{{Steps: longAgo}}, len(m.Weights))
	return m
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
