package main

import (
	"fmt"
	"maps"
	"slices"
)

// textLimit is the relative change of size up to which code counts as equal, since faster kernels
// are often longer.
const textLimit = 0.02

const textBytes = "text-bytes" // unit

func (r *result) compareFunctions(arch string, base, head []function) {
	add := func(what, unit string, base, head, floor float64, v verdict) {
		r.add(finding{what: what + "/" + arch, unit: unit, how: "read from the code for " + arch,
			base: base, head: head, floor: floor, verdict: v})
	}
	before := map[string]function{}
	all, both := [2]float64{}, [2]float64{} // bytes of base and head
	for _, b := range base {
		before[b.name] = b
		all[0] += float64(b.size)
	}
	for _, h := range head {
		size := float64(h.size)
		all[1] += size
		b, ok := before[h.name]
		if !ok {
			add(h.name, textBytes, 0, size, 0, added)
			continue
		}
		delete(before, h.name)
		both[0], both[1] = both[0]+float64(b.size), both[1]+size
		hl, bl, which := h.loops, b.loops, ""
		if (len(hl) == 0) != (len(bl) == 0) && h.unread == nil && b.unread == nil {
			r.miss("Loops of assembly in `%s/%s` were not compared: the base has %d, the head %d.",
				h.name, arch, len(bl), len(hl))
		}
		if len(hl) != len(bl) {
			// The loops can't be matched: compare only those that advance most per iteration.
			hl, bl, which = fastest(hl), fastest(bl), "fastest"
		}
		for i := range min(len(hl), len(bl)) {
			if len(h.loops) == len(b.loops) {
				which = fmt.Sprint(i + 1)
			}
			perKiB := func(unit string, base, head int) {
				from, to := bl[i].perKiB(base), hl[i].perKiB(head)
				add(h.name+"/loop="+which, unit, from, to, exactLimit, judge(to/from-1, exactLimit))
			}
			perKiB("insn/KiB", bl[i].instructions, hl[i].instructions)
			perKiB("mem/KiB", bl[i].memory, hl[i].memory)
		}
	}
	total := added // if no function is in both
	if both[0] > 0 {
		add("all functions in both", textBytes, both[0], both[1], textLimit,
			judge(both[1]/both[0]-1, textLimit))
		total = equal // new functions are no regression
	}
	add("all functions", textBytes, all[0], all[1], 0, total)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		add(name, textBytes, float64(before[name].size), 0, 0, gone)
	}
}

func fastest(loops []loop) []loop {
	if len(loops) == 0 {
		return nil
	}
	return []loop{slices.MaxFunc(loops, func(a, b loop) int { return a.advance - b.advance })}
}

func (r *result) missUnread(arch string, all []function) {
	var names []string
	var why error
	for _, f := range all {
		if f.unread != nil {
			names, why = append(names, f.name), f.unread
		}
	}
	if why != nil {
		r.miss("Loops of assembly for %s were not compared, as the code has data or instructions "+
			"that can't be read: %s. The last of these: %v", arch, list("", names), why)
	}
}
