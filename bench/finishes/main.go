// Command finishes times how soon a proof of 1 % and of 0.1 % is there: with what Config.Tol gives
// a user, FinishAuto, and with the settings that were best before there was Newton's method, on one
// thread, on two, and on the path AVX2. Beside them is how long liblinear-train takes to its own
// stop, how far above the optimum it is then, and when ours has proven as much. It prints a table:
//
//	PEGASIMD_DATA=FOLDER go run ./finishes
//
// All are on the same rows, lambda and objective, without a bias, and run by turns. A time is the
// median of the rounds, and a ratio the median of the rounds' ratios. A time of ours is that of
// Train, which includes the proof. liblinear's is that of the process on one thread, less that of
// one which stops after its first look. How far above the optimum it stops is at most P/D - 1, by
// the best bound D that was proven here.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/record"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	rounds = flag.Int("rounds", 9, "the most rounds of turns")
	sets   = flag.String("sets", strings.Join(names(), ","), "which")
	losses = flag.String("losses", "hinge,squared-hinge,log", "which")
	peer   = flag.String("liblinear", "liblinear-train", "the program; empty for none")
	limit  = flag.Duration("limit", 3*time.Second, "the most time for a run of the settings before")
	most   = flag.Duration("most", 6*time.Second, "the time after which no round of turns begins")
	file   = flag.String("record", "", "append the table to this file as well")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("finishes: ")
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// A mode is how ours runs.
type mode struct {
	name    string
	threads int
	path    asm.ISA
}

// modes returns those that this machine has: its best path on one thread and on two, and AVX2.
func modes() []mode {
	best := asm.Active()
	all := []mode{{"1 thread", 1, best}, {"2 threads", 2, best}}
	for _, path := range asm.Available() {
		if path == asm.AVX2 && path != best {
			all = append(all, mode{"AVX2", 1, path})
		}
	}
	return all
}

func run() error {
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" {
		return fmt.Errorf("PEGASIMD_DATA is not set")
	}
	out := io.Writer(os.Stdout)
	if *file != "" {
		f, err := os.OpenFile(*file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer f.Close()
		out = io.MultiWriter(out, f)
	}
	var b strings.Builder
	facts := append(record.Head("go run ./finishes", "not pinned"),
		fmt.Sprintf("Path: %v", asm.Active()))
	record.Write(&b, "How soon a proof is there", facts)
	if _, err := io.WriteString(out, b.String()+"\n"+head); err != nil {
		return err
	}
	for _, name := range strings.Split(*sets, ",") {
		problems, err := load(dir, name)
		if err != nil {
			return err
		}
		for _, p := range problems {
			for _, loss := range strings.Split(*losses, ",") {
				if err := p.compare(out, pegasos.Loss(loss)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// head is that of the table.
const head = "| set, lambda, loss | ours on | auto: 1 %, 0.1 % | iterations | " +
	"before: 1 %, 0.1 % | by | times as fast | liblinear, P/P* | auto to that | " +
	"liblinear over auto: 1 %, to that |\n" +
	"| :-- | :-- | --: | --: | --: | :-- | --: | --: | --: | --: |\n"

// compare writes the lines of a loss.
func (p *problem) compare(out io.Writer, loss pegasos.Loss) error {
	if p.hingeOnly && loss != pegasos.Hinge {
		return nil
	}
	theirs, err := p.liblinear(loss)
	if err != nil {
		return err
	}
	defer theirs.remove()
	p.bounds = nil
	var best [2]choice
	for t, tol := range tols {
		if best[t], err = p.choose(loss, tol, best[0]); err != nil {
			return err
		}
	}
	for _, m := range modes() {
		defer asm.Use(asm.Use(m.path))
		var line cells
		for t, tol := range tols {
			if err := p.race(loss, tol, m.threads, best[t], &line); err != nil {
				return err
			}
		}
		if theirs != nil {
			if err := p.raceLiblinear(loss, m.threads, theirs, &line); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(out, "| %s, %s | %s |%s\n", p.name, loss, m.name,
			line.text(theirs)); err != nil {
			return err
		}
	}
	return nil
}

// tols are the gaps that are to be proven.
var tols = [2]float64{1e-2, 1e-3}
