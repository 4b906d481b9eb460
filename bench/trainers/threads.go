package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/dataset"
)

// A proven is a problem with the hinge, and the gap that is to be proven.
type proven struct {
	set         string
	lambda, tol float64
}

// shared are problems whose work threads share: two dense classes, text, and ten classes.
var shared = []proven{{"covtype-scaled", 1e-4, .01}, {"dense", 1e-4, .01}, {"imdb", 1e-4, .001},
	{"fashion", 1e-4, .01}}

var sharedQuick = []proven{{"digits-8", 1e-4, .01}, {"made-text-scaled", 1e-4, .001},
	{"digits-scaled", 1e-4, .01}}

// timeThreads compares runs with T threads with T simultaneous processes of one thread each.
func (s *session) timeThreads() error {
	problems := shared
	if s.quick {
		problems = sharedQuick
	}
	table := frame.Table{Title: "Threads, on all cores: seconds of a run with T of them, beside T " +
		"processes at once that make a run each, on one thread; the weights are the same bits",
		Head: []string{"set, lambda, proven", "T", "a run", "the fewest over that",
			"T processes, a run each", "share of what they reach"}}
	for _, p := range problems {
		of, err := openNamed(p.set)
		if errors.Is(err, errAbsent) {
			log.Printf("left out: %v", err)
			continue
		}
		if err == nil {
			err = s.timeShare(fmt.Sprintf("%s, %g, %g %%", of, p.lambda, 100*p.tol), p, &table)
		}
		if err != nil {
			return err
		}
	}
	return table.Write(os.Stdout)
}

// counts are the numbers of threads: -threads, or powers of two up to the cores and to 16.
func (s *session) counts() (all []int) {
	if slices.Max(s.threads) > 1 {
		return s.threads
	}
	for n := 1; n <= min(16, runtime.NumCPU()); n *= 2 {
		all = append(all, n)
	}
	return all
}

// timeShare adds the lines of a problem. All processes have made a run before any is timed, and
// every run has to give the first one's weights.
func (s *session) timeShare(title string, p proven, table *frame.Table) error {
	counts := s.counts()
	workers := make([]*driver, slices.Max(counts))
	for i := range workers {
		d, err := start(s.ctx, self(), "work", p.set)
		if err != nil {
			return err
		}
		defer d.stop()
		workers[i] = d
	}
	var want []float64
	train := func(d *driver, threads int) (seconds float64, err error) {
		t, err := d.train("hinge", p.lambda, p.tol, threads, 60*s.limit)
		if err == nil && want != nil && !slices.EqualFunc(t.values, want, sameBits) {
			err = fmt.Errorf("%s: other weights with %d threads", p.set, threads)
		}
		if err != nil {
			return 0, err
		}
		if want == nil {
			want = t.values
		}
		return t.Wall, nil
	}
	for _, d := range workers {
		if _, err := train(d, 1); err != nil {
			return err
		}
	}
	var runs []func() (float64, error)
	for _, n := range counts {
		runs = append(runs, func() (float64, error) { return train(workers[0], n) },
			func() (float64, error) {
				seconds, err := atOnce(workers[:n], train)
				return seconds / float64(n), err
			})
	}
	race, err := frame.Runs(s.rounds, s.most, runs...)
	if err != nil {
		return err
	}
	for k, n := range counts {
		table.Add(title, n, frame.Short(race.Median(2*k)), ratioOf(race, 0, 2*k),
			frame.Short(float64(n)*race.Median(2*k+1)), ratioOf(race, 2*k+1, 2*k))
	}
	return nil
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// atOnce lets all workers train at once, on one thread each, and returns the longest time.
func atOnce(workers []*driver, train func(*driver, int) (float64, error)) (float64, error) {
	seconds, errs := make([]float64, len(workers)), make([]error, len(workers))
	var wait sync.WaitGroup
	for i, d := range workers {
		wait.Go(func() { seconds[i], errs[i] = train(d, 1) })
	}
	wait.Wait()
	return slices.Max(seconds), errors.Join(errs...)
}

// self is this program, for other processes of it.
func self() string {
	name, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	return name
}

// work is a driver of our trainer, with the hinge, on the set that args names. Its effort is the gap
// to be proven, and where others have a seed it has the number of threads.
func work(args []string) error {
	of, err := openNamed(args[0])
	if err != nil {
		return err
	}
	if labels := classes(of.train); len(labels) == 2 {
		against(labels[1])(of.train)
	}
	rows, err := of.train.WithLayout(dataset.LayoutAuto)
	if err != nil {
		return err
	}
	x, y := rows.Examples(), rows.Y
	for fmt.Println("ready Pegasimd"); ; {
		var loss string
		var lambda, tol float64
		var threads int
		_, err := fmt.Scan(&loss, &lambda, &tol, &threads)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		cfg := same(loss, lambda)
		cfg.Tol = tol
		t, err := ownTrain(context.Background(), x, y, cfg, threads, time.Hour)
		if err == nil && !t.proven {
			err = fmt.Errorf("%g was not proven", tol)
		}
		if err != nil {
			t = &training{Error: err.Error()}
		}
		t.Count = len(t.values)
		if err := errors.Join(json.NewEncoder(os.Stdout).Encode(t),
			binary.Write(os.Stdout, binary.LittleEndian, t.values)); err != nil {
			return err
		}
	}
}
