package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// A generated part of a page is
//
//	<!-- from FILE
//	a text/template
//	-->
//	what it gives
//	<!-- end -->
//
// FILE is a record, relative to the page, or the word packages.
var generated = regexp.MustCompile(`(?s)<!-- from (\S+)\n(.*?)\n-->\n(.*?)<!-- end -->`)

// fill returns the page with its generated parts written anew.
func fill(root, page string, text []byte, house *house) (filled []byte, err error) {
	began, whole := bytes.Count(text, []byte("\n<!-- from ")), len(generated.FindAll(text, -1))
	if began > whole {
		return nil, fmt.Errorf("%s: a part that begins with <!-- from has no -->, or no end", page)
	}
	filled = generated.ReplaceAllFunc(text, func(part []byte) []byte {
		match := generated.FindSubmatch(part)
		source, body := string(match[1]), string(match[2])
		written, fault := expand(root, page, source, body, house)
		if fault != nil {
			err = fmt.Errorf("%s: from %s: %w", page, source, fault)
			return part
		}
		return fmt.Appendf(nil, "<!-- from %s\n%s\n-->\n%s\n<!-- end -->", source, body, written)
	})
	return filled, err
}

// expand executes one template.
func expand(root, page, source, body string, house *house) (string, error) {
	functions := template.FuncMap{
		"drawing": house.drawing, "packages": house.table, "modules": house.paths,
	}
	if source != "packages" {
		r, err := readRecord(filepath.Join(root, filepath.Dir(page), source))
		if err != nil {
			return "", err
		}
		r.page, r.link = filepath.Join(root, page), source
		functions = r.functions()
	}
	t, err := template.New(source).Funcs(functions).Parse(body)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return "", err
	}
	return strings.Trim(b.String(), "\n"), nil
}

// wrap breaks words into lines of at most columns.
func wrap(text string, columns int) string {
	var b strings.Builder
	line := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case line == 0:
		case line+1+n > columns:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += n
	}
	return b.String()
}
