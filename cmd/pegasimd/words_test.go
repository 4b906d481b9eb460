package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestShellWords(t *testing.T) {
	words := []string{"a", "", "a b", "it's", `a\b`, "$x", "*.csv", "a\nb\tc", "é\x01'\\",
		"!#~=;&", "=a", "a=b"}
	line := shellWords(words)
	if strings.ContainsAny(line, "\n\t\x01") {
		t.Errorf("%q is more than one printable line", line)
	}
	if !strings.HasSuffix(line, " '=a' a=b") { // zsh expands =a
		t.Errorf("%s ends without quotes around =a alone", line)
	}
	out, err := exec.Command("bash", "-c", "printf '%s\\0' "+line).Output()
	if err != nil {
		t.Skipf("bash: %v", err)
	}
	have := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if !slices.Equal(have, words) {
		t.Errorf("%s\nare %q\nwant %q", line, have, words)
	}
}
