// Command demo shows Pegasimd on the digits of package dataset: the accuracy by default, a model's
// certificate and its verification, and the speed of this machine's kernels.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
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
	if err := run(os.Stdout, digits(), *export); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, sets []problem, export string) error {
	if export != "" {
		return write(export, sets)
	}
	fmt.Fprintf(w, "Pegasimd on %s\n", pegasimd.Info())
	heading(w, "1. No flags")
	if err := compare(w, sets); err != nil {
		return err
	}
	heading(w, "2. How good is the model?")
	m, err := prove(w, sets[0])
	if err != nil {
		return err
	}
	heading(w, "3. Who can check that?")
	if err := check(w, m, sets[0]); err != nil {
		return err
	}
	heading(w, "4. The kernels on this machine")
	timeKernels(w)
	heading(w, "Try next")
	_, err = fmt.Fprint(w, next)
	return err
}

const next = `    go doc ./dense          # the kernels, for programs that link them
    go -C cmd/pegasimd install . && pegasimd train dataset/digits/digits.csv.gz digits.model
    make bench              # every kernel in every path of this machine, and training
`

func heading(w io.Writer, s string) { fmt.Fprintf(w, "\n%s\n\n", s) }

// background is never canceled: Ctrl-C ends the whole program.
var background = context.Background()
