package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

// The tests are tested here: each mutant of the generator writes assembly with one fault, which
// stands in for the file of package asm while a test binary is built (go's -overlay; the tree is
// not touched). A fault that no test finds shows what the tests miss.

// equivalents are faults that no test can find, for the result has the same bits. Each matches
// whole lines of what String gives; a run of all mutants calls it an error of this list if a test
// finds one. Where the labels tell the loop that kernels share, any kernel is meant.
var equivalents = []struct{ line, why string }{
	{`prefetch\t.*`, "a hint has no result"},

	{`\w+\tbound too low\tstart: IfAtLeast n 17 above16`,
		"the path for more elements is right here, too"},
	{`sumSquaresAVX512\t< for <=\tstart: IfAtMost n 24 short2`, "the same"},
	{`\w+\t< for <=\tloop: IfAtMost n 0 done`, "the pieces of none"},
	{`\w+\tjump dropped\t\w+: IfWithout n 7 done left out`, "the same"},
	{`\w+\tjump dropped\t\w+: IfMisaligned .*`, "misaligned vectors are only slower"},
	{`\w+\t(< for <=|bound too high)\tmisaligned: IfAtMost n \d+ loop`, "the same"},
	{`(axpby|axpy|axpy4|scale|add|sub|mul|scaleTo|axpyTo)(AVX512)?\t\w+\tmisaligned: (ShiftRight|SetConst|DecrementReg ) .*`,
		"as many elements are skipped as are stored in pieces, whatever their number"},
	{`(axpby|axpy|axpy4|scale|add|sub|mul|scaleTo|axpyTo)(AVX512)?\tcount\tmisaligned: And with \d+-1`, "the same"},
	{`exp(AVX512)?\toffset\t(few|less4|less2): \w+ table\+\d+ 4 bytes further`,
		"each constant is in the table eight times, and these groups are narrow"},
	{`expAVX512\toffset\t\w+: LoadBroadcast table\+\d+ 4 bytes further`, "the same"},

	{`\w+\t> for >=\t(start|over32): IfAtLeast n 64 long`, "64 elements as a short vector"},
	{`\w+\t<= for <\t(headed|turns|long): IfLess n 64 rest`, "the last 64 elements as a rest"},
	{`\w+\t> for >=\tblocks: IfAtLeast n 64 blocks`, "the last 64 elements as a rest"},
	{`\w+\tpage\t.*`, "a page that isn't there makes it slow"},
	{`\w+\t(> for >=|bound too low)\tlong: IfAtLeast n \d+ far`,
		"vectors are rotated or not with the same bits"},
	{`\w+\tjump dropped\tfar: Jump aligned left out`, "rotated by nothing"},
	{`\w+\tcount\tmisaligned: And with (28|60)[-+]1`, "rotated by less; and there is no bit of 1"},
	{`\w+\t(> for >=|bound too low)\tpage: IfAtLeast copy of n 1 odd`, "rotated or not"},
	{`\w+\t(> for >=|bound too low)\tpage: IfAtLeast n 64 aligned`, "the same"},
	{`\w+\tjump dropped\tpage: Jump start left out`, "rotated by nothing"},

	{`(squaredDistance|sumSquares)\t(lane skipped|accumulators swapped)\t.*: Add 9 to \d+ .*`,
		"a square is no -0, for which the zero is added"},
	{`(squaredDistance|sumSquares)AVX512\t(lane skipped|accumulators swapped)\t.*: Add 5 to \d+ .*`,
		"the same"},

	{`(sumAbs|l1Distance)\t(lane skipped|accumulators swapped)\t.*: Add 10 to \d+ .*`,
		"an absolute value is no -0"},
	{`(sumAbs|l1Distance)AVX512\t(lane skipped|accumulators swapped)\t.*: Add 6 to \d+ .*`,
		"the same"},

	{`(min|max)(AVX512)?\t(<= for <\tstart: IfLess n|> for >=\tloop: IfAtLeast n) \d+ (rest|loop)`,
		"the last four groups by eights"},
	{`(min|max)(AVX512)?\t(<= for <\trest: IfLess n|> for >=\teights: IfAtLeast n) 8 (few|eights)`,
		"the last eight as the last eight"},
	{`(min|max)(AVX512)?\t<= for <\tfew: IfLess copy of n 8 single`, "none of eight is left"},
	{`(min|max)(AVX512)?\tjump dropped\tfew: Jump fold left out`, "they are only compared again"},

	{`dot64(AVX512)?\t(<= for <\tstart: IfLess n|> for >=\tloop: IfAtLeast n) 32 (rest|loop)`,
		"the last 32 as a rest"},
	{`dot64(AVX512)?\t.*\t.*: IfLess copy of n \d+ few`, "these targets mask both kinds of parts"},
	{`dot64(AVX512)?\t<= for <\t.*: IfLess n \d+ part\d`,
		"a whole group may be loaded in either way"},

	{`dotFloat(Int8|Uint8)(AVX512)?\tbound too low\tloop: IfAtLeast n 64 loop`, "a multiple of 64"},
	{`dotFloat(Int8|Uint8)(AVX512)?\tbound too high\t.*: IfAtMost (n|end) 0 (end|fold)`, "the same"},
	{`(dot|squaredDistance)(Int8|Uint8)(AVX512)?\t(<= for <\tstart: IfLess n|> for >=\tloop: IfAtLeast n) \d+ (rest|loop)`,
		"the last four groups one by one"},
	{`(dot|squaredDistance)(Int8|Uint8)(AVX512)?\tbound too (low|high)\t.*: (IfLess|IfAtLeast|IfAtMost) n .*`,
		"a multiple of 16"},
	{`\w+VNNI(AVX512)?\t< for <=\tpart: IfAtMost n 0 fold`, "the part of none"},

	{`unpack\t(> for >=\tloop: IfAtLeast n 32 loop|<= for <\tstart: IfLess n 32 groups)`,
		"the last 32 as single groups"},

	{`axpySparse\t(<= for <|> for >=)\t.* n 8 (rest|loop)`, "the last eight one by one"},
	{`(axpy|steps)Same\t<= for <\t.*: IfLess .* 4 (axpy_)?few`, "four one by one"},
	{`(axpy|steps)Same\t< for <=\t.*: IfAtMost .* 4 (axpy_)?last`,
		"the last four are stored again"},
	{`(axpy|steps)Same\tbound too low\t.*: IfAtLeast .* 5 (axpy_)?loop`, "the same"},
	{`dotNorms(AVX512)?\t<= for <\t.*: IfLess .*part\d`,
		"a whole group may be loaded in either way"},
	{`dotNorms(AVX512)?\t(<= for <\t.*: IfLess .* 64 pass\drest|> for >=\tpass\dblocks: IfAtLeast .*)`,
		"the last 64 elements as a rest"},
	{`dotNorms\tbound too low\tover2: IfAtLeast n 33 over32`,
		"the path for more elements is right here, too"},
	{`dotNormsAVX512\tbound too low\t(over1: IfAtLeast n 33 over2|start: IfAtLeast n 9 over8)`,
		"the same"},
	{`dotNorms\tjump dropped\tshortend: Jump fold left out`, "all is added up anew"},
	{`dotNormsAVX512\tjump dropped\tover1: Jump fold left out`, "the same"},
	{`dotRows(AVX512)?\t> for >=\t.*: IfAtLeast idx 1 .*`, "1 is no pointer"},
	{`dotRows(AVX512)?\tbound too low\t.*: IfAtLeast count 4 .*`, "a multiple of four"},
	{`dotRows(AVX512)?\t< for <=\t.*: IfAtMost .* part\d`, "a whole group may be loaded in either way"},
	{`dotRows(AVX512)?\t< for <=\ttail0: IfAtMost .* 0 end0`, "there is always a rest"},
	{`dotRows\tjump dropped\tpart\d: Jump end\d left out`,
		"the comparison behind it jumps there, too"},
	{`dotRows(AVX512)?\tbound too high\tnext[23]: .* 64 part[37]`,
		"a rest is at most 64: the last group is never whole"},
	{`dotRows\t.*\tnext3: (Load|MulLoad|Add|Mul|AddLoad|Jump) .*`, "the same"},
	{`dotRowsAVX512\t.*\tnext2: (Load|MulLoad|Add|Mul|AddLoad|Jump) .*`, "the same"},
	{`rankK(Pairs)?(AVX512)?\tadvance\tahead_.*`, "a hint has no result"},
	{`pack(AVX512)?\tbound too low\tstart: IfAtLeast width 32 cols`, "12 or 32"},
	{`pack(AVX512)?\t<= for <\trows: IfLess n 12 rest`, "the last 12 as a rest"},
	{`dotTwo\t> for >=\tloop: IfAtLeast n 1 loop`, "a multiple of 64"},
}

func (f fault) String() string {
	word := f.kernel.word
	if f.path.isa != "avx2" {
		word += strings.ToUpper(f.path.isa)
	}
	return word + "\t" + f.class + "\t" + f.change
}

func (f fault) equivalent() bool { return equivalent.MatchString(f.String()) }

var equivalent = func() *regexp.Regexp {
	var lines []string
	for _, e := range equivalents {
		lines = append(lines, e.line)
	}
	return regexp.MustCompile("^(" + strings.Join(lines, "|") + ")$")
}()

// faults returns all that the kernels of a path offer.
func faults(p path) (all []fault) {
	for _, k := range kernelsFor(p.target()) {
		m := newMutant(p, k, -1)
		m.emit()
		all = append(all, m.offered...)
	}
	return all
}

// spread brings faults into an order in which each beginning has all kernels and classes alike: one
// of each pair, then another of each, drawn by the seed.
func spread(all []fault, seed uint64) (order []fault) {
	r := rand.New(rand.NewPCG(seed, 0))
	type pair struct{ isa, word, class string }
	left := map[pair][]fault{}
	var pairs []pair
	for _, f := range all {
		p := pair{f.path.isa, f.kernel.word, f.class}
		if left[p] == nil {
			pairs = append(pairs, p)
		}
		left[p] = append(left[p], f)
	}
	for len(order) < len(all) {
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, p := range pairs {
			if k := len(left[p]); k > 0 {
				i := r.IntN(k)
				order = append(order, left[p][i])
				left[p] = slices.Delete(left[p], i, i+1)
			}
		}
	}
	return order
}

// A lab builds test binaries of package asm with assembly of its own, and runs them.
type lab struct {
	path
	asm, temp string   // folders: the package's, and one for what is built
	sound     *ir.File // without a fault
}

func newLab(p path, asm, temp string) (*lab, error) {
	asm, err := filepath.Abs(asm)
	if err != nil {
		return nil, err
	}
	t := p.target()
	for _, k := range kernelsFor(t) {
		t.Func(k)
		k.emit(t)
	}
	sound, err := t.Compile()
	return &lab{p, asm, temp, sound}, err
}

// mutate returns the sound file with one function in another's place; compiling only that one saves
// most of the time.
func (l *lab) mutate(f fault) (*ir.File, error) {
	m := newMutant(f.path, f.kernel, f.place)
	m.emit()
	one, err := m.Compile()
	if err != nil {
		return nil, err
	}
	wrong := one.Functions()[0]
	file := *l.sound
	file.Sections = slices.Clone(file.Sections)
	for i, s := range file.Sections {
		if fn, ok := s.(*ir.Function); ok && fn.Name == wrong.Name {
			file.Sections[i] = wrong
		}
	}
	return &file, nil
}

func (l *lab) temporary(name string) string { return filepath.Join(l.temp, name) }

func (l *lab) build(f *ir.File) error {
	text, err := printer.NewGoAsm(printer.Config{Name: command, Pkg: "asm"}).Print(f)
	if err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{
		"Replace": map[string]string{filepath.Join(l.asm, l.file): l.temporary(l.file)},
	})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{l.file: text, "overlay.json": overlay} {
		if err := os.WriteFile(l.temporary(name), content, 0o666); err != nil {
			return err
		}
	}
	c := exec.Command("go", "test", "-c", "-p", "1", "-vet", "off", "-ldflags", "-s -w",
		"-overlay", l.temporary("overlay.json"), "-o", l.temporary("asm.test"), ".")
	c.Dir = l.asm
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// test runs the tests that match and returns what ended them: nothing, if they pass.
func (l *lab) test(pattern string, limit time.Duration, flags ...string) (killer string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	flags = append(flags, "-test.v", "-test.failfast", "-test.run", pattern)
	c := exec.CommandContext(ctx, l.temporary("asm.test"), flags...)
	c.Dir = l.asm
	c.Env = append(os.Environ(), "PEGASIMD_ISA="+l.isa)
	out, err := c.CombinedOutput()
	if err == nil {
		return ""
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		log.Fatal(err) // it did not run, which must not look like a kill
	}
	how := "wrong result"
	switch {
	case ctx.Err() != nil:
		how = "endless"
	case bytes.Contains(out, []byte("stored beside the operands")):
		how = "stray store"
	case !bytes.Contains(out, []byte("\n--- FAIL")):
		how = "crash"
	}
	test := "no test"
	if runs := regexp.MustCompile(`=== RUN +(\S+)`).FindAllSubmatch(out, -1); runs != nil {
		test = string(runs[len(runs)-1][1])
	}
	return test + ", " + how
}

// quick matches the tests that take at most a second together with -test.short.
const quick = "(Same|Steps|Guard|Long|Golden|NegativeZeros|ManyRows|VectorsInMemory)"

const shortTime, longTime = 10 * time.Second, 3 * time.Minute

// kill runs tests of the fault's kernel, the quickest first and in the end all, and returns what
// ended them.
func (l *lab) kill(f fault, all bool) (killer string) {
	// More than the kernel's own match: those whose names go on, too, and those of the kernel that
	// it is a form of.
	word := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(f.kernel.word), "4"), "vnni")
	op := "/op=" + word + ".*/isa=" + l.isa + "$"
	for _, tests := range []string{"(Same|Guard)", quick} {
		if killer = l.test(tests+op, shortTime, "-test.short"); killer != "" {
			return killer
		}
	}
	if all {
		if killer = l.test(op, longTime); killer != "" {
			killer += ", not in a short run"
		}
	}
	return killer
}

// A tally counts mutants by class.
type tally struct{ points, equivalent, tested, killed map[string]int }

func newTally() tally {
	return tally{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
}

func (c tally) String() string {
	var b strings.Builder
	var points, equivalent, tested, killed int
	for _, class := range slices.Sorted(maps.Keys(c.points)) {
		fmt.Fprintf(&b, "%-20s killed %3d of %3d; %4d points, %3d of them equivalent\n",
			class, c.killed[class], c.tested[class], c.points[class], c.equivalent[class])
		points += c.points[class]
		equivalent += c.equivalent[class]
		tested += c.tested[class]
		killed += c.killed[class]
	}
	fmt.Fprintf(&b, "killed %d of %d (%.1f %%); %d points, %d of them equivalent",
		killed, tested, 100*float64(killed)/float64(max(tested, 1)), points, equivalent)
	return b.String()
}

// runMutants tests n of the mutants whose lines match, or all of those and the equivalent ones with
// them, and prints what became of each. It is an error if one survives.
func runMutants(asm string, n int, all bool, seed uint64, match *regexp.Regexp) error {
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	labs, count, wrong := map[string]*lab{}, newTally(), 0
	var candidates []fault
	for _, p := range mutated {
		l, err := newLab(p, asm, temp)
		if err != nil {
			return err
		}
		if err := l.build(l.sound); err != nil {
			return err
		}
		if l.test("TestUse", longTime) != "" {
			fmt.Printf("this machine has no %s: nothing is tested there\n", p.isa)
			continue
		}
		killer := l.test(quick+"//isa="+p.isa+"$", longTime, "-test.short")
		if killer == "" {
			killer = l.test("//isa="+p.isa+"$", longTime)
		}
		if killer != "" {
			return fmt.Errorf("without a fault the tests of %s fail: %s", p.isa, killer)
		}
		labs[p.isa] = l
		for _, f := range faults(p) {
			if !match.MatchString(f.String()) {
				continue
			}
			count.points[f.class]++
			if f.equivalent() {
				count.equivalent[f.class]++
			}
			if all || !f.equivalent() {
				candidates = append(candidates, f)
			}
		}
	}
	start, done := time.Now(), 0
	for _, f := range spread(candidates, seed) {
		if done == n && !all {
			break
		}
		l := labs[f.path.isa]
		file, err := l.mutate(f)
		if err != nil {
			continue // more registers than there are: a fault that generation finds
		}
		if err := l.build(file); err != nil {
			return err
		}
		done++
		same := f.equivalent()
		killer := l.kill(f, !same)
		fate := "killed by " + killer
		switch {
		case same && killer == "":
			fate = "equivalent"
		case same:
			fate += ", THOUGH LISTED AS EQUIVALENT"
			wrong++
		case killer == "":
			fate = "SURVIVED"
			count.tested[f.class]++
			wrong++
		default:
			count.tested[f.class]++
			count.killed[f.class]++
		}
		fmt.Printf("%v\t%s\n", f, fate)
	}
	fmt.Printf("\n%v; %.0f s\n", count, time.Since(start).Seconds())
	if wrong > 0 {
		return fmt.Errorf("%d mutants did not fare as they should", wrong)
	}
	return nil
}
