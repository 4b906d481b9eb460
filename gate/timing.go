package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// Times on a shared machine differ by tens of percent between minutes, on the same code. So what is
// compared is what ran within a fraction of a second: in each round base, head and base again, of
// one benchmark, each in its own process. The ratio of the two bases is the noise of that round.
//
// A process runs the benchmark some times and its shortest time counts: what other processes do
// makes times longer, never shorter.

const repeats = 5

// fewestRounds is what an interval of 95 % needs.
const fewestRounds = 6

// A timing is the times of one benchmark, a number for each round.
type timing struct {
	base, head, again []float64 // ns/op
}

// A ratio is a median with the interval that covers the true one with 95 % confidence, by order
// statistics alone.
type ratio struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

func ratioOf(a, b []float64) ratio {
	ratios := stats.Ratios(a, b)
	lo, hi := stats.Interval(ratios, 0.95)
	return ratio{stats.Median(ratios), lo, hi}
}

// floor is how far the ratio of two runs of the same code is from 1 here.
func (t timing) floor() float64 {
	aa := ratioOf(t.again, t.base)
	return max(math.Abs(aa.Median-1), math.Abs(aa.Lo-1), math.Abs(aa.Hi-1))
}

// limit is the change that is believed: 5 %, or twice the noise.
func (t timing) limit() float64 { return max(0.05, 2*t.floor()) }

// slower and faster tell whether all of the interval is beyond the limit.
func (t timing) slower() bool { return ratioOf(t.head, t.base).Lo > 1+t.limit() }
func (t timing) faster() bool { return ratioOf(t.head, t.base).Hi < 1/(1+t.limit()) }

// A timed is a benchmark that both trees have.
type timed struct {
	name       string // with the package's prefix
	short      string
	base, head side
	again      string // a copy of the base's binary
	t          *timing
	spent      time.Duration
}

// timeOnce adds one round of a benchmark, whose order is drawn.
func (b *timed) timeOnce(ctx context.Context, r *rand.Rand, benchtime string) error {
	start := time.Now()
	defer func() { b.spent += time.Since(start) }()
	turns := []struct {
		binary, dir string
		times       *[]float64
	}{
		{b.base.binary, b.base.dir, &b.t.base}, {b.head.binary, b.head.dir, &b.t.head},
		{b.again, b.base.dir, &b.t.again},
	}
	found := make([]float64, len(turns))
	for _, i := range r.Perm(len(turns)) {
		turn := turns[i]
		got, failed := benchmarks(ctx, turn.binary, turn.dir, []string{"GOGC=off", "GOMAXPROCS=1"},
			"-test.bench="+exactly(b.short), "-test.benchtime="+benchtime,
			"-test.count="+strconv.Itoa(repeats))
		if failed != nil {
			return failed
		}
		shortest := math.Inf(1)
		for _, l := range got {
			if l.name != b.short {
				return fmt.Errorf("asked for %s, got %s", b.short, l.name)
			}
			shortest = min(shortest, l.values["ns/op"])
		}
		if !(shortest > 0) || math.IsInf(shortest, 1) {
			return errors.New("it has no ns/op")
		}
		found[i] = shortest
	}
	for i, turn := range turns {
		*turn.times = append(*turn.times, found[i])
	}
	return nil
}

// A clock times benchmarks within the time that there is.
type clock struct {
	benchtime string
	say       func(string, ...any)
	missed    []string // notes on what was not timed
}

// time measures the benchmarks in rounds, all of them in each round. The first round tells how many
// there is time for; where it is not enough for an interval, the slowest benchmarks are left out.
func (k *clock) time(ctx context.Context, all []*timed, rounds int) []*timed {
	r := rand.New(rand.NewPCG(1, uint64(len(all))))
	for _, b := range all {
		b.t, b.spent = &timing{}, 0
	}
	last := time.Now()
	for round := 0; round < rounds && ctx.Err() == nil; round++ {
		for i := 0; i < len(all) && ctx.Err() == nil; i++ {
			if err := all[i].timeOnce(ctx, r, k.benchtime); err != nil && ctx.Err() == nil {
				k.missed = append(k.missed, fmt.Sprintf("`%s` was not timed: %.300v", all[i].name,
					err))
				all = slices.Delete(all, i, i+1)
				i--
			}
		}
		if round == 0 {
			all, rounds = k.fit(ctx, all, rounds)
		}
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			k.say("%d of %d rounds timed", round+1, rounds)
		}
	}
	var late []string
	all = slices.DeleteFunc(all, func(b *timed) bool {
		if len(b.t.base) >= fewestRounds {
			return false
		}
		late = append(late, "`"+b.name+"`")
		return true
	})
	k.leaveOut(late)
	return all
}

// leaveOut names what there was no time for.
func (k *clock) leaveOut(names []string) {
	if len(names) > 0 {
		k.missed = append(k.missed, fmt.Sprintf("Not timed, as there was no time for it: %d "+
			"benchmarks, of which %s takes longest.", len(names), names[0]))
	}
}

// fit is how many rounds of which benchmarks fit into the time left, after the first one.
func (k *clock) fit(ctx context.Context, all []*timed, rounds int) ([]*timed, int) {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	slices.SortStableFunc(all, func(a, b *timed) int { return int(a.spent - b.spent) })
	var sum time.Duration
	for _, b := range all {
		sum += b.spent
	}
	var dropped []string
	for len(all) > 0 && sum*(fewestRounds-1) > left {
		slowest := all[len(all)-1]
		sum -= slowest.spent
		dropped = append(dropped, "`"+slowest.name+"`")
		all = all[:len(all)-1]
	}
	k.leaveOut(dropped)
	if sum > 0 {
		rounds = max(fewestRounds, min(rounds, 1+int(left/sum)))
	}
	return all, rounds
}
