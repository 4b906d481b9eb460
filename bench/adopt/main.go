// Command adopt links the kernels into other projects, as their maintainers would, and finds out
// what comes of it: how many lines the patch has, whether the project's own tests pass, here and on
// arm64 in emulation (qemu-user), and how fast its functions and its own benchmarks are before and
// after, by turns:
//
//	go run ./adopt
//	go run ./adopt -only hnsw,gonum -tests=false
//
//	go run ./adopt -only hnsw -checkout DIR
//
// in the folder bench. The projects are the versions in projects.go, which the go command downloads
// as modules, and of which nothing stays, or the module in a folder. It prints the tables of
// docs/kernels.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/gate/machine"
	"golang.org/x/mod/modfile"
)

// native is the architecture of this machine.
const native = runtime.GOARCH

// emulator runs programs for arm64.
const emulator = "qemu-aarch64"

func main() {
	log.SetFlags(0)
	log.SetPrefix("adopt: ")
	only := flag.String("only", "", "these `projects` only, separated by commas")
	testing := flag.Bool("tests", true, "run the projects' tests")
	checkout := flag.String("checkout", "", "take the module in this `folder`, not a published "+
		"version, for the one project that -only names")
	rounds := flag.Int("rounds", 10, "times that each benchmark runs; 0 for no timing")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	chosen, err := choose(*only)
	if err == nil && *checkout != "" {
		err = takeCheckout(chosen, *checkout)
	}
	if err != nil {
		log.Fatal(err)
	}
	if _, err := exec.LookPath(emulator); *testing && err != nil {
		log.Fatalf("%s is not there: run scripts/ci.sh only install, or give -tests=false", emulator)
	}
	work, err := os.MkdirTemp("", "adopt")
	if err != nil {
		log.Fatal(err)
	}
	var results []result
	for _, p := range chosen {
		var r result
		if r, err = link(p, filepath.Join(work, p.name), *testing, *rounds); err != nil {
			err = fmt.Errorf("%s: %w", p.name, err)
			break
		}
		results = append(results, r)
	}
	os.RemoveAll(work)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(machine.CPU())
	if *testing {
		fmt.Print("\n", patches(results))
	}
	if *rounds > 0 {
		fmt.Print("\n", speeds(results), "\n", theirs(results))
	}
	for _, r := range results {
		if strings.HasPrefix(r.tests[0]+r.tests[1], "FAIL") {
			log.Fatalf("%s: tests fail that passed before", r.name)
		}
	}
}

// choose returns the projects named.
func choose(names string) ([]project, error) {
	if names == "" {
		return projects, nil
	}
	var chosen []project
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(projects, func(p project) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-only: there is no project %q", name)
		}
		chosen = append(chosen, projects[i])
	}
	return chosen, nil
}

// takeCheckout makes the project that was chosen the one in dir.
func takeCheckout(chosen []project, dir string) error {
	if len(chosen) != 1 {
		return errors.New("-checkout is for one project: name it with -only")
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return fmt.Errorf("-checkout: %w", err)
	}
	p := chosen[0]
	if path := modfile.ModulePath(mod); path != p.module {
		return fmt.Errorf("-checkout: %s has module %q, and %s is %s", dir, path, p.name, p.module)
	}
	chosen[0].checkout, chosen[0].version = dir, "a checkout"
	return nil
}

// link tries one project.
func link(p project, work string, testing bool, rounds int) (r result, err error) {
	r.project = p
	fmt.Fprintln(os.Stderr, "adopt:", p.name)
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
	if r.added, r.deleted, err = lines(p, before, after); err != nil {
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
	if rounds == 0 {
		return r, nil
	}
	return r, r.time(rounds, before, after)
}

// time runs our benchmark of the calls, and the project's own.
func (r *result) time(rounds int, before, after *tree) error {
	for _, t := range []*tree{before, after} {
		if err := t.build(native); err != nil {
			return err
		}
	}
	got, err := benchmarks("^BenchmarkPegasimdAdopt$", "2ms", rounds, before, after)
	if err != nil {
		return err
	}
	r.before, r.after = got[0], got[1]
	if r.theirs == "" {
		return nil
	}
	got, err = benchmarks(r.theirs, "20ms", min(rounds, 5), before, after)
	if err != nil {
		return err
	}
	for name := range got[0] {
		r.before[name], r.after[name] = got[0][name], got[1][name]
	}
	return nil
}
