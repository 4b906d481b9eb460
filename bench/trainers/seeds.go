package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/bench/internal/sets"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/chart"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func (s *session) drawSeeds() error {
	// wrong is the test error to reach, in percent.
	type study struct {
		set           string
		lambda, wrong float64
	}
	studies, ten := []study{{"imdb", 1e-4, 15}, {"shirts", 1e-2, 9}}, "fashion"
	classes := strings.Fields("T-shirt trouser pullover dress coat sandal shirt sneaker bag boot")
	if s.quick || os.Getenv("PEGASIMD_DATA") == "" {
		studies, ten = []study{{"digits-8", 1e-2, 6}}, "digits"
		classes = strings.Split("0123456789", "")
	}
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return err
	}
	times := plot("Time of the steps to a test error", "rows", "CPU time, ms", true)
	for _, t := range studies {
		p := &problem{session: s, loss: "hinge", lambda: t.lambda}
		var err error
		if p.set, err = sets.OpenSplit(t.set); err == nil {
			err = p.solve()
		}
		if err != nil {
			return err
		}
		title := fmt.Sprintf("%s, lambda %g", t.set, t.lambda)
		above := plot(title, "steps", "objective above f*, %", true)
		right := plot(title, "steps", "test accuracy, %", false)
		for _, form := range []string{"library", "paper"} {
			if err := errors.Join(p.drawRows(times, form, t.wrong),
				p.drawSteps(above, right, form)); err != nil {
				return err
			}
		}
		if err := errors.Join(s.draw("objective-"+t.set, above),
			s.draw("accuracy-"+t.set, right)); err != nil {
			return err
		}
	}
	return errors.Join(s.draw("rows", times), s.drawPairs(ten, classes))
}

func plot(title, x, y string, log bool) *chart.Figure {
	return &chart.Figure{Title: title, X: chart.Axis{Label: x, Log: true, Format: chart.Short},
		Y: chart.Axis{Label: y, Log: log, Format: chart.Short}}
}

// line adds a line. The pointer is valid until the next call.
func line(f *chart.Figure, name string) *chart.Series {
	f.Lines = append(f.Lines, chart.Series{Style: chart.Lines[len(f.Lines)], Name: name})
	return &f.Lines[len(f.Lines)-1]
}

func (s *session) draw(name string, f *chart.Figure) error {
	f.Lines = slices.DeleteFunc(f.Lines, func(l chart.Series) bool { return l.Points == nil })
	return s.save(name, chart.Alone(f.Lines, f))
}

func (s *session) save(name, svg string) error {
	return os.WriteFile(filepath.Join(s.out, name+".svg"), []byte(svg), 0o666)
}

// formOf returns the paper's algorithm, or the plain defaults for other forms. Neither has curves.
func formOf(form string) pegasos.Config {
	if form == "paper" {
		return pegasos.Paper()
	}
	return pegasos.Config{}.Plain()
}

// steps also returns the test accuracy in percent.
func (p *problem) steps(x dataset.Examples, y []float32, form string, steps float64, seed int) (
	*training, float64, error) {
	cfg := formOf(form)
	cfg.Lambda, cfg.Epochs, cfg.Steps, cfg.Seed = p.lambda, 0, int64(steps), uint64(seed)
	t, err := ownTrain(p.ctx, x, y, cfg, 1, 60*p.limit)
	if err != nil {
		return nil, 0, err
	}
	return t, accuracy(p.set.Test.Y, predict(p.set.Test, classes(p.set.Train), t.values)), nil
}

// drawRows draws the time until the test error is at most wrong percent, for nested subsets of the
// rows: the median of three seeds. It leaves out subsets whose median run does not reach the error.
func (p *problem) drawRows(f *chart.Figure, form string, wrong float64) error {
	times := line(f, fmt.Sprintf("%s, %g %% wrong, %s", p.set.Name, wrong, form))
	for rows := p.set.Train.Rows(); rows >= 200; rows /= 2 {
		part, err := sets.First(p.set.Train, rows).WithLayout(dataset.LayoutAuto)
		var all [3]float64
		for seed := range all {
			if err == nil {
				all[seed], err = p.toError(part.Examples(), part.Y, form, wrong, seed)
			}
		}
		if err != nil {
			return err
		}
		slices.Sort(all[:])
		if !math.IsInf(all[1], 1) {
			times.Add(float64(rows), all[1])
		}
	}
	return nil
}

// toError tries longer and longer runs until the test error is at most wrong percent. It returns
// the last run's CPU milliseconds, less those of one step, but at least 0.001; +Inf if no run
// reaches the error.
func (p *problem) toError(x dataset.Examples, y []float32, form string, wrong float64, seed int) (
	float64, error) {
	for n := 128.; n < 2e5; n *= math.Sqrt2 {
		t, right, err := p.steps(x, y, form, n, seed)
		if err != nil {
			return 0, err
		}
		if right < 100-wrong {
			continue
		}
		one, _, err := p.steps(x, y, form, 1, seed)
		if err != nil {
			return 0, err
		}
		return 1e3 * max(t.CPU-one.CPU, 1e-6), nil
	}
	return math.Inf(1), nil
}

func (p *problem) drawSteps(above, right *chart.Figure, form string) error {
	objectives, accuracies := line(above, form), line(right, form)
	for n := 64.; n <= 1<<19; n *= 2 {
		t, accuracy, err := p.steps(p.x, p.set.Train.Y, form, n, 0)
		if err != nil {
			return err
		}
		more := objective(p.set.Train, p.loss, p.lambda, t.values)/p.bound - 1
		objectives.Add(n, 100*more)
		accuracies.Add(n, accuracy)
	}
	return nil
}

func (s *session) drawPairs(name string, classes []string) error {
	of, err := sets.OpenSplit(name)
	if err == nil {
		err = s.openRows(of)
	}
	if err != nil {
		return err
	}
	rows, err := of.Train.WithLayout(dataset.LayoutAuto)
	if err != nil {
		return err
	}
	beside := plot(of.Name+": 45 pairs of classes", "CPU time, s", "test accuracy, %", false)
	ours := line(beside, "Pegasimd, 1,000 to 100,000 steps a pair")
	var m *pegasos.Model
	for _, steps := range []int64{1000, 3000, 10_000, 30_000, 100_000} {
		trainer := pegasos.Trainer{Config: formOf("library"), Threads: 1}
		trainer.Multiclass, trainer.Epochs, trainer.Steps = pegasos.OneVsOne, 0, steps
		begin := cpu.ProcessSeconds()
		if m, err = trainer.Train(s.ctx, rows.Examples(), rows.Y); err != nil {
			return err
		}
		ours.Add(cpu.ProcessSeconds()-begin,
			100*metrics.Accuracy(of.Test.Y, m.PredictAll(of.Test.Examples()), nil))
	}
	theirs := line(beside, "scikit-learn's SGDClassifier, 1 to 8 passes")
	for passes := 1.; passes <= 8 && s.commands[scikit] != nil; passes *= 2 {
		t, err := s.train(scikit, "pairs", 1e-4, passes, 60*s.limit)
		if err != nil {
			return err
		}
		theirs.Add(t.CPU, accuracy(of.Test.Y, t.values))
	}
	return errors.Join(s.draw("scikit-learn", beside), s.drawMatrices(of, m, classes))
}

func (s *session) drawMatrices(of *sets.Set, m *pegasos.Model, classes []string) error {
	numbers := func(labels []float32) (all []int) {
		for _, y := range labels {
			all = append(all, slices.Index(m.Classes, y))
		}
		return all
	}
	x, truth, rates := of.Test.Examples(), numbers(of.Test.Y), map[[2]int]float64{}
	counts := metrics.Confusion(truth, numbers(m.PredictAll(x)), nil, len(classes))
	scores, pairs := m.DecisionAll(x), len(m.Weights)
	for k := range pairs {
		a, b := m.Pair(k)
		var is, says []bool
		for row, class := range truth {
			if class == a || class == b {
				is, says = append(is, class == b), append(says, scores[row*pairs+k] > 0)
			}
		}
		rates[[2]int{b, a}] = metrics.Accuracy(is, says, nil)
	}
	confusion := func(i, j int) (string, float64, bool) {
		share := counts[i][j] * float64(len(classes)) / float64(len(truth))
		return fmt.Sprint(counts[i][j]), min(1, math.Sqrt(share)), true
	}
	accuracies := func(i, j int) (string, float64, bool) {
		rate, ok := rates[[2]int{i + 1, j}] // the matrix has no row for class 0
		return fmt.Sprintf("%.1f", 100*rate), min(1, 5*(1-rate)), ok
	}
	return errors.Join(s.save("confusion", (&chart.Matrix{Title: of.Name + ": test rows",
		X: "predicted class", Y: "true class", Across: classes, Down: classes,
		Of: confusion}).Alone("")),
		s.save("pairs", (&chart.Matrix{Title: of.Name + ": test accuracy of each of the 45 pairs, %",
			X: "one class", Y: "the other", Across: classes[:len(classes)-1], Down: classes[1:],
			Of: accuracies}).Alone("")))
}
