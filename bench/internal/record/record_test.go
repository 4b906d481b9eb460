package record

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecord(t *testing.T) {
	head := Head("program", "not pinned")
	for _, key := range []string{"CPU: ", "Date: ", "Commit: ", "Command: program"} {
		found := false
		for _, line := range head {
			found = found || strings.HasPrefix(line, key) && len(line) > len("Date: ")
		}
		if !found {
			t.Errorf("no %q in %q", key, head)
		}
	}
	var b strings.Builder
	Write(&b, "title", []string{"A: b"})
	if b.String() != "# title\n\n* A: b\n" {
		t.Errorf("%q", b.String())
	}
	file := filepath.Join(t.TempDir(), "record.md")
	var w strings.Builder
	if err := Print(&w, file, b.String()); err != nil || w.String() != b.String() {
		t.Errorf("%q, %v", w.String(), err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != b.String() {
		t.Errorf("%q, %v", text, err)
	}
	var j bytes.Buffer
	err := JSON(&j, []Number{1, Number(math.NaN())})
	if err != nil || j.String() != "[\n 1,\n null\n]\n" {
		t.Errorf("%q, %v", j.String(), err)
	}
}
