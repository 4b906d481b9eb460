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

// The tests are tested here: a mutant is the assembly of a path with one line that is wrong. It
// stands in for the file of package asm while a test binary is built (go's -overlay; the tree is
// not touched). A fault that no test finds shows what the tests miss.
var (
	mutants = flag.Int("mutants", 0, "plant so many faults in the assembly of package asm")
	match   = flag.String("match", "", "plant faults whose lines match this only")
	seed    = flag.Uint64("seed", 1, "draw the faults by this number")
)

const asm = "../asm"

// A fault is one line that is replaced.
type fault struct {
	path, function, label, class string
	line                         int // its number, from 0
	was, is                      string
}

func (f fault) String() string {
	return fmt.Sprintf("%s\t%s\t%s:%d\t%s\t-> %s", f.function, f.class, f.label, f.line+1,
		strings.Join(strings.Fields(f.was), " "), strings.Join(strings.Fields(f.is), " "))
}

// classes are the kinds of faults. None leaves a result as it was, but for the exceptions. wrong is
// given the next line as well.
var classes = []struct {
	name  string
	match *regexp.Regexp
	wrong func(line, next string) string
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

// offset returns the line with its operand in memory one float further.
func offset(line, next string) string {
	return regexp.MustCompile(` -?\d*\(`).ReplaceAllStringFunc(line, func(at string) string {
		k, _ := strconv.Atoi(at[1 : len(at)-1])
		return fmt.Sprintf(" %d(", k+float)
	})
}

// bound lets one length more jump where the shorter ones do, or one less. Where the longer ones
// jump, which is to a loop as a rule, the rest behind it could do the same as a turn.
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

// exceptions are lines that may be wrong with the same result. They match the start of what String
// gives.
var exceptions = regexp.MustCompile(`^(` + strings.Join([]string{
	`prefetch[^\t]*\t`,                                  // a hint has no result
	`rankK[^\t]*\t\w+\tahead_`,                          // the same
	`[^\t]*\tjump\t.*-> J\w+ (misaligned|page)$`,        // from another start the result is the same
	`find[^\t]*\tjump\tloop:`,                           // the caller looks through what is found too early
	`exp[A-Z][^\t]*\toffset`,                            // each constant is in the table eight times
	`[^\t]*\tbound\tmisaligned:`,                        // from another start the result is the same
	`(dot|dotNorms|squaredDistance)64[^\t]*\tbound`,     // a whole group may be loaded as a part
	`dotRows[^\t]*\tbound\tnext`,                        // the last group is never whole
	`\w+Rows[^\t]*VNNI[^\t]*\tstep\trest:\d+\tSUBQ`,     // a mask tells what the last group has
	`gemm[^\t]*\t(bound\t.*\$\+6[34]|jump\t.*near\d*)$`, // whether it is done
	`gerAVX512\t\w+\tstart`,                             // in registers of 256 bits the result is the same
}, "|") + `)`)

// faults returns all that a path's assembly may get.
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
			f := fault{path, function, label, c.name, i, line, c.wrong(line, lines[i+1])}
			if f.is != f.was && !exceptions.MatchString(f.String()) {
				all = append(all, f)
			}
		}
	}
	return all
}

// spread brings faults into an order in which each beginning has all functions and classes alike.
func spread(all []fault) {
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

// A lab builds test binaries of package asm with assembly of its own, and runs them.
type lab struct {
	path, temp string   // temp is the folder for what is built
	lines      []string // of the assembly, without a fault
	limit      time.Duration
}

func newLab(t *testing.T, path string) *lab {
	text, err := os.ReadFile(file(path))
	if err != nil {
		t.Fatal(err)
	}
	return &lab{path, t.TempDir(), strings.Split(string(text), "\n"), time.Hour}
}

func file(path string) string { return filepath.Join(asm, "kernels_"+path+"_amd64.s") }

func (l *lab) temporary(name string) string { return filepath.Join(l.temp, name) }

// build puts one line in another's place.
func (l *lab) build(t *testing.T, place int, line string) {
	lines := slices.Clone(l.lines)
	lines[place] = line
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

// test runs the path's tests and returns what ended them: nothing, if they pass.
func (l *lab) test(t *testing.T, flags ...string) (killer string) {
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
	case !errors.As(err, &exit): // one that did not run must not look like a kill
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

// kill runs the short tests, and if they pass the long ones.
func (l *lab) kill(t *testing.T, f fault) (killer string) {
	l.build(t, f.line, f.is)
	if killer = l.test(t, "-test.short"); killer == "" {
		if killer = l.test(t); killer != "" {
			killer += ", not in a short run"
		}
	}
	return killer
}

// sound runs the tests without a fault, and sets the time they may take with one.
func (l *lab) sound(t *testing.T) {
	l.build(t, 0, l.lines[0])
	start := time.Now()
	if killer := l.test(t); killer != "" {
		t.Fatalf("without a fault the tests of %s fail: %s", l.path, killer)
	}
	l.limit = 10*time.Second + 5*time.Since(start)
}

// Every function but prefetch has a possible fault, and with -mutants n the tests find n of those
// that this machine can run.
func TestMutants(t *testing.T) {
	paths := exec.Command("go", "test", "-v", "-run", "PathsWanted", ".")
	paths.Dir = asm
	out, err := paths.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	here := regexp.MustCompile(`\w+`).FindAllString(string(out), -1)
	labs := map[string]*lab{}
	var all []fault
	for _, target := range []Target{newAVX2(), newAVX512x256(), newAVX512()} {
		path := strings.ToLower(target.Name())
		l := newLab(t, path)
		offered := map[string]bool{}
		for _, f := range faults(path, l.lines) {
			offered[f.function] = true
			if slices.Contains(here, path) && regexp.MustCompile(*match).MatchString(f.String()) {
				all = append(all, f)
				labs[path] = l
			}
		}
		for _, k := range kernelsFor(target) {
			if k.name != "prefetch" && !offered[k.name+target.Name()] {
				t.Errorf("%s%s gets no faults", k.name, target.Name())
			}
		}
	}
	if *mutants == 0 {
		return
	}
	for _, l := range labs {
		l.sound(t)
	}
	spread(all)
	for _, f := range all[:min(*mutants, len(all))] {
		if killer := labs[f.path].kill(t, f); killer != "" {
			t.Logf("%v\tkilled by %s", f, killer)
		} else {
			t.Errorf("%v\tSURVIVED", f)
		}
	}
	t.Logf("%d mutants, of %d", min(*mutants, len(all)), len(all))
	if len(all) == 0 {
		t.Error("no fault matches, or this machine has none of the paths")
	}
}
