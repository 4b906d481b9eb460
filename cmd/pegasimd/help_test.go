package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updatePages = flag.Bool("update", false, "write docs/help anew")

// page holds a file of docs against what it should be, or writes it.
func page(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join("../../docs", name)
	if *updatePages {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if os.IsNotExist(err) && !inClone() {
		t.Skip("not in a clone: NOT TESTED")
	}
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/%s is out of date: make pages (%v)", name, err)
	}
}

func inClone() bool {
	_, err := os.Stat("../../docs/architecture.md")
	return err == nil
}

// docs/help has the screens of help as they are.
func TestHelpPages(t *testing.T) {
	out, _ := must(t, "help")
	page(t, "help/help.txt", []byte(out))
	for _, cmd := range commands {
		out, _ := must(t, "help", cmd.name)
		page(t, "help/"+cmd.name+".txt", []byte(out))
		for _, line := range strings.Split(out, "\n") {
			if len(line) > 110 {
				t.Errorf("help %s: %d columns: %s", cmd.name, len(line), line)
			}
		}
	}
}
