// Command demo is a tour of Pegasimd in under a minute, with nothing but the digits that package
// dataset embeds: what it makes of data without a flag, how it proves how good a model is, who can
// check that, and how fast the kernels are on this machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/pegasimd/pegasimd"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("demo: ")
	export := flag.String("export", "", "write the tour's data as svmlight files to this `folder` "+
		"and do nothing else, so that other trainers can be given the same rows")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("%q: want flags only", flag.Arg(0))
	}
	if err := run(*export); err != nil {
		log.Fatal(err)
	}
}

func run(export string) error {
	sets := digits()
	if export != "" {
		return write(export, sets)
	}
	fmt.Printf("Pegasimd on %s\n", pegasimd.Info())
	heading("1. No flags")
	if err := compare(sets); err != nil {
		return err
	}
	heading("2. How good is the model?")
	m, err := prove(sets[0])
	if err != nil {
		return err
	}
	heading("3. Who can check that?")
	if err := check(m, sets[0]); err != nil {
		return err
	}
	heading("4. The kernels on this machine")
	timeKernels(os.Stdout)
	heading("Try next")
	fmt.Print(next)
	return nil
}

const next = `    go doc ./dense          # the kernels, for programs that link them
    go -C cmd/pegasimd install . && pegasimd train dataset/digits/digits.csv.gz digits.model
    make bench              # every kernel in every path of this machine, and training (5 minutes)
`

func heading(s string) { fmt.Printf("\n%s\n\n", s) }

// background is the context of everything here: the terminal ends a tour.
var background = context.Background()
