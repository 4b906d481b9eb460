package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"github.com/pegasimd/pegasimd/beam/internal/work"
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

// calls counts calls of the works that panic, refuse or hang and, for the work "fails", calls for
// item 2.
var calls atomic.Int64

func squares(_ context.Context, arg string, round, item int) ([]int64, error) {
	return []int64{int64(item * item), int64(round), int64(len(arg))}, nil
}

func init() {
	work.Register("squares", squares)
	work.Register("fails", func(ctx context.Context, arg string, round, item int) ([]int64, error) {
		if item == 2 && calls.Add(1) <= int64(round) {
			return nil, errors.New("no luck\nwith this")
		}
		return squares(ctx, arg, round, item)
	})
	work.Register("panics", func(ctx context.Context, arg string, round, item int) ([]int64, error) {
		if calls.Add(1) == 1 {
			panic("out of luck")
		}
		return squares(ctx, arg, round, item)
	})
	work.Register("refuses", func(context.Context, string, int, int) ([]int64, error) {
		calls.Add(1)
		return nil, fmt.Errorf("a file: %w", work.Refuse(errors.New("foreign")))
	})
	work.Register("hangs", func(ctx context.Context, arg string, round, item int) ([]int64, error) {
		if calls.Add(1) <= int64(round) {
			time.Sleep(time.Hour) // ignores its context
		}
		return squares(ctx, arg, round, item)
	})
	work.Register("varies", func(_ context.Context, _ string, _, item int) ([]int64, error) {
		return make([]int64, 1+item%2), nil
	})
}

// The folder and the temporary folder must be empty at the end.
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

func job(name, dir string, round int, items ...int) work.Job {
	return work.Job{Work: name, Arg: "arg", Round: round, Items: items, Name: "round 7",
		Out: filepath.Join(dir, "sum")}
}

func numbers(n int) (items []int) {
	for i := range n {
		items = append(items, i)
	}
	return items
}

func isSum(t *testing.T, sum []int64, err error, round, n int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	want := []int64{int64((n - 1) * n * (2*n - 1) / 6), int64(round * n), int64(3 * n)}
	if !slices.Equal(sum, want) {
		t.Errorf("%d items: %v; want %v", n, sum, want)
	}
}

func TestJobs(t *testing.T) {
	e, dir := start(t)
	for _, n := range []int{1, 2, 64, 200} {
		for _, r := range []work.Runner{e, work.InProcess{}} {
			sum, err := r.Run(context.Background(), job("squares", dir, 7, numbers(n)...))
			isSum(t, sum, err, 7, n)
		}
	}
}

func TestRetries(t *testing.T) {
	for work, failures := range map[string]int{"panics": 1, "fails": 3} {
		e, dir := start(t)
		var told []string
		e.Log = func(text string) { told = append(told, text) }
		sum, err := e.Run(context.Background(), job(work, dir, failures, numbers(5)...))
		isSum(t, sum, err, failures, 5)
		if len(told) != failures || !strings.Contains(told[0], "luck") ||
			strings.Contains(told[0], "\n") {
			t.Errorf("%s: logged %q", work, told)
		}
	}
	e, dir := start(t)
	_, err := e.Run(context.Background(), job("fails", dir, 4, numbers(5)...))
	if err == nil || err.Error() != "round 7 failed 4 times, the last time with: no luck" {
		t.Errorf("%v", err)
	}
}

func TestRefusals(t *testing.T) {
	e, dir := start(t)
	_, err := e.Run(context.Background(), job("refuses", dir, 0, 4))
	if err == nil || err.Error() != "round 7: a file: foreign" || calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

func TestDeadline(t *testing.T) {
	e, dir := start(t)
	e.Least = 500 * time.Millisecond
	var told []string
	e.Log = func(text string) { told = append(told, text) }
	began := time.Now()
	sum, err := e.Run(context.Background(), job("hangs", dir, 1, 0))
	isSum(t, sum, err, 1, 1)
	if len(told) == 0 || !strings.Contains(told[0], "not done after 500ms") {
		t.Errorf("logged %q", told)
	}
	if took := time.Since(began); e.slowest > took-e.Least {
		t.Errorf("the slowest job took %v, the try that hung included: want at most %v",
			e.slowest, took-e.Least)
	}
}

func TestCancel(t *testing.T) {
	e, dir := start(t)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := e.Run(ctx, job("hangs", dir, 9, 0)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// The runner may start the worker of a job that was canceled.
func TestPoolOutlivesCanceledJob(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	reached := func() bool {
		pool, err := extworker.StartLoopback(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Stop(context.Background())
		stopPool(ctx, pool)
		for range 50 {
			conn, err := net.Dial("tcp", pool.EnvironmentConfig(ctx))
			if err != nil {
				return false
			}
			conn.Close()
			time.Sleep(10 * time.Millisecond)
		}
		return true
	}
	if reached() {
		t.Error("the pool of a job that has ended is not stopped")
	}
	cancel()
	if !reached() {
		t.Error("the pool of a canceled job is stopped at once")
	}
}

func TestResultsAreCounted(t *testing.T) {
	wanted := []int{0, 1, 2, 3}
	sum := func(items ...int) (all record) {
		for _, i := range items {
			all = add(all, recordOf([]int{i}, []int64{1}))
		}
		return all
	}
	if got, err := sum(3, 1, 2, 0).sumOf(wanted); err != nil || !slices.Equal(got, []int64{4}) {
		t.Error(got, err)
	}
	good := sum(0, 1, 2, 3)
	for _, bad := range []record{nil, sum(0, 1, 2), sum(0, 1, 2, 2), sum(0, 1, 2, 3, 3),
		sum(0, 1, 2, 4), good[:len(good)-1], good[:8]} {
		if got, err := bad.sumOf(wanted); err == nil {
			t.Errorf("the invalid record %x has the sum %v", bad, got)
		}
	}
}

func TestAdd(t *testing.T) {
	a, b := recordOf([]int{1, 3}, []int64{-5}), recordOf([]int{2}, []int64{8})
	for _, pair := range [][2]record{{a, b}, {a, nil}} {
		one := add(slices.Clone(pair[0]), pair[1])
		two := add(slices.Clone(pair[1]), pair[0])
		if !slices.Equal(one, two) || len(one) == 0 {
			t.Errorf("%x or %x", one, two)
		}
	}
	long := recordOf([]int{2}, []int64{8, 9})
	for _, order := range [][3]record{{a, b, long}, {a, long, b}, {long, a, b}} {
		all := record(add(add(slices.Clone(order[0]), order[1]), order[2]))
		if sum, err := all.sumOf([]int{1, 3, 2, 2}); err == nil {
			t.Errorf("%v", sum)
		}
	}
}

// PEGASIMD_BEAM_JOBS is the number of jobs.
func TestManyJobs(t *testing.T) {
	jobs := 10
	fmt.Sscan(os.Getenv("PEGASIMD_BEAM_JOBS"), &jobs)
	e, dir := start(t)
	for k := range jobs {
		sum, err := e.Run(context.Background(), job("squares", dir, k, numbers(16)...))
		isSum(t, sum, err, k, 16)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("there is no /proc")
	}
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	var peak int
	fmt.Sscan(text, &peak)
	t.Logf("%d jobs, at GOMAXPROCS %d: at most %d MiB", jobs, runtime.GOMAXPROCS(0), peak>>10)
	if peak > 200<<10 {
		t.Errorf("%d MiB after %d jobs", peak>>10, jobs)
	}
}

func TestFlags(t *testing.T) {
	for _, flags := range []string{"--nonsense", "word", "--runner=flink", "--runner=universal",
		"--endpoint=localhost:1", "--beam_log=loud"} {
		err := Start([]string{flags})
		if err == nil || !strings.HasPrefix(err.Error(), "after --") {
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
