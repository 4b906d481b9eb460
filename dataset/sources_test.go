package dataset

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func putIn(t *testing.T) func(name, text string) string {
	dir := t.TempDir()
	return func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
}

// Files that are read or converted together give the set of one file with all rows.
func TestMore(t *testing.T) {
	put := putIn(t)
	var svm, csv [3]strings.Builder
	for i := range 3 * 3000 {
		fmt.Fprintf(&svm[i/3000], "%d 1:%d 5:1\n", i%3, i)
		fmt.Fprintf(&csv[i/3000], "%d,%d,c%d\n", i, i*i%77, i%3)
	}
	for _, of := range []struct {
		ending, header string
		parts          [3]strings.Builder
		convert        func(io.WriterAt, string, Options) (int, int, error)
	}{{".svm", "", svm, ConvertSvmlight}, {".csv", "a,b,label\n", csv, ConvertCSV}} {
		var names []string
		whole := of.header
		for i := range of.parts {
			names = append(names, put(fmt.Sprint(i, of.ending), of.header+of.parts[i].String()))
			whole += of.parts[i].String()
		}
		one := put("whole"+of.ending, whole)
		want, err := Read(one, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 4} {
			var last, all int64
			got, err := Read(names[0], Options{More: names[1:], Threads: threads,
				Progress: func(read, total int64) {
					if last, all = read, total; read > total || total < int64(len(whole)) {
						t.Errorf("%d bytes of %d", read, total)
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Mixed || last != all {
				t.Errorf("mixed: %v; the last call of Progress has %d of %d bytes", got.Mixed, last, all)
			}
			got.Bytes = want.Bytes
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d threads: not the set of the concatenation", of.ending, threads)
			}
		}
		var files [2][]byte
		for i, opt := range []Options{{}, {More: names[1:]}} {
			f, err := os.Create(filepath.Join(filepath.Dir(one), "x.pgsm"))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := of.convert(f, []string{one, names[0]}[i], opt); err != nil {
				t.Fatal(err)
			}
			f.Close()
			if files[i], err = os.ReadFile(f.Name()); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: converted to other bytes than the concatenation", of.ending)
		}
		_, err = Read(names[0], Options{More: names[1:], MaxBytes: int64(len(whole)) - 1})
		if err == nil || !strings.Contains(err.Error(), "2"+of.ending+": the data have more than") {
			t.Error(err)
		}
	}
	plain, labelled := put("plain", "a text\nanother\n"), put("labelled", "p\ta text\nq\tanother\n")
	opt := Options{Format: FormatLines, More: []string{labelled}}
	if _, err := Read(plain, opt); !says(err, "lines of a label and a text, but "+plain+" has") {
		t.Error(err)
	}
	opt.More = []string{plain}
	if _, err := Read(labelled, opt); !says(err, "lines without a tab, but "+labelled+" has") {
		t.Error(err)
	}
	if _, err := ReadFrom(strings.NewReader("1 1:1\n"), "a.svm", Options{More: []string{"b.svm"}}); err ==
		nil || !strings.Contains(err.Error(), "want one file") {
		t.Error(err)
	}
}

func TestMoreErrors(t *testing.T) {
	put := putIn(t)
	var sentences strings.Builder
	for _, word := range strings.Fields("one two three four five six seven eight nine ten") {
		fmt.Fprintf(&sentences, "good\tthis is text number %s of ten\n", word)
	}
	texts, cells := put("texts.tsv", sentences.String()), put("cells.csv", "1,2\n3,4\n")
	wide, narrow := put("wide.svm", "1 2000000:1\n"), put("narrow.svm", "1 2:1\n")
	twice, once := put("twice.csv", "a,a,y\n1,2,3\n"), put("once.csv", "a,y\n1,2\n")
	ab, ac := put("ab.csv", "a,b,y\n1,2,3\n4,5,6\n"), put("ac.csv", "a,c,y\n1,2,3\n4,5,6\n")
	for _, c := range []struct {
		names []string
		opt   Options
		want  string
	}{
		{[]string{ab, ac}, Options{}, `no column is called "b" in the header, unlike in ` + ab},
		{[]string{cells, texts}, Options{}, "texts.tsv:1: lines of texts, but " + cells + " has cells"},
		{[]string{texts, cells}, Options{}, "cells.csv:1: lines without a tab, but " + texts},
		{[]string{wide, narrow}, Options{}, "wide.svm: 2000000 features are beyond the limit"},
		{[]string{narrow, wide}, Options{}, "wide.svm: 2000000 features are beyond the limit"},
		{[]string{twice, once}, Options{Header: HeaderYes}, "once.csv:1: the header differs from " +
			"the one in " + twice + `, in which two columns are called "a"`},
		{[]string{once, twice}, Options{Header: HeaderYes}, `twice.csv:1: two columns are called "a", ` +
			"and the header differs from the one in " + once},
	} {
		c.opt.More = c.names[1:]
		if _, err := Read(c.names[0], c.opt); !says(err, c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	objects, empty := put("objects.jsonl", `{"a":1,"y":2}`+"\n"), put("empty.jsonl", "{}\n{}\n")
	for _, c := range []struct {
		names []string
		opt   Options
		rows  int
	}{
		{[]string{texts, put("empty.tsv", "")}, Options{Format: FormatLines}, 10},
		{[]string{objects, empty}, Options{}, 3},
		{[]string{empty, objects}, Options{}, 3},
	} {
		rows := 0
		c.opt.More = c.names[1:]
		_, err := ReadCells(c.names[0], c.opt, func(cells []string) error {
			if rows++; len(cells) != 2 {
				t.Errorf("%q: cells %q", c.names, cells)
			}
			return nil
		})
		if err != nil || rows != c.rows {
			t.Errorf("%q: %d rows, want %d; %v", c.names, rows, c.rows, err)
		}
	}
	named := put("named.csv", "a,b,y\n")
	s, err := Read(put("rows.csv", "a,b,y\n1,2,3\n2,3,4\n"), Options{More: []string{named}})
	if want := "[" + named + ": the file has no rows]"; err != nil || fmt.Sprint(s.Doubts) != want {
		t.Errorf("%v, want the doubt %s; %v", s, want, err)
	}
	title := put("title.csv", "by hand\na,b,y\n1,2,3\n2,3,4\n")
	s, err = Read(title, Options{More: []string{named}})
	if err != nil || !strings.Contains(fmt.Sprint(s.Doubts), "or fewer; flags apply to all files)") {
		t.Errorf("%v; %v", s, err)
	}
	comment := put("comment.svm", "# no rows\n")
	s, err = Read(narrow, Options{More: []string{comment, narrow}})
	if want := "[" + comment + ": the file has no rows]"; err != nil || fmt.Sprint(s.Doubts) != want {
		t.Errorf("%v, want the doubt %s; %v", s, want, err)
	}
	if _, err := Read(objects, Options{More: []string{empty}}); !says(err, "empty.jsonl:1: column") {
		t.Error(err)
	}
}
