package arm64

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// gnu maps each name in words to the instruction's GNU syntax. %[1]d, %[2]d and %[3]d are the
// register numbers of d, n and m.
var gnu = map[string]string{
	"VFADD":    "fadd v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFSUB":    "fsub v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFMUL":    "fmul v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFMAX":    "fmax v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFMIN":    "fmin v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFADDP":   "faddp v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"FADDPS":   "faddp s%[1]d, v%[2]d.2s",
	"VSMULLH":  "smull v%[1]d.4s, v%[2]d.4h, v%[3]d.4h",
	"VSMULL2H": "smull2 v%[1]d.4s, v%[2]d.8h, v%[3]d.8h",
	"VFADDD":   "fadd v%[1]d.2d, v%[2]d.2d, v%[3]d.2d",
	"VFSUBD":   "fsub v%[1]d.2d, v%[2]d.2d, v%[3]d.2d",
	"VFMULD":   "fmul v%[1]d.2d, v%[2]d.2d, v%[3]d.2d",
	"VFDIVD":   "fdiv v%[1]d.2d, v%[2]d.2d, v%[3]d.2d",
	"FADDPD":   "faddp d%[1]d, v%[2]d.2d",
	"VFCVTL":   "fcvtl v%[1]d.2d, v%[2]d.2s",
	"VFCVTL2":  "fcvtl2 v%[1]d.2d, v%[2]d.4s",
	"VFCVTN":   "fcvtn v%[1]d.2s, v%[2]d.2d",
	"VFCVTN2":  "fcvtn2 v%[1]d.4s, v%[2]d.2d",
	"VFCVTLH":  "fcvtl v%[1]d.4s, v%[2]d.4h",
	"VFCVTL2H": "fcvtl2 v%[1]d.4s, v%[2]d.8h",
	"VFCVTNH":  "fcvtn v%[1]d.4h, v%[2]d.4s",
	"VFCVTN2H": "fcvtn2 v%[1]d.8h, v%[2]d.4s",
	"VXTN":     "xtn v%[1]d.4h, v%[2]d.4s",
	"VXTN2":    "xtn2 v%[1]d.8h, v%[2]d.4s",
	"VFCMEQ":   "fcmeq v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFCMGT":   "fcmgt v%[1]d.4s, v%[2]d.4s, v%[3]d.4s",
	"VFCMGTD":  "fcmgt v%[1]d.2d, v%[2]d.2d, v%[3]d.2d",
	"VSCVTF":   "scvtf v%[1]d.4s, v%[2]d.4s",
	"VSABD":    "sabd v%[1]d.16b, v%[2]d.16b, v%[3]d.16b",
	"VUABD":    "uabd v%[1]d.16b, v%[2]d.16b, v%[3]d.16b",
	"VSMULLB":  "smull v%[1]d.8h, v%[2]d.8b, v%[3]d.8b",
	"VSMULL2B": "smull2 v%[1]d.8h, v%[2]d.16b, v%[3]d.16b",
	"VUMULL":   "umull v%[1]d.8h, v%[2]d.8b, v%[3]d.8b",
	"VUMULL2":  "umull2 v%[1]d.8h, v%[2]d.16b, v%[3]d.16b",
	"VSADALP":  "sadalp v%[1]d.4s, v%[2]d.8h",
	"VUADALP":  "uadalp v%[1]d.4s, v%[2]d.8h",
	"VSADDLP":  "saddlp v%[1]d.2d, v%[2]d.4s",
	"VUADDLP":  "uaddlp v%[1]d.2d, v%[2]d.4s",
	"VSDOT":    "sdot v%[1]d.4s, v%[2]d.16b, v%[3]d.16b",
	"VUDOT":    "udot v%[1]d.4s, v%[2]d.16b, v%[3]d.16b",
	"VSXTLB":   "sxtl v%[1]d.8h, v%[2]d.8b",
	"VSXTLH":   "sxtl v%[1]d.4s, v%[2]d.4h",
	"VSXTL2H":  "sxtl2 v%[1]d.4s, v%[2]d.8h",
}

// dotWords holds encodings, by llvm-mc, of instructions that arm64asm cannot decode. The registers
// d, n and m have the numbers 21, 10 and 31.
var dotWords = map[string]uint32{
	"VSDOT": 0x4e9f9555,
	"VUDOT": 0x6e9f9555,
}

type row struct {
	name, want string // name in words; GNU syntax
	word       uint32
}

func rows(t *testing.T) (all []row) {
	if len(gnu) != len(words) {
		t.Errorf("gnu has %d rows, words has %d", len(gnu), len(words))
	}
	for name, format := range gnu {
		if words[name] == 0 {
			t.Fatalf("words lacks %s", name)
		}
		fields := strings.Count(format, "%[")
		for field := range fields {
			for n := range uint32(32) {
				for _, rest := range []uint32{0, 31} {
					dnm := [3]uint32{rest, rest, rest}
					dnm[field] = n
					want := fmt.Sprintf(format, dnm[0], dnm[1], dnm[2])
					if fields == 2 {
						want, _, _ = strings.Cut(want, "%!") // the format has no field m
					}
					spelled := []uint32{dnm[2], dnm[1], dnm[0]}[3-fields:]
					all = append(all, row{name, want, encode(words[name], spelled)})
				}
			}
		}
	}
	return all
}

func TestWordsDecode(t *testing.T) {
	for name, want := range dotWords {
		if got := encode(words[name], []uint32{31, 10, 21}); got != want {
			t.Errorf("%s: %08x, want %08x", name, got, want)
		}
	}
	for _, r := range rows(t) {
		if dotWords[r.name] != 0 {
			continue
		}
		var code [4]byte
		binary.LittleEndian.PutUint32(code[:], r.word)
		i, err := arm64asm.Decode(code[:])
		if err != nil {
			t.Errorf("%s: %08x: %v, want %s", r.name, r.word, err, r.want)
		} else if got := arm64asm.GNUSyntax(i); got != r.want {
			t.Errorf("%s: %08x is %s, want %s", r.name, r.word, got, r.want)
		}
	}
}

// A lenient decoder could hide an error, so llvm-mc, if installed, checks the words, too.
func TestWordsEncode(t *testing.T) {
	path, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Log("llvm-mc is not installed: words are checked by arm64asm alone")
		return
	}
	all := rows(t)
	var source strings.Builder
	for _, r := range all {
		fmt.Fprintln(&source, r.want)
	}
	cmd := exec.Command(path, "-triple=aarch64", "-mattr=+dotprod", "-show-encoding")
	cmd.Stdin = strings.NewReader(source.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	encodings := strings.Split(string(out), "// encoding: ")[1:]
	if len(encodings) != len(all) {
		t.Fatalf("llvm-mc returned %d encodings of %d instructions", len(encodings), len(all))
	}
	for k, r := range all {
		var b [4]byte
		if _, err := fmt.Sscanf(encodings[k], "[0x%x,0x%x,0x%x,0x%x]", &b[0], &b[1], &b[2],
			&b[3]); err != nil {
			t.Fatalf("%s: %v in %q", r.want, err, encodings[k])
		}
		if want := binary.LittleEndian.Uint32(b[:]); r.word != want {
			t.Errorf("%s: %08x, want %08x as llvm-mc encodes %s", r.name, r.word, want, r.want)
		}
	}
}
