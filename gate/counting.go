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

	"github.com/pegasimd/pegasimd/gate/stats"
)

// What a plain benchmark executes is not always the same: maps are seeded anew in each process,
// goroutines meet as they come, some benchmarks draw their data. So each is counted in some
// processes of its own, and what is believed depends on how far these differ.

// A series is one number of a benchmark in several processes of each tree.
type series struct{ base, head []float64 }

// change is that of the means: where a benchmark has two ways to go, the median jumps from one to
// the other.
func (s series) change() float64 { return stats.Mean(s.head)/stats.Mean(s.base) - 1 }

// deviation is the standard error of change.
func (s series) deviation() float64 {
	if len(s.base) < 2 || len(s.head) < 2 {
		return 0
	}
	v := stats.Variance(s.base)/float64(len(s.base)) + stats.Variance(s.head)/float64(len(s.head))
	return math.Sqrt(v) / stats.Mean(s.base)
}

// spread is how far the values of a tree are apart, as a share.
func (s series) spread() float64 {
	return max(slices.Max(s.base)/slices.Min(s.base), slices.Max(s.head)/slices.Min(s.head)) - 1
}

// confident is how many standard errors a change must have. With the processes of the last stage
// it is passed by chance once in 100,000 times.
const confident = 5

// limit is the change that is believed.
func (s series) limit() float64 { return max(exactLimit, confident*s.deviation()) }

// steady is a spread that needs no more processes.
const steady = 0.001

// stages are how many processes of each tree have counted a benchmark when it is looked at again.
var stages = []int{2, 6, 16}

// settled tells whether a benchmark needs no more processes after a stage.
func (s series) settled(stage int, calls bool) bool {
	switch {
	case stage == len(stages)-1:
		return true
	case s.spread() <= steady && (calls || stage > 0):
		return true
	case stage == 0:
		return s.change()+3*s.deviation() <= exactLimit
	case s.change() > 2*s.limit():
		return true // far beyond what more processes could take back
	}
	return s.change() <= max(exactLimit, 1.5*s.deviation())
}

// verdict is worse only if there were processes enough to know the spread.
func (s series) verdict(calls bool) verdict {
	enough := calls || len(s.head) >= stages[1]
	switch change, limit := s.change(), s.limit(); {
	case change > limit && !enough:
		return equal
	case change > limit:
		return worse
	case change < -limit:
		return better
	}
	return equal
}

// A campaign counts the benchmarks of one package.
type campaign struct {
	c       *config
	both    [2]side // base and head
	path    string  // of the package
	prefix  string  // of its benchmarks' names
	work    string
	surveys [2]map[string]survey
	plan    map[string]int // by name, for both
	insn    map[string]*series
	late    []string // benchmarks that there was no time to count
	notes   []string
	missed  []string // notes on what could not be measured
}

// A side is a package in one of the trees. Without a folder it is not there.
type side struct {
	tree, dir       string
	binary, counted string
}

func (k *campaign) note(format string, a ...any) {
	k.notes = append(k.notes, fmt.Sprintf(format, a...))
}

func (k *campaign) miss(format string, a ...any) {
	k.missed = append(k.missed, fmt.Sprintf(format, a...))
}

// eachSide does something for both trees at the same time: what is counted does not change by it.
func (k *campaign) eachSide(do func(i int, s side) error) error {
	var errs [2]error
	var wait sync.WaitGroup
	for i, s := range k.both {
		if s.dir == "" {
			continue
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			if errs[i] = do(i, s); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", s.tree, errs[i])
			}
		}()
	}
	wait.Wait()
	return errors.Join(errs[:]...)
}

// run counts instructions, if it can be done, and allocations, for so long at most.
func (k *campaign) run(ctx context.Context, limit time.Duration, instructions bool,
	say func(string, ...any)) (map[string]*memory, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	looking, cancelLooking := context.WithTimeout(ctx, limit*4/10)
	defer cancelLooking()
	if err := k.look(looking); err != nil {
		return nil, err
	}
	k.choose()
	if instructions {
		counting, cancelCounting := context.WithTimeout(ctx, limit*8/10) // and then allocations
		defer cancelCounting()
		if err := k.count(counting, say); err != nil {
			k.miss("Instructions of %s were not counted: %.500v", k.path, err)
		}
		k.absent()
	}
	return k.memory(ctx)
}

// look finds out which benchmarks there are and how long they take.
func (k *campaign) look(ctx context.Context) error {
	var failed [2]error
	err := k.eachSide(func(i int, s side) error {
		all, complaint, err := lookAt(ctx, s.counted, s.dir, k.c.bench, k.files(s), nil)
		failed[i] = complaint
		k.surveys[i] = map[string]survey{}
		for _, v := range all {
			k.surveys[i][v.name] = v
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case failed[1] == nil && failed[0] == nil:
	case failed[0] == nil && k.both[0].dir != "" && ctx.Err() != nil:
		return errors.New("the head's benchmarks do not end within -limit, where the base's do")
	case ctx.Err() != nil:
		k.miss("The time was over before all benchmarks of `%s` had run once: only those that "+
			"did are counted.", k.path)
		k.onlyBoth()
	case failed[0] == nil && k.both[0].dir != "":
		return fmt.Errorf("the head's benchmarks fail, where the base's do not: %w", failed[1])
	case failed[1] != nil:
		k.note("Some benchmarks of the head fail: %v", failed[1])
	case failed[0] != nil:
		k.note("Some benchmarks of the base fail: %v", failed[0])
	}
	return nil
}

// onlyBoth forgets the benchmarks that ran in one tree alone: the other may have them too.
func (k *campaign) onlyBoth() {
	for i, s := range k.surveys {
		if k.both[1-i].dir == "" {
			continue
		}
		maps.DeleteFunc(s, func(name string, _ survey) bool {
			_, ok := k.surveys[1-i][name]
			return !ok
		})
	}
}

func (k *campaign) files(s side) string { return filepath.Join(k.work, s.tree+".counts") }

// choose plans the operations of each benchmark: as many in both trees.
func (k *campaign) choose() {
	k.plan, k.insn = map[string]int{}, map[string]*series{}
	var long []string
	for _, i := range []int{1, 0} {
		for name, s := range k.surveys[i] {
			if _, chosen := k.plan[name]; chosen {
				continue
			}
			if n := s.iterations(); n > 0 {
				k.plan[name] = n
			} else if i == 1 {
				long = append(long, name)
			}
		}
	}
	if len(long) > 0 {
		k.note("Not counted, as an operation takes more than %.0f ms: %s.", longestNS/1e6,
			k.list(long))
	}
}

// list names benchmarks, but not more than some.
func (k *campaign) list(names []string) string {
	const most = 5
	slices.Sort(names)
	var all []string
	for _, n := range names[:min(most, len(names))] {
		all = append(all, "`"+k.prefix+n+"`")
	}
	if len(names) > most {
		all = append(all, fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(all, ", ")
}

// seconds is about what a process takes for one benchmark.
func (k *campaign) seconds(name string) float64 {
	return 0.02 + 60e-9*float64(k.plan[name]+1)*max(k.surveys[0][name].ns, k.surveys[1][name].ns)
}

// pass counts benchmarks once more in both trees, those named, as far as there is time.
func (k *campaign) pass(ctx context.Context, names []string) (late []string, err error) {
	const most = 8 // seconds of a process: what is lost when the time is over
	for len(names) > 0 {
		if ctx.Err() != nil {
			return names, nil
		}
		n, sum := 0, 0.0
		for ; n < len(names) && (n == 0 || sum < most); n++ {
			sum += k.seconds(names[n])
		}
		if err := k.once(ctx, names[:n]); err != nil && ctx.Err() == nil {
			return nil, err
		} else if err != nil {
			return names, nil
		}
		names = names[n:]
	}
	return nil, nil
}

// once counts benchmarks in a process of each tree.
func (k *campaign) once(ctx context.Context, names []string) error {
	var found [2]map[string]float64
	var complaints [2]error
	err := k.eachSide(func(i int, s side) error {
		plan := map[string]int{}
		for _, name := range names {
			if _, ok := k.surveys[i][name]; ok {
				plan[name] = k.plan[name]
			}
		}
		if len(plan) == 0 {
			return nil
		}
		perOp, failed, err := counts(ctx, s.counted, s.dir, k.files(s), plan)
		if found[i] = perOp; len(perOp) < len(plan) {
			complaints[i] = failed
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range k.both {
		if complaints[i] != nil {
			k.miss("In Valgrind the benchmarks of the %s end early: %.300v", s.tree, complaints[i])
		}
		for name, v := range found[i] {
			values := k.insn[name]
			if values == nil {
				values = &series{}
				k.insn[name] = values
			}
			if i == 0 {
				values.base = append(values.base, v)
			} else {
				values.head = append(values.head, v)
			}
		}
	}
	return nil
}

// comparable tells whether a benchmark was counted in both trees, in the same way.
func (k *campaign) comparable(name string) bool {
	s := k.insn[name]
	return s != nil && len(s.base) > 0 && len(s.head) > 0 &&
		k.surveys[0][name].calls == k.surveys[1][name].calls
}

// count counts until each benchmark is settled or the time is over.
func (k *campaign) count(ctx context.Context, say func(string, ...any)) error {
	names := make([]string, 0, len(k.plan))
	for name := range k.plan {
		names = append(names, name)
	}
	slices.Sort(names)
	done := 0
	for stage, until := range stages {
		for ; done < until && len(names) > 0; done++ {
			var err error
			if k.late, err = k.pass(ctx, names); err != nil {
				return err
			}
			if len(k.late) > 0 {
				k.miss("The time was over before all was counted as often as it should; not "+
					"settled: %s.", k.list(k.late))
				return nil
			}
			names = slices.DeleteFunc(names, func(name string) bool {
				return k.exact(name, done)
			})
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			return k.insn[name].settled(stage, k.surveys[1][name].calls)
		})
		if len(names) > 0 {
			say("%d benchmarks are counted again, in more processes", len(names))
		}
	}
	return nil
}

// exact tells, after the first process, which benchmarks need no second one: single calls that do
// the same in both trees, and what is in one tree only or does not run.
func (k *campaign) exact(name string, done int) bool {
	if !k.comparable(name) {
		return true
	}
	s := k.insn[name]
	return done == 0 && k.surveys[1][name].calls && math.Abs(s.change()) <= exactLimit
}

// absent lists what ran natively in the head and not in Valgrind.
func (k *campaign) absent() {
	var missing []string
	for name := range k.surveys[1] {
		if _, planned := k.plan[name]; planned && (k.insn[name] == nil ||
			len(k.insn[name].head) == 0) && !slices.Contains(k.late, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		k.miss("Not counted, as Valgrind did not run them%s: %s.", because(), k.list(missing))
	}
}
