package main

import (
	"fmt"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
)

// proofs are lines of a table: how soon ours has proven 1 % and 0.1 %, and, beside liblinear's own
// stop, at its own tolerance, how soon it has proven what liblinear has reached then, or .001 %.
var proofs = frame.Table{
	Title: "Proven gaps: seconds of ours, the proof included, beside liblinear's own stop",
	Head: []string{"set, loss, lambda", "threads", "to 1 %", "to .1 %", "liblinear", "its stop",
		"above f*", "ours to that", "liblinear over ours: to 1 %", "to .1 %", "to that"},
}

// prove adds a line for each number of threads and each of liblinear's solvers.
func (p *problem) prove() error {
	for _, threads := range p.threads {
		for _, m := range liblinear.methods {
			if m.loss != p.loss || p.host.commands[liblinear] == nil {
				continue
			}
			if err := p.proveBeside(m, threads); err != nil {
				return err
			}
		}
	}
	return nil
}

// proveBeside adds the line of one of the solvers.
func (p *problem) proveBeside(m method, threads int) error {
	theirs := func() (*training, error) {
		return p.host.train(liblinear, m.code, p.lambda, m.stop, 20*p.limit)
	}
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
	var race frame.Race
	above := 0.
	t, err := theirs()
	if err == nil {
		f := objective(p.set.train, p.loss, p.lambda, t.values)
		if err := p.verify(t, f); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		above = f/p.bound - 1
		race, err = frame.Runs(p.rounds, p.most, proof(.01), proof(.001),
			proof(min(max(above, 1e-5), .99)), p.runner(theirs))
	}
	if err != nil {
		proofs.Add(p, threads, "-", "-", m.name, err, "-", "-", "-", "-", "-")
		return p.ctx.Err()
	}
	proofs.Add(p, threads, frame.Short(race.Median(0)), frame.Short(race.Median(1)), m.name,
		frame.Short(race.Median(3)), fmt.Sprintf("%.3g %%", 100*above),
		frame.Short(race.Median(2)), ratioOf(race, 3, 0), ratioOf(race, 3, 1),
		ratioOf(race, 3, 2))
	return nil
}
