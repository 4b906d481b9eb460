// Command compare times Pegasimd's kernels beside those of other libraries, all in one process and in turns, so that
// whatever disturbs the machine disturbs everyone. README.md says how, and what is unfair.
package main

import (
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

	"github.com/klauspost/cpuid/v2"

	"github.com/pegasimd/pegasimd/bench/internal/machine"
	"github.com/pegasimd/pegasimd/internal/asm"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	var (
		only   = flag.String("op", "", "comma-separated operations to time, of dot, axpy, scal, sumsq, dist, rows, sparsedot, sparseaxpy (default all)")
		sizes  = flag.String("sizes", "", "comma-separated lengths, or nonzeros of sparse rows, instead of the built-in ones")
		rounds = flag.Int("rounds", 11, "rounds in a pass; in each, every contender is timed once")
		passes = flag.Int("passes", 11, "passes over all cells")
		slice  = flag.Duration("slice", time.Millisecond, "about how long one timing takes")
		quick  = flag.Bool("quick", false, "two passes of seven rounds: a minute")
		asJSON = flag.Bool("json", false, "print JSON instead of Markdown")
	)
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if *quick {
		*rounds, *passes = 7, 2
	}
	if *rounds < 1 || *passes < 1 || *slice <= 0 {
		log.Fatal("-rounds, -passes and -slice must be positive")
	}
	ns, err := parseSizes(*sizes)
	if err != nil {
		log.Fatal(err)
	}
	ops, err := chosen(*only)
	if err != nil {
		log.Fatal(err)
	}

	start := time.Now()
	core := machine.Pin().String()
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)

	var cells []*cell
	var out []string
	for _, o := range ops {
		out = append(out, o.verify()...)
		cells = append(cells, o.cells(ns)...)
	}
	for pass := range *passes {
		for _, c := range cells {
			c.measure(*rounds, *slice)
		}
		fmt.Fprintf(os.Stderr, "compare: pass %d of %d done after %.0f s\n", pass+1, *passes, time.Since(start).Seconds())
	}

	h := head(core)
	h = append(h, fmt.Sprintf("Method: %d passes of %d rounds, %v a timing, after every function was checked against float64; %.0f s in all",
		*passes, *rounds, *slice, time.Since(start).Seconds()))
	for _, s := range append(out, absent()...) {
		h = append(h, "Left out: "+s)
	}
	r := newReport(h, cells)
	if *asJSON {
		err = r.json(os.Stdout)
	} else {
		err = r.markdown(os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// An op is verified, then timed in its cells.
type op interface {
	flag() string
	verify() (failed []string)
	cells(sizes []int) []*cell
}

func chosen(names string) (chosen []op, err error) {
	all := []op{&dot, &axpy, &scal, &sumSquares, &distance, &rowsOp{}, &sparseDot, &sparseAxpy}
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
	} {
		if !slices.ContainsFunc(dot.peers, func(v vectorPeer) bool { return strings.HasPrefix(v.name, p.name) }) {
			names = append(names, p.name+" (needs: "+p.why+")")
		}
	}
	return names
}

// extraVersions names peers that are not Go modules.
var extraVersions []string

// head tells where and how the numbers were made.
func head(core string) []string {
	cpu := cpuid.CPU
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
			case "gonum.org/v1/gonum", "github.com/viterin/vek", "github.com/tphakala/simd", "github.com/weaviate/weaviate", "github.com/ajroetker/go-highway":
				peers = append(peers, m.Path+" "+m.Version)
			}
		}
	}
	return []string{
		fmt.Sprintf("CPU: %s, family %d, model %d, %d cores seen; %s", cpu.BrandName, cpu.Family, cpu.Model, runtime.NumCPU(), core),
		"Go: " + strings.Join(build, " "),
		"Pegasimd's path: " + asm.Active().String(),
		"Peers: " + strings.Join(append(peers, extraVersions...), ", "),
		"Date: " + time.Now().UTC().Format(time.RFC3339),
		"Command: compare " + strings.Join(os.Args[1:], " "),
	}
}
