package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aclements/go-moremath/stats"
	"github.com/klauspost/cpuid/v2"
)

type campaign struct {
	*result
	pkg
	bench   string
	both    [2]side
	surveys [2]map[string]survey
	ran     [2]tally       // of the surveys
	early   bool           // a run in Valgrind failed and lacks counts
	plan    map[string]int // operations by benchmark, equal in both trees
	numbers map[string]*numbers
}

type numbers struct {
	insn, allocs, bytes series
	settled             bool // insn needs no more processes
}

func (k *campaign) eachSide(do func(i int, s side) error) error {
	var errs [2]error
	var wait sync.WaitGroup
	for i, s := range k.both {
		if s.dir == "" {
			continue
		}
		wait.Go(func() {
			if errs[i] = do(i, s); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", s.tree, errs[i])
			}
		})
	}
	wait.Wait()
	return errors.Join(errs[:]...)
}

func (k *campaign) run(ctx context.Context, limit time.Duration, instructions bool) error {
	start := time.Now()
	until := func(share float64) (context.Context, context.CancelFunc) {
		return context.WithDeadline(ctx, start.Add(time.Duration(share*float64(limit))))
	}
	looking, cancel := until(0.4)
	defer cancel()
	if err := k.look(looking); err != nil {
		return err
	}
	k.choose()
	if instructions {
		counting, cancel := until(0.8)
		defer cancel()
		if err := k.count(counting); err != nil {
			k.miss("Counting the instructions of %s ended with an error: %.500v", k.path, err)
		}
	}
	allocating, cancel := until(1)
	defer cancel()
	return k.allocate(allocating)
}

func (k *campaign) look(ctx context.Context) error {
	k.ran = [2]tally{{ended: !k.both[0].broken}, {ended: true}} // for a tree without the package
	err := k.eachSide(func(i int, s side) (err error) {
		k.surveys[i], k.ran[i], err = lookAt(ctx, s, k.bench, k.files(s), nil, 0)
		for range 3 { // on a busy machine an operation may seem to take too long
			long := map[string]int{}
			for name, v := range k.surveys[i] {
				if v.iterations() == 0 {
					long[name] = 1
				}
			}
			if len(long) == 0 || err != nil || ctx.Err() != nil {
				break
			}
			var again map[string]survey
			again, _, err = lookAt(ctx, s, ".", k.files(s), long, 0)
			for name, v := range again {
				v.ns = min(v.ns, k.surveys[i][name].ns)
				k.surveys[i][name] = v
			}
		}
		return err
	})
	base, head := k.ran[0], k.ran[1]
	switch {
	case err != nil:
		return err
	case head.late && k.both[0].dir != "" && base.err == nil:
		k.fail(k.prefix, k.path, base, head, "does not end within its share of -limit")
	case !head.late && head.failsAlone(base):
		k.fail(k.prefix, k.path, base, head, reason(head.err))
	default:
		var over []string
		for i, t := range k.ran {
			if t.late {
				over = append(over, t.stuck)
			} else if t.err != nil {
				k.miss("Benchmarks of `%s` that fail or do not run in the %s are not counted: %s",
					k.path, k.both[i].tree, reason(t.err))
			}
		}
		if over != nil {
			k.miss("-limit was too short to run all benchmarks of `%s` once: only those that ended "+
				"are counted.%s", k.path, overIn(k.prefix, over...))
		}
	}
	k.missUnmeasured("counted", k.prefix, k.both, k.ran)
	return nil
}

func overIn(prefix string, names ...string) string {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 {
		return ""
	}
	return " Running at that time: " + list(prefix, names) + "."
}

func (k *campaign) files(s side) string { return filepath.Join(k.work, s.tree+".counts") }

func (k *campaign) choose() {
	k.plan, k.numbers = map[string]int{}, map[string]*numbers{}
	var long []string
	for _, i := range []int{1, 0} {
		for name, s := range k.surveys[i] {
			other, inBoth := k.surveys[1-i][name]
			if !inBoth && k.ran[1-i].mayHave(name) {
				continue
			}
			if inBoth {
				s.ns = min(s.ns, other.ns)
			}
			n := k.numbers[name]
			if n == nil {
				n = &numbers{}
				k.numbers[name] = n
				if k.plan[name] = s.iterations(); k.plan[name] == 0 {
					delete(k.plan, name)
					long = append(long, name)
				}
			}
			if s.calls {
				n.allocs[i] = []float64{s.allocs}
			}
		}
	}
	if len(long) > 0 {
		k.miss("Not counted, as an operation took more than %.0f ms: %s.", longestNS/1e6,
			list(k.prefix, long))
	}
}

func list(prefix string, names []string) string {
	const most = 5
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var all []string
	for _, n := range names[:min(most, len(names))] {
		all = append(all, "`"+strings.ReplaceAll(prefix+n, "`", "'")+"`")
	}
	if len(names) > most {
		all = append(all, fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(all, ", ")
}

func (k *campaign) planned(i int, names []string) map[string]int {
	plan := map[string]int{}
	for _, name := range names {
		if _, ok := k.surveys[i][name]; ok {
			plan[name] = k.plan[name]
		}
	}
	return plan
}

// once counts benchmarks in one more process per tree, with equal seeds.
func (k *campaign) once(ctx context.Context, names []string, seed int) error {
	var found [2]map[string]float64
	var complaints [2]error
	err := k.eachSide(func(i int, s side) error {
		plan := k.planned(i, names)
		if len(plan) == 0 {
			return nil
		}
		perOp, failed, err := counts(ctx, s, k.files(s), plan, seed)
		if found[i] = perOp; len(perOp) < len(plan) {
			complaints[i] = failed
		}
		return err
	})
	for i, s := range k.both {
		if complaints[i] != nil && ctx.Err() == nil {
			k.miss("The run of the benchmarks of `%s` in Valgrind failed in the %s: %s", k.path, s.tree,
				reason(complaints[i]))
			k.early = true
		}
		for name, v := range found[i] {
			n := k.numbers[name]
			n.insn[i] = append(n.insn[i], v)
		}
	}
	return err
}

func (k *campaign) countedEnough(name string, processes int) bool {
	s, calls := k.numbers[name].insn, k.surveys[1][name].calls
	return s.empty() || k.surveys[0][name].calls != calls ||
		processes == 1 && calls && math.Abs(s.change()) <= exactLimit
}

func (k *campaign) count(ctx context.Context) error {
	names := slices.Sorted(maps.Keys(k.plan))
	for stage, done := 0, 0; stage < len(stages) && len(names) > 0; stage++ {
		if stage > 0 {
			k.say("benchmarks to count again, in more processes: %d", len(names))
		}
		for ; done < stages[stage] && len(names) > 0; done++ {
			if err := k.once(ctx, names, done); err != nil {
				return err
			}
			late := ctx.Err() != nil
			if done == 0 && !late {
				k.absent()
			}
			names = slices.DeleteFunc(names, func(name string) bool {
				n := k.numbers[name]
				n.settled = k.countedEnough(name, done+1) &&
					(!late || min(len(n.insn[0]), len(n.insn[1])) > done)
				return n.settled
			})
			if late && len(names) > 0 {
				k.miss("-limit was too short to count instructions in enough processes: %s.",
					list(k.prefix, names))
				return nil
			}
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			n := k.numbers[name]
			n.settled = n.insn.settled(stage, k.surveys[1][name].calls)
			return n.settled
		})
	}
	return nil
}

func (k *campaign) absent() {
	var missing []string
	for i := range k.both {
		for name := range k.planned(i, slices.Collect(maps.Keys(k.plan))) {
			if len(k.numbers[name].insn[i]) == 0 {
				missing = append(missing, name)
			}
		}
	}
	why := because()
	if k.early {
		why = "" // once reports why
	}
	if len(missing) > 0 {
		k.miss("Instructions not counted, as Valgrind%s gave no count: %s.", why,
			list(k.prefix, missing))
	}
}

func because() string {
	if cpuid.CPU.Supports(cpuid.AVX512F) {
		return " (which emulates a CPU without AVX-512)"
	}
	return ""
}

// allocate skips benchmarks that use package count in either tree.
func (k *campaign) allocate(ctx context.Context) error {
	var plain, few []string
	for name := range k.plan {
		if !k.surveys[0][name].calls && !k.surveys[1][name].calls {
			plain = append(plain, name)
		}
	}
	for seed := 0; seed < allocRuns && len(plain) > 0 && ctx.Err() == nil; seed++ {
		err := k.eachSide(func(i int, s side) error {
			got, _, err := lookAt(ctx, s, ".", k.files(s), k.planned(i, plain), seed)
			for name, s := range got {
				n := k.numbers[name]
				n.allocs[i], n.bytes[i] = append(n.allocs[i], s.allocs), append(n.bytes[i], s.bytes)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(plain) > 0 && ctx.Err() != nil {
		k.miss("-limit was too short to count all allocations of the benchmarks of `%s`.", k.path)
		return nil
	}
	for i := range k.both {
		for name := range k.planned(i, plain) {
			if len(k.numbers[name].allocs[i]) < allocRuns {
				few = append(few, name)
			}
		}
	}
	if len(few) > 0 {
		k.miss("Allocations were not counted often enough, as these benchmarks lack a result in one "+
			"or more of %d runs: %s.", allocRuns, list(k.prefix, few))
	}
	return nil
}

// If a benchmark uses package count in one tree only, conclude ignores the base's numbers.
func (k *campaign) conclude() {
	var idle []string
	for _, name := range slices.Sorted(maps.Keys(k.numbers)) {
		before, inBase := k.surveys[0][name]
		after, inHead := k.surveys[1][name]
		numbers, per, runs := *k.numbers[name], "op", allocRuns
		if inHead && after.calls || !inHead && before.calls {
			per, runs = "call", 1
		}
		if inBase && inHead && before.calls != after.calls {
			inBase, numbers.insn[0], numbers.allocs[0] = false, nil, nil
		}
		insn := numbers.insn
		const byRuntime = "counted by the Go runtime"
		for _, f := range []finding{
			{unit: "insn/", how: "counted by Valgrind", counted: insn,
				floor:   insn.believed(after.calls, numbers.settled),
				verdict: insn.verdict(after.calls, numbers.settled)},
			{unit: "allocs/", how: byRuntime, counted: numbers.allocs, floor: allocsRise.share,
				verdict: numbers.allocs.memoryVerdict(allocsRise, runs)},
			{unit: "B/", how: byRuntime, counted: numbers.bytes, floor: bytesRise.share,
				verdict: numbers.bytes.memoryVerdict(bytesRise, runs)},
		} {
			s := f.counted
			if len(s[0]) > 0 {
				f.base = stats.Mean(s[0])
			}
			if len(s[1]) > 0 {
				f.head = stats.Mean(s[1])
			}
			f.what = k.prefix + name
			switch {
			case f.unit == "insn/" && f.base*f.head == 0 && len(s[0])*len(s[1]) > 0:
				idle = append(idle, name)
				continue
			case len(s[0]) > 0 && len(s[1]) > 0:
			case len(s[1]) > 0 && !inBase:
				f.verdict = added
			case len(s[0]) > 0 && !inHead:
				f.verdict = gone
			default:
				continue
			}
			if f.unit != "insn/" {
				f.counted = series{}
			}
			f.unit += per
			k.add(f)
		}
	}
	if len(idle) > 0 {
		k.miss("Instructions not compared, as the base or the head executes none while the timer "+
			"runs: %s.", list(k.prefix, idle))
	}
}
