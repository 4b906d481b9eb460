package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func tracked(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	args := []string{"-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--"}
	for _, ending := range endings {
		args = append(args, "*"+ending)
	}
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		t.Skip("not in a clone: NOT TESTED")
	}
	texts := map[string]string{}
	for _, name := range strings.Fields(string(out)) {
		if text, err := os.ReadFile(filepath.Join(root, name)); err == nil {
			texts[name] = string(text)
		}
	}
	return texts
}

var (
	pageLink  = regexp.MustCompile(`\]\(([^)\s:]+)\)`) // not to other sites, whose links have a colon
	heading   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	codeSpans = regexp.MustCompile("(?ms)^```.*?^```|`[^`]*`")
	noSlug    = regexp.MustCompile(`[^\p{L}\p{N} _-]+`)
	ownPage   = regexp.MustCompile(`\b(?:docs|bench|beam)/[\w/-]*\.md\b`)
)

// GitHub makes anchors of headings.
func hasAnchor(text, anchor string) bool {
	return slices.ContainsFunc(heading.FindAllStringSubmatch(text, -1), func(match []string) bool {
		slug := noSlug.ReplaceAllString(strings.ToLower(match[1]), "")
		return strings.ReplaceAll(slug, " ", "-") == anchor
	})
}

// Go's test cache does not notice PEGASIMD_ISA, which is read before a test begins.
func TestNoCacheForVariable(t *testing.T) {
	commands := 0
	for name, text := range tracked(t, ".md", ".sh", ".yml", "Makefile", ".go") {
		for n, line := range strings.Split(text, "\n") {
			_, command, set := strings.Cut(line, "PEGASIMD_ISA=")
			if !set || !strings.Contains(command, "go test") {
				continue
			}
			if commands++; !strings.Contains(command, "-count=1") {
				t.Errorf("%s:%d: go test without -count=1: %s", name, n+1, strings.TrimSpace(line))
			}
		}
	}
	if commands == 0 {
		t.Error("no command sets PEGASIMD_ISA for go test")
	}
}

func TestDocsLinks(t *testing.T) {
	pages, links := tracked(t, ".md"), 0
	for page, text := range pages {
		for _, match := range pageLink.FindAllStringSubmatch(
			codeSpans.ReplaceAllString(text, ""), -1) {
			links++
			file, anchor, _ := strings.Cut(match[1], "#")
			to := page
			if file != "" {
				to = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil ||
				anchor != "" && !hasAnchor(pages[to], anchor) {
				t.Errorf("%s: the link %s has no target", page, match[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links, want 50 or more", links)
	}
	for file, text := range tracked(t, ".go", ".sh", ".yml", "Makefile") {
		for _, page := range ownPage.FindAllString(text, -1) {
			if _, ok := pages[page]; !ok {
				t.Errorf("%s names %s, which does not exist", file, page)
			}
		}
	}
}
