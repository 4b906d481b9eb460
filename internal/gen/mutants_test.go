package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Mutation testing of package asm's tests. A mutant is a code path's assembly file with a fault in
// one line. The flag -overlay of go test compiles it in place of the file.
var (
	mutants = flag.Int("mutants", 0, "`number` of faults to plant in the assembly of package asm")
	match   = flag.String("match", "", "plant only faults whose descriptions match this `regexp`")
	seed    = flag.Uint64("seed", 1, "`seed` by which faults are drawn")
)

const asm = "../asm"

type fault struct {
	path, function, label, class string
	line                         int // index of the line in the file, from 0
	old, new                     string
}

func (f fault) String() string {
	return fmt.Sprintf("%s\t%s\t%s:%d\t%s\t-> %s", f.function, f.class, f.label, f.line+1,
		strings.Join(strings.Fields(f.old), " "), strings.Join(strings.Fields(f.new), " "))
}

// mutate returns the line with the fault; it also receives the next line.
var classes = []struct {
	name   string
	match  *regexp.Regexp
	mutate func(line, next string) string
}{
	{"operation", regexp.MustCompile(`^\tV(ADD|MUL|SUB|MIN|MAX)[PS][SD] ` +
		`|^\tVP(ADD|SUB|MADDW)[BWD] |^\tVP(MIN|MAX|DPBU)[SU][BD] |^\tVPMOV[SZ]XB` +
		`|^\tVEXTRACT`), swap("VADD", "VMUL", "VMUL", "VADD", "VSUB", "VADD", "VMIN", "VMAX",
		"VMAX", "VMIN", "VPADD", "VPSUB", "VPSUB", "VPADD", "VPMADDWD", "VPADDD", "VPMIN", "VPMAX", "VPMAX", "VPMIN", "VPDPBUSD", "VPDPWSSD",
		"VPMOVSX", "VPMOVZX", "VPMOVZX", "VPMOVSX", "$0x01", "$0x00")},
	{"offset", regexp.MustCompile(`^\t(V\w+|MOVL|MOVWLZX).*\(`), offset},
	{"store", regexp.MustCompile(`^\tV.*\)$`), func(string, string) string { return "" }},
	{"step", regexp.MustCompile(`^\t(ADD|SUB)Q +\$`), swap("ADDQ", "SUBQ", "SUBQ", "ADDQ")},
	{"jump", regexp.MustCompile(`^\tJ(B|BE|AE|EQ|NE) `),
		swap("JBE", "JA ", "JB ", "JAE", "JAE", "JB ", "JEQ", "JNE", "JNE", "JEQ")},
	{"bound", regexp.MustCompile(`^\tCMPQ .*\$\+\d+$`), bound},
}

func swap(oldnew ...string) func(line, next string) string {
	r := strings.NewReplacer(oldnew...)
	return func(line, next string) string { return r.Replace(line) }
}

func offset(line, next string) string {
	return regexp.MustCompile(` -?\d*\(`).ReplaceAllStringFunc(line, func(at string) string {
		k, _ := strconv.Atoi(at[1 : len(at)-1])
		return fmt.Sprintf(" %d(", k+float)
	})
}

// bound leaves lines before other jumps unchanged: JAE may lead to a loop, whose last iteration the
// code for the remaining elements could replace.
func bound(line, next string) string {
	place := strings.Index(line, "$+") + 2
	k, _ := strconv.Atoi(line[place:])
	switch {
	case strings.HasPrefix(next, "\tJBE "):
		k++
	case strings.HasPrefix(next, "\tJB "):
		k--
	}
	return fmt.Sprint(line[:place], k)
}

var exceptions = regexp.MustCompile(`^(` + strings.Join([]string{
	`prefetch[^\t]*\t`,                                  // prefetching has no result
	`rankK[^\t]*\t\w+\tahead_`,                          // prefetching has no result
	`[^\t]*\tjump\t.*-> J\w+ (misaligned|page)$`,        // each order of loads gives the same result
	`find[^\t]*\tjump\tloop:`,                           // the caller searches the rest of x
	`exp[A-Z][^\t]*\toffset`,                            // each constant is in the table eight times
	`[^\t]*\tbound\tmisaligned:`,                        // each order of loads gives the same result
	`(dot|dotNorms|squaredDistance)64[^\t]*\tbound`,     // a whole group may be loaded as a partial one
	`(dot|squaredDistance)Rows[^\t]*\tbound\tnext`,      // the last bound always holds
	`\w+Rows[^\t]*VNNI[^\t]*\tstep\trest:\d+\tSUBQ`,     // a mask selects the last elements
	`gemm[^\t]*\t(bound\t.*\$\+6[34]|jump\t.*near\d*)$`, // only decides whether to prefetch
	`hammingRows[^\t]*\tjump\tstart:\d+\tJAE row`,       // one row or four at a time: same result
	`gerAVX512\t\w+\tstart`,                             // the 256-bit kernel gives the same result
}, "|") + `)`)

func faults(path string, lines []string) (all []fault) {
	var function, label string
	for i, line := range lines {
		if name, ok := strings.CutPrefix(line, "TEXT ·"); ok {
			function, _, _ = strings.Cut(name, "(")
			label = "start"
		}
		if name, ok := strings.CutSuffix(line, ":"); ok {
			label = name
		}
		for _, c := range classes {
			if !c.match.MatchString(line) || strings.Contains(line, "(FP)") {
				continue
			}
			f := fault{path, function, label, c.name, i, line, c.mutate(line, lines[i+1])}
			if f.new != f.old && !exceptions.MatchString(f.String()) {
				all = append(all, f)
			}
		}
	}
	return all
}

func interleave(all []fault) {
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) {
		all[i], all[j] = all[j], all[i]
	})
	rank, before := map[fault]int{}, map[[2]string]int{}
	for _, f := range all {
		kind := [2]string{f.function, f.class}
		rank[f] = before[kind]
		before[kind]++
	}
	slices.SortStableFunc(all, func(a, b fault) int { return rank[a] - rank[b] })
}

type runner struct {
	path, temp string        // name of the code path in lower case; directory for built files
	lines      []string      // assembly without a fault
	limit      time.Duration // time limit of one test run
}

func newRunner(t *testing.T, path string) *runner {
	text, err := os.ReadFile(file(path))
	if err != nil {
		t.Fatal(err)
	}
	return &runner{path, t.TempDir(), strings.Split(string(text), "\n"), time.Hour}
}

func file(path string) string { return filepath.Join(asm, "kernels_"+path+"_amd64.s") }

func (l *runner) temporary(name string) string { return filepath.Join(l.temp, name) }

func (l *runner) build(t *testing.T, index int, line string) {
	lines := slices.Clone(l.lines)
	lines[index] = line
	original, err := filepath.Abs(file(l.path))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		original: l.temporary("mutant.s")}})
	if err := errors.Join(err, os.WriteFile(l.temporary("overlay.json"), overlay, 0o666),
		os.WriteFile(l.temporary("mutant.s"), []byte(strings.Join(lines, "\n")), 0o666),
	); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "test", "-c", "-vet", "off", "-ldflags", "-s -w", "-overlay",
		l.temporary("overlay.json"), "-o", l.temporary("asm.test"), ".")
	c.Dir = asm
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
}

// test returns the failed test, or "" if all tests pass.
func (l *runner) test(t *testing.T, flags ...string) (killer string) {
	ctx, cancel := context.WithTimeout(t.Context(), l.limit)
	defer cancel()
	flags = append(flags, "-test.v", "-test.failfast", "-test.run", "//isa="+l.path+"$")
	c := exec.CommandContext(ctx, l.temporary("asm.test"), flags...)
	c.Dir = asm
	c.Env = append(os.Environ(), "PEGASIMD_ISA="+l.path)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &exit): // a binary that did not run kills no mutant
		t.Fatal(err)
	}
	how := "wrong result"
	switch {
	case ctx.Err() != nil:
		how = "endless"
	case !bytes.Contains(out, []byte("\n--- FAIL")):
		how = "crash"
	}
	test := "no test"
	if runs := regexp.MustCompile(`=== RUN +(\S+)`).FindAllSubmatch(out, -1); runs != nil {
		test = string(runs[len(runs)-1][1])
	}
	return test + ", " + how
}

func (l *runner) kill(t *testing.T, f fault) (killer string) {
	l.build(t, f.line, f.new)
	if killer = l.test(t, "-test.short"); killer == "" {
		if killer = l.test(t); killer != "" {
			killer += ", not in a short run"
		}
	}
	return killer
}

func (l *runner) checkUnmutated(t *testing.T) {
	l.build(t, 0, l.lines[0])
	start := time.Now()
	if killer := l.test(t); killer != "" {
		t.Fatalf("without a fault the tests of %s fail: %s", l.path, killer)
	}
	l.limit = 10*time.Second + 5*time.Since(start)
}

// TestMutants checks that every kernel but prefetch has a possible fault on each code path of
// amd64. With -mutants n it also checks that the tests catch up to n faults that match -match.
func TestMutants(t *testing.T) {
	paths := exec.Command("go", "test", "-v", "-run", "PathsWanted", ".")
	paths.Dir = asm
	out, err := paths.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runnable := regexp.MustCompile(`\w+`).FindAllString(string(out), -1)
	runners := map[string]*runner{}
	var all []fault
	for _, target := range []Target{newAVX2(), newAVX512x256(), newAVX512()} {
		path := strings.ToLower(target.Name())
		l := newRunner(t, path)
		offered := map[string]bool{}
		for _, f := range faults(path, l.lines) {
			offered[f.function] = true
			if slices.Contains(runnable, path) && regexp.MustCompile(*match).MatchString(f.String()) {
				all = append(all, f)
				runners[path] = l
			}
		}
		for _, k := range kernelsFor(target) {
			if k.name != "prefetch" && !offered[k.name+target.Name()] {
				t.Errorf("%s%s has no possible fault", k.name, target.Name())
			}
		}
	}
	if *mutants == 0 {
		return
	}
	for _, l := range runners {
		l.checkUnmutated(t)
	}
	interleave(all)
	for _, f := range all[:min(*mutants, len(all))] {
		if killer := runners[f.path].kill(t, f); killer != "" {
			t.Logf("%v\tkilled by %s", f, killer)
		} else {
			t.Errorf("%v\tSURVIVED", f)
		}
	}
	t.Logf("tested %d of %d possible mutants", min(*mutants, len(all)), len(all))
	if len(all) == 0 {
		t.Error("no fault matches -match, or this machine can run none of the code paths")
	}
}
