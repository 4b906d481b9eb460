// Package engine runs jobs of package work as jobs of Apache Beam: on the runner inside this
// process that Beam brings (Prism), or on any other that speaks its protocol.
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

// An Engine is a [work.Runner] on Beam.
type Engine struct {
	Least time.Duration // the shortest deadline
	// Log, if not nil, gets a message on each job that is tried again, with the reason.
	Log func(text string)

	slowest time.Duration // wall-clock time of the slowest job so far
	*service
}

// DefaultLeast is the shortest deadline of an engine by default.
const DefaultLeast = 60 * time.Second

const (
	retries = 3  // of a job, after the first time
	slower  = 10 // than the slowest job is too slow
)

// New returns an engine on the runner that Start's flags select. The caller closes it.
func New() (*Engine, error) {
	s, err := connect()
	if err != nil {
		return nil, err
	}
	return &Engine{Least: DefaultLeast, service: s}, nil
}

// Run runs a job. If it fails or is not done in ten times the time of the slowest one before, it is
// cancelled and tried again, with twice the time; after some tries Run returns the last error. Run
// is not done before it has the part of each item once.
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
			return nil, fmt.Errorf("%s failed %d times, at last: %w", j.Name, try+1, err)
		}
		if e.Log != nil {
			e.Log(fmt.Sprintf("%s: %v; trying it again (%d of %d)", j.Name, err, try+1, retries))
		}
		deadline *= 2
	}
}

// once tries a job once.
func (e *Engine) once(ctx context.Context, j work.Job, deadline time.Duration) ([]int64, error) {
	var err error
	if j.Out, err = filepath.Abs(j.Out); err != nil {
		return nil, err
	}
	if err := os.Remove(j.Out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// The context has no deadline of its own, which gRPC would pass on: Prism panics at it.
	limited, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	defer time.AfterFunc(deadline, func() {
		cancel(fmt.Errorf("not done after %v, and cancelled", deadline))
	}).Stop()
	err = e.submit(limited, pipeline(j))
	if limited.Err() != nil {
		return nil, context.Cause(limited)
	}
	if err != nil {
		return nil, reason(err)
	}
	// A runner that says it is done may have been told to stop: the result counts.
	result, err := os.ReadFile(j.Out)
	if err != nil {
		return nil, fmt.Errorf("the job ended without a result: %w", err)
	}
	defer os.Remove(j.Out)
	return record(result).sumOf(j.Items)
}
