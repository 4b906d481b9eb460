package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The tests are tested here: a mutant is the assembly of a path with one line that is wrong. It
// stands in for the file of package asm while a test binary is built (go's -overlay; the tree is
// not touched). A fault that no test finds shows what the tests miss.

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

// classes are the kinds of faults. None leaves a result as it was, but for the exceptions. Bounds
// stay as they are, for many may be one higher or lower with the same result; a jump that is taken
// where it should not be finds what they would.
var classes = []struct {
	name  string
	match *regexp.Regexp
	wrong func(line string) string
}{
	{"operation", regexp.MustCompile(`^\tV(ADD|MUL|SUB|MIN|MAX)[PS][SD] |^\tVP(ADD|SUB|MADDW)[WD] ` +
		`|^\tVPMOV[SZ]XB|^\tVEXTRACT`), strings.NewReplacer("VADD", "VMUL", "VMUL", "VADD",
		"VSUB", "VADD", "VMIN", "VMAX", "VMAX", "VMIN", "VPADD", "VPSUB", "VPSUB", "VPADD",
		"VPMADDWD", "VPADDD", "VPMOVSX", "VPMOVZX", "VPMOVZX", "VPMOVSX", "$0x01", "$0x00").Replace},
	{"offset", memory, further},
	{"store", regexp.MustCompile(`^\tV.*\)$`), func(string) string { return "" }},
	{"step", regexp.MustCompile(`^\t(ADD|SUB)Q +\$`),
		strings.NewReplacer("ADDQ", "SUBQ", "SUBQ", "ADDQ").Replace},
	{"jump", regexp.MustCompile(`^\tJ(B|BE|AE|EQ|NE) `), strings.NewReplacer("JBE", "JA ", "JB ",
		"JAE", "JAE", "JB ", "JEQ", "JNE", "JNE", "JEQ").Replace},
}

var memory = regexp.MustCompile(`^\t(?:V\w+|MOVL|MOVWLZX).* (-?\d*)\([A-Z]\w+\)`)

// further returns the line with its operand in memory one float further.
func further(line string) string {
	at := memory.FindStringSubmatchIndex(line)
	var offset int
	fmt.Sscan(line[at[2]:at[3]], &offset)
	return fmt.Sprint(line[:at[2]], offset+float, line[at[3]:])
}

// exceptions are lines that may be wrong with the same result. They match the start of what String
// gives.
var exceptions = regexp.MustCompile(`^(` + strings.Join([]string{
	`prefetch[^\t]*\t`,         // a hint has no result
	`rankK[^\t]*\t\w+\tahead_`, // the same
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
			f := fault{path, function, label, c.name, i, line, c.wrong(line)}
			if f.is != f.was && !exceptions.MatchString(f.String()) {
				all = append(all, f)
			}
		}
	}
	return all
}

// spread brings faults into an order in which each beginning has all functions and classes alike.
func spread(all []fault, seed uint64) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) {
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

// here returns the paths that this machine has, of those that get faults.
func here(asm string) ([]string, error) {
	c := exec.Command("go", "test", "-v", "-run", "PathsWanted", ".")
	c.Dir = asm
	out, err := c.Output()
	paths := regexp.MustCompile(`avx\w+`).FindAllString(string(out), -1)
	slices.Sort(paths)
	return slices.Compact(paths), err
}

func file(asm, path string) string { return filepath.Join(asm, "kernels_"+path+"_amd64.s") }

// A lab builds test binaries of package asm with assembly of its own, and runs them.
type lab struct {
	path      string
	asm, temp string   // folders: the package's, and one for what is built
	lines     []string // of the assembly, without a fault
	limit     time.Duration
}

func (l *lab) temporary(name string) string { return filepath.Join(l.temp, name) }

// build puts one line in another's place.
func (l *lab) build(place int, line string) error {
	lines := slices.Clone(l.lines)
	lines[place] = line
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		file(l.asm, l.path): l.temporary("mutant.s")}})
	if err != nil {
		return err
	}
	err = errors.Join(os.WriteFile(l.temporary("overlay.json"), overlay, 0o666),
		os.WriteFile(l.temporary("mutant.s"), []byte(strings.Join(lines, "\n")), 0o666))
	if err != nil {
		return err
	}
	c := exec.Command("go", "test", "-c", "-vet", "off", "-ldflags", "-s -w", "-overlay",
		l.temporary("overlay.json"), "-o", l.temporary("asm.test"), ".")
	c.Dir = l.asm
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// test runs the path's tests and returns what ended them: nothing, if they pass.
func (l *lab) test(flags ...string) (killer string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.limit)
	defer cancel()
	flags = append(flags, "-test.v", "-test.failfast", "-test.run", "//isa="+l.path+"$")
	c := exec.CommandContext(ctx, l.temporary("asm.test"), flags...)
	c.Dir = l.asm
	c.Env = append(os.Environ(), "PEGASIMD_ISA="+l.path)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return "", err // one that did not run must not look like a kill
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
	return test + ", " + how, nil
}

// kill runs the short tests, and if they pass the long ones.
func (l *lab) kill(f fault) (killer string, err error) {
	if err := l.build(f.line, f.is); err != nil {
		return "", fmt.Errorf("%v: %w", f, err)
	}
	if killer, err = l.test("-test.short"); killer != "" || err != nil {
		return killer, err
	}
	killer, err = l.test()
	if killer != "" {
		killer += ", not in a short run"
	}
	return killer, err
}

// newLab returns the lab of a path, whose tests pass without a fault.
func newLab(path, asm, temp string) (*lab, error) {
	text, err := os.ReadFile(file(asm, path))
	if err != nil {
		return nil, err
	}
	l := &lab{path, asm, temp, strings.Split(string(text), "\n"), time.Hour}
	if err := l.build(0, l.lines[0]); err != nil {
		return nil, err
	}
	start := time.Now()
	if killer, err := l.test(); killer != "" || err != nil {
		return nil, fmt.Errorf("without a fault the tests of %s fail: %s %v", path, killer, err)
	}
	l.limit = 10*time.Second + 5*time.Since(start)
	return l, nil
}

// runMutants tests n of the mutants whose lines match, and prints what became of each. It is an
// error if one survives.
func runMutants(asm string, n int, seed uint64, match *regexp.Regexp) error {
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if asm, err = filepath.Abs(asm); err != nil {
		return err
	}
	labs := map[string]*lab{}
	var all []fault
	paths, err := here(asm)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if labs[path], err = newLab(path, asm, temp); err != nil {
			return err
		}
		for _, f := range faults(path, labs[path].lines) {
			if match.MatchString(f.String()) {
				all = append(all, f)
			}
		}
	}
	spread(all, seed)
	survivors := 0
	for _, f := range all[:min(n, len(all))] {
		killer, err := labs[f.path].kill(f)
		if err != nil {
			return err
		}
		fate := "killed by " + killer
		if killer == "" {
			fate = "SURVIVED"
			survivors++
		}
		fmt.Printf("%v\t%s\n", f, fate)
	}
	fmt.Printf("killed %d of %d; there are %d\n", min(n, len(all))-survivors, min(n, len(all)),
		len(all))
	if survivors > 0 || len(all) == 0 {
		return fmt.Errorf("%d mutants survived, of %d", survivors, min(n, len(all)))
	}
	return nil
}
