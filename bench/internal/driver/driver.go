// Package driver runs the drivers of other trainers: processes that are asked by lines on standard
// input, and whose first line of output is "ready" and a version.
package driver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A Process is a running driver.
type Process struct {
	Version string
	In      io.WriteCloser
	Out     *bufio.Reader
	cmd     *exec.Cmd
}

// Start runs a command, whose numerical libraries get one thread, until it is ready.
func Start(ctx context.Context, command ...string) (*Process, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, In: in, Out: bufio.NewReaderSize(out, 1<<16)}
	line, err := p.Out.ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "ready ") {
		err = fmt.Errorf("it says %q", line)
	}
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	p.Version = strings.TrimSpace(strings.TrimPrefix(line, "ready "))
	return p, nil
}

// Stop ends the process by the end of its input.
func (p *Process) Stop() {
	p.In.Close()
	p.cmd.Wait() // what it exits with changes no number
}
