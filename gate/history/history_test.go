package history

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestAppendRead(t *testing.T) {
	dir := t.TempDir()
	file := File(dir, "AMD EPYC, family 25")
	if want := filepath.Join(dir, "amd-epyc-family-25.jsonl"); file != want {
		t.Fatalf("in a folder the file is %s, want %s", file, want)
	}
	if got := File(file, "another"); got != file {
		t.Fatalf("a file that is named became %s", got)
	}
	var want []*Run
	for i := range 3 {
		r := &Run{
			Time:   time.Date(2026, 1, i+1, 0, 0, 0, 0, time.UTC),
			Commit: strings.Repeat("a", 40), CPU: "AMD EPYC", Verdict: "pass",
		}
		r.Set("op=dot", "insn/call", float64(i)+0.5)
		r.Set("op=dot", "ns/op", 7)
		want = append(want, r)
		if err := Append(file, r); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := Read(file, f)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestReadNamesTheLine(t *testing.T) {
	_, err := Read("h.jsonl", strings.NewReader("{}\n\n{\"commit\": 3}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "h.jsonl:3: ") {
		t.Errorf("error is %v", err)
	}
}
