package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/pegasimd/pegasimd/bench/internal/training"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/gate/stats"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/asmtest"
	"github.com/pegasimd/pegasimd/internal/bandwidth"
)

// A meter measures and writes.
type meter struct {
	options
	out        *bufio.Writer
	caches     machine.Caches
	counters   *machine.Counters
	noCounters error
	lines      []line // for the summary
	runs       []*training.Run
}

// line is what the summary needs of a benchmark.
type line struct {
	op, level    string
	n            int
	isa          asm.ISA
	limit, ratio float64 // medians
}

// A cell is a kernel at one size, in all paths.
type cell struct {
	kernel     asmtest.Kernel
	n          int
	misaligned bool
	level      string
	bytes      int // in memory
}

func (c *cell) name() string {
	op := c.kernel.Name
	if c.misaligned {
		op += "-misaligned"
	}
	return fmt.Sprintf("op=%s/n=%d/level=%s", op, c.n, c.level)
}

// weight is about how many milliseconds the cell takes.
func (c *cell) weight(o options) int {
	paths := len(asm.Available()) + 1
	return 1 + int(float64(paths*o.rounds)*max(o.sample.Seconds()*1e3, float64(c.bytes)/4e6)) +
		c.bytes/1e6
}

// shapes are the streams of the kernels whose operands are read from beginning to end. The others
// have no limit that a walk over memory could tell.
var shapes = map[string]bandwidth.Shape{
	"dot": bandwidth.Read2, "squareddistance": bandwidth.Read2, "sumsquares": bandwidth.Read,
	"axpy": bandwidth.Axpy, "axpby": bandwidth.Axpy, "scale": bandwidth.Update,
	"exp": bandwidth.Copy, "dotrows": bandwidth.Read,
	"sum": bandwidth.Read, "sumabs": bandwidth.Read, "min": bandwidth.Read, "max": bandwidth.Read,
	"l1distance": bandwidth.Read2, "dot64": bandwidth.Read2, "scaleto": bandwidth.Copy,
}

// operands returns what the probe walks over. Of misaligned operands it is the part that begins at
// a cache line: what is wanted is what the machine can do.
func operands(s bandwidth.Shape, a *asmtest.Args, misaligned bool) (x, y []float32) {
	switch {
	case s == bandwidth.Copy:
		x, y = a.X, a.Out
	case a.Stride > 0:
		x = a.W
	default:
		x, y = a.X, a.Y
	}
	if misaligned {
		x = x[min(15, len(x)):]
		y = y[min(15, len(y)):]
	}
	return x, y
}

// kernels lists what to measure: all kernels at the sizes given, misaligned too at some, and one
// size for L3 and one for memory, which depend on the machine.
func (m *meter) kernels() []*cell {
	var cells []*cell
	for _, k := range asmtest.Kernels {
		add := func(n int, misaligned bool, level string) {
			if k.Most > 0 && n > k.Most {
				return
			}
			c := &cell{kernel: k, n: n, misaligned: misaligned, level: level,
				bytes: n * perElement(k)}
			if level == "" {
				c.level = m.caches.Level(c.bytes)
			}
			cells = append(cells, c)
		}
		for _, n := range m.sizes {
			add(n, false, "")
		}
		for _, n := range m.sizes {
			if n == 31 || n >= 100 && n < 1000 || n == 4096 || n == 16384 {
				add(n, true, "")
			}
		}
		if !m.large {
			continue
		}
		for _, target := range []struct {
			level string
			bytes int
		}{{"L3", m.caches.L3 / 4}, {"DRAM", min(max(3*m.caches.L3, 128<<20), 1<<30)}} {
			n := (target.bytes/perElement(k) + 63) / 64 * 64
			if n > m.sizes[len(m.sizes)-1] && m.caches.Level(n*perElement(k)) == target.level {
				add(n, false, target.level)
			}
		}
	}
	return cells
}

// perElement is the number of bytes of operands that each element of a large n brings.
func perElement(k asmtest.Kernel) int {
	const n = 1 << 10
	return k.New(n, asmtest.Heap{}, asmtest.Uniform(1)).Footprint() / n
}

// memory hands out operands that begin at a cache line, or one float behind it.
type memory struct{ offset int }

func (m memory) Floats(n int) []float32 {
	all := make([]float32, n+16+m.offset)
	skip := int(-uintptr(unsafe.Pointer(&all[0]))%64)/4 + m.offset
	return all[skip : skip+n : skip+n]
}

func (m memory) Ints(n int) []int32      { return make([]int32, n) }
func (m memory) Shorts(n int) []uint16   { return make([]uint16, n) }
func (m memory) Doubles(n int) []float64 { return make([]float64, n) }
func (m memory) Bytes(n int) []byte      { return make([]byte, n) }

// kernel verifies the kernel in each path, and then times the paths and the probe by turns.
func (m *meter) kernel(c *cell) error {
	mem := memory{}
	if c.misaligned {
		mem.offset = 1
	}
	k := c.kernel
	a := k.New(c.n, mem, asmtest.Uniform(1))
	if err := verify(k, a); err != nil {
		return err
	}
	a.A, a.B = 1, 0.5 // so that repeated updates stay finite, and no number becomes subnormal

	var contenders []contender
	for _, isa := range asm.Available() {
		contenders = append(contenders, contender{isa: isa, call: func() { k.Call(a) }})
	}
	shape := shapes[k.Name]
	x, y := operands(shape, a, c.misaligned)
	p := probe{}
	if shape != bandwidth.None && bandwidth.Available() && len(x) >= bandwidth.Least {
		p.bytes = 4 * float64(len(x)*shape.Streams())
		contenders = append(contenders, contender{isa: asm.Active(),
			call: func() { bandwidth.Run(shape, x, y) }})
	}
	rounds := m.rounds
	if m.isLong(c) {
		rounds = min(rounds, 6) // what benchstat wants at least
		for i := range contenders {
			contenders[i].plan = plan{1, 1}
		}
	}
	if err := m.byTurns(contenders, rounds); err != nil {
		return err
	}
	if paths := len(asm.Available()); len(contenders) > paths {
		p.samples = contenders[paths].samples
		contenders = contenders[:paths]
	}
	for _, path := range contenders {
		l := m.print(c, path, contenders[0].samples, p, float64(k.Bytes(a)))
		if !c.misaligned {
			m.lines = append(m.lines, l)
		}
	}
	return nil
}

// isLong reports whether a call takes so long that it is a sample: it moves more than the caches
// hold. Prefetch moves nothing itself, whatever it is given.
func (m *meter) isLong(c *cell) bool {
	return c.bytes > m.caches.L3 && c.kernel.Name != "prefetch"
}

// A contender is the kernel in one path, or the probe of the machine's limit.
type contender struct {
	isa     asm.ISA
	call    func()
	plan    plan
	samples []sample // by round
}

// A probe is what was measured of the machine's limit. Without samples there is none.
type probe struct {
	bytes   float64 // that it moves
	samples []sample
}

// byTurns takes the samples: in each round one of each contender, and who begins changes. Those
// without a plan get one before.
func (m *meter) byTurns(contenders []contender, rounds int) error {
	defer asm.Use(asm.Active())
	for i := range contenders {
		c := &contenders[i]
		if c.plan == (plan{}) {
			asm.Use(c.isa)
			c.plan = m.calibrate(c.call)
		}
	}
	runtime.GC()
	for round := range rounds {
		for turn := range contenders {
			c := &contenders[(turn+round)%len(contenders)]
			asm.Use(c.isa)
			s := m.sampleOf(c.call, c.plan)
			if err := c.plan.check(s); err != nil {
				return err
			}
			c.samples = append(c.samples, s)
		}
	}
	return nil
}

// print writes a line a sample of one path, beside the samples of plain Go and of the probe.
func (m *meter) print(c *cell, path contender, generic []sample, p probe, bytes float64) line {
	l := line{op: c.kernel.Name, level: c.level, n: c.n, isa: path.isa, limit: math.NaN()}
	var limits, ratios []float64
	for round, s := range path.samples {
		ratio := generic[round].ns / s.ns
		ratios = append(ratios, ratio)
		fmt.Fprintf(m.out, "BenchmarkKernels/%s/isa=%v %d %.4g ns/op %.5g MB/s %.4g x-generic",
			c.name(), path.isa, path.plan.calls, s.ns, bytes/s.ns*1e3, ratio)
		if p.samples != nil {
			limit := p.bytes / p.samples[round].ns * 1e3
			limits = append(limits, 100*bytes/s.ns*1e3/limit)
			fmt.Fprintf(m.out, " %.5g limit-MB/s %.4g %%limit", limit, limits[round])
		}
		if m.counters != nil {
			fmt.Fprintf(m.out, " %.4g cycles/op %.4g insn/op", s.cycles, s.instructions)
		}
		fmt.Fprintln(m.out)
	}
	if l.ratio = stats.Median(ratios); limits != nil {
		l.limit = stats.Median(limits)
	}
	return l
}

// verify holds plain Go against float64 where that does not take too much memory, and each path
// against plain Go.
func verify(k asmtest.Kernel, a *asmtest.Args) error {
	defer asm.Use(asm.Active())
	var wide, scale []float64
	if len(a.X) <= 1<<16 {
		wide, scale = k.Wide(a)
	}
	before, doubles, sums := slices.Clone(a.Out), slices.Clone(a.Doubles), slices.Clone(a.Sums)
	restore := func() {
		copy(a.Out, before)
		copy(a.Doubles, doubles)
		copy(a.Sums, sums)
	}
	defer restore()
	var want []float32
	for _, isa := range asm.Available() {
		restore()
		asm.Use(isa)
		sum := k.Call(a)
		got := a.Stored()
		if isa == asm.Generic {
			want = append([]float32{sum}, got...)
			if len(got) == 0 {
				got = want[:1]
			}
			for i, w := range wide {
				d, most := math.Abs(float64(got[i])-w), 32*0x1p-24*scale[i]+0x1p-126
				if float64(got[i]) != w && !(d <= most) {
					return fmt.Errorf("element %d: plain Go has %v, float64 %v", i, got[i], w)
				}
			}
			continue
		}
		for i, v := range got {
			if v != want[i+1] {
				return fmt.Errorf("element %d: %v has %v, plain Go %v", i, isa, v, want[i+1])
			}
		}
		if sum != want[0] {
			return fmt.Errorf("%v returns %v, plain Go %v", isa, sum, want[0])
		}
	}
	return nil
}

// A sample is of one call.
type sample struct{ ns, cycles, instructions float64 }

// batches is how many parts a sample has. The shortest counts: what else goes on makes times
// longer, never shorter.
const batches = 3

// A plan is the batches of a sample and the calls of a batch.
type plan struct{ batches, calls int }

// tries is how often calls have to have taken long until they are believed to: something else may
// have run in between, for as long as a sample.
const tries = 5

// leastSingle is the least time, in nanoseconds, that a sample of one call can tell.
const leastSingle = 1000

// calibrate makes a plan for f.
func (m *meter) calibrate(f func()) plan {
	return planFor(m.sample, func(calls int) time.Duration {
		start := time.Now()
		for range calls {
			f()
		}
		return time.Since(start)
	})
}

// planFor makes a plan by the time that a number of calls takes, the shortest of some tries. A call
// that takes longer than a sample should is a sample.
func planFor(sample time.Duration, timeOf func(calls int) time.Duration) plan {
	for calls := 1; ; calls *= 2 {
		took := timeOf(calls)
		for try := 1; try < tries && took >= sample/(2*batches); try++ {
			took = min(took, timeOf(calls))
		}
		switch {
		case calls == 1 && took >= sample:
			return plan{1, 1}
		case took >= sample/(2*batches):
			fit := float64(calls) * float64(sample/batches) / float64(took)
			return plan{batches, max(1, int(fit))}
		}
	}
}

// check refuses a sample that is shorter than the clock can tell.
func (p plan) check(s sample) error {
	if p.calls == 1 && s.ns < leastSingle {
		return fmt.Errorf("a sample of one call takes %.3g ns: "+
			"the machine was too busy to tell how many calls it needs", s.ns)
	}
	return nil
}

func (m *meter) sampleOf(f func(), p plan) (best sample) {
	best.ns = math.Inf(1)
	for range p.batches {
		var c0, i0, c1, i1 uint64
		if m.counters != nil {
			c0, i0, _ = m.counters.Read()
		}
		start := time.Now()
		for range p.calls {
			f()
		}
		took := time.Since(start)
		if m.counters != nil {
			c1, i1, _ = m.counters.Read()
		}
		if ns := float64(took.Nanoseconds()) / float64(p.calls); ns < best.ns {
			best = sample{ns, float64(c1-c0) / float64(p.calls), float64(i1-i0) / float64(p.calls)}
		}
	}
	return best
}

// short is the size below which a probe waits for its call, as a kernel does, and is no limit.
const short = 100

// summary prints, for a look, the strongest path's speed beside plain Go and beside the limit, by
// level of the caches.
func (m *meter) summary(w io.Writer) {
	best := asm.Active()
	levels := []string{"L1", "L2", "L3", "DRAM"}
	fmt.Fprintf(w, "\n%v: times as fast as plain Go, and percent of the limit of loads and "+
		"stores; medians over the sizes of a level\n%-16s", best, "")
	for _, level := range levels {
		fmt.Fprintf(w, "%18s", level)
	}
	fmt.Fprintln(w)
	for _, k := range asmtest.Kernels {
		if k.Name == "prefetch" {
			continue // which does nothing in plain Go, and moves nothing itself
		}
		fmt.Fprintf(w, "%-16s", k.Name)
		for _, level := range levels {
			var ratios, limits []float64
			for _, l := range m.lines {
				if l.op == k.Name && l.level == level && l.isa == best {
					ratios = append(ratios, l.ratio)
					if l.n >= short && !math.IsNaN(l.limit) {
						limits = append(limits, l.limit)
					}
				}
			}
			text := "-"
			if len(ratios) > 0 {
				text = fmt.Sprintf("%.1fx", stats.Median(ratios))
			}
			if len(limits) > 0 {
				text += fmt.Sprintf(" %5.0f %%", stats.Median(limits))
			}
			fmt.Fprintf(w, "%18s", text)
		}
		fmt.Fprintln(w)
	}
}
