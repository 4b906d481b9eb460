package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/table"
)

// Tests also start this test binary as a worker, as Beam's runner Prism, and as the command.
func TestMain(m *testing.M) {
	if args := os.Args[1:]; engine.IsWorker(args) {
		os.Exit(engine.Worker(args))
	}
	if port, err := strconv.Atoi(os.Getenv("PEGASIMD_TEST_PRISM")); err == nil {
		_, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port})
		if err != nil {
			os.Exit(1)
		}
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	if os.Getenv("PEGASIMD_TEST_COMMAND") != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	flag.Parse()
	os.Exit(m.Run())
}

func invoke(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	flag.Set("runner", "prism") // an earlier call may have changed it
	got := run(context.Background(), args, &out, &errs)
	if got != code {
		t.Fatalf("%q: exit code %d, want %d: %s", args, got, code, errs.String())
	}
	return out.String(), errs.String()
}

func process(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=1")
	return cmd
}

// data writes the digits to a file: 0 to 4 are one class, 5 to 9 the other.
func data(t *testing.T) string {
	t.Helper()
	set := dataset.Digits()
	for i, y := range set.Y {
		set.Y[i] = 1
		if y < 5 {
			set.Y[i] = -1
		}
	}
	path := filepath.Join(t.TempDir(), "digits.svm")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := dataset.WriteSvmlight(f, set); err != nil {
		t.Fatal(err)
	}
	return path
}

func cut(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shards")
	invoke(t, 0, "split", "-quiet", "-shards", fmt.Sprint(n), data(t), dir)
	return filepath.Join(dir, "manifest.json")
}

func hash(t *testing.T, model string) string {
	t.Helper()
	m, err := pegasos.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	return m.Hash()
}

func trained(t *testing.T, manifest string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"train", "-quiet", "-no-beam", "-dir", filepath.Join(dir, "run"),
		manifest, filepath.Join(dir, "model")}, flags...)
	invoke(t, 0, args...)
	return hash(t, filepath.Join(dir, "model"))
}

// A compressed model is replaced. A finished run does not continue.
func TestTrainAgain(t *testing.T) {
	dir := t.TempDir()
	data, manifest := filepath.Join(dir, "x.svm"), filepath.Join(dir, "s", "manifest.json")
	if err := os.WriteFile(data, []byte("1 1:1\n-1 1:2 2:1\n1 2:3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	invoke(t, 0, "split", data, filepath.Join(dir, "s"))
	args := []string{"train", "-no-beam", "-dir", filepath.Join(dir, "run"), "-tol", "1e-15",
		manifest, filepath.Join(dir, "model.gz")}
	invoke(t, 0, args...)
	_, message := invoke(t, 0, args...)
	if strings.Contains(message, "continuing") ||
		!strings.HasSuffix(message, "\n-tol was not reached\n") {
		t.Error(message)
	}
	args[3] = filepath.Join(dir, "brief")
	args = append(args, "-epochs", "1")
	if _, message := invoke(t, 0, args...); !strings.HasSuffix(message, "-epochs may help, with "+
		"another -dir\n") || strings.Contains(message, "yet: ") {
		t.Error(message)
	}
}

func TestTrain(t *testing.T) {
	newton := ""
	for _, n := range []int{1, 4, 16} {
		manifest := cut(t, n)
		for _, method := range []string{"newton", "dual"} {
			if method == "dual" && n != 4 {
				continue
			}
			flags := []string{"-method", method, "-tol", ".05"}
			want := trained(t, manifest, flags...)
			if method == "newton" {
				if newton == "" {
					newton = want
				}
				if want != newton {
					t.Errorf("newton in %d shards: %s, want %s", n, want, newton)
				}
			}
			dir := t.TempDir()
			model := filepath.Join(dir, "model")
			args := append([]string{"train", "-dir", filepath.Join(dir, "run"), manifest, model},
				flags...)
			_, progress := invoke(t, 0, args...)
			if got := hash(t, model); got != want || !strings.Contains(progress, "round 2: P ") {
				t.Errorf("%s in %d shards on Beam: %s, want %s\n%s", method, n, got, want, progress)
			}
			stdout, _ := invoke(t, 0, "verify", manifest, model)
			if !strings.HasSuffix(stdout, "\nconfirmed\n") {
				t.Errorf("verify says %s", stdout)
			}
		}
	}
}

func setClaim(m *pegasos.Model, objective, bound float64) {
	m.Result.Objective, m.Result.DualObjective = objective, bound
	m.Result.PerClass = []pegasos.ClassResult{{Objective: objective, DualObjective: bound,
		Lambda: m.Lambda}}
}

// A second call with the same folder prints the same result without new rounds.
func TestVerify(t *testing.T) {
	path, dir := data(t), t.TempDir()
	shards := filepath.Join(dir, "shards")
	invoke(t, 0, "split", "-quiet", "-shards", "3", path, shards)
	manifest := filepath.Join(shards, "manifest.json")
	set, err := dataset.Read(path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for what, c := range map[string]struct {
		cfg    pegasos.Config
		change func(m *pegasos.Model)
		code   int
		want   string
	}{
		"our own": {code: 0, want: "confirmed\n"},
		"to the end": {cfg: pegasos.Config{Finish: pegasos.FinishNewton, Tol: .005},
			want: "confirmed\n"},
		"squared hinge": {cfg: pegasos.Config{Loss: pegasos.SquaredHinge}, want: "confirmed\n"},
		"too good": {change: func(m *pegasos.Model) {
			setClaim(m, m.Result.Objective, float64(.9999*m.Result.Objective))
		}, want: "not confirmed, at most "},
		"another objective": {change: func(m *pegasos.Model) {
			setClaim(m, m.Result.Objective*.99, m.Result.DualObjective)
		}, code: exitError, want: "contradicted"},
		"no claim": {change: func(m *pegasos.Model) {
			m.Result = pegasos.Result{Objective: math.NaN(), DualObjective: math.NaN(),
				Gap: math.NaN()}
		}, code: exitNothing, want: "claims nothing"},
		"other weights": {change: func(m *pegasos.Model) { m.Weights[0][20] += .1 },
			code: exitError, want: "contradicted"},
		"a free bias": {cfg: pegasos.Config{Bias: pegasos.BiasUnregularised}, code: exitError,
			want: "can't be verified in shards: bias: "},
	} {
		c.cfg.Curves = pegasos.CurvesNone // rounds refuse models with curves
		tr := pegasos.Trainer{Config: c.cfg}
		m, err := tr.Train(context.Background(), set.Examples(), set.Y)
		if err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			c.change(m)
		}
		model := filepath.Join(t.TempDir(), "model")
		if err := m.WriteFile(model); err != nil {
			t.Fatal(err)
		}
		args := []string{"verify", "-no-beam", "-epochs", "60", "-dir", model + ".run", manifest,
			model}
		out, message := invoke(t, c.code, args...)
		if !strings.Contains(out+message, c.want) || strings.Contains(c.want, "\n") &&
			strings.Contains(out, "not confirmed") {
			t.Errorf("%s: %s%s, want %q", what, out, message, c.want)
		}
		if again, rest := invoke(t, c.code, args...); again != out ||
			strings.Contains(rest, "round 1:") {
			t.Errorf("%s, again: %s%s, not %s", what, again, rest, out)
		}
	}
	model := filepath.Join(dir, "model")
	invoke(t, 0, "train", "-quiet", "-no-beam", "-dir", model+".run", manifest, model)
	shard := filepath.Join(shards, "shard-00001.pgsm")
	text, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	text[5000] ^= 1
	if err := os.WriteFile(shard, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, message := invoke(t, exitError, "verify", "-no-beam", manifest, model); !strings.Contains(
		message, "shard-00001.pgsm") {
		t.Errorf("a damaged shard: %s", message)
	}
}

func TestKilled(t *testing.T) {
	kills := 6
	fmt.Sscan(os.Getenv("PEGASIMD_BEAM_KILLS"), &kills)
	manifest := cut(t, 4)
	flags := []string{"-method", "newton", "-tol", ".001"}
	want := trained(t, manifest, flags...)
	dir := filepath.Join(t.TempDir(), "run")
	model := dir + ".model"
	args := append([]string{"train", "-dir", dir, manifest, model}, flags...)
	killed := 0
	for k := range kills { // in round k+1, which has begun once state k exists
		cmd := process(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		for over := false; !over; {
			select {
			case <-done:
				over = true
			case <-time.After(time.Millisecond):
				states, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("state-%06d", k)))
				if err == nil && (len(states) > 0 || k == 0) {
					cmd.Process.Kill()
					if <-done != nil {
						killed++
					}
					over = true
				}
			}
		}
	}
	if out, err := process(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := hash(t, model); got != want {
		t.Errorf("after %d kills: %s, want %s", killed, got, want)
	}
	if killed < kills/2 {
		t.Errorf("killed %d times of %d", killed, kills)
	}
	t.Logf("killed %d times", killed)
}

// A limit on the size of files stands for a full disk.
func TestFullDisk(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	manifest := cut(t, 4)
	flags := []string{"-method", "newton", "-tol", ".05"}
	want := trained(t, manifest, flags...)
	for _, blocks := range []int{0, 1, 4} { // file size limit, in blocks of 512 or 1,024 bytes
		dir := filepath.Join(t.TempDir(), "run")
		model := dir + ".model"
		args := append([]string{"train", "-dir", dir, manifest, model}, flags...)
		limited := exec.Command("sh", append([]string{"-c",
			fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), os.Args[0]}, args...)...)
		limited.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=1")
		out, err := limited.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "file too large") {
			t.Errorf("%d blocks: %v: %s", blocks, err, out)
		}
		if out, err := process(t, args...).CombinedOutput(); err != nil {
			t.Errorf("%d blocks, then without a limit: %v: %s", blocks, err, out)
			continue
		}
		if got := hash(t, model); got != want {
			t.Errorf("%d blocks: %s, want %s", blocks, got, want)
		}
	}
}

// A job whose worker was killed ends by its deadline, and is tried again. PEGASIMD_BEAM_KILLS is
// the number of workers to kill.
func TestWorkersKilled(t *testing.T) {
	kills := 1
	fmt.Sscan(os.Getenv("PEGASIMD_BEAM_KILLS"), &kills)
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("there is no /proc to find the workers in")
	}
	manifest := cut(t, 4)
	flags := []string{"-method", "newton", "-tol", ".001"}
	want := trained(t, manifest, flags...)
	server, endpoint := startPrism(t)
	killed, hung, random := 0, 0, rand.New(rand.NewPCG(1, 2))
	for run := 0; killed < kills && run < kills+10; run++ { // a job may end before the kill
		dir := filepath.Join(t.TempDir(), "run")
		args := append([]string{"train", "-dir", dir, "-deadline", "3s", manifest, dir + ".model"},
			flags...)
		cmd := process(t, append(args, "--", "--runner=universal", "--endpoint="+endpoint,
			"--environment_type=PROCESS")...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		next := 0 // committed rounds before the next kill
		for over := false; !over; {
			select {
			case err := <-done:
				if over = true; err != nil {
					t.Fatalf("after %d kills: %v: %s", killed, err, out.String())
				}
			case <-time.After(20 * time.Millisecond):
				states, err := filepath.Glob(filepath.Join(dir, "state-*"))
				if err != nil {
					t.Fatal(err)
				}
				round := 0
				if n := len(states); n > 0 { // Glob returns the newest state last
					fmt.Sscanf(filepath.Base(states[n-1]), "state-%d", &round)
				}
				if killed == kills || round < next {
					continue
				}
				if worker := workerOf(t, server); worker != nil {
					time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
					if worker.Kill() == nil {
						killed++
						next = round + 1
					}
				}
			}
		}
		if got := hash(t, dir+".model"); got != want {
			t.Errorf("after %d kills: %s, want %s", killed, got, want)
		}
		hung += strings.Count(out.String(), "not done after")
	}
	if killed < kills {
		t.Errorf("killed %d workers of %d", killed, kills)
	}
	t.Logf("killed %d workers, upon which %d jobs hung until their deadline", killed, hung)
}

func startPrism(t *testing.T) (pid int, endpoint string) {
	t.Helper()
	const port = "38473"
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), "PEGASIMD_TEST_PRISM="+port)
	stop, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop.Close()
		server.Wait()
	})
	if line, err := bufio.NewReader(ready).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return server.Process.Pid, "localhost:" + port
}

func workerOf(t *testing.T, parent int) *os.Process {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		_, rest, ok := strings.Cut(string(text), ") ")
		words := strings.Fields(rest)
		if err != nil || !ok || len(words) < 2 || words[1] != fmt.Sprint(parent) || words[0] == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		if worker, err := os.FindProcess(pid); err == nil {
			return worker
		}
	}
	return nil
}

func TestScore(t *testing.T) {
	manifest, dir := cut(t, 2), t.TempDir()
	model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
	invoke(t, 0, "train", "-quiet", "-no-beam", "-tol", ".1", "-dir", filepath.Join(dir, "run"),
		manifest, model)
	pattern := filepath.Join(filepath.Dir(manifest), "shard-*.pgsm")
	size := 0.0
	for i := range 2 {
		data, err := os.Stat(strings.Replace(pattern, "*", fmt.Sprintf("%05d", i), 1))
		if err != nil {
			t.Fatal(err)
		}
		size += float64(data.Size())
	}
	want := fmt.Sprintf("1797 rows of 2 files, %.1f MB uncompressed, in ", size/1e6)
	for _, beam := range []string{"-no-beam=false", "-no-beam"} {
		_, summary := invoke(t, 0, "score", "-force", beam, pattern, model, out)
		if !strings.HasPrefix(summary, want) {
			t.Errorf("%q, want %q", summary, want)
		}
	}
	if _, message := invoke(t, exitUsage, "score", pattern, model, out); !strings.Contains(message,
		"shard-00000.pgsm.labels exists: choose another folder, or replace it with -force") {
		t.Errorf("%s", message)
	}
	m, err := pegasos.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		name := fmt.Sprintf("shard-%05d.pgsm", i)
		var want bytes.Buffer
		_, _, err := predictions.Write(&want, filepath.Join(filepath.Dir(manifest), name), m,
			dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out, name+".labels"))
		if err != nil || !bytes.Equal(got, want.Bytes()) || want.Len() == 0 {
			t.Errorf("%s: %d bytes, want %d, %v", name, len(got), want.Len(), err)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
	bad := filepath.Join(dir, "bad.svm")
	if err := os.WriteFile(bad, []byte("1 1:2\nx\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, message := invoke(t, exitError, "score", bad, model, out); !strings.Contains(message,
		"bad.svm:2") || strings.Contains(message, "trying") {
		t.Errorf("%s", message)
	}
	// a pair of IDX files with two rows of 8 x 8 pixels
	images, labels := filepath.Join(dir, "x-idx3-ubyte"), filepath.Join(dir, "y-idx1-ubyte")
	err = errors.Join(
		os.WriteFile(images, append([]byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 8},
			make([]byte, 128)...), 0o666),
		os.WriteFile(labels, []byte{0, 0, 8, 1, 0, 0, 0, 2, 1, 1}, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	_, summary := invoke(t, 0, "score", "-no-beam", images+","+labels, model, out)
	got, err := os.ReadFile(filepath.Join(out, "x-idx3-ubyte.labels"))
	if !strings.HasPrefix(summary, "2 rows of 1 file") || err != nil ||
		bytes.Count(got, []byte("\n")) != 2 {
		t.Errorf("%s%s, %v", summary, got, err)
	}
}

func TestScoreTable(t *testing.T) {
	dir := t.TempDir()
	names := []string{"city", "age", "label"}
	var rows [][]string
	text := "age,note,city\n"
	for i := range 60 {
		row := []string{[]string{"Lima", "Oslo", "Rome"}[i%3], strconv.Itoa(20 + i*7%50),
			[]string{"leaves", "stays"}[i%3%2]}
		if i%10 == 9 {
			row[1] = ""
		}
		rows = append(rows, row)
		text += row[1] + ",new," + row[0] + "\n"
	}
	m, err := table.Train(t.Context(), names, rows, "label", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	data, model := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "model")
	err = errors.Join(os.WriteFile(data, []byte(text), 0o666),
		m.Predictor.(*pegasos.Model).WriteFile(model))
	if err != nil {
		t.Fatal(err)
	}
	invoke(t, 0, "score", "-no-beam", data, model, filepath.Join(dir, "out"))
	want := ""
	for _, row := range rows {
		label, err := m.Predict(row[:2])
		if err != nil {
			t.Fatal(err)
		}
		want += label + "\n"
	}
	got, err := os.ReadFile(filepath.Join(dir, "out", "rows.csv.labels"))
	if err != nil || string(got) != want || !strings.Contains(want, "stays") {
		t.Errorf("%s, want %s, %v", got, want, err)
	}
}

// A job that is canceled before its worker starts does not end the process.
func TestDeadline(t *testing.T) {
	manifest, dir := cut(t, 2), t.TempDir()
	args := []string{"train", "-dir", filepath.Join(dir, "run"), manifest, filepath.Join(dir, "model")}
	for range 3 {
		_, message := invoke(t, exitError, append(args, "-deadline", "1ns")...)
		if !strings.Contains(message, "failed 4 times, the last time with: not done after 8ns") ||
			!strings.Contains(message, "the same command continues") {
			t.Error(message)
		}
	}
	invoke(t, 0, args...)
}

// Messages about data name these flags.
func TestSplitFlags(t *testing.T) {
	data := filepath.Join(t.TempDir(), "x.svm")
	if err := os.WriteFile(data, []byte("1 2:1 1:3\n-1 1:2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"":                               "indices have to ascend (-unsorted sort, or sum)",
		"-unsorted sort -max-features 1": "beyond the limit of 1 feature (-max-features)",
	} {
		args := append([]string{"split"}, strings.Fields(flags)...)
		_, message := invoke(t, exitError, append(args, data, t.TempDir())...)
		if !strings.Contains(message, want) {
			t.Errorf("%s: %s, want %q", flags, message, want)
		}
	}
	invoke(t, 0, "split", "-unsorted", "sort", "-max-features", "2", data, t.TempDir())
	_, message := invoke(t, 0, "split", "-unsorted", "sort", "-hash-bits", "21", data, t.TempDir())
	if !strings.HasPrefix(message, "2 rows of 2097152 features in 16 shards: ") {
		t.Error(message)
	}
}

func TestUsage(t *testing.T) {
	manifest := cut(t, 2)
	dir := t.TempDir()
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, []byte("notes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"nonsense":                                                                  "unknown command",
		"train " + manifest + " m":                                                  "-dir has to be given",
		"train -dir r -tol 0 " + manifest + " m":                                    "-tol: have 0, want more than 0",
		"train -dir r -tol 1 " + manifest + " m":                                    "have 1, want more than 0",
		"train -dir r -lambda 0 " + manifest + " m":                                 "have 0, want a positive",
		"train -dir r -lambda NaN " + manifest + " m":                               "have NaN, want a positive",
		"train -dir r -lambda Inf " + manifest + " m":                               "have +Inf, want a positive",
		"train -dir r -epochs 0 " + manifest + " m":                                 "have 0, want 1 or more",
		"verify -epochs 0 " + manifest + " m":                                       "have 0, want 1 or more",
		"train -dir r -deadline 0s " + manifest + " m":                              "-deadline",
		"train -no-beam -dir r " + manifest + " m -- --runner=prism":                "remove the arguments after --",
		"train -dir r " + manifest:                                                  "too few arguments",
		"train -dir r " + manifest + " " + dir:                                      "is a folder: name a file",
		"train -dir r " + manifest + " " + other:                                    "is not a model of pegasimd",
		"train -dir " + dir + "/s -loss x " + manifest + " m":                       "-loss",
		"train -dir " + dir + "/r " + manifest + " " + dir + "/m -- --runner=spark": "after --",
		"split -shards 0 a b":                                                       "-shards: have 0",
		"split a b -- --runner=prism":                                               "does not run on Beam",
		"score a b":                                                                 "too few arguments",
		"score none*.svm b c":                                                       "found no file",
		"score " + manifest + " " + manifest + " b c":                               "is given twice",
		"score -labels maybe a b c":                                                 "-labels: want one of yes, no, auto",
		"verify a b c":                                                              "unexpected argument",
	} {
		_, message := invoke(t, exitUsage, strings.Fields(line)...)
		if !strings.Contains(message, want) {
			t.Errorf("%s: %s, want %q", line, message, want)
		}
	}
	for _, cmd := range commands {
		if out, _ := invoke(t, 0, "help", cmd.name); !strings.Contains(out, "Example") {
			t.Errorf("help %s: %s", cmd.name, out)
		}
	}
}
