// Command trial tries the gate on a repository: a function that does a little more must be caught,
// and equal code must pass, each time. make gate-trial runs it; docs/gate.md has what it
// found.
//
// It works in a clone of the repository, in a temporary folder.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// A trial is what the flags say, and what was found.
type trial struct {
	repo, function string
	percent        float64
	turns          int // of the planted loop, where they are known
	slowed, equal  int
	flags          []string // of the gate

	work, gate, clone string
	original          string        // commit
	seconds, cpu      []float64     // of runs
	last              time.Duration // what the last command took of CPU
}

func main() {
	t := &trial{}
	flag.StringVar(&t.repo, "repo", "", "the `folder` of the repository")
	flag.StringVar(&t.function, "func", "",
		"the function or method to slow, as `Name` or Type.Name")
	flag.Float64Var(&t.percent, "percent", 3, "by so many `percent` of the instructions of the "+
		"benchmark that it counts for most in")
	flag.IntVar(&t.turns, "turns", 0, "plant a loop of so many `turns`, as an earlier trial has "+
		"found them, and look for none")
	flag.IntVar(&t.slowed, "slowed", 20, "runs with the slowed function")
	flag.IntVar(&t.equal, "equal", 20, "runs with equal code")
	flag.Parse()
	t.flags = flag.Args()
	if err := t.run(); err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

func (t *trial) run() (err error) {
	if t.repo == "" || t.function == "" && t.slowed > 0 {
		return errors.New("-repo and -func are needed")
	}
	if t.work, err = os.MkdirTemp("", "gate-trial-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.work)
	t.gate, t.clone = filepath.Join(t.work, "gate"), filepath.Join(t.work, "clone")
	if _, err := t.command(".", "go", "build", "-o", t.gate, "."); err != nil {
		return err
	}
	if _, err := t.command(".", "git", "clone", "-q", t.repo, t.clone); err != nil {
		return err
	}
	if t.original, err = t.git("rev-parse", "HEAD"); err != nil {
		return err
	}
	caught, planted := 0, math.NaN()
	if t.slowed > 0 {
		if planted, err = t.plant(); err != nil {
			return err
		}
		if caught, err = t.repeat(t.slowed, "slowed", "-base", t.original); err != nil {
			return err
		}
		if _, err := t.git("checkout", "-q", t.original); err != nil {
			return err
		}
	}
	alarms, err := t.repeat(t.equal, "equal", "-base", t.original, "-force")
	if err != nil {
		return err
	}
	fmt.Printf("| %s | `%s` +%.1f %% | %d of %d | %d of %d | %.0f to %.0f s | %.0f s |\n",
		filepath.Base(t.repo)+" "+t.original[:7], t.function, planted, caught, t.slowed, alarms,
		t.equal, slices.Min(t.seconds), slices.Max(t.seconds), stats.Median(t.cpu))
	return nil
}

// repeat runs the gate some times and returns how often it found something worse.
func (t *trial) repeat(times int, what string, args ...string) (worse int, err error) {
	for i := range times {
		start := time.Now()
		found, out, err := t.check(append(slices.Clone(t.flags), args...)...)
		if err != nil {
			return 0, err
		}
		seconds := time.Since(start).Seconds()
		t.seconds, t.cpu = append(t.seconds, seconds), append(t.cpu, t.last.Seconds())
		if found {
			worse++
		}
		r, err := t.found()
		if err != nil {
			return 0, err
		}
		fmt.Printf("%s %d: worse %v, %.0f s, %.0f s of CPU, %d numbers, left out: %d\n", what, i+1,
			found, seconds, t.last.Seconds(), len(r.Findings), len(r.Missed))
		if found != (what == "slowed") {
			fmt.Println(out)
		}
	}
	return worse, nil
}

// check runs the gate once.
func (t *trial) check(args ...string) (worse bool, out string, err error) {
	out, err = t.command(t.clone, t.gate, append(args, "-json", t.json())...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return true, out, nil
	}
	return false, out, err
}

// plant makes the function do as much more as it should, and commits it. It returns by how many
// percent the benchmark that it counts for most in has become slower, or NaN where the turns were
// given.
func (t *trial) plant() (percent float64, err error) {
	if percent = math.NaN(); t.turns > 0 {
		err = t.slow(t.turns)
	} else {
		percent, err = t.calibrate()
	}
	if err != nil {
		return 0, err
	}
	_, err = t.git("-c", "user.name=trial", "-c", "user.email=trial@example.com", "commit", "-q",
		"-a", "-m", "Slow "+t.function)
	return percent, err
}

// calibrate finds how many turns make the function as slow as it should be, and leaves them there.
func (t *trial) calibrate() (percent float64, err error) {
	turns, known, cost := 64, 0, 0.0 // the first to see what one costs
	for range 4 {
		if err := t.slow(turns); err != nil {
			return 0, err
		}
		if percent, err = t.most(); err != nil {
			return 0, err
		}
		fmt.Printf("%d turns are %.2f %%\n", turns, percent)
		if math.Abs(percent-t.percent) < 0.2*t.percent {
			break
		}
		// A line through two points: a loop costs something besides its turns.
		each := (percent - cost) / float64(turns-known)
		if known, cost = turns, percent; !(each > 0) {
			return 0, fmt.Errorf("what %s costs in each of %d turns can't be told from noise",
				t.function, turns)
		}
		next := turns + int(math.Round((t.percent-percent)/each))
		if turns = max(1, next); turns == known {
			break // as close as it gets
		}
	}
	return percent, nil
}

// most is the largest change of instructions, in percent.
func (t *trial) most() (float64, error) {
	if _, _, err := t.check(append(slices.Clone(t.flags), "-base", t.original, "-time", "",
		"-limit", "5m")...); err != nil {
		return 0, err
	}
	r, err := t.found()
	if err != nil {
		return 0, err
	}
	most := 0.0
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Unit, "insn/") && f.Base > 0 {
			most = max(most, 100*(f.Head/f.Base-1))
		}
	}
	if most == 0 {
		return 0, fmt.Errorf("no benchmark calls %s", t.function)
	}
	return most, nil
}

// A report is what the gate wrote of its last run: what it compared, and notes on what it could not
// measure.
type report struct {
	Missed   []string
	Findings []struct {
		Unit       string
		Base, Head float64
	}
}

func (t *trial) json() string { return filepath.Join(t.work, "found.json") }

func (t *trial) found() (r report, err error) {
	text, err := os.ReadFile(t.json())
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

func (t *trial) git(args ...string) (string, error) {
	out, err := t.command(t.clone, "git", args...)
	return strings.TrimSpace(out), err
}

func (t *trial) command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState != nil { // with its children
		t.last = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}
