// Command kernels times training, and the kernels on all code paths beside a loop of loads and
// stores. With -peers it times operations beside other libraries. bench/README.md explains both.
package main

//go:generate go run ./ways

import (
	"flag"
	"log"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/gate/machine"
)

type options struct {
	only   *regexp.Regexp // matches names of kernels or operations
	sizes  []int          // lengths of vectors; nil for the built-in lengths
	rounds int
	quick  bool
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("kernels: ")
	o := options{only: regexp.MustCompile("")}
	peers := flag.Bool("peers", false, "time the kernels beside other libraries")
	dir := flag.String("dir", ".", "write bench.txt and curves.csv or, with -peers, peers.csv to "+
		"this `folder`")
	flag.Func("only", "only the kernels and the training sets, such as train-digits, or, with "+
		"-peers, the tables whose names match this `regexp`",
		func(s string) (err error) { o.only, err = regexp.Compile(s); return err })
	flag.Func("sizes", "`lengths` of vectors, separated by commas, in place of the built-in lengths",
		func(s string) (err error) { o.sizes, err = frame.Numbers(s, 1, 1<<20); return err })
	flag.IntVar(&o.rounds, "rounds", 12, "rounds in which competitors alternate; with -peers, in each "+
		"of five passes. Without -peers, operands in DRAM have at most 6 rounds, and training "+
		"always 6. With -quick, at most 6 rounds, and one pass. benchstat needs 6")
	flag.BoolVar(&o.quick, "quick", false, "a short run: few sizes and rounds, no real data sets")
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	case o.rounds < 1:
		log.Fatalf("-rounds %d: want 1 or more", o.rounds)
	}
	if o.quick {
		o.rounds = min(o.rounds, leastRounds)
		os.Unsetenv("PEGASIMD_DATA") // no real data sets
	}
	run := bench
	if *peers {
		run = beside
	}
	if err := run(o, *dir); err != nil {
		log.Fatal(err)
	}
}

func alone() (core string) {
	core = machine.Pin().String()
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	return core
}
