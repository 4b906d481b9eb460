package asm_test

import (
	"crypto/sha256"
	_ "embed" // for golden
	"encoding/binary"
	"encoding/hex"
	"flag"
	"hash"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// golden has a line for each kernel: the SHA-256 hash of the bits of its results, and its name.
// Changing a hash changes the contract of package asm and may change trained models.
//
//go:embed testdata/golden.txt
var golden string

var update = flag.Bool("update", false, "add the hashes of kernels that have none, from plain Go")

func goldenHashes(t *testing.T) map[string]string {
	hashes := map[string]string{}
	for line := range strings.Lines(golden) {
		hash, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if _, again := hashes[name]; !ok || again {
			t.Fatalf("golden.txt: line %q: want a hash and a name, and each name once", line)
		}
		hashes[name] = hash
	}
	return hashes
}

func TestGolden(t *testing.T) {
	hashes := goldenHashes(t)
	each(t, func(t *testing.T, k asmtest.Kernel) {
		h := sha256.New()
		for _, n := range []int{0, 1, 2, 3, 7, 8, 15, 31, 54, 63, 64, 65, 100, 128, 300, 784, 1023,
			asm.Block, asm.Block + 77} {
			for _, s := range []*asmtest.Source{asmtest.Uniform(1), asmtest.Odd(2, 8),
				asmtest.Bits(3)} {
				a := k.New(n, asmtest.Heap{}, s)
				for _, v := range call(k, a) {
					writeFloat(h, v)
				}
			}
		}
		got := hex.EncodeToString(h.Sum(nil))
		switch want, ok := hashes[k.Name]; {
		case !ok && *update && asm.Active() == asm.Generic:
			hashes[k.Name] = got
			golden += got + " " + k.Name + "\n"
			if err := os.WriteFile("testdata/golden.txt", []byte(golden), 0o666); err != nil {
				t.Fatal(err)
			}
		case !ok:
			t.Errorf("testdata/golden.txt has no hash: make generate adds it")
		case got != want:
			t.Errorf("hash is %s, want %s", got, want)
		}
	})
}

// writeFloat hashes all NaNs alike: their payloads and signs are not promised.
func writeFloat(h hash.Hash, v float32) {
	bits := math.Float32bits(v)
	if v != v {
		bits = 0x7fc00000
	}
	h.Write(binary.LittleEndian.AppendUint32(nil, bits))
}
