package main

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/base64"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// compressed by bzip2 -1, in base64
const packedTable = "QlpoMTFBWSZTWQs1AagAANZZgAAQAAV/4DIBiCAwANRhEzCmUg2oBqf6qjQNAGgVFKNNDBNMv9chChCFCBCEIQiJ" +
	"ExMxMx4iNa1z31678vi4e0uLHcn5Vi93bXSxKLex0Lu7s4czDZJ3ug2EgADgDSLDMyEUBSQBLdBJCQlTANUWVxxMTE6nmojC" +
	"WFRYVLCxRySTEYFSihbyIpHRHQjEI7F3JFOFCQCzUBqA"

func TestDecompress(t *testing.T) {
	packed, err := base64.StdEncoding.DecodeString(packedTable)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var z, g bytes.Buffer
	zw, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{zw, gzip.NewWriter(&g)} {
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	model := filepath.Join(t.TempDir(), "a.model")
	train := func(name, text, threads string) (code int, told string) {
		code, _, told = pegasimd(t, "train", "-quiet", "-epochs", "2", "-threads", threads,
			"-format", "csv", file(t, name, text), model)
		return code, told
	}
	if code, told := train("a.csv", string(plain), "1"); code != 0 {
		t.Fatal(told)
	}
	want := namelessHash(t, model)
	for ending, text := range map[string]string{".bz2": string(packed), ".zst": z.String(),
		".gz": g.String()} {
		for _, name := range []string{"a.csv" + ending, "a.csv", "a"} {
			for _, threads := range []string{"1", "2"} {
				if code, told := train(name, text, threads); code != 0 || namelessHash(t, model) != want {
					t.Errorf("%s in %s: code %d, %s", ending, name, code, told)
				}
			}
		}
		if code, told := train("a.csv"+ending, text+text, "2"); code != 0 {
			t.Errorf("%s twice: %s", ending, told)
		}
		damaged := []byte(text)
		damaged[len(damaged)-5] ^= 0x10
		for what, text := range map[string]string{"cut off": text[:len(text)/2], "damaged": string(damaged),
			"followed": text + "more and more", "of another form": string(plain), "empty": ""} {
			code, told := train("a.csv"+ending, text, "2")
			if code != exitError || !strings.Contains(told, "a.csv"+ending) {
				t.Errorf("%s %s: code %d, %s", ending, what, code, told)
			}
			t.Log(ending, what, told)
		}
	}
	if code, _, told := pegasimd(t, "convert", model, model+".csv.zst"); code != exitUsage {
		t.Errorf("code %d, %s", code, told)
	}
}
