//go:build linux

// Command avx512init is the /init of the little Linux that
// scripts/avx512-emulated.sh boots in Bochs. It is no use outside of that.
//
// Kernel and init talk on the first serial port (the console), the tests on
// the second one. So what a test prints can neither be mixed with the kernel's
// messages nor be taken for one of the status lines below, by which the script
// learns how each test ended:
//
//	avx512init: up                the boot is done
//	avx512init: missing FLAGS     the CPU lacks these; nothing was run
//	avx512init: exit N CODE       job number N ended with CODE
//	avx512init: done              all jobs were run
//
// A job is a folder /jobs/N with the executable "bin", its arguments in "args"
// (argv, each ended by a NUL) and its environment in "env" (likewise).
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// needed are the names in /proc/cpuinfo without which the run would prove
// nothing. Linux shows them only if it has also enabled the registers' state
// in XCR0, so they show the CPU and the system's support together.
var needed = []string{"avx512f", "avx512vl", "avx512bw", "avx512dq"}

func main() {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr,
			"avx512init: only for the machine that scripts/avx512-emulated.sh boots")
		os.Exit(2)
	}
	// The kernel has no root file system but this one, hence nothing mounted.
	for _, m := range []struct{ kind, at string }{
		{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/tmp"},
	} {
		_ = os.MkdirAll(m.at, 0o755)
		if err := syscall.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			fmt.Fprintf(os.Stderr, "avx512init: mount %s: %v\n", m.at, err)
		}
	}
	// From here on no message of the kernel but a panic's may come between, or
	// into, the status lines.
	_ = os.WriteFile("/proc/sys/kernel/printk", []byte("1"), 0)
	status, err := openSerial("/dev/ttyS0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "avx512init:", err)
		off()
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(status, "\navx512init: "+format+"\n", args...)
	}
	say("up")
	if err := run(say); err != nil {
		say("error %v", err)
	}
	drain(status)
	off()
}

func run(say func(string, ...any)) error {
	out, err := openSerial("/dev/ttyS1")
	if err != nil {
		return err
	}
	defer drain(out)
	model, missing, err := cpu()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		say("missing %s", strings.Join(missing, " "))
		return nil
	}
	fmt.Fprintf(out, "# emulated: %s with %s\n", model, strings.Join(needed, " "))

	for n := 0; ; n++ {
		dir := "/jobs/" + strconv.Itoa(n)
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		code, err := runJob(dir, out)
		if err != nil {
			return err
		}
		drain(out) // so that no line comes after the status it belongs to
		say("exit %d %d", n, code)
	}
	say("done")
	return nil
}

// runJob runs the job in dir and returns its exit code; 128+signal, as in a
// shell, if a signal ended it.
func runJob(dir string, out *os.File) (int, error) {
	args, err := nulList(filepath.Join(dir, "args"))
	if err != nil {
		return 0, err
	}
	env, err := nulList(filepath.Join(dir, "env"))
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "# %s\n", strings.Join(args, " "))
	cmd := &exec.Cmd{
		Path:   filepath.Join(dir, "bin"),
		Args:   args,
		Env:    env,
		Dir:    dir, // a testdata folder is here, as "go test" has it
		Stdout: out,
		Stderr: out,
	}
	err = cmd.Run()
	if ee := (*exec.ExitError)(nil); errors.As(err, &ee) {
		if ws, ok := ee.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			fmt.Fprintf(out, "signal: %v\n", ws.Signal())
			return 128 + int(ws.Signal()), nil
		}
		return ee.ExitCode(), nil
	}
	if err != nil { // not started: as a shell says it
		fmt.Fprintln(out, err)
		return 126, nil
	}
	return 0, nil
}

func nulList(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

// cpu returns the CPU's name and which of the needed flags it lacks.
func cpu() (model string, missing []string, err error) {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", nil, err
	}
	have := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "model name":
			model = strings.TrimSpace(value)
		case "flags":
			for f := range strings.FieldsSeq(value) {
				have[f] = true
			}
		}
	}
	for _, f := range needed {
		if !have[f] {
			missing = append(missing, f)
		}
	}
	return model, missing, nil
}

// openSerial opens a serial port and makes it pass bytes as they are (by
// default the kernel would send "\r\n" for "\n"), as fast as it can: Bochs
// emulates the time on the wire too, and the default is 9600 bits a second.
func openSerial(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	var t syscall.Termios
	if err := ioctl(f, syscall.TCGETS, uintptr(unsafe.Pointer(&t))); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.Oflag &^= syscall.OPOST
	t.Cflag = t.Cflag&^0x100f /* CBAUD */ | syscall.B115200
	if err := ioctl(f, syscall.TCSETS, uintptr(unsafe.Pointer(&t))); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// drain waits until all that was written has left the port (tcdrain).
func drain(f *os.File) { _ = ioctl(f, 0x5409 /* TCSBRK */, 1) }

func ioctl(f *os.File, req, arg uintptr) error {
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), req, arg); e != 0 {
		return e
	}
	return nil
}

// off ends the machine. The command line has reboot=t, so a restart is a
// triple fault, which the script's Bochs takes as the end of its run: that
// works without ACPI, which is left off as it makes the boot longer.
func off() {
	_ = syscall.Reboot(syscall.LINUX_REBOOT_CMD_RESTART)
	select {}
}
