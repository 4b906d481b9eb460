package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/modelio/gofile"
)

// A Go file and its test are written together, and replace only files of their kind.
func TestConvertGo(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "train", "-quiet", "-epochs", "1", file(t, "pets.csv", strings.Repeat("weight,home,pet\n"+
		"1,Rome,cat\n2,Oslo,cat\n-1,Rome,dog\n-2,Oslo,dog\n", 1)), "model")
	_, told := must(t, "convert", "model", "My-Pets2.go")
	if want := "go leaves out the settings, and the objective with its bound\n"; told != want {
		t.Errorf("%q, want %q", told, want)
	}
	code, test := read(t, "My-Pets2.go"), read(t, "My-Pets2_test.go")
	for _, text := range []string{code, test} {
		if !strings.HasPrefix(text, gofile.Header) || !strings.Contains(text, "\npackage mypets2\n") {
			t.Errorf("%.200s", text)
		}
	}
	must(t, "convert", "-to", "go", "model", "My-Pets2.go")
	if out, _ := must(t, "convert", "-to", "go", "model", "-"); out != strings.ReplaceAll(code,
		"ackage mypets2", "ackage model") {
		t.Error("standard output is another file")
	}
	for _, name := range []string{"other.go", "other_test.go"} {
		if err := os.WriteFile(name, []byte("package other\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		fails(t, exitUsage, "is not a Go file of convert -to go", "convert", "model", "other.go")
		if left, _ := filepath.Glob("other*"); len(left) != 1 || read(t, name) != "package other\n" {
			t.Errorf("left behind: %v", left)
		}
		os.Remove(name)
	}
	fails(t, exitUsage, "want a name that ends in .go", "convert", "-to", "go", "model", "pets.txt")
	fails(t, exitUsage, "want a name that ends in .go", "convert", "model", "pets_test.go")
	must(t, "train", "-quiet", "-kernel", "rbf", "-gamma", "1", file(t, "toy.svm", toy), "machine")
	fails(t, exitError, "a kernel machine", "convert", "-to", "go", "machine", "machine.go")
	if left, _ := filepath.Glob("machine*.go"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestPackageOf(t *testing.T) {
	for file, want := range map[string]string{"a/people.go": "people", "Sales-2024.go": "sales2024",
		"main.go": "model", "func.go": "model", "2024.go": "model", "-": "model", "größe.go": "gre"} {
		if have := packageOf(file); have != want {
			t.Errorf("%s: %s, want %s", file, have, want)
		}
	}
}
