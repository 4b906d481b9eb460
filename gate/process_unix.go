//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the process in a group of its own, so that its child processes are killed with
// it. end kills those that remain after it has ended by itself.
func ownGroup(cmd *exec.Cmd) (end func()) {
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			kill() // fails if none are left, which is the usual case
		}
	}
}
