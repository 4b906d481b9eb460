package main

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// GNU objdump shows where instructions begin, and which have an operand in memory.
func decodeAsObjdump(t *testing.T, binary string) {
	needs(t, "objdump")
	out, err := exec.Command("objdump", "-d", "-w", "--no-show-raw-insn", binary).Output()
	if err != nil {
		t.Skipf("objdump does not read amd64 here: %v", err)
	}
	starts := map[uint64]string{}
	for line := range strings.Lines(string(out)) {
		address, text, ok := strings.Cut(strings.TrimSpace(line), ":\t")
		if v, err := strconv.ParseUint(address, 16, 64); ok && err == nil {
			starts[v] = text
		}
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	checked, instructions := 0, 0
	for _, s := range symbols {
		if !regexp.MustCompile(`internal/asm\..*\.abi0$`).MatchString(s.Name) {
			continue
		}
		code := make([]byte, s.Size)
		if _, err := f.Sections[s.Section].ReadAt(code,
			int64(s.Value-f.Sections[s.Section].Addr)); err != nil {
			t.Fatal(err)
		}
		got, err := decodeAMD64(code)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		count := 0
		for address := range starts {
			if address >= s.Value && address < s.Value+s.Size {
				count++
			}
		}
		for _, in := range got {
			text, ok := starts[s.Value+uint64(in.address)]
			if !ok {
				t.Errorf("%s+%#x: no instruction begins there", s.Name, in.address)
				break
			}
			// In AT&T syntax, operands in memory have parentheses or a segment. LEA and NOP load
			// nothing.
			operand := strings.ContainsAny(text, "(:") && !strings.HasPrefix(text, "lea") &&
				!strings.HasPrefix(text, "nop")
			if in.memory != operand {
				t.Errorf("%s+%#x: %s: memory operand is %v", s.Name, in.address,
					strings.TrimSpace(text), in.memory)
			}
		}
		if len(got) != count {
			t.Errorf("%s: %d instructions, objdump has %d", s.Name, len(got), count)
		}
		checked, instructions = checked+1, instructions+count
	}
	if checked < 20 {
		t.Errorf("%d functions checked, want at least 20", checked)
	}
	t.Logf("%d functions, %d instructions", checked, instructions)
}

// For 64 elements, the main loop of dot has 8 loads and 8 memory operands of multiplications, or 4
// of each with registers of 512 bits. On arm64 a load fills two registers.
func TestFunctions(t *testing.T) {
	t.Parallel()
	for arch, operands := range map[string]map[string]int{
		"amd64": {"asm.dotAVX2": 16, "asm.dotAVX512x256": 16, "asm.dotAVX512": 8},
		"arm64": {"asm.dotNEON": 16},
	} {
		binary := filepath.Join(t.TempDir(), arch+".test")
		env := []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch}
		if _, err := run(t.Context(), "../bench/regress", env, "go", "test", "-c", "-o", binary,
			"."); err != nil {
			t.Fatal(err)
		}
		if arch == "amd64" {
			t.Run("decode", func(t *testing.T) { decodeAsObjdump(t, binary) })
		}
		all, err := functions(binary, regexp.MustCompile(`internal/asm\.`))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			if f.unread != nil {
				t.Errorf("%s: %v", f.name, f.unread)
			}
		}
		for name, want := range operands {
			i := slices.IndexFunc(all, func(f function) bool {
				return strings.HasSuffix(f.name, "/internal/"+name)
			})
			if i < 0 {
				t.Errorf("%s is not found", name)
				continue
			}
			if l := all[i].loops; len(l) != 1 || l[0].memory != want || l[0].advance != 256 {
				t.Errorf("%s: loops %+v, want one of %d operands in memory and 256 bytes", name,
					l, want)
			}
		}
	}
}

func TestInnerLoops(t *testing.T) {
	at := func(address int, memory bool) instruction {
		return instruction{address: address, memory: memory}
	}
	code := []instruction{
		at(0, true),
		at(1, true),
		at(2, true),
		{address: 3, register: "x", step: 64},
		{address: 4, register: "n", step: -16},
		{address: 5, jumps: true, target: 2},
		{address: 6, jumps: true, target: 1},
		{address: 7, jumps: true, target: 9},
		at(8, true),
		at(9, false),
		{address: 10, register: "i", step: 4, index: "i", scale: 8},
		{address: 11, jumps: true, target: 9},
		{address: 12, jumps: true, target: -40}, // out of the function
	}
	want := []loop{{instructions: 4, memory: 1, advance: 64}, {instructions: 3, advance: 32}}
	if got := innerLoops(code); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
