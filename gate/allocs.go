package main

import (
	"context"
	"maps"
	"slices"
)

// Allocations of plain benchmarks are what the Go runtime reports over the same number of
// operations, natively. They are judged by the runs that agree least: a change is one if no run of
// the base had as many as any run of the head.

// allocRuns are the processes of each tree, and as many more as confirm what looks worse.
const allocRuns = 3

// memory has the allocations and the bytes of an operation. Without confirmation nothing is worse.
type memory struct {
	allocs, bytes series
	confirmed     bool
}

// A rise is what a number must rise by to be worse: by a share, and by so much.
type rise struct{ share, least float64 }

// An operation that allocates now and then does so within the operations of one run or of the next.
var (
	allocsRise = rise{exactLimit, 0.5}
	bytesRise  = rise{0.02, 16}
)

// apart tells whether every value of the head is above every value of the base, by a rise.
func (s series) apart(by rise) bool {
	return len(s.base) > 0 && len(s.head) > 0 &&
		slices.Min(s.head) > slices.Max(s.base)*(1+by.share)+by.least
}

// memoryVerdict judges allocations or bytes.
func (s series) memoryVerdict(by rise) verdict {
	switch {
	case s.apart(by):
		return worse
	case series{base: s.head, head: s.base}.apart(by):
		return better
	}
	return equal
}

// memory runs plain benchmarks natively for their allocations.
func (k *campaign) memory(ctx context.Context) (map[string]*memory, error) {
	plan, all := map[string]int{}, map[string]*memory{}
	for name, n := range k.plan {
		if !k.surveys[0][name].calls && !k.surveys[1][name].calls {
			plan[name], all[name] = n, &memory{}
		}
	}
	for range allocRuns {
		if err := k.allocate(ctx, plan, all); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		k.miss("The time was over before all allocations were counted.")
	}
	for name, m := range all {
		if !m.allocs.apart(allocsRise) && !m.bytes.apart(bytesRise) {
			delete(plan, name)
		}
	}
	for range allocRuns {
		if ctx.Err() != nil && len(plan) > 0 {
			k.miss("The time was over before allocations that look worse were confirmed: %s.",
				k.list(slices.Collect(maps.Keys(plan))))
			return all, nil
		}
		if err := k.allocate(ctx, plan, all); err != nil {
			return nil, err
		}
	}
	for name := range plan {
		all[name].confirmed = true
	}
	return all, nil
}

// allocate adds what one process of each tree allocates.
func (k *campaign) allocate(ctx context.Context, plan map[string]int,
	all map[string]*memory) error {
	if len(plan) == 0 || ctx.Err() != nil {
		return nil
	}
	var got [2][]survey
	err := k.eachSide(func(i int, s side) (err error) {
		got[i], _, err = lookAt(ctx, s.counted, s.dir, ".", k.files(s), plan)
		return err
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	for _, s := range got[0] {
		if m := all[s.name]; m != nil {
			m.allocs.base = append(m.allocs.base, s.allocs)
			m.bytes.base = append(m.bytes.base, s.bytes)
		}
	}
	for _, s := range got[1] {
		if m := all[s.name]; m != nil {
			m.allocs.head = append(m.allocs.head, s.allocs)
			m.bytes.head = append(m.bytes.head, s.bytes)
		}
	}
	return nil
}
