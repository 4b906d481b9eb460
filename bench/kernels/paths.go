package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// A meter measures kernels on every path, and training, and writes Go's benchmark format.
type meter struct {
	options
	out    *bufio.Writer
	report measured.Report
}

// bench writes bench.txt and bench.json to dir. An interrupted run leaves what was there.
func bench(o options, dir string) error {
	core, caches := alone(), cpu.Sizes()
	var text bytes.Buffer
	m := &meter{options: o, out: bufio.NewWriter(&text)}
	all := cells(o, caches)
	sets, err := dataSets(o)
	if err != nil {
		return err
	}
	m.head(core, caches)
	predicted, speed := 0., plainSpeed()
	for _, c := range all {
		predicted += c.milliseconds(o.rounds, speed)
	}
	for _, s := range sets {
		predicted += s.milliseconds
	}
	bar := progress(predicted)
	for _, c := range all {
		bar.Describe(c.name())
		if err := m.cell(c); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
		bar.Add(int(c.milliseconds(o.rounds, speed)))
	}
	for _, s := range sets {
		bar.Describe("training on " + s.name)
		if err := m.train(s); err != nil {
			return fmt.Errorf("training on %s: %w", s.name, err)
		}
		bar.Add(int(s.milliseconds))
	}
	bar.Finish()
	m.out.Flush()
	numbers, err := json.Marshal(m.report)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"bench.txt": text.Bytes(), "bench.json": numbers} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	if err := m.report.Summary().Write(os.Stdout); err != nil {
		return err
	}
	return m.report.Training().Write(os.Stdout)
}

// head writes where and how the numbers were made, and what the units mean.
func (m *meter) head(core string, caches cpu.Caches) {
	limit := "measured by loops of loads and stores, beside each kernel"
	if !bandwidth.Available() {
		limit = "not measured: there is no probe for this machine"
	}
	for _, isa := range asm.Available() {
		m.report.Paths = append(m.report.Paths, isa.String())
	}
	m.report.Head = [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"pkg", "github.com/pegasimd/pegasimd"},
		{"cpu", machine.CPU()}, {"caches", caches.String()}, {"go", runtime.Version()},
		{"paths", strings.Join(m.report.Paths, " ")}, {"core", core}, {"limit", limit},
		{"verified", "every kernel against plain Go to the bit, plain Go against float64, and " +
			"the models' hashes on all paths"},
		{"date", time.Now().UTC().Format(time.RFC3339)}, {"commit", frame.Commit()},
	}
	for _, line := range m.report.Head {
		fmt.Fprintf(m.out, "%s: %s\n", line[0], line[1])
	}
	for _, unit := range []string{"MB/s", "%limit", "steps/s"} {
		fmt.Fprintf(m.out, "Unit %s better=higher\n", unit)
	}
	fmt.Fprintln(m.out, "Unit ns/op better=lower")
}

// cell verifies a kernel on each path, and then times the paths and the probe of the limit.
func (m *meter) cell(c *cell) error {
	defer asm.Use(asm.Active())
	runtime.GC()
	k := c.kernel
	if c.level != "DRAM" {
		if err := verify(k, c.n, c.off); err != nil {
			return err
		}
	}
	a := k.New(c.n, memory{off: c.off}, asmtest.Uniform(1))
	a.A, a.B = 1, 0.5 // so that repeated updates stay finite, and no number becomes subnormal
	var loops []func(n int)
	for _, isa := range asm.Available() {
		loops = append(loops, func(n int) {
			asm.Use(isa)
			for range n {
				k.Call(a)
			}
		})
	}
	shape, walked := k.Shape, 0
	x, y := operands(shape, a, c.off)
	if shape != bandwidth.None && bandwidth.Available() && len(x) >= bandwidth.MinLength {
		walked = 4 * len(x) * shape.Streams()
		loops = append(loops, func(n int) {
			for range n {
				bandwidth.Run(shape, x, y)
			}
		})
	}
	rounds := m.rounds
	if c.level == "DRAM" {
		rounds = min(rounds, leastRounds) // a call takes long
	}
	m.write(c, frame.Loops(rounds, loops...), float64(k.Bytes(a)), float64(walked))
	return nil
}

// write writes a line for each path and sample, at most leastRounds samples. bytes is the number of
// bytes that a call moves; walked is the number that the probe moves, which is last in the race, or
// 0 without a probe.
func (m *meter) write(c *cell, race frame.Race, bytes, walked float64) {
	paths := asm.Available()
	best, probe := len(paths)-1, len(paths)
	size := measured.Size{N: c.n, Level: c.level}
	for i, isa := range paths {
		for _, part := range parts(len(race[i])) {
			sample := frame.Race{race[i][part.from:part.to]}
			seconds := sample.Median(0)
			fmt.Fprintf(m.out, "BenchmarkKernels/%s/isa=%v 1 %.4g ns/op %.4g MB/s", c.name(), isa,
				seconds*1e9, bytes/seconds/1e6)
			if walked > 0 {
				sample = append(sample, race[probe][part.from:part.to])
				slower, _, _ := sample.Ratio(1, 0)
				fmt.Fprintf(m.out, " %.3g %%limit", 100*slower*bytes/walked)
			}
			fmt.Fprintln(m.out)
		}
		size.GBs = append(size.GBs, bytes/race.Median(i)/1e9)
	}
	size.ToGo, _, _ = race.Ratio(0, best)
	if walked > 0 {
		slower, _, _ := race.Ratio(probe, best)
		size.Limit, size.OfLimit = walked/race.Median(probe)/1e9, slower*bytes/walked
	}
	if c.off > 0 || c.kernel.Name == "prefetch" { // which moves nothing itself
		return
	}
	kernels := m.report.Kernels
	if len(kernels) == 0 || kernels[len(kernels)-1].Name != c.kernel.Name {
		kernels = append(kernels, &measured.Kernel{Name: c.kernel.Name})
	}
	k := kernels[len(kernels)-1]
	k.Sizes = append(k.Sizes, size)
	m.report.Kernels = kernels
}

// A span is the rounds numbered from from to to-1.
type span struct{ from, to int }

// parts divides rounds into at most leastRounds spans, one for each sample.
func parts(rounds int) (all []span) {
	count := min(rounds, leastRounds)
	for k := range count {
		all = append(all, span{k * rounds / count, (k + 1) * rounds / count})
	}
	return all
}

// verify compares a kernel with float64 where that does not take too much memory, and the paths
// with each other.
func verify(k asmtest.Kernel, n, off int) error {
	var a *asmtest.Args
	sum := float32(0)
	o := operation{
		prepare: func(n, off int) { a = k.New(n, memory{off: off}, asmtest.Uniform(1)) },
		want: func() (values, sizes []float64) {
			if len(a.X) <= 1<<16 {
				values, sizes = k.Wide(a)
			}
			return values, sizes
		},
		// Stored floats come first: the definition of a kernel that stores has no sum.
		got: func() []float32 { return append(slices.Clone(a.Stored()), sum) },
	}
	return o.verify(way{name: ours, loop: func(int) { sum = k.Call(a) }}, []int{n}, off)
}

// ourRoundings is the greatest number of roundings by which our results may differ from float64.
const ourRoundings = 32.

// near reports whether got differs from want by at most the given number of roundings. A rounding
// is half a unit in the last place of size, a bound on the magnitudes that are rounded.
func near(got float32, want, size, roundings float64) bool {
	return float64(got) == want ||
		math.Abs(float64(got)-want) <= roundings*0x1p-24*size+0x1p-126
}
