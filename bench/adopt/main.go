// Command adopt patches other projects to use the kernels. It prints the number of lines of each
// patch, whether the projects' tests pass on this machine and on arm64 in emulation (qemu-user),
// and how times change. In the folder bench:
//
//	go run ./adopt
//	go run ./adopt -only 'hnsw|gonum' -tests=false
//
// The go command downloads the projects as modules.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/gate/machine"
)

const native = runtime.GOARCH

const emulator = "qemu-aarch64"

func main() {
	log.SetFlags(0)
	log.SetPrefix("adopt: ")
	only := flag.String("only", "", "only the projects whose names match this `regexp`")
	testing := flag.Bool("tests", true, "run the projects' tests")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	projects, err := readProjects()
	if _, missing := exec.LookPath(emulator); *testing && missing != nil && err == nil {
		err = errors.New(emulator + " is missing: install qemu-user, or pass -tests=false")
	}
	if err != nil {
		log.Fatal(err)
	}
	work, err := os.MkdirTemp("", "adopt")
	var results []result
	for _, p := range projects {
		if err == nil && chosen.MatchString(p.Name) {
			var r result
			if r, err = link(p, filepath.Join(work, p.Name), *testing); err != nil {
				err = fmt.Errorf("%s: %w", p.Name, err)
			}
			results = append(results, r)
		}
	}
	os.RemoveAll(work)
	if err == nil && results == nil {
		err = fmt.Errorf("-only %s matches no project", *only)
	}
	if err != nil {
		log.Fatal(err)
	}
	pinned := machine.Pin()
	pinned.Release()
	frame.Head(os.Stdout, "adopt", "benchmarks "+pinned.String())
	for _, table := range []*frame.Table{patches(results), speeds(results), theirs(results)} {
		if err := table.Write(os.Stdout); err != nil {
			log.Fatal(err)
		}
	}
	for _, r := range results {
		if strings.HasPrefix(r.tests[0], "FAIL") || strings.HasPrefix(r.tests[1], "FAIL") {
			log.Fatalf("%s: the patch makes tests fail or not run", r.Name)
		}
	}
}

func link(p project, work string, testing bool) (r result, err error) {
	r.project = p
	fmt.Fprintln(os.Stderr, "adopt:", p.Name)
	dir, err := fetch(p)
	if err != nil {
		return r, err
	}
	before, err := newTree(p, dir, filepath.Join(work, "before"), false)
	if err != nil {
		return r, err
	}
	after, err := newTree(p, dir, filepath.Join(work, "after"), true)
	if err != nil {
		return r, err
	}
	if testing {
		if r.tests[0], err = compare(native, before, after); err != nil {
			return r, err
		}
		if r.tests[1], err = compare("arm64", before, after, emulator); err != nil {
			return r, err
		}
	}
	for _, t := range []*tree{before, after} {
		if err := t.build(native); err != nil {
			return r, err
		}
	}
	r.before, r.after, err = benchmarks("^BenchmarkPegasimdAdopt$|"+p.Theirs, before, after)
	return r, err
}
