package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

var deterministic = []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=" + debug(runtime.GOARCH)}

// debug turns RDTSCP off on amd64: Valgrind announces this instruction, but can't execute it if a
// virtual machine hides it.
func debug(arch string) string {
	const all = "asyncpreemptoff=1,memprofilerate=0"
	if arch == "amd64" {
		return all + ",cpu.rdtscp=off"
	}
	return all
}

type survey struct {
	line        // result; allocs are per call if calls is set
	calls  bool // uses package count
	pieces int  // stops of the timer in the last run
}

// An event is a line that a counting run writes.
type event struct {
	what  string  // run for a start; on, off or reset of the timer; call from package count
	value float64 // iterations for off, allocations per call for call, otherwise 0
	name  string
}

func readEvents(file string) (all []event, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		var e event
		if _, err := fmt.Sscan(line, &e.what, &e.value, &e.name); err != nil {
			return nil, fmt.Errorf("%s: line %q: %w", file, line, err)
		}
		e.name = strings.TrimPrefix(e.name, "Benchmark")
		all = append(all, e)
	}
	return all, err
}

const eventsFile = "events"

// The files of folder hook repeat these names, and package count repeats GATE_EVENTS.
const (
	eventsVariable = "GATE_EVENTS"
	planVariable   = "GATE_PLAN"
	seedVariable   = "GATE_SEED" // 16 characters; the first is v in Valgrind, 0 elsewhere
)

// counting empties the folder of a counting run and returns the run's environment. plan is the
// number of iterations by benchmark; nil runs all benchmarks as usual.
func counting(files string, plan map[string]int, seed int) (env []string, err error) {
	if err := os.RemoveAll(files); err != nil {
		return nil, err
	}
	env = append([]string{eventsVariable + "=" + filepath.Join(files, eventsFile),
		fmt.Sprintf("%s=%016d", seedVariable, seed)}, deterministic...)
	err = os.MkdirAll(files, 0o777)
	if err != nil || plan == nil {
		return env, err
	}
	var b strings.Builder
	for name, n := range plan {
		fmt.Fprintf(&b, "%d Benchmark%s\n", n, name)
	}
	file := filepath.Join(files, "plan")
	return append(env, planVariable+"="+file), os.WriteFile(file, []byte(b.String()), 0o666)
}

func lookAt(ctx context.Context, s side, match, files string, plan map[string]int,
	seed int) (all map[string]survey, ran tally, err error) {
	env, err := counting(files, plan, seed)
	if err != nil {
		return nil, ran, err
	}
	ran = benchmarks(ctx, s, env, 1, match, fmt.Sprintf("-test.benchtime=%dns", int(surveyNS)),
		"-test.benchmem")
	all = map[string]survey{}
	listed, err := readEvents(filepath.Join(files, eventsFile))
	for _, e := range listed {
		if len(ran.lines[e.name]) == 0 {
			continue
		}
		s, known := all[e.name]
		if !known {
			s.line = ran.lines[e.name][0]
		}
		switch e.what {
		case "run":
			s.pieces = 0
		case "off":
			s.pieces++
		case "call":
			s.calls, s.allocs, s.bytes = true, e.value, 0
		}
		all[e.name] = s
	}
	return all, ran, err
}

const (
	// surveyNS is the least time, in ns, of all operations of a benchmark in a survey.
	surveyNS = 1e6
	// sectionNS is the time, in ns, that the counted operations should take: long beside the
	// runtime's occasional work.
	sectionNS = 1e6
	// Longer operations are not counted, except for single calls.
	longestNS = 100e6
	// mostPieces limits the stops of the timer, at each of which Valgrind writes a section of its
	// file.
	mostPieces = 400
)

// iterations returns the number of operations to count: a power of two, so that runs often agree,
// or 0 if an operation takes too long.
func (s survey) iterations() int {
	if s.calls {
		return 1
	}
	ns := s.ns
	switch {
	case ns > longestNS:
		return 0
	case ns > 0:
	case s.n > 1: // the benchmark hides its time, as with b.ReportMetric(0, "ns/op")
		ns = surveyNS / float64(s.n)
	default: // it also may take long
		return 1
	}
	n := 1
	for n < 1<<20 && float64(n)*ns < sectionNS {
		n *= 2
	}
	if ns < 10*sectionNS { // on a busy machine short operations seem longer
		n = max(n, 4) // the first operation may initialize data for the others
	}
	for s.n > 0 && n > 1 && float64(n)*float64(s.pieces)/float64(s.n) > mostPieces {
		n /= 2
	}
	return n
}

// failed is the error of Valgrind's process.
func counts(ctx context.Context, s side, files string, plan map[string]int, seed int) (
	perOp map[string]float64, failed, err error) {
	env, err := counting(files, plan, seed)
	if err != nil {
		return nil, nil, err
	}
	profile := filepath.Join(files, "callgrind.out")
	args := []string{"--tool=callgrind", "--vgdb=no", "--dump-line=no", "--combine-dumps=yes",
		"--callgrind-out-file=" + profile}
	for _, mark := range []string{"testing.gateBegin", "testing.gateEnd", "*/gate/count.begin",
		"*/gate/count.end"} {
		args = append(args, "--dump-before="+mark)
	}
	args = append(args, s.binary, "-test.run=^$", "-test.bench=.", "-test.benchtime=1x",
		"-test.cpu=1")
	env = append(env, fmt.Sprintf("%s=v%015d", seedVariable, seed))
	_, failed = measured(ctx, s.dir, env, "valgrind", args...)
	listed, err := readEvents(filepath.Join(files, eventsFile))
	if err != nil {
		return nil, nil, err
	}
	parts, err := readParts(profile)
	perOp, unlike := attribute(listed, parts, plan)
	if failed == nil {
		return perOp, nil, errors.Join(err, unlike)
	}
	// Counts from before the failure are valid, except the running benchmark's.
	if len(listed) > 0 {
		delete(perOp, listed[len(listed)-1].name)
	}
	return perOp, failed, nil
}

// attribute assigns the parts of Valgrind's counts to the benchmarks. Each event but "run" ends a
// part; "call" ends two.
func attribute(events []event, parts []int, plan map[string]int) (map[string]float64, error) {
	perOp, next := map[string]float64{}, 0
	sums, calls := map[string]int{}, map[string]int{}
	part := func() (n int) {
		if next < len(parts) {
			n = parts[next]
		}
		next++
		return n
	}
	for _, e := range events {
		switch e.what {
		case "run":
			sums[e.name] = 0
		case "on":
			part()
		case "reset":
			part()
			sums[e.name] = 0
		case "off":
			sums[e.name] += part()
			if n := plan[e.name]; n > 0 && n == int(e.value) && next <= len(parts) {
				perOp[e.name] = float64(sums[e.name]) / float64(n)
				if least, ok := calls[e.name]; ok {
					perOp[e.name] = float64(least)
				}
			}
		case "call":
			part()
			n := part()
			if least, ok := calls[e.name]; !ok || n < least {
				calls[e.name] = n
			}
		}
	}
	if next != len(parts) {
		return perOp, fmt.Errorf("parts of valgrind's counts: have %d, want %d", len(parts), next)
	}
	return perOp, nil
}

// readParts returns the instruction counts of the parts that end at a mark.
func readParts(file string) (instructions []int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(string(text), "\ndesc: Trigger: --dump-before=")
	for _, part := range parts[1:] {
		_, sum, _ := strings.Cut(part, "\nsummary: ")
		sum, _, _ = strings.Cut(sum, "\n")
		n, err := strconv.Atoi(strings.TrimSpace(sum))
		if err != nil {
			return instructions, fmt.Errorf("%s: the instruction count of a part: %w", file, err)
		}
		instructions = append(instructions, n)
	}
	return instructions, nil
}
