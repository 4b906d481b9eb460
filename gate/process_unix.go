//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the process its own group, which is killed when the context is done. end kills the
// rest of the group.
func ownGroup(cmd *exec.Cmd) (end func()) {
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			kill() // fails if none is left
		}
	}
}
