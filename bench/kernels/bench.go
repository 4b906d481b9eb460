package main

import (
	"bytes"
	"fmt"
	"log"
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

// leastRounds is what benchstat needs for a confidence interval.
const leastRounds = 6

type meter struct {
	options
	text   bytes.Buffer // of bench.txt
	curves []measured.Point
}

func bench(o options, dir string) error {
	core, caches := alone(), cpu.Sizes()
	m := &meter{options: o}
	sets, err := dataSets(o)
	if err != nil {
		return err
	}
	all := cells(o, caches)
	if len(all)+len(sets) == 0 {
		return fmt.Errorf("-only %v matches no kernel and no training set", o.only)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil { // fail before the measurement
		return err
	}
	m.head(core, caches)
	last := ""
	for _, c := range all {
		if c.kernel.Name != last {
			last = c.kernel.Name
			log.Print(last)
		}
		if err := m.cell(c); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
	}
	for _, s := range sets {
		log.Print("training on ", s.name)
		if err := m.train(s); err != nil {
			return fmt.Errorf("training on %s: %w", s.name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bench.txt"), m.text.Bytes(), 0o666); err != nil {
		return err
	}
	if err := measured.WritePoints(dir, m.curves); err != nil {
		return err
	}
	report, err := measured.Read(dir)
	if err != nil {
		return err
	}
	if err := report.Summary().Write(os.Stdout); err != nil {
		return err
	}
	return report.Training().Write(os.Stdout)
}

func (m *meter) head(core string, caches cpu.Caches) {
	limit := "measured by loops of loads and stores, for the lines with %limit"
	if !bandwidth.Available() {
		limit = "not measured: there is no probe for this machine or build"
	}
	var paths []string
	for _, isa := range asm.Available() {
		paths = append(paths, isa.String())
	}
	for _, line := range [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"pkg", "github.com/pegasimd/pegasimd"},
		{"cpu", machine.CPU()}, {"caches", caches.String()}, {"go", runtime.Version()},
		{"paths", strings.Join(paths, " ")}, {"core", core}, {"limit", limit},
		{"verified", "kernels, unless their operands are in DRAM: all paths give the same bits, " +
			"close to float64 for up to 65536 floats; models: all paths give the same hash"},
		{"date", time.Now().UTC().Format(time.RFC3339)}, {"commit", frame.Commit()},
	} {
		fmt.Fprintf(&m.text, "%s: %s\n", line[0], line[1])
	}
	for _, unit := range []string{"MB/s", "%limit", "steps/s"} {
		fmt.Fprintf(&m.text, "Unit %s better=higher\n", unit)
	}
	fmt.Fprintln(&m.text, "Unit ns/op better=lower")
}

func (m *meter) cell(c *cell) error {
	defer asm.Use(asm.Active())
	runtime.GC()
	k, rounds := c.kernel, m.rounds
	if c.level == "DRAM" {
		rounds = min(rounds, leastRounds) // a call is slow
	} else if err := verify(k, c.n, c.off); err != nil {
		return err
	}
	a := k.New(c.n, memory{off: c.off}, asmtest.Uniform(1))
	a.A, a.B = 1, 0.5
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
	m.write(c, frame.Loops(rounds, loops...), float64(k.Bytes(a)), float64(walked))
	return nil
}

// bytes is the number of bytes that a call of the kernel reads and writes. walked is the same
// number for the probe, the race's last competitor; 0 without a probe.
func (m *meter) write(c *cell, race frame.Race, bytes, walked float64) {
	for i, isa := range asm.Available() {
		for round, seconds := range race[i] {
			fmt.Fprintf(&m.text, "BenchmarkKernels/%s/isa=%v 1 %.4g ns/op %.4g MB/s", c.name(), isa,
				seconds*1e9, bytes/seconds/1e6)
			if walked > 0 {
				fmt.Fprintf(&m.text, " %.3g %%limit", 100*race[len(race)-1][round]/seconds*bytes/walked)
			}
			fmt.Fprintln(&m.text)
		}
	}
}

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
		// Wide returns no sum for a kernel that stores floats.
		got: func() []float32 { return append(slices.Clone(a.Stored()), sum) },
	}
	return o.verify(way{name: ours, loop: func(int) { sum = k.Call(a) }}, []int{n}, off)
}
