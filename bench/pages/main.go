// Command pages writes the generated parts of the documents: tables from the records of benchmark
// runs (docs/records), and the packages and their layers from go list. With -check it writes
// nothing and tells what is out of date, which links lead nowhere and which imports go up.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail if a page is not what would be written")
	root := flag.String("root", "..", "the repository's `folder`")
	flag.Parse()
	faults, err := run(*root, *check)
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, "pages:", f)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// mostLines is how long a page may be. Records are not pages.
const mostLines = 250

// run writes the pages, or, with check, tells which of them it would change, and then what else is
// wrong with the documents and the packages.
func run(root string, check bool) (faults []string, err error) {
	pages, err := filesOf(root, ".md")
	if err != nil {
		return nil, err
	}
	house, err := listPackages(root)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		old, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return nil, err
		}
		text, err := fill(root, page, old, house)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(old, text) {
			if check {
				faults = append(faults, page+" is out of date: make pages")
			} else if err := os.WriteFile(filepath.Join(root, page), text, 0o666); err != nil {
				return nil, err
			}
		}
		if n := bytes.Count(text, []byte("\n")); n > mostLines && !isRecord(page) {
			faults = append(faults,
				fmt.Sprintf("%s has %d lines, more than %d", page, n, mostLines))
		}
	}
	links, err := deadLinks(root, pages)
	if err != nil {
		return nil, err
	}
	mentions, err := deadMentions(root)
	if err != nil {
		return nil, err
	}
	names, err := deadNames(root, pages)
	if err != nil {
		return nil, err
	}
	faults = slices.Concat(faults, links, mentions, names)
	faults = append(faults, incomplete(root, pages)...)
	return append(faults, house.faults()...), nil
}

// filesOf returns the paths of all files of a kind, relative to root.
func filesOf(root, suffix string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && ignored(d.Name()) {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, suffix) {
			file, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	return files, err
}

// ignored tells which folders hold nothing of ours.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "build" || name == "testdata" ||
		name == "node_modules"
}

// isRecord tells what a program wrote and nobody edits.
func isRecord(page string) bool { return strings.HasPrefix(page, "docs/records/") }

// incomplete names the records that do not say where they are from.
func incomplete(root string, pages []string) (faults []string) {
	for _, page := range pages {
		if !isRecord(page) {
			continue
		}
		r, err := readRecord(filepath.Join(root, page))
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		for _, key := range []string{"CPU", "Date", "Commit", "Command"} {
			if r.head[key] == "" {
				faults = append(faults, page+" has no line \"* "+key+": ...\"")
			}
		}
	}
	return faults
}
