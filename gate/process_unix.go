//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a process that is killed take along those that it has started. end kills those that
// are left when it has ended by itself.
func ownGroup(cmd *exec.Cmd) (end func()) {
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			kill() // mostly there are none, which is an error
		}
	}
}
