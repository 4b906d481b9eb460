package main

import (
	"fmt"
	"log"
	"math"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// pairsSettings are the data of one-vs-one, and how much is asked.
type pairsSettings struct {
	train, test *dataset.Set
	names       []string  // of the classes
	steps       int64     // of a pair
	short       []int64   // fewer of them
	lambda      float64   // the one that is timed and drawn
	lambdas     []float64 // others
}

func fashionPairs(dir string) (s pairsSettings, err error) {
	s = pairsSettings{
		names: []string{"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"},
		steps: 1_000_000, short: []int64{10_000, 30_000, 100_000}, lambda: 1e-4, lambdas: []float64{1e-3, 1e-2},
	}
	s.train, s.test, err = readFashion(dir)
	return s, err
}

// pairs prints what one-vs-one reaches, and how long it takes.
func (e *experiment) pairs(s pairsSettings) error {
	run := func(form int, lambda float64, steps int64, threads int) (trained, error) {
		cfg := forms[form].cfg
		cfg.Multiclass, cfg.Lambda, cfg.Steps = pegasos.OneVsOne, lambda, steps
		rest()
		return e.train(s.train, cfg, threads)
	}
	var confused *pegasos.Model // of the defaults

	e.printf("\nSeconds at lambda %v, each the least of %d rounds:\n\n", s.lambda, e.rounds)
	e.printf("%s", head("form", "steps a pair", "test accuracy, %", "1 thread", "2 threads", "CPU, 1 thread", "CPU, 2 threads", "objective and certificate, 2 threads"))
	type timed struct {
		form      int
		steps     int64
		accuracy  float64
		took, cpu [2]span // with one thread and with two
	}
	var all []*timed
	for f := range forms {
		for _, steps := range append(append([]int64{}, s.short...), s.steps) {
			all = append(all, &timed{form: f, steps: steps})
		}
	}
	for round := range e.rounds {
		for _, r := range all {
			for k := range 2 {
				log.Printf("round %d: %s, %d steps, %d threads", round, forms[r.form].name, r.steps, k+1)
				t, err := run(r.form, s.lambda, r.steps, k+1)
				if err != nil {
					return err
				}
				if round > 0 {
					t.took, t.cpu = t.took.least(r.took[k]), t.cpu.least(r.cpu[k])
				}
				r.took[k], r.cpu[k] = t.took, t.cpu
				if r.accuracy = 100 - testError(t.model, s.test); r.form == 0 && r.steps == s.steps {
					confused = t.model
				}
			}
		}
	}
	for _, r := range all {
		e.printf("| %s | %d | %.2f | %.2f | %.2f | %s | %s | %.2f |\n", forms[r.form].name, r.steps, r.accuracy, r.took[0].ready.Seconds(), r.took[1].ready.Seconds(),
			seconds(r.cpu[0].ready), seconds(r.cpu[1].ready), r.took[1].after.Seconds())
	}

	if err := e.curve(s); err != nil {
		return err
	}
	if err := drawConfusion(e.figure("confusion.svg"), s.names, confusion(confused, s.test)); err != nil {
		return err
	}

	e.printf("\nTest accuracy of %d steps a pair at other lambdas, in %%:\n\n", s.steps)
	cells := []string{"form"}
	for _, lambda := range s.lambdas {
		cells = append(cells, fmt.Sprintf("lambda %v", lambda))
	}
	e.printf("%s", head(cells...))
	for f, form := range forms {
		e.printf("| %s", form.name)
		for _, lambda := range s.lambdas {
			log.Printf("%s, lambda %v", form.name, lambda)
			t, err := run(f, lambda, s.steps, 0)
			if err != nil {
				return err
			}
			e.printf(" | %.2f", 100-testError(t.model, s.test))
		}
		e.printf(" |\n")
	}
	return nil
}

// seconds returns a CPU time as text, nothing where it can't be had.
func seconds(d time.Duration) string {
	if _, ok := cpuTime(); !ok {
		return ""
	}
	return fmt.Sprintf("%.2f", d.Seconds())
}

// curve draws test accuracy against steps for the first two classes.
func (e *experiment) curve(s pairsSettings) error {
	a, b := float32(0), float32(1)
	train, test := only(s.train, a, b), only(s.test, a, b)
	p := panel{
		title: fmt.Sprintf("%s or %s: lambda %v, median and range of %d seeds", s.names[0], s.names[1], s.lambda, e.seeds),
		x:     "steps", y: "test accuracy, %", logX: true, legend: true,
	}
	for f, form := range forms {
		line := series{name: form.name, color: f}
		for exponent := 3.0; ; exponent += 0.5 {
			steps := int64(math.Round(math.Exp2(exponent)))
			if steps > s.steps {
				break
			}
			var values []float64
			for seed := range e.seeds {
				cfg := forms[f].cfg
				cfg.Lambda, cfg.Steps, cfg.Seed = s.lambda, steps, uint64(seed)
				t, err := e.train(train, cfg, 1)
				if err != nil {
					return err
				}
				values = append(values, 100-testError(t.model, test))
			}
			middle, _, _ := median(values) // sorted now
			line.points = append(line.points, point{float64(steps), middle})
			line.low, line.high = append(line.low, values[0]), append(line.high, values[len(values)-1])
		}
		p.series = append(p.series, line)
		last := line.points[len(line.points)-1]
		e.printf("\n%s, %s or %s: %.2f %% after %.0f steps", form.name, s.names[0], s.names[1], last.y, last.x)
	}
	e.printf("\n")
	return drawPanels(e.figure("pair.svg"), 1, []panel{p})
}

// confusion counts the rows of each class, by what they were taken for.
func confusion(m *pegasos.Model, s *dataset.Set) [][]int {
	counts := make([][]int, len(m.Classes))
	at := make(map[float32]int)
	for k, c := range m.Classes {
		counts[k] = make([]int, len(m.Classes))
		at[c] = k
	}
	for i, v := range m.PredictAll(examples(s)) {
		counts[at[s.Y[i]]][at[v]]++
	}
	return counts
}
