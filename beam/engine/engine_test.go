package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if args := os.Args[1:]; IsWorker(args) {
		os.Exit(Worker(args))
	}
	flag.Parse()
	if err := Start(nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// calls counts those of a work, for works that fail at first.
var calls atomic.Int64

func init() {
	Register("squares", func(_ context.Context, arg string, round, item int) (Part, error) {
		return Part{Sum: []int64{int64(item * item), int64(round), int64(len(arg))},
			Rows: int64(item), Bytes: 1}, nil
	})
	Register("fails", func(ctx context.Context, arg string, round, item int) (Part, error) {
		if item == 2 && calls.Add(1) <= int64(round) {
			return Part{}, errors.New("no luck\nwith this")
		}
		return works["squares"](ctx, arg, round, item)
	})
	Register("panics", func(ctx context.Context, arg string, round, item int) (Part, error) {
		if calls.Add(1) == 1 {
			panic("out of luck")
		}
		return works["squares"](ctx, arg, round, item)
	})
	Register("refuses", func(context.Context, string, int, int) (Part, error) {
		calls.Add(1)
		return Part{}, fmt.Errorf("a file: %w", Refuse(errors.New("foreign")))
	})
	Register("hangs", func(ctx context.Context, arg string, round, item int) (Part, error) {
		if calls.Add(1) <= int64(round) {
			time.Sleep(20 * time.Second) // whatever it is told
		}
		return works["squares"](ctx, arg, round, item)
	})
	Register("varies", func(_ context.Context, _ string, _, item int) (Part, error) {
		return Part{Sum: make([]int64, 1+item%2)}, nil
	})
}

// start returns an engine, and a folder that has to be empty at the end, as the temporary one has.
func start(t *testing.T) (e *Engine, dir string) {
	t.Helper()
	dir = t.TempDir()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	calls.Store(0)
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		for _, folder := range []string{dir, temp} {
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		}
	})
	return e, dir
}

func job(work, dir string, round int, items ...int) Job {
	return Job{Work: work, Arg: "arg", Round: round, Items: items, Name: "round 7",
		Out: filepath.Join(dir, "sum")}
}

func numbers(n int) (items []int) {
	for i := range n {
		items = append(items, i)
	}
	return items
}

// squares checks a result of the work squares in round 7.
func squares(t *testing.T, r *Result, err error, round, n int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	want := []int64{int64((n - 1) * n * (2*n - 1) / 6), int64(round * n), int64(3 * n)}
	if !slices.Equal(r.Sum, want) || r.Rows != int64(n*(n-1)/2) || r.Bytes != int64(n) {
		t.Errorf("%d items: %v, %d rows; want %v", n, r.Sum, r.Rows, want)
	}
}

// Each item's part is in the sum once, with one level of sums and with two.
func TestJobs(t *testing.T) {
	e, dir := start(t)
	for _, n := range []int{1, 2, 64, 65, 200} {
		r, err := e.Run(context.Background(), job("squares", dir, 7, numbers(n)...))
		squares(t, r, err, 7, n)
	}
}

// A bundle that fails or panics is tried again, three times and no more.
func TestRetries(t *testing.T) {
	for work, failures := range map[string]int{"panics": 1, "fails": 3} {
		e, dir := start(t)
		var told []string
		e.Log = func(text string) { told = append(told, text) }
		r, err := e.Run(context.Background(), job(work, dir, failures, numbers(5)...))
		squares(t, r, err, failures, 5)
		if len(told) != failures || !strings.Contains(told[0], "luck") ||
			strings.Contains(told[0], "\n") {
			t.Errorf("%s: told %q", work, told)
		}
	}
	e, dir := start(t)
	_, err := e.Run(context.Background(), job("fails", dir, 4, numbers(5)...))
	if err == nil || err.Error() != "round 7 failed 4 times, at last: shard 2: no luck" {
		t.Errorf("%v", err)
	}
}

// What trying again does not mend is not tried again.
func TestRefusals(t *testing.T) {
	e, dir := start(t)
	_, err := e.Run(context.Background(), job("refuses", dir, 0, 4))
	if err == nil || err.Error() != "round 7: foreign" || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	_, err = e.Run(context.Background(), job("varies", dir, 0, 0, 1))
	if err == nil || !strings.Contains(err.Error(), "differ in length") {
		t.Errorf("%v", err)
	}
}

// A job that hangs is cancelled, and tried again with more time.
func TestDeadline(t *testing.T) {
	e, dir := start(t)
	e.Least = 500 * time.Millisecond
	var told []string
	e.Log = func(text string) { told = append(told, text) }
	r, err := e.Run(context.Background(), job("hangs", dir, 1, 0))
	squares(t, r, err, 1, 1)
	if len(told) == 0 || !strings.Contains(told[0], "not done after 500ms") {
		t.Errorf("told %q", told)
	}
	if e.slowest > 10*time.Second {
		t.Errorf("the try that hung counts as a job of %v", e.slowest)
	}
}

// A caller who has enough does not wait for the deadline.
func TestCancel(t *testing.T) {
	e, dir := start(t)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := e.Run(ctx, job("hangs", dir, 9, 0))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// A result that lacks an item, or has one twice, is none, whatever the runner says.
func TestResultsAreCounted(t *testing.T) {
	j := job("squares", "", 0, 0, 1, 2, 3)
	sum := func(items ...int) (all []byte) {
		for _, i := range items {
			all = add(all, recordOf(i, Part{Sum: []int64{1}}).encode())
		}
		return all
	}
	if _, err := j.result(sum(3, 1, 2, 0)); err != nil {
		t.Error(err)
	}
	good := sum(0, 1, 2, 3)
	for _, bad := range [][]byte{nil, sum(0, 1, 2), sum(0, 1, 2, 2), sum(0, 1, 2, 3, 3),
		sum(0, 1, 2, 4), good[:len(good)-1], good[:8], {1}, {2, 3}} {
		if r, err := j.result(bad); err == nil {
			t.Errorf("%x was taken for %v", bad, r)
		}
	}
}

// Records are added in any order.
func TestAdd(t *testing.T) {
	a := recordOf(1, Part{Sum: []int64{-5}}).encode()
	b := recordOf(2, Part{Sum: []int64{8}}).encode()
	no, none := record{refused: "no"}.encode(), record{refused: "none"}.encode()
	for _, pair := range [][2][]byte{{a, b}, {a, no}, {no, none}, {a, nil}} {
		one := add(slices.Clone(pair[0]), pair[1])
		two := add(slices.Clone(pair[1]), pair[0])
		if !slices.Equal(one, two) || len(one) == 0 {
			t.Errorf("%x or %x", one, two)
		}
	}
	if r, err := decode(add(a, b)); err != nil || r.sum[headLength] != 3 {
		t.Errorf("%v, %v", r, err)
	}
}

// Hundreds of jobs do not need more and more memory. PEGASIMD_BEAM_JOBS says how many.
func TestManyJobs(t *testing.T) {
	jobs := 10
	fmt.Sscan(os.Getenv("PEGASIMD_BEAM_JOBS"), &jobs)
	e, dir := start(t)
	for k := range jobs {
		r, err := e.Run(context.Background(), job("squares", dir, k, numbers(16)...))
		squares(t, r, err, k, 16)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("there is no /proc")
	}
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	var peak int
	fmt.Sscan(text, &peak)
	t.Logf("%d jobs, at GOMAXPROCS %d: at most %d MB", jobs, runtime.GOMAXPROCS(0), peak>>10)
	if peak > 200<<10 {
		t.Errorf("%d MB after %d jobs", peak>>10, jobs)
	}
}

// Beam's flags are checked before anything is done.
func TestFlags(t *testing.T) {
	for _, flags := range []string{"--nonsense", "word", "--runner=flink", "--runner=universal",
		"--endpoint=localhost:1", "--beam_log=loud"} {
		err := Start([]string{flags})
		if err == nil || !strings.HasPrefix(err.Error(), "behind --") {
			t.Errorf("%s: %v", flags, err)
		}
		flag.Set("runner", "prism")
		flag.Set("endpoint", "")
		flag.Set("beam_log", "off")
	}
	for args, want := range map[string]bool{
		"--worker=true": true, "-worker": true, "worker": false, "train --workers": false,
		"--id=1 --provision_endpoint=localhost:1": true,
	} {
		if got := IsWorker(strings.Fields(args)); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}
