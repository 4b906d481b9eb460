package engine

import (
	"cmp"
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

var runner = flag.String("runner", "prism", "prism, or universal with --endpoint")

var beamLog = flag.String("beam_log", "off", "debug, info, warn, error or off")

var initialized sync.Once

// Start parses Beam's own flags, which flag.CommandLine defines, and prepares the process for New.
func Start(flags []string) error {
	flag.CommandLine.Init("beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	if err := flag.CommandLine.Parse(flags); err != nil {
		return fmt.Errorf("after --: %w", err)
	}
	if rest := flag.CommandLine.Args(); len(rest) > 0 {
		return fmt.Errorf("after --: unexpected argument %q", rest[0])
	}
	switch *runner {
	case "prism":
		if *jobopts.Endpoint != "" {
			return errors.New("after --: --endpoint only goes with --runner=universal")
		}
	case "universal":
		if *jobopts.Endpoint == "" {
			return errors.New("after --: --runner=universal needs --endpoint=HOST:PORT")
		}
	default:
		return fmt.Errorf("after --: --runner=%s: want prism or universal", *runner)
	}
	level := slog.Level(math.MaxInt32)
	if *beamLog != "off" {
		if err := level.UnmarshalText([]byte(*beamLog)); err != nil {
			return fmt.Errorf("after --: --beam_log=%s: want debug, info, warn, error or off",
				*beamLog)
		}
	}
	if runtime.GOMAXPROCS(0) < 2 { // with one processor, a job takes much longer
		runtime.GOMAXPROCS(2)
	}
	initialized.Do(beam.Init) // Init sets loggers of its own
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	beamlog.SetLogger(&beamlog.Structural{})
	return nil
}

type service struct {
	client jobpb.JobServiceClient
	close  func() error // nil if the service runs in this process
	temp   string       // for files that Beam requires
	worker string       // program for workers
}

func connect() (*service, error) {
	temp, err := os.MkdirTemp("", "pegasimd-beam-*")
	if err != nil {
		return nil, err
	}
	s := &service{temp: temp}
	if err := cmp.Or(s.dial(), s.findWorker()); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *service) dial() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if *runner == "prism" {
		*jobopts.EnvironmentType = "loopback"
		s.client, err = prism.CreateJobServer(ctx, prism.Options{})
		return err
	}
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, time.Minute)
	if err != nil {
		return fmt.Errorf("--endpoint=%s: %w", *jobopts.Endpoint, err)
	}
	s.client, s.close = jobpb.NewJobServiceClient(conn), conn.Close
	return nil
}

func (s *service) Close() {
	if s.close != nil {
		s.close()
	}
	os.RemoveAll(s.temp)
}

// findWorker sets s.worker, a file that Beam reads even if no worker runs it.
func (s *service) findWorker() error {
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
		s.worker = *jobopts.WorkerBinary
	case jobopts.IsLoopback() || process:
		s.worker = filepath.Join(s.temp, "worker")
		return os.WriteFile(s.worker, nil, 0o600)
	default:
		s.worker = self
	}
	return nil
}

// submit runs a pipeline, and cancels its job if ctx ends first. Beam's universal runner returns no
// job identifier, so its jobs can't be canceled.
func (s *service) submit(ctx context.Context, p *beam.Pipeline) error {
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	config := jobopts.GetEnvironmentConfig
	if jobopts.IsLoopback() {
		// The workers must outlive ctx until the job is canceled.
		pool, err := extworker.StartLoopback(context.WithoutCancel(ctx), 0)
		if err != nil {
			return err
		}
		defer stopPool(ctx, pool)
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
	if err := runnerlib.UpdateGoEnvironmentWorker(s.worker, graph); err != nil {
		return err
	}
	id, endpoint, token, err := runnerlib.Prepare(ctx, s.client, graph, &runnerlib.JobOptions{
		Name:         jobopts.GetJobName(),
		Experiments:  jobopts.GetExperiments(),
		Worker:       s.worker,
		RetainDocker: *jobopts.RetainDockerContainers,
		Parallelism:  *jobopts.Parallelism,
		Loopback:     jobopts.IsLoopback(),
	})
	if err != nil {
		return err
	}
	if token, err = runnerlib.Stage(ctx, id, endpoint, s.worker, token); err != nil {
		return err
	}
	job, err := runnerlib.Submit(ctx, s.client, id, token)
	if err != nil {
		return err
	}
	err = runnerlib.WaitForCompletion(ctx, s.client, job)
	if ctx.Err() != nil {
		s.cancel(job)
	}
	return err
}

// poolTime is how long a pool of workers outlives a canceled job. Prism may start the job's worker
// after the cancellation, and panics if it can't reach the pool.
const poolTime = time.Minute

// stopPool does not wait, because Stop may wait for a hung worker. ctx is the job's.
func stopPool(ctx context.Context, pool *extworker.Loopback) {
	after := time.Duration(0)
	if ctx.Err() != nil {
		after = poolTime
	}
	time.AfterFunc(after, func() { pool.Stop(context.Background()) })
}

const cancelTime = 10 * time.Second

func (s *service) cancel(job string) {
	ctx, done := context.WithTimeout(context.Background(), cancelTime)
	defer done()
	s.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job}) // fails if the service has ended
}
