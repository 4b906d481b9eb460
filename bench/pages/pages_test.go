package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTree holds the documents against the records, the packages and each other.
func TestTree(t *testing.T) {
	faults, err := run("../..", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

const someRecord = `# program

* CPU: a machine
* Date: today
* Commit: abc
* Command: program -flag
* Command: another
* Peers: example.com/a v1.0.0, example.com/b v2.0.0

### Dot

Nanoseconds.

| | 8 | 16 |
|:--|--:|--:|
| **Ours** | 5 (1.00) | 1.5 µs (2.00) |
| theirs | 6 (1.20) | 700 (1.00) |
| *theirs / ours* | 1 | 1 |
| gone | - | - |

1 of 2 met.

### Two names

| | threads | s |
|:--|--:|--:|
| **Ours** | 1 | 3 ms |
| **Ours** | 2 | 2 ms |
`

func TestTemplates(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"r.md": someRecord,
		"go.mod": "module m\n\nrequire example.com/a v1.0.0\n" +
			"require (\n\texample.com/b v2.1.0\n)\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ body, want string }{
		{`{{cell "Dot" "Ours" "16"}}`, "1.5 µs (2.00)"},
		{`{{time "Dot" "Ours" "16"}}`, "1.5 µs"},
		{`{{best "Dot" "16" "ours"}}`, "1.5 µs (Ours)"},
		{`{{best "Dot" "16" "peers"}}`, "700 (theirs)"},
		{`{{best "Dot" "8" "Ours | theirs"}}`, "5 (Ours)"},
		{`{{best "Dot" "8" "gone"}}`, "not reached"},
		{`{{text "Dot" "met"}}`, "1 of 2 met."},
		{`{{cell "Two names" "Ours, 2" "s"}}`, "2 ms"},
		{`{{range sections "o"}}{{.}};{{end}}`, "Dot;Two names;"},
		{`{{table "Dot" "rows: theirs" "columns: 16"}}`,
			"|  | 16 |\n| :-- | --: |\n| theirs | 700 (1.00) |"},
		{`{{value "Commit"}}`, "abc"},
		{`{{value "Command"}}`, "program -flag\nanother"},
		{`{{outdated "go.mod"}}`, "Measured in another version than the module pins now: " +
			"example.com/b v2.0.0 (now v2.1.0)."},
	} {
		page := "before\n<!-- from r.md\n" + test.body + "\n-->\nold\n<!-- end -->\nafter\n"
		want := strings.Replace(page, "old", test.want, 1)
		got, err := fill(root, "page.md", []byte(page), &house{})
		if err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", test.body, got, err, want)
		}
		again, err := fill(root, "page.md", got, &house{})
		if err != nil || string(again) != want {
			t.Errorf("%s: the second time: %q, %v", test.body, again, err)
		}
	}
	for _, body := range []string{
		`{{cell "Dot" "nobody" "16"}}`, `{{cell "Dot" "Ours" "17"}}`, `{{table "nothing"}}`,
		`{{sections "nothing"}}`, `{{text "Dot" "nothing"}}`, `{{value "nothing"}}`,
		`{{table "Dot" "row: Ours"}}`,
	} {
		page := "<!-- from r.md\n" + body + "\n-->\n<!-- end -->\n"
		if got, err := fill(root, "page.md", []byte(page), &house{}); err == nil {
			t.Errorf("%s: %q, no error", body, got)
		}
	}
}

func TestUnfinished(t *testing.T) {
	page := "text\n<!-- from r.md\n{{head}}\n-->\nno end\n"
	if got, err := fill(t.TempDir(), "page.md", []byte(page), &house{}); err == nil {
		t.Errorf("%q, no error", got)
	}
}

func TestLayers(t *testing.T) {
	for name, want := range map[string]int{
		"internal/asm": 0, "internal/new": 0, "dense": 1, ".": 1, "pegasos": 3,
		"pegasos/kernelsvm": 4, "cmd/pegasimd/internal/chart": 6, "internal/gen/arm64": 6,
	} {
		if got := layer(name); got != want {
			t.Errorf("%s: layer %d, not %d", name, got, want)
		}
	}
	low := &pkg{ImportPath: "low", name: "dense", Doc: "Package dense is low.",
		Imports: []string{"high"}}
	high := &pkg{ImportPath: "high", name: "pegasos", Doc: "Package pegasos is high."}
	h := &house{packages: []*pkg{low, high}, byPath: map[string]*pkg{"low": low, "high": high}}
	if faults := h.faults(); len(faults) != 1 || !strings.Contains(faults[0], "higher layer") {
		t.Errorf("dense imports pegasos: %q", faults)
	}
}

func TestLinks(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "# One `two`: three\n[x](b.md) [y](b.md#b-c) [z](#one-two-three) " +
			"[w](https://x.example/#no)\n" +
			"`[no](link.md)`\n[dead](c.md) [dead](b.md#nothing)\n",
		"b.md": "# B c\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	faults, err := deadLinks(root, []string{"a.md", "b.md"})
	if err != nil || len(faults) != 2 {
		t.Errorf("%q, %v", faults, err)
	}
}
