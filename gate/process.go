package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

func run(ctx context.Context, dir string, env []string, name string, args ...string) (string,
	error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second // after that the tool is killed
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return stdout.String(), failure(cmd, err, stderr.String()+"\n"+stdout.String())
}

// measured runs a program and returns its standard output and error together. When the program ends
// or ctx is done, its process group is killed, on Unix.
func measured(ctx context.Context, dir string, env []string, name string, args ...string) (
	said string, err error) {
	// A pipe would wait for child processes that hold it open; a file does not.
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
	text, err := os.ReadFile(output.Name())
	return string(text), errors.Join(failure(cmd, failed, string(text)), err)
}

type complaint struct {
	command string
	err     error
	said    string
}

func (c *complaint) Error() string {
	return fmt.Sprintf("%s: %v\n%s", c.command, c.err, telling(c.said, 4000))
}

func (c *complaint) Unwrap() error { return c.err }

func reason(err error) string {
	text := err.Error()
	if c := (*complaint)(nil); errors.As(err, &c) {
		short := fmt.Sprintf("%v\n%s", c.err, telling(c.said, 500))
		text = strings.Replace(text, c.Error(), short, 1)
	}
	return text
}

func failure(cmd *exec.Cmd, err error, said string) error {
	if err == nil {
		return nil
	}
	return &complaint{strings.Join(cmd.Args, " "), err, said}
}

var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |SIG[A-Z]+: |` +
	`vex .*: unhandled |(==\d+== )?(valgrind|Callgrind): |(    .*\n)*--- FAIL: )`)

// telling returns at most most bytes of a tool's output: the beginning of its crash report, or else
// the last lines.
func telling(said string, most int) string {
	said = strings.TrimSpace(said)
	if at := crash.FindStringIndex(said); at != nil {
		said = said[at[0]:]
		said = said[:min(most, len(said))]
	} else if len(said) > most {
		said = said[len(said)-most:]
		said = said[strings.Index(said, "\n")+1:]
	}
	return strings.ToValidUTF8(said, "")
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := run(ctx, dir, nil, "git", args...)
	return strings.TrimSpace(out), err
}
