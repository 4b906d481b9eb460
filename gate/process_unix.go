//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a process that is killed take along those that it has started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
