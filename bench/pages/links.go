package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]+`)
)

// deadLinks names the links to files and headings of ours that are not there.
func deadLinks(root string, pages []string) (faults []string, err error) {
	texts := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return nil, err
		}
		texts[page] = string(text)
	}
	for _, page := range pages {
		text := fenced.ReplaceAllString(texts[page], "")
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(file, ":") {
				continue // another site
			}
			to := page
			if file != "" {
				to = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				faults = append(faults, fmt.Sprintf("%s: no file for the link %s", page, match[1]))
			} else if text, ok := texts[to]; ok && anchor != "" && !hasAnchor(text, anchor) {
				faults = append(faults,
					fmt.Sprintf("%s: no heading for the link %s", page, match[1]))
			}
		}
	}
	return faults, nil
}

// mention is how comments name a page.
var mention = regexp.MustCompile(`\bdocs/[a-z]+\.md`)

// deadMentions names the pages that Go files speak of and that are not there.
func deadMentions(root string) (faults []string, err error) {
	files, err := filesOf(root, ".go")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		for _, page := range mention.FindAllString(string(text), -1) {
			if _, err := os.Stat(filepath.Join(root, page)); err != nil {
				faults = append(faults,
					fmt.Sprintf("%s speaks of %s, which is not there", file, page))
			}
		}
	}
	return faults, nil
}

// A named file is a path in a code span, with a folder and an ending that source files have.
var named = regexp.MustCompile("`([a-z0-9_./-]+/[a-z0-9_.-]+\\.(?:go|s|sh|md))`")

// deadNames names the files that pages speak of and that are not there, neither from the root nor
// from the page's folder. Records speak of their own time.
func deadNames(root string, pages []string) (faults []string, err error) {
	for _, page := range pages {
		if isRecord(page) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return nil, err
		}
		for _, match := range named.FindAllStringSubmatch(string(text), -1) {
			_, here := os.Stat(filepath.Join(root, path.Dir(page), match[1]))
			if _, err := os.Stat(filepath.Join(root, match[1])); err != nil && here != nil {
				faults = append(faults, fmt.Sprintf("%s: no file %s", page, match[1]))
			}
		}
	}
	return faults, nil
}

func hasAnchor(text, anchor string) bool {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		if slug(match[1]) == anchor {
			return true
		}
	}
	return false
}

// slug is the anchor that GitHub makes of a heading.
func slug(heading string) string {
	return strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
