package main

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/dataset"
)

// compareMemory writes the table of the peak resident memory of the command and of liblinear-train,
// on sets as svmlight text. The dense one is written five times over: 1,000,000 rows.
func (s *session) compareMemory() error {
	path, err := build(s.ctx, s.host.dir)
	if err != nil {
		return err
	}
	sets := []struct {
		name  string
		times int
	}{{"imdb", 1}, {"dense", 5}}
	if s.quick {
		sets[0].name, sets[1].name = "made-text-scaled", "digits-8"
	}
	table := frame.Table{Title: "Peak resident memory on svmlight text, MB, on all cores",
		Head: []string{"set", "times over", "the file", "pegasimd train -curves none",
			"liblinear-train -s 3 -e 10", "ours over liblinear"}}
	for _, of := range sets {
		size, err := s.writeText(of.name, of.times)
		if errors.Is(err, errAbsent) {
			log.Printf("left out: %v", err)
			continue
		}
		if err != nil {
			return err
		}
		ours, err := s.peakOf(slices.Concat([]string{path, "train", "-quiet"}, withoutCurves,
			[]string{s.textFile(), s.textFile() + ".model"})...)
		if err != nil {
			return err
		}
		theirs, ratio := "-", "-"
		if s.host.commands[liblinear] != nil {
			mb, err := s.peakOf("liblinear-train", "-q", "-s", "3", "-e", "10", s.textFile(),
				os.DevNull)
			if err != nil {
				return fmt.Errorf("want Debian's liblinear-tools: %w", err)
			}
			theirs, ratio = fmt.Sprintf("%.0f", mb), fmt.Sprintf("%.2f", ours/mb)
		}
		table.Add(of.name, of.times, fmt.Sprintf("%.0f", size), fmt.Sprintf("%.0f", ours), theirs,
			ratio)
	}
	return errors.Join(os.RemoveAll(s.textFile()), table.Write(os.Stdout))
}

func (s *session) textFile() string { return filepath.Join(s.host.dir, "memory.svm") }

// writeText writes a set's training rows, and returns the megabytes.
func (s *session) writeText(name string, times int) (mb float64, err error) {
	of, err := openNamed(name)
	if err != nil {
		return 0, err
	}
	f, err := os.Create(s.textFile())
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for range times {
		err = errors.Join(err, dataset.WriteSvmlight(w, of.train))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / 1e6, nil
}

// peakOf runs a command and returns its peak of resident memory in MB. On Linux a process begins
// with the peak of the one that starts it, so that a small one, which is peak, has to stand between.
func (s *session) peakOf(command ...string) (mb float64, err error) {
	cmd := exec.CommandContext(s.ctx, self(), append([]string{"peak"}, command...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", command[0], err)
	}
	kib, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kib * 1024 / 1e6, err
}

// peak runs a command and prints the most KiB that it had in memory.
func peak(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	fmt.Println(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	return nil
}
