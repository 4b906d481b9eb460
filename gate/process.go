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

// run runs a tool and returns what it printed, or an error with what it complained of. When ctx is
// over, the tool is asked to end.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string,
	error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second // and then it is killed
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return stdout.String(), failure(cmd, err, stderr.String()+"\n"+stdout.String())
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
	text, err := os.ReadFile(output.Name())
	return string(text), errors.Join(failure(cmd, failed, string(text)), err)
}

// A complaint is the error of a tool, and all that it said.
type complaint struct {
	command string
	err     error
	said    string
}

func (c *complaint) Error() string {
	return fmt.Sprintf("%s: %v\n%s", c.command, c.err, telling(c.said, 4000))
}

func (c *complaint) Unwrap() error { return c.err }

// reason is an error in short, with only the telling part of a tool's complaint, and no command.
func reason(err error) string {
	text := err.Error()
	if c := (*complaint)(nil); errors.As(err, &c) {
		short := fmt.Sprintf("%v\n%s", c.err, telling(c.said, 500))
		text = strings.Replace(text, c.Error(), short, 1)
	}
	return text
}

// failure adds the command and what it said to its error.
func failure(cmd *exec.Cmd, err error, said string) error {
	if err == nil {
		return nil
	}
	return &complaint{strings.Join(cmd.Args, " "), err, said}
}

// crash is where a Go program or Valgrind begins to tell why it ends. The log of a benchmark stands
// before the line that says that it has failed, or behind it.
var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |runtime: |SIG[A-Z]+: |` +
	`vex .*: unhandled |(==\d+== )?(valgrind|Callgrind): |(    .*\n)*--- FAIL: )`)

// telling is the part of what a tool said that tells why it failed, at most most bytes: from where
// it crashed, as registers and goroutines end it, or the last lines, if it did not crash.
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
