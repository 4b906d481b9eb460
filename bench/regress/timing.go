package main

import (
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/pegasimd/pegasimd/bench/internal/stats"
)

// Times on a shared machine differ by tens of percent between minutes, on the same code. So what is
// compared is what ran within a fraction of a second: in each round base, head and base again, of
// one benchmark, each in its own process. The ratio of the two bases is the noise of that round.
//
// A process runs the benchmark some times and its shortest time counts: what other processes do
// makes times longer, never shorter.

const repeats = 5

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
	s := summary(stats.Ratios(a, b))
	return ratio{s.Center, s.Lo, s.Hi}
}

func median(values []float64) float64 {
	return summary(values).Center
}

// summary has the median of values and its interval of 95 %.
func summary(values []float64) benchmath.Summary {
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, 0.95)
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

// names returns the benchmarks of a binary that match, by running each for one iteration.
func names(binary, match string) ([]string, error) {
	times, err := runBenchmarks(binary, match, "1x", 1)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, t := range times {
		all = append(all, t.name)
	}
	return all, nil
}

type measured struct {
	name string
	ns   float64
}

// runBenchmarks runs a test binary's benchmarks count times each and returns their shortest times,
// in order.
func runBenchmarks(binary, match, benchtime string, count int) ([]measured, error) {
	cmd := exec.Command(binary, "-test.run=^$", "-test.bench="+match, "-test.benchtime="+benchtime,
		"-test.count="+strconv.Itoa(count), "-test.cpu=1")
	cmd.Env = append(cmd.Environ(), "GOGC=off", "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	var all []measured
	r := benchfmt.NewReader(strings.NewReader(string(out)), "benchmarks")
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		seconds, ok := result.Value("sec/op")
		if !ok {
			return nil, fmt.Errorf("%s has no ns/op", result.Name)
		}
		if last := len(all) - 1; last >= 0 && all[last].name == string(result.Name) {
			all[last].ns = min(all[last].ns, seconds*1e9)
		} else {
			all = append(all, measured{string(result.Name), seconds * 1e9})
		}
	}
	return all, r.Err()
}

// exactly is the pattern that a benchmark and no other matches.
func exactly(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	parts[0] = "^Benchmark" + strings.TrimPrefix(parts[0], "^")
	return strings.Join(parts, "/")
}

// timeAll measures the benchmarks named in so many rounds. The order within a round changes from
// round to round.
func timeAll(base, head, again string, benchmarks []string, rounds int, benchtime string,
	done func()) (map[string]*timing, error) {
	all := map[string]*timing{}
	for round := range rounds {
		for _, name := range benchmarks {
			if all[name] == nil {
				all[name] = &timing{}
			}
			t := all[name]
			turns := []struct {
				binary string
				times  *[]float64
			}{{base, &t.base}, {head, &t.head}, {again, &t.again}}
			for i := range turns {
				turn := turns[(i+round)%len(turns)]
				got, err := runBenchmarks(turn.binary, exactly(name), benchtime, repeats)
				if err != nil {
					return nil, err
				}
				if len(got) != 1 || got[0].name != name {
					return nil, fmt.Errorf("asked for %s, got %v", name, got)
				}
				*turn.times = append(*turn.times, got[0].ns)
			}
			done()
		}
	}
	return all, nil
}
