package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := failure(cmd, cmd.Run(), func() string { return stderr.String() + "\n" + stdout.String() })
	return stdout.String(), err
}

// measured runs what is measured and returns what it printed, on both outputs. When it ends or ctx
// is over, the processes that it has started are killed with it.
func measured(ctx context.Context, dir string, env []string, name string, args ...string) (
	said string, err error) {
	// A file, not a pipe: nobody waits for a child that holds it open.
	output, err := os.CreateTemp("", "gate-output-")
	if err != nil {
		return "", err
	}
	defer os.Remove(output.Name())
	defer output.Close()
	cmd := exec.CommandContext(ctx, name, args...)
	endGroup := ownGroup(cmd)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = output, output
	failed := cmd.Run()
	endGroup()
	if _, err := output.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	text, err := io.ReadAll(output)
	said = string(text)
	return said, errors.Join(failure(cmd, failed, func() string { return said }), err)
}

// failure adds the command and the last lines of what it said to its error.
func failure(cmd *exec.Cmd, err error, said func() string) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(said()), "\n")
	return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err,
		strings.Join(lines[max(0, len(lines)-40):], "\n"))
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := run(ctx, dir, nil, "git", args...)
	return strings.TrimSpace(out), err
}
