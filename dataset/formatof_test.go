package dataset

import (
	"os"
	"strings"
	"testing"
)

func TestFormatsPages(t *testing.T) {
	text, err := os.ReadFile("../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	help, err := os.ReadFile("../docs/help/train.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## Formats\n")
	page, _, _ = strings.Cut(page, "\n#")
	for _, info := range formats {
		names := append(append([]string{}, info.endings...), info.only...)
		if len(names) == 0 {
			names = []string{string(info.name)}
		}
		for _, name := range names {
			if !strings.Contains(page, name) {
				t.Errorf("docs/data.md does not name %s of the format %s", name, info.name)
			}
			if !strings.Contains(string(help), name) {
				t.Errorf("the help of train (cmd/pegasimd/train.go) does not name %s of the format %s",
					name, info.name)
			}
		}
	}
}

func TestFormatOf(t *testing.T) {
	for _, info := range formats {
		for _, ending := range append(append([]string{}, info.endings...), info.only...) {
			for _, path := range []string{"a" + ending, "b.c" + ending + ".gz", "a" + ending + ".bz2",
				"a" + ending + ".zst", "A" + strings.ToUpper(ending) + ".GZ"} {
				if have := FormatOf(path); have != info.name {
					t.Errorf("FormatOf(%q) is %q, want %q", path, have, info.name)
				}
			}
		}
	}
	for path, want := range map[string]Format{
		"-": FormatSvmlight, "a": FormatAuto, "a.xls": FormatAuto, "csv": FormatAuto,
		"x.npy,y.npy": FormatNPY, "i-idx3-ubyte.gz,l-idx1-ubyte.gz": FormatIDX,
		"X.NPY,Y.npy": FormatNPY, "I-IDX3-UBYTE,L-IDX1-UBYTE": FormatIDX, ".CS": FormatAuto,
		"i-idx3-ubyte,labels": FormatAuto,
	} {
		if have := FormatOf(path); have != want {
			t.Errorf("FormatOf(%q) is %q, want %q", path, have, want)
		}
	}
	for path, want := range map[string]bool{
		"a.svm": true, "a.txt.gz": true, "a.csv": true, "a.csv.gz": true, "a.psv": false,
		"a.tsv": false, "a.npy": true, "a.pgsm": true, "a.pgsm.gz": false, "a.jsonl": false,
		"a.csv.zst": false, "a.svm.bz2": false, "A.PSV": false, "A.PGSM.GZ": false, "A.SVM.GZ": true,
		"a.svm.zst.gz": false, "-": true, "a": false, "a.npy,b.npy": false, "a,b.npy": true,
	} {
		if have := FormatOf(path).CanWrite(path); have != want {
			t.Errorf("CanWrite(%q) is %v, want %v", path, have, want)
		}
	}
}
