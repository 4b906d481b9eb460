package engine

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// IsWorker reports whether these are the arguments with which a runner starts a worker.
func IsWorker(args []string) bool {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if len(name) < len(arg) && (name == "worker" || name == "provision_endpoint") {
			return true
		}
	}
	return false
}

// Worker works until the runner ends it, and returns the exit code. Runners pass -worker in Beam's
// containers, and -provision_endpoint in environments of type PROCESS.
func Worker(args []string) int {
	own := flag.NewFlagSet("worker", flag.ContinueOnError)
	own.SetOutput(io.Discard)
	id := own.String("id", "", "")
	provision := own.String("provision_endpoint", "", "")
	if own.Parse(args) != nil || *provision == "" {
		flag.CommandLine.Parse(args)
		beam.Init() // with -worker, does not return
		return 2
	}
	beam.Init()
	ctx := grpcx.WriteWorkerID(context.Background(), strings.Trim(*id, "'"))
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err == nil {
		err = harness.MainWithOptions(ctx, info.GetLoggingEndpoint().GetUrl(),
			info.GetControlEndpoint().GetUrl(), harness.Options{
				StatusEndpoint:     info.GetStatusEndpoint().GetUrl(),
				RunnerCapabilities: info.GetRunnerCapabilities(),
			})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pegasimd-beam: worker:", err)
		return 1
	}
	return 0
}
