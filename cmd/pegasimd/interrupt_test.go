package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The standard input of a running command does not end.
type running struct {
	*exec.Cmd
	stdin  *os.File
	stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := &running{Cmd: exec.Command(os.Args[0], args...), stdin: w}
	p.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
	p.Stdin, p.Stderr = r, &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *running) end() (code int, took time.Duration) {
	since := time.Now()
	p.Wait()
	p.stdin.Close()
	return p.ProcessState.ExitCode(), time.Since(since)
}

var endless = []string{
	"train - OUT", "train -json OUT - other", "train -steps 1000000000000 toy.svm OUT",
	"train -multiclass crammer-singer -steps 1000000000000 toy.svm OUT",
	"train -kernel rbf -gamma 1 -steps 1000000000000 toy.svm OUT",
	"train -checkpoint OUT -steps 1000000000000 toy.svm other",
	"cv -model OUT -", "cv -steps 1000000000000 -model OUT toy.svm",
	"cv -kernel rbf -gamma 1 -steps 1000000000000 -cs 1 -model OUT toy.svm",
	"predict - toy.model OUT", "predict toy.svm - OUT", "eval -json OUT - toy.model",
	"convert - OUT.svm", "convert -from liblinear - OUT", "convert -to json - OUT",
	"inspect -json OUT -",
	"train -weights - toy.svm OUT", "train -costs - -multiclass crammer-singer toy.svm OUT",
	"train -valid - -patience 1 toy.svm OUT",
}

func overhead(t *testing.T) time.Duration {
	t.Helper()
	since := time.Now()
	p := start(t, "version")
	if code, _ := p.end(); code != exitDone {
		t.Fatalf("version: exit code %d, %s", code, p.stderr.String())
	}
	return time.Since(since)
}

// The command ends within a second, or later if starting a process is slow as well. It has six
// tries because other processes may load the machine.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGINT to be sent: NOT TESTED")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "toy.svm", strings.Repeat(toy, 5))
	must(t, "train", "-quiet", "toy.svm", "toy.model")
	for i, line := range endless {
		t.Run(line, func(t *testing.T) {
			signal := []os.Signal{os.Interrupt, syscall.SIGTERM}[i%2]
			args := strings.Fields(strings.ReplaceAll(line, "OUT", "out"))
			for try := 0; ; try++ {
				p := start(t, args...)
				waitFor(t, "*.tmp")
				time.Sleep(100 * time.Millisecond) // the command may have come to any point
				p.Process.Signal(signal)
				code, took := p.end()
				allowed := max(time.Second, workingGrace+20*overhead(t))
				if left, _ := filepath.Glob("*.tmp"); len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
				if code != exitInterrupted {
					t.Fatalf("exit code %d, %s", code, p.stderr.String())
				}
				_, err := modelio.ReadFile("out")
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
				os.Remove("out")
				os.Remove("other")
				if took < allowed {
					return
				}
				if try == 5 {
					t.Fatalf("the command ended after %v, want less than %v", took, allowed)
				}
			}
		})
	}
}

// interrupt runs the command, and sends SIGINT when the time wait has passed since a file that
// matches pattern appeared.
func interrupt(t *testing.T, wait time.Duration, pattern, command string) {
	t.Helper()
	p := start(t, strings.Fields(command)...)
	waitFor(t, pattern)
	time.Sleep(wait)
	p.Process.Signal(os.Interrupt)
	if code, _ := p.end(); code != exitInterrupted {
		t.Fatalf("exit code %d, %s", code, p.stderr.String())
	}
}

func TestInterruptedRunKeepsItsState(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGINT to be sent: NOT TESTED")
	}
	t.Chdir(t.TempDir())
	write(t, "toy.svm", strings.Repeat(toy, 5))
	for wait := time.Second; ; wait *= 2 { // other processes may delay the first step
		interrupt(t, wait, "state.gz.*.tmp", "train -force -checkpoint state.gz -every 1h "+
			"-steps 1000000000000 -json report -plot curve.svg toy.svm model")
		if _, err := os.Stat("model"); err != nil && wait < time.Minute {
			continue // the signal came before the training
		}
		if of := report(t, "report"); of["interrupted"] != true {
			t.Error("the report does not say that the run was interrupted")
		}
		model := modelOf(t, "model")
		state, err := pegasos.ReadFile("state.gz")
		if err != nil || state.State == nil || state.Hash() != model.Hash() {
			t.Fatalf("%v, %v", state, err)
		}
		if left, _ := filepath.Glob("*"); len(left) != 5 {
			t.Errorf("%q", left)
		}
		if state.State.Steps() > 0 {
			return
		}
		if wait > time.Minute {
			t.Fatal("no step was taken")
		}
	}
}

func TestInterruptedRunStoresWords(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGINT to be sent: NOT TESTED")
	}
	t.Chdir(t.TempDir())
	write(t, "texts.tsv", strings.Repeat("yes\tgood news for all\nno\tbad news for all\n", 20))
	for wait := time.Second; ; wait *= 2 { // other processes may delay the training
		interrupt(t, wait, "model.*.tmp", "train -words 2 -steps 1000000000000 texts.tsv model")
		if _, err := os.Stat("model"); err != nil && wait < time.Minute {
			continue // the signal came before the training
		}
		if out, _ := must(t, "inspect", "model"); !strings.Contains(out, "good") {
			t.Errorf("the model has no words:\n%s", out)
		}
		return
	}
}

func waitFor(t *testing.T, pattern string) {
	t.Helper()
	deadline, limited := t.Deadline()
	for !limited || time.Until(deadline) > 10*time.Second {
		if names, _ := filepath.Glob(pattern); len(names) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %s", pattern)
}

func TestSecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGINT to be sent: NOT TESTED")
	}
	t.Chdir(t.TempDir())
	endAfter := func(second bool) time.Duration {
		p := start(t, "train", "-", "out")
		waitFor(t, "*.tmp")
		p.Process.Signal(os.Interrupt)
		time.Sleep(20 * time.Millisecond)
		if second {
			p.Process.Signal(syscall.SIGTERM)
		}
		code, took := p.end()
		if left, _ := filepath.Glob("*"); len(left) > 0 || code != exitInterrupted {
			t.Errorf("exit code %d; left behind: %q", code, left)
		}
		return took
	}
	for try := 0; ; try++ {
		one, two := endAfter(false), endAfter(true)
		if two < one/2 {
			return
		}
		if try == 5 {
			t.Fatalf("the command ended after %v, with a second signal after %v", one, two)
		}
	}
}

func TestStages(t *testing.T) {
	defer stage.Store(working)
	for at, c := range map[int32]struct{ yet, over time.Duration }{
		working:   {0, 900 * time.Millisecond},
		training:  {900 * time.Millisecond, 10 * time.Second},
		finishing: {time.Hour, 0},
	} {
		stage.Store(at)
		if over(c.yet) || c.over > 0 && !over(c.over) {
			t.Errorf("stage %d: the time limit is wrong", at)
		}
	}
}

func TestBrokenPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE: NOT TESTED")
	}
	t.Chdir(t.TempDir())
	write(t, "toy.svm", strings.Repeat(toy, 50_000))
	must(t, "train", "-quiet", "-epochs", "1", "toy.svm", "toy.model")
	for _, line := range []string{"predict toy.svm toy.model", "convert toy.svm -"} {
		p := exec.Command(os.Args[0], append(strings.Fields(line), "-quiet")...)
		p.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var told bytes.Buffer
		p.Stdout, p.Stderr = w, &told
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		r.Read(make([]byte, 10))
		r.Close()
		p.Wait()
		left, _ := filepath.Glob("*.tmp")
		if code := p.ProcessState.ExitCode(); code != exitPipe || told.Len() > 0 || len(left) > 0 {
			t.Errorf("%s: exit code %d, %s; left behind: %q", line, code, told.String(), left)
		}
	}
}

// Temporary files may be left behind, but do not hinder the next run.
func TestKilled(t *testing.T) {
	runs := 100
	if testing.Short() {
		runs = 10
	}
	t.Chdir(t.TempDir())
	write(t, "toy.svm", strings.Repeat(toy, 500))
	train := strings.Fields("train -quiet -epochs 100 -checkpoint state -every 1ms -json report " +
		"-plot curve.svg toy.svm model")
	must(t, train...)
	took := time.Duration(0)
	for i := range runs {
		p := start(t, train...)
		before := time.Now()
		if i%10 == 0 { // how long a run takes now
			p.Wait()
			took = time.Since(before)
		} else {
			time.Sleep(rand.N(took))
			p.Process.Kill()
		}
		p.end()
		for _, name := range []string{"model", "state"} {
			if _, err := modelio.ReadFile(name); err != nil {
				t.Fatalf("run %d: %v", i, err)
			}
		}
		report(t, "report")
		if svg := read(t, "curve.svg"); !strings.HasPrefix(svg, svgMark) ||
			!strings.HasSuffix(strings.TrimSpace(svg), "</svg>") {
			t.Fatalf("run %d: %q", i, svg)
		}
		names, _ := filepath.Glob("*")
		for _, name := range names {
			whole := strings.Contains(" toy.svm model state report curve.svg ", " "+name+" ")
			var n uint32
			_, err := fmt.Sscanf(filepath.Ext(strings.TrimSuffix(name, ".tmp")), ".%08x", &n)
			if !whole && (err != nil || !strings.HasSuffix(name, ".tmp")) {
				t.Fatalf("run %d: left behind: %s", i, name)
			}
		}
	}
	left, _ := filepath.Glob("*.tmp")
	t.Logf("%d temporary files are left of %d runs", len(left), runs)
	must(t, train...)
}
