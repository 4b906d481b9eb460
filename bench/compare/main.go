// Command compare times Pegasimd's kernels beside those of other libraries, all in one process and
// in turns, so that whatever disturbs the machine disturbs everyone. README.md says how, and what
// is unfair.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/record"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// options are the flags.
type options struct {
	ops            []op
	sizes          []int
	rounds, passes int
	slice          time.Duration
	json           bool
	record         string
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	o, err := parse()
	if err != nil {
		log.Fatal(err)
	}
	r := o.measure()
	if o.json {
		err = record.JSON(os.Stdout, r)
	} else {
		err = record.Print(os.Stdout, o.record, r.markdown())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// parse reads the flags.
func parse() (o options, err error) {
	only := flag.String("op", "", "comma-separated operations to time, of dot, axpy, scal, "+
		"sumsq, dist, cosine, rows, stream, gather, sparsedot, sparseaxpy, rankk (default all)")
	sizes := flag.String("sizes", "",
		"comma-separated lengths, or nonzeros of sparse rows, instead of the built-in ones")
	flag.IntVar(&o.rounds, "rounds", 11, "rounds in a pass; in each, every contender is timed once")
	flag.IntVar(&o.passes, "passes", 11, "passes over all cells")
	flag.DurationVar(&o.slice, "slice", time.Millisecond, "about how long one timing takes")
	quick := flag.Bool("quick", false, "two passes of seven rounds: a minute")
	flag.BoolVar(&o.json, "json", false, "print JSON instead of Markdown")
	flag.StringVar(&o.record, "record", "", "write the tables to this `file` as well")
	flag.Parse()
	if flag.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if *quick {
		o.rounds, o.passes = 7, 2
	}
	if o.rounds < 1 || o.passes < 1 || o.slice <= 0 {
		return o, errors.New("-rounds, -passes and -slice must be positive")
	}
	if o.sizes, err = parseSizes(*sizes); err != nil {
		return o, err
	}
	o.ops, err = chosen(*only)
	return o, err
}

// measure verifies all functions, and then times them, in passes over all cells.
func (o options) measure() *report {
	start := time.Now()
	core := machine.Pin().String()
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)

	var cells []*cell
	var failed []string
	for _, op := range o.ops {
		failed = append(failed, op.verify()...)
		cells = append(cells, op.cells(o.sizes)...)
	}
	for pass := range o.passes {
		for _, c := range cells {
			c.measure(o.rounds, o.slice)
		}
		log.Printf("pass %d of %d done after %.0f s", pass+1, o.passes, time.Since(start).Seconds())
	}

	h := append(head(core), fmt.Sprintf("Method: %d passes of %d rounds, %v a timing, "+
		"after every function was checked against float64; %.0f s in all",
		o.passes, o.rounds, o.slice, time.Since(start).Seconds()))
	for _, s := range append(failed, absent()...) {
		h = append(h, "Left out: "+s)
	}
	return newReport(h, cells)
}

// An op is verified, then timed in its cells.
type op interface {
	flag() string
	verify() (failed []string)
	cells(sizes []int) []*cell
}

func chosen(names string) (chosen []op, err error) {
	all := []op{&dot, &axpy, &scal, &sumSquares, &distance, &cosine, &rowsOp{},
		&streamOp{}, &streamOp{gathered: true}, &sparseDot, &sparseAxpy, &rankKOp{}}
	if names == "" {
		return all, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(o op) bool { return o.flag() == name })
		if i < 0 {
			return nil, fmt.Errorf("no operation %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func parseSizes(list string) (sizes []int, err error) {
	if list == "" {
		return nil, nil
	}
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxLength {
			return nil, fmt.Errorf("-sizes: %q is not a number from 1 to %d", s, maxLength)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// absent names the peers that this build does not have.
func absent() (names []string) {
	for _, p := range []struct{ name, why string }{
		{"weaviate", "amd64 with AVX2"},
		{"go-highway", "arm64, or built with GOEXPERIMENT=simd"},
		{"archsimd", "amd64 with AVX2, built with GOEXPERIMENT=simd"},
		{"OpenBLAS", "built with -tags openblas"},
		{"Eigen", "built with -tags eigen"},
		{"SimSIMD", "built with -tags simsimd"},
	} {
		isIt := func(v vectorPeer) bool { return strings.HasPrefix(v.name, p.name) }
		if !slices.ContainsFunc(dot.peers, isIt) {
			names = append(names, p.name+" (needs: "+p.why+")")
		}
	}
	return names
}

// extraVersions names peers that are not Go modules.
var extraVersions []string

// head tells where and how the numbers were made.
func head(core string) []string {
	build := []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	var peers []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-tags", "GOAMD64", "GOEXPERIMENT", "CGO_ENABLED":
				build = append(build, s.Key+"="+s.Value)
			}
		}
		for _, m := range info.Deps {
			switch m.Path {
			case "gonum.org/v1/gonum", "github.com/viterin/vek", "github.com/tphakala/simd",
				"github.com/weaviate/weaviate", "github.com/ajroetker/go-highway":
				peers = append(peers, m.Path+" "+m.Version)
			}
		}
	}
	return append(record.Head("compare", core),
		"Go: "+strings.Join(build, " "),
		"Pegasimd's path: "+asm.Active().String(),
		"Peers: "+strings.Join(append(peers, extraVersions...), ", "))
}
