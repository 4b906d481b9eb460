package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// runner is Beam's usual flag, of which this package has two values.
var runner = flag.String("runner", "prism", "prism, or universal with -endpoint")

// beamLog is how much of Beam's own messages is printed.
var beamLog = flag.String("beam_log", "off", "debug, info, warn, error or off")

// initialized makes sure that Beam is told once that all flags are set.
var initialized sync.Once

// Start reads Beam's own flags, which are defined on flag.CommandLine, and gets the process ready
// for New. It is called once.
func Start(flags []string) error {
	flag.CommandLine.Init("beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	if err := flag.CommandLine.Parse(flags); err != nil {
		return fmt.Errorf("behind --: %w", err)
	}
	if rest := flag.CommandLine.Args(); len(rest) > 0 {
		return fmt.Errorf("behind --: %q is not a flag of Beam", rest[0])
	}
	switch *runner {
	case "prism":
		if *jobopts.Endpoint != "" {
			return errors.New("behind --: --endpoint is for --runner=universal")
		}
	case "universal":
		if *jobopts.Endpoint == "" {
			return errors.New("behind --: --runner=universal needs --endpoint=HOST:PORT")
		}
	default:
		return fmt.Errorf("behind --: --runner=%s: want prism or universal", *runner)
	}
	level := slog.Level(math.MaxInt32)
	if *beamLog != "off" {
		if err := level.UnmarshalText([]byte(*beamLog)); err != nil {
			return fmt.Errorf("behind --: --beam_log=%s: want debug, info, warn, error or off",
				*beamLog)
		}
	}
	if runtime.GOMAXPROCS(0) < 2 { // with one, a job takes ten times as long
		runtime.GOMAXPROCS(2)
	}
	initialized.Do(beam.Init) // which sets loggers of its own
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	beamlog.SetLogger(&beamlog.Structural{})
	return nil
}

// connect finds the job service: one in this process, or that of -endpoint.
func (e *Engine) connect() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if *runner == "prism" {
		client, err := prism.CreateJobServer(ctx, prism.Options{})
		*jobopts.EnvironmentType = "loopback"
		e.client = client
		return errors.Join(err, e.findWorker())
	}
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, time.Minute)
	if err != nil {
		return fmt.Errorf("--endpoint=%s: %w", *jobopts.Endpoint, err)
	}
	e.client, e.close = jobpb.NewJobServiceClient(conn), func() { conn.Close() }
	return e.findWorker()
}

// findWorker sets the file that Beam takes for the workers' program: this one, an empty one where
// the workers are in this process, or what -worker_binary says. Beam would compile one.
func (e *Engine) findWorker() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	process := strings.EqualFold(*jobopts.EnvironmentType, "process")
	if process && *jobopts.EnvironmentConfig == "" {
		*jobopts.EnvironmentConfig = `{"command": ` + strconv.Quote(self) + `}`
	}
	switch {
	case *jobopts.WorkerBinary != "":
		e.worker = *jobopts.WorkerBinary
	case jobopts.IsLoopback() || process:
		e.worker = filepath.Join(e.temp, "worker")
		return os.WriteFile(e.worker, nil, 0o600)
	default:
		e.worker = self
	}
	return nil
}

// submit runs a pipeline, and cancels its job if ctx ends before it. It is what Beam's universal
// runner does, which does not tell which job to cancel, and leaves a file for each.
func (e *Engine) submit(ctx context.Context, p *beam.Pipeline) error {
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	config := jobopts.GetEnvironmentConfig
	if jobopts.IsLoopback() {
		// The workers are not to end by themselves when ctx does: first the job is cancelled.
		pool, err := extworker.StartLoopback(context.WithoutCancel(ctx), 0)
		if err != nil {
			return err
		}
		defer func() { go pool.Stop(context.Background()) }() // it may wait for what hangs
		config = pool.EnvironmentConfig
	}
	environment, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), config)
	if err != nil {
		return err
	}
	graph, err := graphx.Marshal(edges, &graphx.Options{
		Environment:           environment,
		PipelineResourceHints: jobopts.GetPipelineResourceHints(),
	})
	if err != nil {
		return err
	}
	if err := runnerlib.UpdateGoEnvironmentWorker(e.worker, graph); err != nil {
		return err
	}
	id, endpoint, token, err := runnerlib.Prepare(ctx, e.client, graph, &runnerlib.JobOptions{
		Name:         jobopts.GetJobName(),
		Experiments:  jobopts.GetExperiments(),
		Worker:       e.worker,
		RetainDocker: *jobopts.RetainDockerContainers,
		Parallelism:  *jobopts.Parallelism,
		Loopback:     jobopts.IsLoopback(),
	})
	if err != nil {
		return err
	}
	if token, err = runnerlib.Stage(ctx, id, endpoint, e.worker, token); err != nil {
		return err
	}
	job, err := runnerlib.Submit(ctx, e.client, id, token)
	if err != nil {
		return err
	}
	err = runnerlib.WaitForCompletion(ctx, e.client, job)
	if ctx.Err() != nil {
		e.cancel(job)
	}
	return err
}

// cancelTime is how long the job service has to take in that a job is cancelled.
const cancelTime = 10 * time.Second

func (e *Engine) cancel(job string) {
	ctx, done := context.WithTimeout(context.Background(), cancelTime)
	defer done()
	e.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job}) // it fails if the service is gone
}
