// Command suite measures this machine: every kernel in every path, at sizes from a few elements to
// far beyond the caches, and training. make bench runs it; bench/README.md says how it measures.
//
// It writes Go's benchmark format, for benchstat, and how training went as JSON, for the report.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/pegasimd/pegasimd/bench/internal/record"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/bandwidth"
)

// Options say what to measure and for how long.
type options struct {
	rounds int           // samples of each benchmark
	sample time.Duration // what a sample takes at least
	sizes  []int         // of the vectors, beside those for the caches that are computed
	large  bool          // also vectors for L3 and for memory
	data   string        // a folder with real data sets, or empty
}

func main() {
	o := options{sizes: []int{3, 8, 31, 54, 100, 257, 784, 1023, 4096, 16384, 65536}, large: true}
	flag.IntVar(&o.rounds, "rounds", 10, "samples of each benchmark; benchstat wants 6 or more")
	flag.DurationVar(&o.sample, "sample", time.Millisecond,
		"the `time` that a sample takes at least")
	flag.StringVar(&o.data, "data", os.Getenv("PEGASIMD_DATA"),
		"a `folder` with real data sets (a9a, imdb, fashion-mnist)")
	quick := flag.Bool("quick", false,
		"a look in seconds: few sizes, short samples, nothing beyond the L2 cache")
	curves := flag.String("training", "", "write how training went to this `file`, as JSON")
	quiet := flag.Bool("quiet", false, "no progress bar")
	flag.Parse()
	if *quick {
		o.sizes, o.large, o.data = []int{8, 100, 784, 4096, 16384}, false, ""
		o.sample, o.rounds = 100*time.Microsecond, 6
	}
	if err := run(o, *curves, *quiet); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

func run(o options, curves string, quiet bool) error {
	// An interrupted run must not look like a whole one.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		fmt.Fprintln(os.Stderr, "\nsuite: interrupted")
		os.Exit(130)
	}()
	if o.rounds < 1 || o.sample <= 0 {
		return fmt.Errorf("-rounds and -sample must be positive")
	}
	pinned := machine.Pin().String()
	debug.SetGCPercent(-1) // collected between benchmarks, not within
	m := &meter{options: o, out: bufio.NewWriter(os.Stdout), caches: machine.Sizes()}
	var err error
	if m.counters, err = machine.OpenCounters(); err != nil {
		m.noCounters = err
	}
	cells := m.kernels()
	sets, err := dataSets(o.data)
	if err != nil {
		return err
	}
	m.head(pinned, sets)
	bar := progress(quiet, cells, sets, o)
	for _, c := range cells {
		bar.Describe(c.name())
		if err := m.kernel(c); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
		bar.Add(c.weight(o))
	}
	for _, s := range sets {
		bar.Describe("training on " + s.name)
		if err := m.train(s); err != nil {
			return fmt.Errorf("training on %s: %w", s.name, err)
		}
		bar.Add(s.weight)
	}
	bar.Finish()
	if err := m.out.Flush(); err != nil {
		return err
	}
	m.summary(os.Stderr)
	if curves != "" {
		text, err := json.MarshalIndent(m.runs, "", " ")
		if err != nil {
			return err
		}
		return os.WriteFile(curves, append(text, '\n'), 0o666)
	}
	return nil
}

// progress is a bar with the time that is left, if someone looks.
func progress(quiet bool, cells []*cell, sets []*set, o options) *progressbar.ProgressBar {
	all := 0
	for _, c := range cells {
		all += c.weight(o)
	}
	for _, s := range sets {
		all += s.weight
	}
	w := io.Writer(os.Stderr)
	if info, err := os.Stderr.Stat(); quiet || err != nil || info.Mode()&os.ModeCharDevice == 0 {
		w = io.Discard
	}
	return progressbar.NewOptions(all, progressbar.OptionSetWriter(w),
		progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(200*time.Millisecond))
}

// head writes where and how the numbers were made, and what the units mean.
func (m *meter) head(pinned string, sets []*set) {
	var paths, data []string
	for _, isa := range asm.Available() {
		paths = append(paths, isa.String())
	}
	for _, s := range sets {
		data = append(data, s.name)
	}
	counters := "cycles and instructions in user mode"
	if m.counters == nil {
		counters = "none: " + m.noCounters.Error()
	}
	limit := "measured by loops of loads and stores, beside each kernel"
	if !bandwidth.Available() {
		limit = "not measured: there is no probe for this machine"
	}
	for _, line := range [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"pkg", "github.com/pegasimd/pegasimd"},
		{"cpu", machine.CPU()}, {"caches", m.caches.String()}, {"go", runtime.Version()},
		{"paths", strings.Join(paths, " ")}, {"core", pinned}, {"counters", counters},
		{"limit", limit}, {"training", strings.Join(data, ", ")},
		{"verified", "every kernel against plain Go to the bit, plain Go against float64, and " +
			"the models' hashes on all paths"},
		{"date", time.Now().UTC().Format(time.RFC3339)}, {"commit", record.Commit()},
	} {
		fmt.Fprintf(m.out, "%s: %s\n", line[0], line[1])
	}
	for _, unit := range []string{
		"ns/op better=lower", "MB/s better=higher", "limit-MB/s better=higher",
		"%limit better=higher", "x-generic better=higher", "cycles/op better=lower",
		"insn/op better=lower", "steps/s better=higher",
	} {
		fmt.Fprintf(m.out, "Unit %s\n", unit)
	}
}
