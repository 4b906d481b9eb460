package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/pegasos"
	"gonum.org/v1/plot/plotter"
)

// A study is a set of two classes, which is to have a test error.
type study struct {
	set    string
	lambda float64
	error  float64 // in percent
	of     *set
}

// studies are those that there are data for; the digits, which are always there, come last.
var studies = []study{
	{set: "imdb", lambda: 1e-4, error: 15},
	{set: "shirts", lambda: 1e-2, error: 9},
	{set: "digits-8", lambda: 1e-2, error: 6},
}

// forms are how Pegasos is run: as the library does it, and to the letter of the paper.
var forms = []struct {
	name string
	cfg  pegasos.Config
}{{"library", pegasos.Config{}.Plain()}, {"paper", pegasos.Paper()}}

// drawSeeds draws what the paper and other sources of this project show: run time against the
// number of rows, objective and accuracy against iterations, the accuracies of the pairs of ten
// classes with their confusion matrix, and time and accuracy beside scikit-learn.
func (s *session) drawSeeds() error {
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return err
	}
	var some []study
	for _, st := range studies {
		sources, err := selected(st.set, 0)
		if err != nil {
			return err
		}
		of, err := sources[0].open()
		if errors.Is(err, errAbsent) || s.quick && st.set != "digits-8" {
			continue
		}
		if err != nil {
			return err
		}
		st.of, _ = of.kept(0)
		if some = append(some, st); len(some) == 2 {
			break
		}
	}
	if err := s.drawRows(some); err != nil {
		return err
	}
	if err := s.drawIterations(some); err != nil {
		return err
	}
	return s.drawPairs()
}

// steps trains part of a study's set for some steps, and returns the test error in percent as well.
func (s *session) steps(st study, part *dataset.Set, x dataset.Examples, form, steps, seed int) (
	t *training, wrong float64, err error) {
	cfg := forms[form].cfg
	cfg.Lambda, cfg.Epochs, cfg.Steps, cfg.Seed = st.lambda, 0, int64(steps), uint64(seed)
	if t, err = ownTrain(s.ctx, x, part.Y, cfg, 1, 60*s.limit); err != nil {
		return nil, 0, err
	}
	labels := classes(st.of.train)
	return t, 100 - accuracy(st.of.test.Y, predict(st.of.test, labels, t.values)), nil
}

// drawRows draws the steps, and their time, to the test error of each study for nested subsets of
// its rows: medians over the seeds, of runs of 128, 181, 256 and so on steps, the first that has the
// error. Each begins at the start. Where half of them don't get there a point is left out.
func (s *session) drawRows(some []study) error {
	steps := panel{title: "Steps to a test error", x: "rows", y: "steps", logY: true}
	times := panel{title: "Time of these steps", x: "rows", y: "CPU time, ms", logY: true}
	for k, st := range some {
		for form := range forms {
			name := fmt.Sprintf("%s, %g %%, %s", st.set, st.error, forms[form].name)
			a, b := series{name: name, color: k, dashed: form > 0}, series{name: name, color: k,
				dashed: form > 0}
			for rows := st.of.train.Rows(); rows >= 100; rows /= 2 {
				count, seconds, err := s.toError(st, rows, form)
				if err != nil {
					return err
				}
				log.Printf("%s, %d rows: %.0f steps, %.3g ms", name, rows, count, 1e3*seconds)
				if !math.IsInf(count, 1) {
					a.points = append(a.points, plotter.XY{X: float64(rows), Y: count})
					b.points = append(b.points, plotter.XY{X: float64(rows), Y: 1e3 * seconds})
				}
			}
			steps.series, times.series = append(steps.series, a), append(times.series, b)
		}
	}
	return drawPanels(s.out, "rows.svg", []panel{steps, times})
}

// toError returns the median steps of the seeds to the test error and their CPU time, that of one
// step, and of what comes before it, taken off.
func (s *session) toError(st study, rows, form int) (steps, seconds float64, err error) {
	var counts, times []float64
	for seed := range s.seedsOf(3) {
		order := rand.New(rand.NewPCG(uint64(seed), 1)).Perm(st.of.train.Rows())
		part := st.of.train.Subset(order[:rows])
		auto, err := part.WithLayout(dataset.LayoutAuto)
		if err != nil {
			return 0, 0, err
		}
		x, count, took := auto.Examples(), math.Inf(1), math.Inf(1)
		for n := 128.; n <= 2e5; n *= math.Sqrt2 {
			_, wrong, err := s.steps(st, part, x, form, int(n), seed)
			if err != nil {
				return 0, 0, err
			}
			if wrong > st.error {
				continue
			}
			one, all := math.Inf(1), math.Inf(1)
			for range 5 { // the least of them: what a run takes when nobody interrupts it
				first, _, _ := s.steps(st, part, x, form, 1, seed)
				t, _, err := s.steps(st, part, x, form, int(n), seed)
				if err != nil {
					return 0, 0, err
				}
				one, all = min(one, first.CPU), min(all, t.CPU)
			}
			count, took = n, max(all-one, 1e-6)
			break
		}
		counts, times = append(counts, count), append(times, took)
	}
	slices.Sort(counts)
	slices.Sort(times)
	return counts[len(counts)/2], times[len(times)/2], nil
}

// seedsOf returns how many seeds there are.
func (s *session) seedsOf(n int) int {
	if s.quick {
		return 1
	}
	return n
}

// drawIterations draws how far P is above f*, and the test accuracy, against the steps: medians
// and the range of five seeds.
func (s *session) drawIterations(some []study) error {
	var panels []panel
	for _, st := range some {
		rows, err := st.of.train.WithLayout(dataset.LayoutAuto)
		if err != nil {
			return err
		}
		x := rows.Examples()
		p := &problem{session: s, set: st.of, x: x, loss: "hinge", lambda: st.lambda}
		if err := p.solve(); err != nil {
			return err
		}
		title := fmt.Sprintf("%s, lambda %g: ", st.set, st.lambda)
		above := panel{title: title + "objective", x: "steps", y: "above the optimum, %", logY: true}
		right := panel{title: title + "accuracy", x: "steps", y: "test accuracy, %"}
		for form := range forms {
			a, b := series{name: forms[form].name, color: form}, series{name: forms[form].name,
				color: form}
			for n := 64; n <= 1<<19; n *= 2 {
				var objectives, accuracies []float64
				for seed := range s.seedsOf(5) {
					t, wrong, err := s.steps(st, st.of.train, x, form, n, seed)
					if err != nil {
						return err
					}
					f := objective(st.of.train, "hinge", st.lambda, t.values)
					objectives = append(objectives, 100*(f/p.bound-1))
					accuracies = append(accuracies, 100-wrong)
				}
				a.add(float64(n), objectives)
				b.add(float64(n), accuracies)
			}
			above.series, right.series = append(above.series, a), append(right.series, b)
		}
		panels = append(panels, above, right)
	}
	return drawPanels(s.out, "iterations.svg", panels)
}

// add adds the median and the range of values.
func (s *series) add(x float64, values []float64) {
	s.points = append(s.points, plotter.XY{X: x, Y: frame.Quantile(values, .5)})
	s.low, s.high = append(s.low, slices.Min(values)), append(s.high, slices.Max(values))
}

// drawPairs trains ten classes one-vs-one, with more and more steps a pair, and draws the accuracy
// of each pair and the confusion matrix of the longest run, and time and accuracy beside
// scikit-learn.
func (s *session) drawPairs() error {
	names := []string{"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt",
		"sneaker", "bag", "ankle boot"}
	wanted, err := selected("fashion,digits-scaled", 0)
	if err != nil {
		return err
	}
	of, err := wanted[0].open()
	if errors.Is(err, errAbsent) || s.quick {
		names = strings.Split("0123456789", "")
		of, err = wanted[1].open()
	}
	if err != nil {
		return err
	}
	of, _ = of.kept(0)
	rows, err := of.train.WithLayout(dataset.LayoutAuto)
	if err != nil {
		return err
	}
	x := rows.Examples()
	ours, theirs := series{name: "Pegasimd, 1,000 to 100,000 steps a pair"}, series{color: 1,
		name: "scikit-learn: SGDClassifier, averaged, 1 to 8 passes"}
	var last *pegasos.Model
	for _, steps := range []int64{1000, 3000, 10_000, 30_000, 100_000} {
		cfg := pegasos.Config{}.Plain()
		cfg.Multiclass, cfg.Lambda, cfg.Epochs, cfg.Steps = pegasos.OneVsOne, 1e-4, 0, steps
		trainer := pegasos.Trainer{Config: cfg, Threads: 1}
		took, right := math.Inf(1), 0
		for range 3 {
			begin := machine.ProcessSeconds()
			if last, err = trainer.Train(s.ctx, x, of.train.Y); err != nil {
				return err
			}
			took = min(took, machine.ProcessSeconds()-begin)
		}
		for i, label := range last.PredictAll(of.test.Examples()) {
			if label == of.test.Y[i] {
				right++
			}
		}
		ours.points = append(ours.points, plotter.XY{X: took,
			Y: 100 * float64(right) / float64(of.test.Rows())})
	}
	if err := s.host.open(of); err != nil {
		return err
	}
	for _, passes := range []float64{1, 2, 4, 8} {
		t, err := s.host.train(scikit, "pairs", 1e-4, passes, 60*s.limit)
		if err != nil {
			log.Printf("absent: scikit-learn: %v", err)
			break
		}
		theirs.points = append(theirs.points, plotter.XY{X: t.CPU,
			Y: accuracy(of.test.Y, t.values)})
	}
	if err := drawPanels(s.out, "scikit-learn.svg", []panel{{
		title: of.name + ", ten classes one-vs-one, lambda 1e-4", x: "CPU time of training, s",
		y: "test accuracy, %", series: []series{ours, theirs}}}); err != nil {
		return err
	}
	return s.drawMatrices(last, of, names)
}

// drawMatrices draws what a model of pairs makes of the test rows.
func (s *session) drawMatrices(m *pegasos.Model, of *set, names []string) error {
	n := len(m.Classes)
	counts, pairs, confusion := make([][]int, n), make([][]cell, n), make([][]cell, n)
	for k := range n {
		counts[k], pairs[k], confusion[k] = make([]int, n), make([]cell, n), make([]cell, n)
	}
	at := func(label float32) int { return slices.Index(m.Classes, label) }
	for i, label := range m.PredictAll(of.test.Examples()) {
		counts[at(of.test.Y[i])][at(label)]++
	}
	for i, line := range counts {
		total := 0
		for _, v := range line {
			total += v
		}
		for j, v := range line {
			confusion[i][j] = cell{fmt.Sprint(v), 0, float64(v) / float64(max(total, 1))}
			if i != j { // four times as dark: else no mistake would be seen
				confusion[i][j].color = 1
				confusion[i][j].shade = min(1, 4*confusion[i][j].shade)
			}
		}
	}
	scores := m.DecisionAll(of.test.Examples())
	for k := range len(m.Weights) {
		a, b := m.Pair(k)
		right, all := 0, 0
		for i, y := range of.test.Y {
			if c := at(y); c == a || c == b {
				all++
				if scores[i*len(m.Weights)+k] > 0 == (c == b) {
					right++
				}
			}
		}
		share := float64(right) / float64(all)
		pairs[b][a] = cell{fmt.Sprintf("%.1f", 100*share), 2, min(1, 5*(1-share))}
	}
	title := of.name + ": test rows by class; mistakes are drawn 4 times as dark"
	if err := drawMatrix(s.out, "confusion.svg", title, "predicted class", "true class", names,
		confusion); err != nil {
		return err
	}
	return drawMatrix(s.out, "pairs.svg", of.name+": test accuracy of each of the 45 pairs, %",
		"one class", "the other", names, pairs)
}
