// Command mca prints tables of how fast the kernels' main loops would be on CPUs that are not at
// hand, by the models of llvm-mca. It needs LLVM's llvm-objdump and llvm-mca, the newer the better:
// go run ./scripts/mca
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
	"strconv"
	"strings"
)

const (
	symbol     = "github.com/pegasimd/pegasimd/internal/asm."
	iterations = 200
)

// A kernel has a name, and a number of elements that a turn of the loop takes: 0 where that is the
// number which the loop compares its counter with. A narrow one has no body of 512 bits.
type kernel struct {
	name     string
	elements int
	narrow   bool
}

var kernels = []kernel{
	{"dot", 0, false}, {"sumSquares", 0, false}, {"squaredDistance", 0, false},
	{"axpy", 0, false}, {"axpby", 0, false}, {"scale", 0, false}, {"exp", 0, false},
	{"dotRows", 64, false}, // the loop of long rows: 16 elements of each of four, or all 64
	{"dotSparse", 0, true}, {"axpySparse", 0, true}, {"dotSame", 0, true}, {"axpySame", 4, true},
}

// paths name CPUs that have their own models in LLVM 19 and later; an older LLVM has fewer, or uses
// one for another CPU.
var paths = []struct {
	name, arch, triple string
	cpus               []string
}{
	{"AVX2", "amd64", "x86_64", []string{"haswell", "skylake", "icelake-server", "alderlake", "znver2", "znver3", "znver4"}},
	{"AVX512x256", "amd64", "x86_64", []string{"skylake-avx512", "icelake-server", "sapphirerapids", "znver4"}},
	{"AVX512", "amd64", "x86_64", []string{"skylake-avx512", "icelake-server", "sapphirerapids", "znver4"}},
	{"NEON", "arm64", "aarch64", []string{"neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"}},
}

var (
	mca     = flag.String("mca", "llvm-mca", "the `program` to model with")
	objdump = flag.String("objdump", "llvm-objdump", "the `program` to disassemble with")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mca: ")
	flag.Parse()
	dir, err := os.MkdirTemp("", "mca")
	if err == nil {
		err = run(dir)
		os.RemoveAll(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	text, err := tool(*mca, "", "--version")
	if err != nil {
		return err
	}
	version := "of unknown version"
	if m := regexp.MustCompile(`version (\d\S*)`).FindStringSubmatch(text); m != nil {
		version = m[1]
	}
	fmt.Printf("Models by llvm-mca, LLVM %s, not measurements: `%s`. Elements a cycle.\n",
		version, strings.Join(append([]string{"go run ./scripts/mca"}, os.Args[1:]...), " "))
	for _, p := range paths {
		binary := filepath.Join(dir, p.arch)
		if _, err := os.Stat(binary); err != nil {
			if err := build(binary, p.arch); err != nil {
				return err
			}
		}
		var cpus, missing []string
		for _, cpu := range p.cpus {
			if _, err := tool(*mca, "nop", "-mtriple="+p.triple, "-mcpu="+cpu); err == nil {
				cpus = append(cpus, cpu)
			} else if errors.Is(err, errCPU) {
				missing = append(missing, cpu)
			} else {
				return err
			}
		}
		fmt.Printf("\n| %s | %s |\n|---|%s\n",
			p.name, strings.Join(cpus, " | "), strings.Repeat("---|", len(cpus)))
		for _, k := range kernels {
			if err := line(binary, p.name, p.triple, k, cpus); err != nil {
				return err
			}
		}
		if len(missing) > 0 {
			fmt.Printf("\nThis LLVM has no model of %s.\n", strings.Join(missing, ", "))
		}
	}
	return nil
}

// line prints a kernel's, if the path has a body of it.
func line(binary, path, triple string, k kernel, cpus []string) error {
	elements := k.elements
	if path == "AVX512" {
		if k.narrow {
			return nil
		}
		elements *= 4
	}
	body, err := mainLoop(binary, k.name+path)
	if err != nil {
		return err
	}
	if elements == 0 {
		if elements, err = compared(body); err != nil {
			return fmt.Errorf("%s: %w", k.name+path, err)
		}
	}
	fmt.Printf("| %s |", k.name)
	for _, cpu := range cpus {
		cycles, err := model(body, triple, cpu)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", k.name+path, cpu, err)
		}
		fmt.Printf(" %.2f |", float64(elements)/cycles)
	}
	fmt.Println()
	return nil
}

func build(binary, arch string) error {
	c := exec.Command("go", "test", "-c", "-o", binary, "github.com/pegasimd/pegasimd/internal/asm")
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c for %s: %w\n%s", arch, err, out)
	}
	return nil
}

var (
	// address, instruction
	lineOf = regexp.MustCompile(`(?m)^ *([0-9a-f]+):\s+(\S.*)$`)
	// where to
	branchOf = regexp.MustCompile(`^(?:j|b\s|b\.|cb|tb).*\b0x([0-9a-f]+) <`)
	// how many elements the loop still needs
	compareOf = regexp.MustCompile(`^cmp.*[$#](0x[0-9a-f]+|\d+)`)
)

// mainLoop returns the longest loop of a function that has no other branch in it, without its own.
func mainLoop(binary, name string) (body string, err error) {
	text, err := tool(*objdump, "", "-d", "--no-show-raw-insn",
		"--disassemble-symbols="+symbol+name+".abi0", binary)
	if err != nil {
		return "", err
	}
	var code, longest []string // since the last branch
	at := map[string]int{}     // addresses' places in code
	for _, m := range lineOf.FindAllStringSubmatch(text, -1) {
		to := branchOf.FindStringSubmatch(m[2])
		if to == nil {
			at[m[1]] = len(code)
			code = append(code, m[2])
			continue
		}
		if start, ok := at[to[1]]; ok && len(code)-start > len(longest) {
			longest = code[start:]
		}
		code = nil
		clear(at)
	}
	if longest == nil {
		return "", fmt.Errorf("%s: no loop found by %s", name, *objdump)
	}
	return strings.Join(longest, "\n"), nil
}

// compared returns the number that a loop compares its counter with, at its end.
func compared(body string) (int, error) {
	last := body[strings.LastIndexByte(body, '\n')+1:]
	m := compareOf.FindStringSubmatch(last)
	if m == nil {
		return 0, fmt.Errorf("the loop ends with %q: want a comparison with a number", last)
	}
	n, err := strconv.ParseInt(m[1], 0, 32)
	return int(n), err
}

var cyclesOf = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)$`)

// model returns the cycles of a turn.
func model(body, triple, cpu string) (float64, error) {
	text, err := tool(*mca, body,
		"-mtriple="+triple, "-mcpu="+cpu, "-iterations="+strconv.Itoa(iterations))
	if err != nil {
		return 0, err
	}
	m := cyclesOf.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s names no total of cycles", *mca)
	}
	n, err := strconv.Atoi(m[1])
	return float64(n) / iterations, err
}

var errCPU = errors.New("no model of this CPU")

// tool runs a program of LLVM and returns what it prints.
func tool(name, input string, args ...string) (string, error) {
	var out, errs strings.Builder
	c := exec.Command(name, args...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(input), &out, &errs
	err := c.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: install Debian's llvm; "+
			"for one such as llvm-22: -mca llvm-mca-22 -objdump llvm-objdump-22", err)
	case strings.Contains(errs.String(), "not a recognized processor"),
		strings.Contains(errs.String(), "scheduling information"):
		return "", errCPU
	case err != nil:
		return "", fmt.Errorf("%s: %w\n%s", name, err, errs.String())
	}
	return out.String(), nil
}
