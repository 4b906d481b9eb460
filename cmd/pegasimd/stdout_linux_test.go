package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTargetsThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	want, _ := must(t, "convert", "-to", "json", model, "-")

	cmd := exec.Command(os.Args[0], "convert", "-to", "json", model, "/dev/stdout")
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
	if out, err := cmd.Output(); err != nil || string(out) != want {
		t.Errorf("/dev/stdout: %v, %q", err, out)
	}
	trained := exec.Command("sh", "-c", `"$0" train -quiet "$1" /dev/stdout | cmp - "$2"`,
		os.Args[0], file(t, "toy.svm", toy), model)
	trained.Env = cmd.Env
	if out, err := trained.CombinedOutput(); err != nil {
		t.Errorf("train to a pipe: %v, %s", err, out)
	}

	// If standard output is appended to a file, so is output to /dev/stdout.
	log := file(t, "log", "before\n")
	appended := exec.Command("sh", "-c", `"$0" predict -quiet "$1" "$2" /dev/stdout >>"$3"`,
		os.Args[0], file(t, "toy.svm", toy), model, log)
	appended.Env = cmd.Env
	if out, err := appended.CombinedOutput(); err != nil {
		t.Errorf("/dev/stdout in a file: %v, %s", err, out)
	}
	if have := read(t, log); have != "before\n1\n1\n-1\n-1\n" {
		t.Errorf("/dev/stdout in a file: %q", have)
	}

	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/full", link); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"/dev/full", link} {
		for _, args := range [][]string{
			{"train", file(t, "toy.svm", toy), out}, {"convert", "-to", "onnx", model, out},
			{"predict", file(t, "toy.svm", toy), model, out},
			{"train", "-json", out, file(t, "toy.svm", toy), model}, {"train", "-checkpoint", out,
				file(t, "toy.svm", toy), model},
		} {
			fails(t, exitError, "no space left", args...)
		}
	}
	cmd = exec.Command("sh", "-c", `"$0" predict -quiet "$1" "$2" >/dev/full`, os.Args[0],
		file(t, "toy.svm", toy), model)
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != exitError ||
		!strings.Contains(string(out), "no space left") {
		t.Errorf("%v, %s", err, out)
	}
}

// The pipe is written once, so that train can open it only once.
func TestNamedPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skipf("no pipe: NOT TESTED: %v", err)
	}
	go os.WriteFile("pipe", []byte(toy), 0o600)
	cmd := exec.Command(os.Args[0], "train", "-format", "svmlight", "pipe", "x.model")
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
	if told, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(told), "4 rows") {
		t.Errorf("%v, %s", err, told)
	}
}
