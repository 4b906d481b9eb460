package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
)

// proofs are lines of a table: how soon ours has proven 1 % and .1 %, and what liblinear has
// reached or .001 %, beside liblinear at its own tolerance and at the largest one that will do.
var proofs = frame.Table{
	Title: "Proven gaps: seconds of ours, the proof included, beside liblinear, which proves " +
		"nothing, at its own stop and at the largest tolerance with which it is within 1 % of f*; " +
		"** the solver that is there first",
	Head: []string{"set, loss, lambda", "threads", "liblinear", "tolerance", "its time", "above f*",
		"ours to 1 %", "to .1 %", "to that", "ours over liblinear: to 1 %", "to .1 %", "to that"},
}

// A stop is a tolerance of one of liblinear's solvers.
type stop struct {
	name             string
	tolerance, above float64 // above f*, as a share of it
	within           bool    // whether it is the largest tolerance within 1 %
	train            func() (*training, error)
}

// prove adds a line for each number of threads and each of liblinear's stops.
func (p *problem) prove() error {
	if p.host.commands[liblinear] == nil {
		return nil
	}
	var stops []stop
	for _, m := range liblinear.Methods {
		if m.Loss != p.loss {
			continue
		}
		c := p.peer(liblinear, m)
		if err := c.explore(p); err != nil {
			return err
		}
		for _, s := range []stop{{name: m.Name + ", its own stop", tolerance: m.Stop},
			{name: m.Name + ", within 1 %", tolerance: c.efforts[0], within: true}} {
			s.train = func() (*training, error) { return c.train(s.tolerance) }
			if err := p.measure(&s); err != nil {
				return err
			}
			if s.above != 0 {
				stops = append(stops, s)
			}
		}
	}
	for _, threads := range p.threads {
		if err := p.proveBeside(stops, threads); err != nil {
			return err
		}
	}
	return nil
}

// measure finds how far above f* a stop is. If liblinear doesn't come to it, the table says so.
func (p *problem) measure(s *stop) error {
	var t *training
	err := errors.New("not within the limit")
	if s.tolerance > 0 {
		t, err = s.train()
	}
	if err != nil {
		dashes := slices.Repeat([]string{"-"}, len(proofs.Head)-4)
		proofs.Rows = append(proofs.Rows, append([]string{p.String(), "-", s.name, err.Error()},
			dashes...))
		return p.ctx.Err()
	}
	f := objective(p.set.train, p.loss, p.lambda, t.values)
	s.above = f/p.bound - 1
	if err := p.verify(t, f); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// proveBeside times ours with a number of threads and the stops, all in one race, and adds a line
// for each stop.
func (p *problem) proveBeside(stops []stop, threads int) error {
	proof := func(tol float64) func() (float64, error) {
		return p.runner(func() (*training, error) {
			cfg := same(p.loss, p.lambda)
			cfg.Tol = tol
			t, err := p.own(cfg, threads, 20*p.limit)
			if err == nil && !t.proven {
				err = fmt.Errorf("%g was not proven", tol)
			}
			return t, err
		})
	}
	runs := []func() (float64, error){proof(.01), proof(.001)}
	for _, s := range stops {
		runs = append(runs, p.runner(s.train), proof(min(max(s.above, 1e-5), .99)))
	}
	race, err := frame.Runs(p.rounds, p.most, runs...)
	if err != nil {
		proofs.Add(p, threads, err, "-", "-", "-", "-", "-", "-", "-", "-", "-")
		return p.ctx.Err()
	}
	first := -1 // where the fastest of those within 1 % is in the race
	for k, s := range stops {
		if i := 2 + 2*k; s.within && (first < 0 || race.Median(i) < race.Median(first)) {
			first = i
		}
	}
	seconds := func(i int) string { return frame.Short(race.Median(i)) }
	if len(stops) == 0 {
		proofs.Add(p, threads, "-", "-", "-", "-", seconds(0), seconds(1), "-", "-", "-", "-")
	}
	for k, s := range stops {
		i := 2 + 2*k
		if i == first {
			s.name = "**" + s.name + "**"
		}
		proofs.Add(p, threads, s.name, s.tolerance, seconds(i), fmt.Sprintf("%.3g %%", 100*s.above),
			seconds(0), seconds(1), seconds(i+1), ratioOf(race, 0, i), ratioOf(race, 1, i),
			ratioOf(race, i+1, i))
	}
	return nil
}
