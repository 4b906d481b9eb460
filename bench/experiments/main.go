// Command experiments repeats what is claimed of Pegasos, on real data, and prints tables in Markdown:
//
//	experiments rows     does the time to a given test error grow with the number of rows?
//	experiments pairs    one-vs-one on Fashion-MNIST, with a million steps for each pair
//
// It finds the data sets by the environment variable PEGASIMD_DATA, and writes figures to the folder -out.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("experiments: ")
	out := flag.String("out", ".", "the folder for figures")
	seeds := flag.Int("seeds", 9, "the number of seeds that medians are of")
	rounds := flag.Int("rounds", 3, "the number of rounds in which pairs are timed")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: experiments [flags] rows|pairs")
		flag.PrintDefaults()
	}
	flag.Parse()
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" {
		log.Fatal("PEGASIMD_DATA is not set: it is the folder with the data sets")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	e := &experiment{ctx: ctx, out: *out, seeds: *seeds, rounds: *rounds, w: os.Stdout}
	if err := e.run(flag.Args(), dir); err != nil {
		log.Fatal(err)
	}
}

func (e *experiment) run(args []string, dir string) error {
	if len(args) != 1 || e.seeds < 1 || e.rounds < 1 {
		return fmt.Errorf("want one experiment, rows or pairs, at least one seed and one round")
	}
	if err := os.MkdirAll(e.out, 0o777); err != nil {
		return err
	}
	start := time.Now()
	var err error
	switch args[0] {
	case "rows":
		var problems []problem
		if problems, err = rowsProblems(dir); err == nil {
			err = e.rows(problems)
		}
	case "pairs":
		var s pairsSettings
		if s, err = fashionPairs(dir); err == nil {
			err = e.pairs(s)
		}
	default:
		err = fmt.Errorf("no experiment %q: want rows or pairs", args[0])
	}
	if err != nil {
		return err
	}
	e.printf("\n%s; %s %s/%s, GOMAXPROCS %d; %.0f s in all\n", cpu(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), time.Since(start).Seconds())
	return e.err
}

// cpu returns the name of the processor, where Linux tells it.
func cpu() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor whose name is not known"
}

// rest keeps the collector from running while the clock does.
func rest() { debug.FreeOSMemory() }

func (e *experiment) figure(name string) string { return filepath.Join(e.out, name) }
