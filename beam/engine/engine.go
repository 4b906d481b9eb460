package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
)

// A Job is work on items.
type Job struct {
	Work  string // its registered name
	Arg   string // what it gets
	Round int    // likewise
	Items []int  // their numbers, each once
	Out   string // a file that all workers can write and the driver reads; it is removed
	Name  string // for messages, such as "round 7"
}

// A Result is what the parts of all items are together.
type Result struct {
	Sum         []int64
	Rows, Bytes int64
	Time        time.Duration
}

// An Engine runs jobs, one after the other.
type Engine struct {
	// Least is the shortest deadline, Retries how often a job is tried after the first time.
	Least   time.Duration
	Retries int
	// Log, if not nil, is told what is tried again, and why.
	Log func(text string)

	slowest time.Duration // of the jobs so far
	client  jobpb.JobServiceClient
	temp    string // a folder for what Beam wants to be there
	worker  string // the program that workers run
	close   func()
}

// The defaults.
const (
	DefaultLeast   = 60 * time.Second
	DefaultRetries = 3

	slower = 10 // than the slowest job is too slow
)

// New returns an engine on the runner that Start's flags ask for. It is to be closed.
func New() (*Engine, error) {
	e := &Engine{Least: DefaultLeast, Retries: DefaultRetries, close: func() {}}
	temp, err := os.MkdirTemp("", "pegasimd-beam-*")
	if err != nil {
		return nil, err
	}
	e.temp = temp
	if err := e.connect(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Close leaves the runner, and removes what was written for it.
func (e *Engine) Close() {
	e.close()
	os.RemoveAll(e.temp)
}

// Run runs a job. If it fails or is not done in ten times the time of the slowest one before, it is
// cancelled and tried again, with twice the time; after some tries Run returns the last error. Run
// is not done before it has the part of each item once.
func (e *Engine) Run(ctx context.Context, j Job) (*Result, error) {
	if works[j.Work] == nil || len(j.Items) == 0 {
		return nil, fmt.Errorf("engine: no work %q on %d items", j.Work, len(j.Items))
	}
	deadline := max(e.Least, slower*e.slowest)
	for try := 0; ; try++ {
		start := time.Now()
		r, err := e.once(ctx, &j, deadline)
		if err == nil {
			r.Time = time.Since(start)
			e.slowest = max(e.slowest, r.Time)
			return r, nil
		}
		var refused refusal
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.As(err, &refused) {
			return nil, fmt.Errorf("%s: %w", j.Name, refused.error)
		}
		if try == e.Retries {
			return nil, fmt.Errorf("%s failed %d times, at last: %w", j.Name, try+1, err)
		}
		if e.Log != nil {
			e.Log(fmt.Sprintf("%s: %v; trying it again (%d of %d)", j.Name, err, try+1, e.Retries))
		}
		deadline *= 2
	}
}

// once tries a job once.
func (e *Engine) once(ctx context.Context, j *Job, deadline time.Duration) (*Result, error) {
	out, err := filepath.Abs(j.Out)
	if err != nil {
		return nil, err
	}
	j.Out = out
	if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// The context has no deadline of its own, which gRPC would pass on: Prism panics at it.
	limited, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(ctx.Err()) })()
	defer time.AfterFunc(deadline, func() {
		cancel(fmt.Errorf("not done after %v, and cancelled", deadline))
	}).Stop()
	err = e.submit(limited, j.pipeline())
	if limited.Err() != nil {
		return nil, context.Cause(limited)
	}
	if err != nil {
		return nil, plain(err)
	}
	// A runner that says it is done may have been told to stop: the result counts.
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("the job ended without a result: %w", err)
	}
	defer os.Remove(out)
	return j.result(data)
}

// result returns what a job wrote, if it is of all items.
func (j *Job) result(data []byte) (*Result, error) {
	r, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the job's result: %w", err)
	}
	if r.refused != "" {
		return nil, Refuse(errors.New(r.refused))
	}
	want := int64(0)
	for _, i := range j.Items {
		want += mark(i)
	}
	if n := r.sum[headCount]; n != int64(len(j.Items)) || r.sum[headItems] != want {
		return nil, fmt.Errorf("the job's result has %d parts, and not one of each of %d shards",
			n, len(j.Items))
	}
	return &Result{Sum: r.sum[headLength:], Rows: r.sum[headRows], Bytes: r.sum[headBytes]}, nil
}

// failure is before the messages of this package, among what runners make of them.
const failure = "pegasimd work: "

var failures = regexp.MustCompile(failure + "([^\n\r]*)")

// plain returns what was wrong with the work, if that was it, or else the first line.
func plain(err error) error {
	if found := failures.FindStringSubmatch(err.Error()); found != nil {
		return errors.New(found[1])
	}
	const most = 300
	text := regexp.MustCompile(`\s+`).ReplaceAllString(err.Error(), " ")
	return errors.New(text[:min(len(text), most)])
}
