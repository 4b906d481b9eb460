package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var root = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "bench/*.md", "bench/*/*.md", "beam/*.md",
		"gate/*.md", "scripts/demo/*.md", ".github/ISSUE_TEMPLATE/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text := read(t, name)
			page, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(page)] = string(text)
		}
	}
	if len(texts) == 0 {
		t.Skip("not in a clone: NOT TESTED")
	}
	return texts
}

var continued = regexp.MustCompile(`\\\n +`)

func typed(text, name string) (lines []string) {
	fenced := false
	for line := range strings.SplitSeq(continued.ReplaceAllString(text, " "), "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		for part := range strings.SplitSeq(strings.ReplaceAll(line, "&&", ";"), ";") {
			if part = strings.TrimSpace(part); strings.HasPrefix(part, name+" ") {
				lines = append(lines, part)
			}
		}
	}
	return lines
}

func TestSnippetsRun(t *testing.T) {
	ran := 0
	for page, text := range pages(t) {
		t.Run(page, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, line := range typed(text, "pegasimd") {
				args := strings.Fields(placeholders.Replace(line))[1:]
				if !slices.ContainsFunc(commands(), func(c command) bool { return c.Name == args[0] }) {
					continue // no command, but the first line of a model file, for example
				}
				for i, name := range args {
					fixture(t, name, i == len(args)-2 && slices.Contains(args, "liblinear") &&
						slices.Contains(args, "-from"))
				}
				if slices.Contains([]string{"predict", "convert"}, args[0]) {
					args = append(args, "-force") // fixture may have written the output
				}
				code, _, complaint := pegasimd(t, args...)
				if code != exitDone {
					t.Errorf("%s: exit code %d\n%s", line, code, complaint)
				}
				ran++
			}
		})
	}
	if ran < 30 {
		t.Errorf("%d commands, want 30 or more", ran)
	}
}

// A line "..." in a block stands for any other lines.
func TestSnippetsPrint(t *testing.T) {
	blocks := regexp.MustCompile("(?ms)^```console\n(.*?)^```")
	ran := 0
	for page, text := range pages(t) {
		for _, block := range blocks.FindAllStringSubmatch(text, -1) {
			t.Chdir(t.TempDir())
			for part := range strings.SplitSeq(block[1], "$ pegasimd ") {
				line, want, _ := strings.Cut(part, "\n")
				line, _, _ = strings.Cut(line, " |")
				if line == "" {
					continue // the part before the first command
				}
				args := strings.Fields(line)
				for _, name := range args {
					fixture(t, name, false)
				}
				stdout, stderr := must(t, args...)
				printed := strings.SplitAfter(stdout+stderr, "\n")
				for show := range strings.Lines(want) {
					at := slices.Index(printed, show)
					if show != "...\n" && at < 0 {
						t.Errorf("%s: pegasimd %s does not print %q, or not in this order:\n%s%s",
							page, line, show, stdout, stderr)
					}
					printed = printed[at+1:]
				}
				ran++
			}
		}
	}
	if ran == 0 {
		t.Error("no document has a console block")
	}
}

var placeholders = strings.NewReplacer(" DATA", " data.svm", " MODEL", " data.model", " n ", " 1 ",
	" E ", " 2 ", "$PWD/", "", "\"", "", "'", "")

// fixture writes data or a model, as the name suggests. It keeps existing files, except IDX files.
func fixture(t *testing.T, name string, liblinear bool) {
	if images, labels, ok := strings.Cut(name, ","); ok && strings.Contains(images, "ubyte") {
		writeAs(t, images, string(binary.BigEndian.AppendUint32(nil, 0x803))+
			"\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x02"+"\x01\x02\x03\x04\x09\x01\x02\x01"+
			"\x02\x02\x03\x04\x08\x01\x02\x00")
		writeAs(t, labels, "\x00\x00\x08\x01\x00\x00\x00\x04\x00\x01\x00\x01")
		return
	}
	if _, err := os.Stat(name); err == nil {
		return
	}
	switch base := strings.TrimSuffix(name, ".gz"); filepath.Ext(base) {
	case ".jsonl":
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "{\"text\": \"this is %s good, number %d\", \"label\": %d}\n",
				[]string{"very", "not"}[i%2], i, i%2)
		}
		writeAs(t, name, b.String())
	case ".svm":
		writeAs(t, name, strings.Repeat(toy, 20))
	case ".csv":
		from := "dataset/digits/digits.csv.gz"
		if name == "people.csv" || name == "new.csv" {
			from = "docs/people.csv"
		}
		text := read(t, filepath.Join(root, from))
		write(t, name, text) // may be compressed: readers look at the first bytes
	case ".model", ".liblinear":
		if liblinear {
			fixture(t, "any.model", false)
			must(t, "convert", "-quiet", "-to", "liblinear", "any.model", name)
			return
		}
		data := "any.svm"
		if strings.Contains(name, "digits") {
			data = "digits.csv"
		}
		fixture(t, data, false)
		must(t, "train", "-quiet", "-loss", "log", data, name)
	}
}

func writeAs(t *testing.T, name, content string) {
	if strings.HasSuffix(name, ".gz") {
		content = gzipped(content)
	}
	write(t, name, content)
}

func TestSnippetsName(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Skip("not in a clone: NOT TESTED")
	}
	program := regexp.MustCompile(`^go (?:-C (\S+) )?(?:run|test|build|vet|install)\b.*? (\.\S*)`)
	for page, text := range pages(t) {
		for _, line := range typed(text, "make") {
			for _, word := range strings.Fields(line)[1:] {
				if regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(word) &&
					!strings.Contains(string(makefile), "\n"+word+":") {
					t.Errorf("%s: %s: no target %s", page, line, word)
				}
			}
		}
		for _, line := range typed(text, "go") {
			match := program.FindStringSubmatch(line)
			if match == nil || match[1] == "" && strings.HasPrefix(page, "gate/example") {
				continue
			}
			var found bool
			for _, from := range []string{".", filepath.Dir(page), "bench"} {
				dir := filepath.Join(root, from, match[1], strings.TrimSuffix(match[2], "..."))
				if _, err := os.Stat(dir); err == nil {
					found = true
				}
			}
			if !found {
				t.Errorf("%s: %s: the folder does not exist", page, line)
			}
		}
	}
}

func TestSnippetsOfGo(t *testing.T) {
	var examples []string
	for _, pattern := range []string{"*/example_test.go", "*/*/example_test.go"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text := read(t, name)
			examples = append(examples, words(text))
		}
	}
	code, ran := regexp.MustCompile("(?ms)^```go\n(.*?)^```"), map[string]int{}
	for page, text := range pages(t) {
		for _, block := range code.FindAllStringSubmatch(text, -1) {
			if ran[page]++; !slices.ContainsFunc(examples, func(text string) bool {
				return strings.Contains(text, words(block[1]))
			}) {
				t.Errorf("%s: no example has this code:\n%s", page, block[1])
			}
		}
	}
	if ran["README.md"] < 2 {
		t.Errorf("README.md has %d blocks of Go, want 2 or more", ran["README.md"])
	}
}

func words(text string) string {
	text = regexp.MustCompile(`(?m)\s//.*$`).ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), " ")
}
