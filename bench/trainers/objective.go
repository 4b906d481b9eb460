package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/sets"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// bound is a lower bound on the optimum f*, gap the relative gap between bound and a model's
// objective.
type problem struct {
	*session
	set        *sets.Set
	x          dataset.Examples // training rows
	loss       string
	lambda     float64
	bound, gap float64
}

// known returns the optimum and a lower bound from data/optima.csv, or zeros.
func (p *problem) known() (optimum, bound float64, err error) {
	text, _ := files.Open("data/optima.csv") // no error: embedded
	lines, err := frame.ReadLines(text)
	for _, line := range lines {
		if p.loss == "hinge" && line[0] == p.set.Name && line[1] == fmt.Sprint(p.lambda) {
			_, err = fmt.Sscan(line[2], &optimum)
			_, failed := fmt.Sscan(line[3], &bound)
			return optimum, bound, errors.Join(err, failed)
		}
	}
	return 0, 0, err
}

func (p *problem) String() string { return fmt.Sprintf("%s, %s, %g", p.set.Name, p.loss, p.lambda) }

func (p *problem) solve() error {
	rows, err := p.set.Train.WithLayout(dataset.LayoutAuto)
	if err != nil {
		return err
	}
	p.x = rows.Examples()
	for _, tol := range []float64{1e-5, 1e-4, 1e-3} {
		cfg := same(p.loss, p.lambda)
		cfg.Tol = tol
		t, err := p.own(cfg, 0, 60*p.limit)
		if errors.Is(err, errLimit) {
			continue
		}
		if err != nil {
			return err
		}
		f := objective(p.set.Train, p.loss, p.lambda, t.values)
		p.bound, p.gap = t.bound, f/t.bound-1
		if err := p.verify(t, f); err != nil {
			return err
		}
		optimum, bound, err := p.known()
		if optimum > 0 && (p.bound > optimum*(1+1e-6) || f < bound*(1-1e-6)) {
			return fmt.Errorf("%s: the optimum is from %v to %v, but data/optima.csv has %v to %v", p,
				p.bound, f, bound, optimum)
		}
		return err
	}
	return fmt.Errorf("%s: our trainer proves no gap of 0.001 within %v, 60 times -limit", p,
		60*p.limit)
}

func (p *problem) own(cfg pegasos.Config, threads int, limit time.Duration) (*training, error) {
	return ownTrain(p.ctx, p.x, p.set.Train.Y, cfg, threads, limit)
}

func (p *problem) verify(t *training, f float64) error {
	switch {
	case !(f >= p.bound*(1-1e-9)):
		return fmt.Errorf("%s: the objective is %v, want the proven lower bound %v or more", p, f,
			p.bound)
	case t.objective != 0 && !(math.Abs(t.objective-f) <= 1e-4*f):
		return fmt.Errorf("%s: our trainer reports the objective %v, but the weights have %v", p,
			t.objective, f)
	case t.bound > f*(1+1e-9):
		return fmt.Errorf("%s: our trainer reports the lower bound %v, above the objective %v", p,
			t.bound, f)
	}
	return nil
}

// targets are relative distances from the optimum.
var targets = []float64{.01, .001, .0001}

type contender struct {
	name string
	ours bool
	// unit of efforts: "passes" or "tolerances"; "its own stop" for a library's default tolerance,
	// "proven" for gaps to prove
	kind  string
	steps []float64 // efforts to try, in order
	train func(effort float64) (*training, error)

	efforts  [3]float64 // first effort that reached each target; 0 if none did
	above    float64    // upper bound on (P-f*)/f* of the last run
	accuracy float64    // of the last run, in percent
	left     error      // why explore tried no further efforts
}

func (p *problem) contenders() (all []*contender) {
	for _, threads := range p.threads {
		with := ""
		if len(p.threads) > 1 {
			with = fmt.Sprintf(", %d threads", threads)
		}
		add := func(name, kind string, steps []float64, set func(effort float64) pegasos.Config) {
			all = append(all, &contender{name: name + with, ours: true, kind: kind, steps: steps,
				train: func(effort float64) (*training, error) {
					return p.own(set(effort), threads, 20*p.limit)
				}})
		}
		add("Pegasimd, proven", "proven", targets, func(tol float64) pegasos.Config {
			cfg := same(p.loss, p.lambda)
			cfg.Tol = tol
			return cfg
		})
		add("Pegasimd, plain", "passes", passes, func(effort float64) pegasos.Config {
			cfg := same(p.loss, p.lambda).Plain()
			cfg.Epochs = int(effort)
			return cfg
		})
	}
	many := len(classes(p.set.Train)) > 2
	for _, q := range peers {
		for _, m := range q.Methods {
			if p.commands[q] == nil || m.Loss != p.loss || many && !m.Many {
				continue
			}
			c := contender{name: m.Name, kind: "passes", steps: passes,
				train: func(effort float64) (*training, error) {
					return p.train(q, m.Code, p.lambda, effort, 20*p.limit)
				}}
			if m.Tolerances {
				c.kind, c.steps = "tolerances", tolerances
			}
			all = append(all, &c)
			if m.Stop > 0 {
				own := c
				own.name, own.kind, own.steps = m.Name+", default", "its own stop", []float64{m.Stop}
				all = append(all, &own)
			}
		}
	}
	return all
}

var passes, tolerances = func() (passes, tolerances []float64) {
	passes = []float64{1}
	for e := 2.; e < 1e5; e *= 2 {
		passes = append(passes, e, e*1.5)
	}
	for e := 10.; e > 1e-8; e /= 2 {
		tolerances = append(tolerances, e)
	}
	return passes, tolerances
}()

// explore finds the first efforts that reach the targets. A library's own stop counts for all.
func (c *contender) explore(p *problem) error {
	c.above = math.Inf(1)
	for k, effort := range c.steps {
		t, err := c.train(effort)
		if c.left = err; err != nil {
			return p.ctx.Err()
		}
		f := objective(p.set.Train, p.loss, p.lambda, t.values)
		if err := p.verify(t, f); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		c.above = f/p.bound - 1
		if p.set.Test != nil {
			c.accuracy = accuracy(p.set.Test.Y, predict(p.set.Test, classes(p.set.Train), t.values))
		}
		for i, target := range targets {
			reached := c.above <= target || c.kind == "its own stop"
			if c.kind == "proven" {
				reached = t.proven && i == k
			}
			if reached && c.efforts[i] == 0 {
				c.efforts[i] = effort
			}
		}
		if c.kind != "proven" && (c.efforts[2] > 0 || p.seconds(t) > p.limit.Seconds()) {
			return nil
		}
	}
	return nil
}

// runner returns a function that repeats short trainings and returns the median time.
func (p *problem) runner(train func() (*training, error)) func() (float64, error) {
	return func() (float64, error) {
		var all []float64
		for sum := 0.; sum < .01 && len(all) < 7; {
			t, err := train()
			if err != nil {
				return 0, err
			}
			all = append(all, p.seconds(t))
			sum += p.seconds(t)
		}
		return frame.Quantile(all, .5), nil
	}
}

func (p *problem) race() error {
	contenders := p.contenders()
	grid := &frame.Grid{Title: fmt.Sprintf("%s; %s, lambda %g: f* = %.8g, with a gap of %.0e",
		p.set, p.loss, p.lambda, p.bound, p.gap), Quartiles: true,
		NoteHead: []string{"efforts", "above f*, %", "test accuracy, %"}}
	for _, c := range contenders {
		if err := c.explore(p); err != nil {
			return err
		}
		log.Printf("%s: %s: %v %s", p, c.name, c.efforts, c.kind)
		efforts, accuracy := fmt.Sprintf("%.3g %s", c.efforts, c.kind), "-"
		if c.left != nil {
			efforts += "; " + c.left.Error()
		}
		if p.set.Test != nil && !math.IsInf(c.above, 1) { // at least one run has ended
			accuracy = fmt.Sprintf("%.2f", c.accuracy)
		}
		grid.Rows = append(grid.Rows, c.name)
		grid.Notes = append(grid.Notes, []string{efforts, fmt.Sprintf("%.3g", 100*c.above), accuracy})
	}
	for i, target := range targets {
		var runs []func() (float64, error)
		var at []int // contender of each run
		for k, c := range contenders {
			if effort := c.efforts[i]; effort > 0 {
				at = append(at, k)
				runs = append(runs, p.runner(func() (*training, error) { return c.train(effort) }))
			}
		}
		race, err := frame.Runs(p.rounds, p.most, runs...)
		if err != nil {
			return err
		}
		column := make(frame.Race, len(contenders))
		for k, samples := range race {
			column[at[k]] = samples
		}
		grid.Columns = append(grid.Columns, fmt.Sprintf("to %g f*", 1+target))
		grid.Races = append(grid.Races, column)
	}
	p.grids = append(p.grids, grid)
	return grid.Write(os.Stdout)
}
