package main

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	{"dual, pilot", func(cfg *pegasos.Config) {
		cfg.Finish, cfg.Offset = pegasos.FinishDual, pegasos.OffsetPilot
	}},
	{"dual, pilot, after 4", func(cfg *pegasos.Config) {
		cfg.Finish, cfg.Offset, cfg.FinishAfter = pegasos.FinishDual, pegasos.OffsetPilot, 4
	}},
	{"dual", func(cfg *pegasos.Config) { cfg.Finish = pegasos.FinishDual }},
	{"dual, after 4", func(cfg *pegasos.Config) {
		cfg.Finish, cfg.FinishAfter = pegasos.FinishDual, 4
	}},
	{"none", func(cfg *pegasos.Config) { cfg.Finish = pegasos.FinishNone }},
}

// A choice is the fastest of settings.
type choice struct {
	name string
	none bool // none of them was fast enough
}

// before times the settings of before: all of them the first time, then the chosen ones. Where none
// came to the end, or to that of a larger gap, none does.
func (p *problem) before(
	loss pegasos.Loss, tol float64, threads int, chosen *choice, larger choice,
) (best timing, err error) {
	best = timing{seconds: limit.Seconds(), above: true}
	if larger.none {
		*chosen = larger
	}
	if chosen.none {
		return best, nil
	}
	first := chosen.name == ""
	for _, s := range settings {
		cfg := p.plain(loss, tol)
		cfg.Epochs = 1 << 20
		if s.set(&cfg); cfg.Validate() != nil || !first && s.name != chosen.name {
			continue
		}
		if cfg.Finish == pegasos.FinishNone && loss != pegasos.Log {
			continue // the dual is the better finish
		}
		t, err := p.time(cfg, threads, time.Duration(best.seconds*float64(time.Second)))
		if err != nil {
			return t, err
		}
		if chosen.name == "" || !t.above && (best.above || t.seconds < best.seconds) {
			chosen.name = s.name
		}
		if !t.above && (best.above || t.seconds < best.seconds) {
			best = t
		}
	}
	chosen.none = best.above && first
	return best, nil
}

// time returns how long training takes, at most so long if that is above 0.
func (p *problem) time(
	cfg pegasos.Config, threads int, most time.Duration,
) (best timing, err error) {
	best.seconds = math.Inf(1)
	for begin, k := time.Now(), 0; k < *rounds; k++ {
		ctx, cancel := context.Background(), context.CancelFunc(func() {})
		if most > 0 {
			ctx, cancel = context.WithTimeout(ctx, most)
		}
		start := time.Now()
		m, err := (&pegasos.Trainer{Config: cfg, Threads: threads}).Train(ctx, p.x, p.y)
		seconds := time.Since(start).Seconds()
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			if k == 0 {
				return timing{seconds: most.Seconds(), above: true}, nil
			}
			continue
		case err != nil:
			return best, fmt.Errorf("%s: %+v: %w", p.name, cfg, err)
		}
		if seconds < best.seconds {
			best = timing{seconds, !(m.Result.Gap <= cfg.Tol), m.Result}
		}
		if time.Since(begin) > time.Second {
			break
		}
	}
	return best, nil
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
	equal        timing
}

func (c *cells) add(auto, before timing, by string) {
	c.auto, c.before = append(c.auto, auto), append(c.before, before)
	if len(c.by) == 0 || c.by[0] != by {
		c.by = append(c.by, by)
	}
}

// times is how much longer the one takes than the other.
func times(slow, fast timing) string {
	switch {
	case fast.above:
		return "-"
	case slow.above:
		return fmt.Sprintf("> %.2g", slow.seconds/fast.seconds)
	}
	return fmt.Sprintf("%.2g", slow.seconds/fast.seconds)
}

// text is the line behind its name.
func (c *cells) text(theirs *rival) string {
	epochs := fmt.Sprintf("%.0f, %.0f", c.auto[0].result.Epochs, c.auto[1].result.Epochs)
	cells := []string{
		fmt.Sprintf("%v, %v", c.auto[0], c.auto[1]), epochs,
		fmt.Sprintf("%v, %v", c.before[0], c.before[1]), strings.Join(c.by, "; "),
		times(c.before[0], c.auto[0]) + ", " + times(c.before[1], c.auto[1]),
	}
	if theirs == nil {
		cells = append(cells, "-", "-", "-")
	} else {
		t := timing{seconds: theirs.seconds}
		cells = append(cells, fmt.Sprintf("%.3g, %.5g", theirs.seconds, theirs.above),
			c.equal.String(), times(t, c.auto[0])+", "+times(t, c.equal))
	}
	return " " + strings.Join(cells, " | ") + " |"
}
