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

func page(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join("../../docs", name)
	if *updatePages {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/%s is out of date: go -C cmd/pegasimd test -run Help . -update (%v)", name, err)
	}
}

func TestHelpPages(t *testing.T) {
	if _, err := os.Stat("../../docs/help"); err != nil {
		t.Skip("not in a clone: NOT TESTED")
	}
	out, _ := must(t, "help")
	page(t, "help/help.txt", []byte(out))
	for _, cmd := range commands() {
		flag := "-h"
		if cmd.Name == "train" {
			flag = "-help-all"
		}
		out, _ := must(t, cmd.Name, flag)
		page(t, "help/"+cmd.Name+".txt", []byte(out))
		for _, line := range strings.Split(out, "\n") {
			if len(line) > 110 {
				t.Errorf("help %s: %d bytes: %s", cmd.Name, len(line), line)
			}
		}
	}
}
