// Package work runs work on numbered items, such as the shards in a round of training. Work is a
// pure function over files that all workers can read and write. [InProcess] runs work in this
// process, package engine on Apache Beam.
package work

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// A Func works on an item of a round. It may be called again for the same item, even by another
// process at the same time. It must then return the same numbers and write the same files, each
// atomically. Its results for all items have equal length.
type Func func(ctx context.Context, arg string, round, item int) ([]int64, error)

var funcs = map[string]Func{}

// Register registers work under a name, by which other processes of the program find it. Call it in
// init functions.
func Register(name string, f Func) {
	if funcs[name] != nil {
		panic("work: " + name + " is registered twice")
	}
	funcs[name] = f
}

type Job struct {
	Work  string // registered name
	Arg   string // first argument
	Round int    // second argument
	Items []int  // distinct
	Out   string // file for the engine's own use; all workers and the driver see it
	Name  string // for messages, such as "round 7"
}

// A Runner runs a job and sums the items' numbers.
type Runner interface {
	Run(ctx context.Context, j Job) ([]int64, error)
}

type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// Refuse returns an error that ends the job without retries.
func Refuse(err error) error { return refusal{err} }

func Refused(err error) bool { return errors.As(err, new(refusal)) }

type InProcess struct{}

func (InProcess) Run(ctx context.Context, j Job) ([]int64, error) {
	sum, err := Sum(ctx, j, j.Items)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Name, err)
	}
	return sum, nil
}

// Sum works on some items of a job, up to GOMAXPROCS at a time, and adds up their numbers. It
// returns when ctx ends or an item fails, even if other work goes on.
func Sum(ctx context.Context, j Job, items []int) ([]int64, error) {
	f := funcs[j.Work]
	if f == nil {
		return nil, fmt.Errorf("the worker has no work named %q: its program or version differs from "+
			"the driver's", j.Work)
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var mu sync.Mutex
	var sum []int64
	var wait sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, item := range items {
		wait.Go(func() {
			processors <- struct{}{}
			defer func() { <-processors }()
			if ctx.Err() != nil {
				return
			}
			part, err := call(ctx, f, j, item)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				sum, err = add(sum, part)
			}
			if err != nil {
				fail(err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		wait.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return sum, nil
}

func call(ctx context.Context, f Func, j Job, item int) (part []int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f(ctx, j.Arg, j.Round, item)
}

func add(sum, part []int64) ([]int64, error) {
	if sum == nil {
		sum = make([]int64, len(part))
	}
	if len(sum) != len(part) {
		return nil, fmt.Errorf("parts of different lengths: %d and %d", len(sum), len(part))
	}
	for k, v := range part {
		sum[k] += v
	}
	return sum, nil
}

// Last keeps the value opened last.
type Last[T any] struct {
	mu    sync.Mutex
	key   string
	value T
}

// Get returns the kept value if its key is key, which must not be empty. Otherwise it returns and
// keeps the value of open, unless open fails.
func (l *Last[T]) Get(key string, open func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key == key {
		return l.value, nil
	}
	v, err := open()
	if err == nil {
		l.key, l.value = key, v
	}
	return v, err
}
