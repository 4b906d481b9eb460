// Package engine runs jobs of package work on Apache Beam: in this process on Prism, the runner of
// Beam's Go SDK, or on another runner's job service.
package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pegasimd/pegasimd/beam/internal/work"
)

// Engine is a [work.Runner] on Beam.
type Engine struct {
	Least time.Duration // lower bound on deadlines
	// Log, if not nil, is called with the reason when a job is tried again.
	Log func(text string)

	slowest time.Duration // time of the slowest successful try
	*service
}

const DefaultLeast = 60 * time.Second

const (
	retries = 3  // attempts after the first attempt
	slower  = 10 // deadline as a multiple of the slowest job's time
)

// New returns an engine on the runner that the flags of Start select. The caller closes it.
func New() (*Engine, error) {
	s, err := connect()
	if err != nil {
		return nil, err
	}
	return &Engine{Least: DefaultLeast, service: s}, nil
}

// Run runs a job. A job that fails or reaches its deadline is tried again up to three times, each
// time with twice the last deadline. An error of [work.Refuse] or the end of ctx ends the job at
// once.
func (e *Engine) Run(ctx context.Context, j work.Job) ([]int64, error) {
	deadline := max(e.Least, slower*e.slowest)
	for try := 0; ; try++ {
		start := time.Now()
		sum, err := e.once(ctx, j, deadline)
		switch {
		case err == nil:
			e.slowest = max(e.slowest, time.Since(start))
			return sum, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case work.Refused(err):
			return nil, fmt.Errorf("%s: %w", j.Name, err)
		case try == retries:
			return nil, fmt.Errorf("%s failed %d times, the last time with: %w", j.Name, try+1, err)
		}
		if e.Log != nil {
			e.Log(fmt.Sprintf("%s: %v; trying again (%d of %d)", j.Name, err, try+1, retries))
		}
		deadline *= 2
	}
}

func (e *Engine) once(ctx context.Context, j work.Job, deadline time.Duration) ([]int64, error) {
	var err error
	if j.Out, err = filepath.Abs(j.Out); err != nil {
		return nil, err
	}
	if err := os.Remove(j.Out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// gRPC would pass a deadline on to the runner, so limited has none.
	limited, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	defer time.AfterFunc(deadline, func() {
		cancel(fmt.Errorf("not done after %v, and canceled", deadline))
	}).Stop()
	err = e.submit(limited, pipeline(j))
	if limited.Err() != nil {
		return nil, context.Cause(limited)
	}
	if err != nil {
		return nil, reason(err)
	}
	// Check the result: a runner that was told to stop may report success.
	result, err := os.ReadFile(j.Out)
	if err != nil {
		return nil, fmt.Errorf("the job ended, but its result can't be read: %w", err)
	}
	defer os.Remove(j.Out)
	return record(result).sumOf(j.Items)
}
