package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// run runs a tool and returns what it printed, or an error with what it complained of. When ctx is
// over, the tool is asked to end.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string,
	error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 5 * time.Second // and then it is killed
	stdout, _, err := outputs(cmd, dir, env)
	return stdout, err
}

// measured runs what is measured and returns what it printed. When ctx is over, it is killed, with
// the processes that it has started.
func measured(ctx context.Context, dir string, env []string, name string, args ...string) (
	stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	ownGroup(cmd)
	cmd.WaitDelay = time.Second // for those who still hold its output
	return outputs(cmd, dir, env)
}

func outputs(cmd *exec.Cmd, dir string, env []string) (string, string, error) {
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		said := strings.TrimSpace(stderr.String() + "\n" + stdout.String())
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, lastLines(said, 40))
	}
	return stdout.String(), stderr.String(), err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := run(ctx, dir, nil, "git", args...)
	return strings.TrimSpace(out), err
}

// lastLines are the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
