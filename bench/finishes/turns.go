package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// A runner makes one run of something.
type runner func() (timing, error)

// A race is what runners took by turns: one run of each a round. The machine may be slower in one
// round than in another; the ratios within rounds say who is faster.
type race [][]timing

// byTurns lets the runners run in turns, for so many rounds, or as many as began within the time.
func byTurns(rounds int, most time.Duration, runners ...runner) (race, error) {
	r := make(race, len(runners))
	for begin, k := time.Now(), 0; k < rounds && (k == 0 || time.Since(begin) < most); k++ {
		for i := range runners {
			at := (i + k) % len(runners) // who begins changes
			t, err := runners[at]()
			if err != nil {
				return nil, err
			}
			r[at] = append(r[at], t)
		}
	}
	return r, nil
}

// of returns the run of a runner that has the median of its seconds.
func (r race) of(runner int) timing {
	runs := slices.Clone(r[runner])
	slices.SortFunc(runs, func(s, t timing) int { return cmp.Compare(s.seconds, t.seconds) })
	return runs[len(runs)/2]
}

// text is the ratio as a table has it: none where the fast one did not come to the end.
func (r race) text(slow, fast int) string {
	switch ratio := r.ratio(slow, fast); {
	case r.of(fast).above:
		return "-"
	case r.of(slow).above:
		return fmt.Sprintf("> %.2g", ratio)
	default:
		return fmt.Sprintf("%.2g", ratio)
	}
}

// ratio returns the median of how much longer the one runner takes than the other, by round.
func (r race) ratio(slow, fast int) float64 {
	var ratios []float64
	for k, t := range r[slow] {
		ratios = append(ratios, t.seconds/r[fast][k].seconds)
	}
	return stats.Median(ratios)
}
