package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/pegasimd/pegasimd/gate/machine"
)

// Times on a shared machine drift, so only consecutive runs are compared: of the base, of the head,
// and of a copy of the base, which shows the noise. The shortest time of a process counts, as other
// processes only lengthen times.

const (
	repeats   = 5
	benchtime = "500us"
	// fewestRounds is the least number of rounds with a 95 % interval of the median.
	fewestRounds = 6
)

type timing struct {
	base, head, again []float64 // ns/op, one per round
}

// ratioOf returns the median of the ratios a/b with a 95 % confidence interval that assumes no
// distribution.
func ratioOf(a, b []float64) benchmath.Summary {
	ratios := make([]float64, len(a))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return summary(ratios)
}

func summary(values []float64) benchmath.Summary {
	values = slices.Clone(values) // NewSample sorts
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, 0.95)
}

// floor returns the noise: the greatest distance from 1 of the bases' ratio or of an end of its
// interval.
func (t timing) floor() float64 {
	aa := ratioOf(t.again, t.base)
	return max(math.Abs(aa.Center-1), math.Abs(aa.Lo-1), math.Abs(aa.Hi-1))
}

func (t timing) limit() float64 { return max(0.05, 2*t.floor()) }

func (t timing) slower() bool { return ratioOf(t.head, t.base).Lo > 1+t.limit() }
func (t timing) faster() bool { return ratioOf(t.head, t.base).Hi < 1/(1+t.limit()) }

type timed struct {
	name, short string  // with the package's prefix, and without
	sides       [3]side // base, head, and a copy of the base's binary
	t           timing
	spent       time.Duration
	again       bool // it looked slower, and is timed a second time
}

func (b *timed) timeOnce(ctx context.Context, r *rand.Rand) error {
	start := time.Now()
	defer func() { b.spent += time.Since(start) }()
	var ns [3]float64
	for _, i := range r.Perm(len(b.sides)) {
		ran := benchmarks(ctx, b.sides[i], []string{"GOGC=off", "GOMAXPROCS=1"}, repeats,
			exactly(b.short), "-test.benchtime="+benchtime)
		if ran.err != nil {
			return ran.err
		}
		ns[i] = math.Inf(1)
		for _, l := range ran.lines[b.short] {
			ns[i] = min(ns[i], l.ns)
		}
		if !(ns[i] > 0) || math.IsInf(ns[i], 1) {
			return errors.New("it has no result, or a result without ns/op above 0")
		}
	}
	b.t.base, b.t.head = append(b.t.base, ns[0]), append(b.t.head, ns[1])
	b.t.again = append(b.t.again, ns[2])
	return nil
}

func (k *comparison) inBoth(ctx context.Context) (all []*timed, err error) {
	deadline, _ := ctx.Deadline()
	share := time.Until(deadline) / 5 / time.Duration(2*len(k.trees[1].packages))
	for _, p := range k.trees[1].packages {
		both := k.sides(p)
		isNew, again := both[0].dir == "" && !both[0].broken, both[0]
		if isNew {
			k.untimed++
		} else if !again.broken {
			again.binary = strings.TrimSuffix(again.binary, ".test") + "-again.test"
			if err := copyFile(again.binary, both[0].binary); err != nil {
				return nil, err
			}
		}
		ran := [2]tally{{ended: !again.broken}, {}} // if the base lacks the package
		late := false
		for i, s := range both {
			if s.dir == "" {
				continue
			}
			looking, cancel := context.WithTimeout(ctx, share)
			ran[i] = benchmarks(looking, s, nil, 1, k.c.times, "-test.benchtime=1x")
			cancel()
			isLate := ran[i].late
			late = late || isLate
			if isLate && !isNew { // new packages are not timed
				k.miss("-limit was too short to run each benchmark of `%s` once in the %s: those that "+
					"did not end, and later ones of this package, are not timed.%s", p.path, s.tree,
					overIn(p.prefix, ran[i].stuck))
			} else if !isLate && ran[i].err != nil {
				k.miss("Benchmarks of `%s` that fail or do not run in the %s are not timed: %s",
					p.path, s.tree, reason(ran[i].err))
			}
		}
		base, head := ran[0], ran[1]
		k.missUnmeasured("timed", p.prefix, both, ran)
		if !late && head.failsAlone(base) {
			k.fail(p.prefix, p.path, base, head, reason(head.err))
		}
		for name := range head.lines {
			if len(base.lines[name]) > 0 {
				all = append(all, &timed{name: p.prefix + name, short: name,
					sides: [3]side{both[0], both[1], again}})
			} else if !base.mayHave(name) {
				k.untimed++
			}
		}
		for name, lines := range base.lines {
			if len(head.lines[name]) == 0 && !head.mayHave(name) {
				k.add(finding{what: p.prefix + name, unit: "ns/op", how: "run once",
					base: lines[0].ns, verdict: gone})
			}
		}
	}
	return all, nil
}

// A benchmark that looks slower is worse only if a second run agrees.
func (k *comparison) time(outer context.Context, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(outer, deadline)
	defer cancel()
	all, err := k.inBoth(ctx)
	if err != nil || len(all) == 0 {
		return errors.Join(err, outer.Err())
	}
	k.note("Processes that were timed: %s.", machine.Pin())
	defer runtime.UnlockOSThread()
	k.say("benchmarks to time: %d, in up to %d rounds of base, head and base again", len(all),
		k.c.rounds)
	half, cancelHalf := context.WithTimeout(ctx, time.Until(deadline)*6/10)
	defer cancelHalf()
	all = k.inRounds(half, all, k.c.rounds)
	var doubtful []*timed
	for _, b := range all {
		if b.t.slower() {
			doubtful = append(doubtful, &timed{name: b.name, short: b.short, sides: b.sides,
				again: true})
		}
	}
	second := map[string]*timing{}
	if len(doubtful) > 0 {
		k.say("benchmarks that look slower and are timed again: %d", len(doubtful))
		for _, b := range k.inRounds(ctx, doubtful, 2*k.c.rounds) {
			second[b.name] = &b.t
		}
	}
	slices.SortFunc(all, func(a, b *timed) int { return strings.Compare(a.name, b.name) })
	for _, b := range all {
		k.addTiming(b.name, b.t, second[b.name])
	}
	return outer.Err()
}

func (r *result) addTiming(name string, first timing, second *timing) {
	f := finding{what: name, unit: "ns/op", how: "timed", base: summary(first.base).Center,
		head: summary(first.head).Center, timed: []timing{first}, floor: first.limit(),
		verdict: equal}
	if first.faster() {
		f.verdict = better
	}
	switch {
	case second != nil:
		f.timed = append(f.timed, *second)
		if second.slower() {
			f.verdict = worse
		}
	case first.slower():
		f.verdict = unsettled
	}
	r.add(f)
}

// inRounds returns the benchmarks with at least fewestRounds.
func (k *comparison) inRounds(ctx context.Context, all []*timed, rounds int) []*timed {
	r := rand.New(rand.NewPCG(1, uint64(len(all))))
	last := time.Now()
	for round := 0; round < rounds && ctx.Err() == nil; round++ {
		all = slices.DeleteFunc(all, func(b *timed) bool {
			err := ctx.Err()
			if err == nil {
				err = b.timeOnce(ctx, r)
			}
			failed := err != nil && ctx.Err() == nil
			if failed {
				k.miss("Timing `%s` failed: %s", b.name, reason(err))
			}
			return failed
		})
		if round == 0 {
			all, rounds = k.fit(ctx, all, rounds)
		}
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			k.say("%d of %d rounds timed", round+1, rounds)
		}
	}
	return k.leaveOut(all, func(b *timed) bool { return len(b.t.base) < fewestRounds })
}

func (k *comparison) leaveOut(all []*timed, late func(*timed) bool) []*timed {
	var out []string
	what := "time"
	all = slices.DeleteFunc(all, func(b *timed) bool {
		if !late(b) {
			return false
		}
		out = append(out, b.name)
		if b.again {
			what = "time again"
		}
		return true
	})
	if out != nil {
		k.miss("-limit was too short to %s: %s.", what, list("", out))
	}
	return all
}

func (k *comparison) fit(ctx context.Context, all []*timed, rounds int) ([]*timed, int) {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	slices.SortStableFunc(all, func(a, b *timed) int { return int(a.spent - b.spent) })
	var sum time.Duration
	all = k.leaveOut(all, func(b *timed) bool {
		late := (sum+b.spent)*(fewestRounds-1) > left
		if !late {
			sum += b.spent
		}
		return late
	})
	if sum > 0 {
		rounds = max(fewestRounds, min(rounds, 1+int(left/sum)))
	}
	return all, rounds
}
