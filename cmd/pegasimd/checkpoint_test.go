package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// With PEGASIMD_TEST_COMMAND the test binary acts as the command, so that tests can run a process.
func TestMain(m *testing.M) {
	if os.Getenv("PEGASIMD_TEST_COMMAND") != "" {
		limitFiles()
		main()
	}
	code := m.Run()
	if testing.Verbose() {
		fmt.Printf("models verified after they were trained: %v\n", &verdicts)
	}
	os.Exit(code)
}

func process(t *testing.T, after time.Duration, kill os.Signal, args ...string) (code int,
	stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if kill != nil {
		time.Sleep(after)
		cmd.Process.Signal(kill)
	}
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

func runs() map[string][]string {
	if testing.Short() {
		return map[string][]string{"ovr": {"-epochs", "200", "-bias", "augmented"}}
	}
	return map[string][]string{
		"ovr": {"-epochs", "1200", "-bias", "augmented"},
		"ovo": {"-epochs", "1200", "-multiclass", "ovo", "-class-weight", "balanced"},
	}
}

func unbroken(t *testing.T, flags []string) (hash string, took time.Duration) {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model")
	start := time.Now()
	if code, told := process(t, 0, nil, append([]string{"train", "-quiet", digits, model},
		flags...)...); code != exitDone {
		t.Fatalf("exit code %d, %s", code, told)
	}
	return hashOf(t, model), time.Since(start)
}

const digits = "../../dataset/digits/digits.csv.gz"

func hashOf(t *testing.T, model string) string {
	t.Helper()
	return modelOf(t, model).Hash()
}

func modelOf(t *testing.T, name string) *pegasos.Model {
	t.Helper()
	m, err := pegasos.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t *testing.T, m *pegasos.Model, name string) {
	t.Helper()
	if err := m.WriteFile(name); err != nil {
		t.Fatal(err)
	}
}

var signals = map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestInterruptedRunsResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGINT to be sent: NOT TESTED")
	}
	for name, flags := range runs() {
		t.Run(name, func(t *testing.T) {
			want, took := unbroken(t, flags)
			for _, signal := range []string{"SIGINT", "SIGTERM"} {
				dir := t.TempDir()
				state, model := filepath.Join(dir, "state"), filepath.Join(dir, "model")
				interrupted := 0
				for try := 0; try < 4 || !exists(state); try++ {
					args := append([]string{"train", "-quiet", "-checkpoint", state, "-every",
						"50ms", digits, model}, flags...)
					if exists(state) {
						args = []string{"train", "-quiet", "-resume", state, "-checkpoint", state,
							"-every", "50ms", digits, model}
						if try%2 == 1 {
							args = append(args, flags...)
						}
					}
					code, told := process(t, time.Duration(try/4)*took/
						4+time.Duration(rand.Int64N(int64(took/3))), signals[signal], args...)
					switch {
					case code == exitInterrupted:
						interrupted++
					case code == exitDone && hashOf(t, model) == want:
					case strings.Contains(told, "signal") || code == -1:
						// the signal came before main could handle signals
					default:
						t.Fatalf("%s: exit code %d, %s", signal, code, told)
					}
				}
				if code, told := process(t, 0, nil, "train", "-quiet", "-resume", state, digits,
					model); code != exitDone || hashOf(t, model) != want {
					t.Errorf("%s: exit code %d, %s, model %s, want %s", signal, code, told,
						hashOf(t, model), want)
				}
				t.Logf("%s: interrupted %d times", signal, interrupted)
				sample.OnlyFiles(t, dir, "model", "state")
			}
		})
	}
}

func TestKilledRunsResume(t *testing.T) {
	for name, flags := range runs() {
		t.Run(name, func(t *testing.T) {
			want, took := unbroken(t, flags)
			dir := t.TempDir()
			state, model := filepath.Join(dir, "state"), filepath.Join(dir, "model")
			killed := 0
			for try := 0; try < 4 || !exists(state); try++ {
				args := append([]string{"train", "-quiet", "-checkpoint", state, "-every", "20ms",
					digits, model}, flags...)
				if exists(state) {
					args = append(args, "-resume", state)
				}
				if code, told := process(t, time.Duration(1+try/4)*took/
					8+time.Duration(rand.Int64N(int64(took/3))), os.Kill, args...); code == -1 ||
					runtime.GOOS == "windows" && code == 1 {
					killed++
				} else if code != exitDone {
					t.Fatalf("exit code %d, %s", code, told)
				}
			}
			if code, told := process(t, 0, nil, "train", "-quiet", "-resume", state, digits,
				model); code != exitDone || hashOf(t, model) != want {
				t.Errorf("exit code %d, %s, model %s, want %s", code, told, hashOf(t, model), want)
			}
			t.Logf("killed %d times", killed)
		})
	}
}

func TestCheckpointKeepsSettings(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "pets.csv",
		"weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n3,-3,dog\n")
	must(t, "train", "-quiet", data, dir+"/a")
	flags := []string{"-class-weight", "dog=1.5", "-start", dir + "/a", "-lambda", "0.25",
		"-average", "none"}
	must(t, append(append([]string{"train", "-quiet", "-epochs", "9"}, flags...), data,
		dir+"/want")...)
	must(t, append(append([]string{"train", "-quiet", "-epochs", "4", "-checkpoint",
		dir + "/state"}, flags...), data, dir+"/b")...)
	if modelOf(t, dir+"/b").State != nil {
		t.Error("the model has a state")
	}
	must(t, "train", "-quiet", "-epochs", "9", "-resume", dir+"/state", data, dir+"/c")
	must(t, append(append([]string{"train", "-quiet", "-epochs", "9", "-resume", dir + "/state"},
		flags...), data, dir+"/d")...)
	if want := read(t, dir+"/want"); read(t, dir+"/d") != want || hashOf(t, dir+"/c") !=
		hashOf(t, dir+"/want") {
		t.Error("the models differ")
	}
	other := file(t, "other.csv",
		"weight,age,pet\n1,2,cat\n2,1,cat\n-1,-2,dog\n-2,-1,dog\n3,-4,dog\n")
	for want, args := range map[string][]string{
		"data are not those": {"-resume", dir + "/state", other},
		"-lambda was 0.25, is 0.5; -average was none, is last-half": {
			"-resume", dir + "/state", "-lambda", "0.5", data},
		"not a checkpoint":    {"-resume", dir + "/a", data},
		"same file":           {"-checkpoint", dir + "/out", data},
		"has no effect":       {"-every", "1s", data},
		"greater than 0":      {"-every", "0s", "-checkpoint", dir + "/state", data},
		"none/state":          {"-checkpoint", dir + "/none/state", data},
		"missing":             {"-resume", dir + "/missing", data},
		"does not begin with": {"-resume", data, data},
	} {
		fails(t, anyFailure, want, append(append([]string{"train", "-quiet"}, args...),
			dir+"/out")...)
	}
}
