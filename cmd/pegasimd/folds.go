package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/sys/machine"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

func (v *search) deal() error {
	cfg, y := v.cfg, v.set.Y
	folds := min(v.flags.Folds, len(y)+1) // checkFolds refuses so many
	if cfg.Loss.Regression() {
		y = make([]float32, len(y)) // with equal labels, the folds are not stratified
	}
	v.fold = pegasos.Folds(y, v.weights, folds, cfg.Seed)
	v.sizes = make([]int, folds)
	rows, all := map[float32]int{}, 0
	for i, f := range v.fold {
		if f >= 0 {
			v.sizes[f]++
			rows[y[i]]++
			all++
		}
	}
	if all < 2 {
		return fmt.Errorf("%s%s, want two or more", count(all, "row"), v.reader.ofWeight())
	}
	if cfg.Loss.Regression() {
		targets, _ := labelCounts(v.set, v.reader.skip)
		if len(targets) == 1 && v.metric.name == "r2" {
			return fmt.Errorf("all rows%s have the target %v, for which -metric r2 is not defined",
				v.reader.ofWeight(), targets[0])
		}
		return v.checkFolds()
	}
	several := 0
	for _, label := range slices.Sorted(maps.Keys(rows)) {
		name := labelName(v.set, label)
		v.labels = append(v.labels, name)
		if rows[label] > 1 {
			several++
		}
		if rows[label] < folds {
			v.rare = append(v.rare, name)
		}
	}
	if several < 2 {
		return fmt.Errorf("want two or more classes with two or more rows%s each, so that the "+
			"training for each fold has two classes", v.reader.ofWeight())
	}
	return v.checkFolds()
}

func (v *search) checkFolds() error {
	if slices.Min(v.sizes) == 0 {
		return fmt.Errorf("some of the %d folds have no rows: give -folds a smaller number",
			v.flags.Folds)
	}
	return nil
}

// Parallel runs share the memory. If a run's share is too small, run starts again with half as many
// parallel runs.
func (v *search) run(p *progress) error {
	threads := parallel.Threads(v.flags.Data.Threads)
	defer func(most int64) { options.Allowed = most }(options.Allowed)
	for atOnce := min(threads, len(v.grid)*v.flags.Folds); ; atOnce /= 2 {
		options.Allowed = int64(min(machine.Free(), math.MaxInt64/2)) / int64(atOnce)
		err := v.runSome(threads, atOnce, p)
		var refused *pegasos.ConfigError
		if atOnce == 1 || !errors.As(err, &refused) || refused.Field != "MaxMemory" {
			return err
		}
	}
}

func (v *search) runSome(threads, atOnce int, p *progress) error {
	folds := v.flags.Folds
	runs := make([]cvRun, len(v.grid)*folds)
	ctx, cancel := context.WithCancelCause(v)
	defer cancel(nil)
	var mu sync.Mutex
	finished := 0
	parallel.For(atOnce, len(runs), func(_, i int) {
		if ctx.Err() != nil {
			return
		}
		run, err := v.one(ctx, v.grid[i/folds].cfg, i%folds, threads/atOnce,
			v.memory/int64(atOnce))
		if err != nil {
			cancel(fmt.Errorf("fold %d of %d: %w", i%folds+1, folds, err))
		}
		mu.Lock()
		defer mu.Unlock()
		runs[i] = run
		finished++
		p.show(float64(finished)/float64(len(runs)), "%d of %d runs", finished, len(runs))
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i := range v.grid {
		v.grid[i].sum(runs[i*folds:][:folds])
	}
	return nil
}

type cvRun struct{ score, lambda, c, objective, gap, seconds float64 }

func (v *search) one(
	ctx context.Context, cfg pegasos.Config, fold int, threads int, memory int64,
) (r cvRun, err error) {
	weights := make([]float32, len(v.fold))
	var total float64
	for i, f := range v.fold {
		if f >= 0 && f != fold {
			weights[i] = v.weight(i)
			total += float64(weights[i])
		}
	}
	began := time.Now()
	tr := pegasos.Trainer{Config: cfg, Threads: threads, Weights: weights, MaxMemory: memory}
	if v.encoded != nil {
		tr.CurveColumns = v.curved[fold]
	}
	m, err := tr.Train(ctx, v.rows(fold), v.set.Y)
	var refused *pegasos.ConfigError
	if errors.As(err, &refused) && refused.Field == "Curves" { // the other folds allow no curves
		tr.Curves = pegasos.CurvesNone
		m, err = tr.Train(ctx, v.rows(fold), v.set.Y)
	}
	if err != nil {
		return r, err
	}
	r = cvRun{seconds: time.Since(began).Seconds(), lambda: m.Lambda, objective: m.Result.Objective,
		gap: m.Result.Gap}
	if m.Result.Weight > 0 {
		total = m.Result.Weight // includes the weights of classes
	}
	r.c = 1 / (m.Lambda * total)
	if pairs := m.Config.Multiclass == pegasos.OneVsOne && len(m.Classes) > 2; pairs && cfg.C != 0 {
		r.lambda = math.NaN()
	} else if pairs {
		r.c = math.NaN()
	}
	p, err := v.scoreFold(m, fold)
	if err != nil {
		return r, err
	}
	r.score, err = v.measure(p)
	return r, err
}

func (v *search) measure(fold *scored) (score float64, err error) {
	score = v.metric.of(fold)
	switch {
	case !math.IsNaN(score):
	case v.metric.numbers:
		err = fmt.Errorf("-metric %s is not defined for the fold, whose targets are all equal: give "+
			"-metric rmse", v.metric.name)
	default:
		err = fmt.Errorf("-metric %s is not defined for the fold, whose rows are all of one class: give "+
			"a smaller -folds", v.metric.name)
	}
	return score, err
}

func (v *search) weight(i int) float32 { return floats.At(v.weights, i, 1) }

func (p *cvPoint) sum(runs []cvRun) {
	n := float64(len(runs))
	var lambda, c, objective, gap float64
	for _, r := range runs {
		lambda += r.lambda / n
		c += r.c / n
		objective += r.objective / n
		gap += r.gap / n
		p.Seconds += r.seconds
		p.Scores = append(p.Scores, r.score)
	}
	if p.cfg.C != 0 {
		p.Lambda = number(lambda)
	} else {
		p.C = number(c)
	}
	p.Objective, p.Gap = number(objective), number(gap)
	p.average()
}

func (p *cvPoint) average() {
	n := float64(len(p.Scores))
	var mean, squares float64
	for _, s := range p.Scores {
		mean += s / n
	}
	for _, s := range p.Scores {
		squares += float64((s - mean) * (s - mean))
	}
	p.Mean, p.Spread = number(mean), number(math.Sqrt(squares/(n-1)))
}

func (v *search) crossPredict(tr *kernelsvm.Trainer) ([]float32, error) {
	if v.encoded == nil {
		return tr.CrossPredict(v, v.set.Examples(), v.set.Y, v.flags.Folds)
	}
	predicted := make([]float32, v.set.Rows())
	for fold, set := range v.encoded {
		var inside, outside []int
		for i, f := range v.fold {
			if f == fold {
				inside = append(inside, i)
			} else {
				outside = append(outside, i)
			}
		}
		rows := set.Subset(outside)
		m, err := tr.Train(v, rows.Examples(), rows.Y)
		if err != nil {
			return nil, ofRows(err, outside)
		}
		for k, label := range m.PredictAll(set.Subset(inside).Examples()) {
			predicted[inside[k]] = label
		}
	}
	return predicted, nil
}

// If err names a row by its index in rows, ofRows makes err name the element of rows instead.
func ofRows(err error, rows []int) error {
	switch bad := err.(type) {
	case *pegasos.RowError:
		bad.Row = rows[bad.Row]
	case *pegasos.StepError:
		if bad.Row >= 0 {
			bad.Row = rows[bad.Row]
		}
	}
	return err
}

func (v *search) runKernels(progress *progress) error {
	labels := slices.Compact(slices.Sorted(slices.Values(v.set.Y)))
	for i := range v.grid {
		p := &v.grid[i]
		progress.show(float64(i)/float64(len(v.grid)), "%d of %d settings", i, len(v.grid))
		tr, began := v.kernelTrainer(p), time.Now()
		predicted, err := v.crossPredict(&tr)
		if err != nil {
			return err
		}
		if i := floats.FirstNotFinite(predicted); i >= 0 {
			return predictions.RowOverflows(rowOfData(i, v.reader.leftOut), float64(predicted[i]))
		}
		p.Seconds = time.Since(began).Seconds()
		p.Objective, p.Gap = number(math.NaN()), number(math.NaN())
		of := make([]scored, v.flags.Folds)
		for i, label := range predicted {
			f := &of[v.fold[i]]
			truth, _ := slices.BinarySearch(labels, v.set.Y[i])
			k, _ := slices.BinarySearch(labels, label)
			f.classes = len(labels)
			f.truth, f.predicted = append(f.truth, truth), append(f.predicted, k)
		}
		for f := range of {
			score, err := v.measure(&of[f])
			if err != nil {
				return fmt.Errorf("fold %d of %d: %w", f+1, v.flags.Folds, err)
			}
			p.Scores = append(p.Scores, score)
		}
		p.average()
	}
	return nil
}

func (v *search) scoreFold(m *pegasos.Model, fold int) (*scored, error) {
	s := &scored{model: linearModel{m}, classes: len(m.Classes)}
	x := v.rows(fold)
	var scores []float64
	for i, f := range v.fold {
		if f != fold {
			continue
		}
		scores = m.Decision(x, i, scores)
		if bad := floats.FirstNotFinite(scores); bad >= 0 {
			return nil, predictions.RowOverflows(rowOfData(i, v.reader.leftOut), scores[bad])
		}
		s.y, s.weights = append(s.y, v.set.Y[i]), append(s.weights, v.weight(i))
		if m.Classes == nil {
			s.scores = append(s.scores, float64(float32(scores[0]))) // rounded like Predict
			continue
		}
		own := slices.Index(m.Classes, v.set.Y[i])
		if own < 0 { // labels that the model does not know become one additional class
			own, s.classes = len(m.Classes), len(m.Classes)+1
		}
		s.truth, s.predicted = append(s.truth, own), append(s.predicted, m.Class(scores))
		s.scores = append(s.scores, scores...)
	}
	return s, nil
}
