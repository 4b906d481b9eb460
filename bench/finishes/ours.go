package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/pegasos"
)

// A timing is a run of ours.
type timing struct {
	seconds float64
	above   bool // the time was over before the proof was there
	result  pegasos.Result
}

func (t timing) String() string {
	if t.above {
		return fmt.Sprintf("> %.2g", t.seconds)
	}
	return fmt.Sprintf("%.3g", t.seconds)
}

// plain are the settings that all runs have: what is minimised is the same as with liblinear.
func (p *problem) plain(loss pegasos.Loss, tol float64) pegasos.Config {
	return pegasos.Config{Loss: loss, Lambda: p.lambda, Tol: tol, Scale: pegasos.ScaleNone,
		Bias: pegasos.BiasNone, Multiclass: pegasos.OneVsRest}
}

// auto is what a user gets who asks for a proof.
func (p *problem) auto(loss pegasos.Loss, tol float64) pegasos.Config { return p.plain(loss, tol) }

// settings are those among which the best was to be found before there was Newton's method.
var settings = []struct {
	name string
	set  func(cfg *pegasos.Config)
}{
	{"dual", func(cfg *pegasos.Config) { cfg.Finish = pegasos.FinishDual }},
	{"none", func(cfg *pegasos.Config) { cfg.Finish = pegasos.FinishNone }},
}

// A choice is the fastest of settings.
type choice struct {
	name string
	set  func(cfg *pegasos.Config)
	none bool // none of them was fast enough
}

// earlier returns settings of before.
func (p *problem) earlier(
	loss pegasos.Loss, tol float64, set func(cfg *pegasos.Config),
) pegasos.Config {
	cfg := p.plain(loss, tol)
	cfg.Epochs = 1 << 20
	set(&cfg)
	return cfg
}

// choose finds the fastest of the settings of before, by two runs of each on one thread. Where none
// came to the end, or to that of a larger gap, none does.
func (p *problem) choose(loss pegasos.Loss, tol float64, larger choice) (c choice, err error) {
	if larger.none {
		return larger, nil
	}
	best := timing{seconds: limit.Seconds(), above: true}
	for range 2 {
		for _, s := range settings {
			cfg := p.earlier(loss, tol, s.set)
			if cfg.Validate() != nil || cfg.Finish == pegasos.FinishNone && loss != pegasos.Log {
				continue // the dual is the better finish
			}
			t, err := p.once(cfg, 1, time.Duration(best.seconds*float64(time.Second)))
			if err != nil {
				return c, err
			}
			faster := !t.above && (best.above || t.seconds < best.seconds)
			if c.name == "" || faster {
				c.name, c.set = s.name, s.set
			}
			if faster {
				best = t
			}
		}
		if best.above {
			break
		}
	}
	c.none = best.above
	return c, nil
}

// race times auto and the chosen settings of before.
func (p *problem) race(
	loss pegasos.Loss, tol float64, threads int, chosen choice, line *cells,
) error {
	runners := []runner{p.runner(p.auto(loss, tol), threads, 0)}
	if !chosen.none {
		runners = append(runners, p.runner(p.earlier(loss, tol, chosen.set), threads, *limit))
	}
	r, err := byTurns(*rounds, *most, runners...)
	if err != nil {
		return err
	}
	if chosen.none {
		r = append(r, slices.Repeat([]timing{{seconds: limit.Seconds(), above: true}}, len(r[0])))
	}
	line.add(r, chosen.name)
	p.bound(r.of(0), r.of(1))
	return nil
}

// runner returns what makes one run of ours, of at most so long if that is above 0.
func (p *problem) runner(cfg pegasos.Config, threads int, most time.Duration) runner {
	return func() (timing, error) { return p.once(cfg, threads, most) }
}

// once is one run.
func (p *problem) once(cfg pegasos.Config, threads int, most time.Duration) (timing, error) {
	ctx := context.Background()
	if most > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	start := time.Now()
	m, err := (&pegasos.Trainer{Config: cfg, Threads: threads}).Train(ctx, p.x, p.y)
	seconds := time.Since(start).Seconds()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return timing{seconds: most.Seconds(), above: true}, nil
	case err != nil:
		return timing{}, fmt.Errorf("%s: %+v: %w", p.name, cfg, err)
	}
	return timing{seconds, !(m.Result.Gap <= cfg.Tol), m.Result}, nil
}

// bound takes in what runs have proven of each problem.
func (p *problem) bound(runs ...timing) {
	for _, t := range runs {
		for k, c := range t.result.PerClass {
			for len(p.bounds) <= k {
				p.bounds = append(p.bounds, 0)
			}
			p.bounds[k] = max(p.bounds[k], c.DualObjective)
		}
	}
}

// cells are those of a line: at 1 % and at 0.1 %.
type cells struct {
	auto, before []timing
	by           []string
	faster       []string // by how much auto is

	theirs, equal timing // liblinear, and auto to what that reached
	overTheirs    string // liblinear over auto to 1 %, and over equal
}

// add takes in a race of auto and what was before.
func (c *cells) add(r race, by string) {
	c.auto, c.before = append(c.auto, r.of(0)), append(c.before, r.of(1))
	c.faster = append(c.faster, r.text(1, 0))
	if len(c.by) == 0 || c.by[0] != by {
		c.by = append(c.by, by)
	}
}

// text is the line behind its name.
func (c *cells) text(theirs *rival) string {
	epochs := fmt.Sprintf("%.0f, %.0f", c.auto[0].result.Epochs, c.auto[1].result.Epochs)
	cells := []string{
		fmt.Sprintf("%v, %v", c.auto[0], c.auto[1]), epochs,
		fmt.Sprintf("%v, %v", c.before[0], c.before[1]), strings.Join(c.by, "; "),
		strings.Join(c.faster, ", "),
	}
	if theirs == nil {
		cells = append(cells, "-", "-", "-")
	} else {
		cells = append(cells, fmt.Sprintf("%.3g, %.5g", c.theirs.seconds, theirs.above),
			c.equal.String(), c.overTheirs)
	}
	return " " + strings.Join(cells, " | ") + " |"
}
