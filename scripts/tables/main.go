// Command tables makes the public tables on which defaults are chosen and reported, and compares
// builds of pegasimd on them.
//
//	go run ./scripts/tables fetch FOLDER [NAME=CLONE...]
//	go run ./scripts/tables compare [flags] FOLDER OLD NEW
//
// Fetch reads GitHub repositories at fixed commits, and writes index.csv and the tables that
// [choose] selects, with the label in the last column. CLONE is a local clone to read instead of
// the repository NAME. Settings are chosen on the half "decide"; the half "report" is for the
// figures of the documents.
package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type source struct {
	name, commit string
	folders      []string
	parse        func(text string) *table
}

var sources = []source{
	{"renatopp/arff-datasets", "c59f172882592bb58982cc54d2d3c8a2b57e9b73",
		[]string{"agridata", "classification", "regression", "statlib"}, parseARFF},
	{"jbrownlee/Datasets", "d20fcb6402ae34e653d4513b00f39257bb37ed7f", nil, parsePlain},
	{"vincentarelbundock/Rdatasets", "1dcc2bf5f955cc1224a3e1307256e1fe86b68dae",
		[]string{"csv"}, parseR},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("tables: ")
	if len(os.Args) < 2 {
		log.Fatal("want fetch or compare")
	}
	var err error
	switch command, args := os.Args[1], os.Args[2:]; {
	case command == "fetch" && len(args) > 0:
		err = fetch(args[0], args[1:])
	case command == "compare":
		err = compare(os.Stdout, args)
	default:
		err = fmt.Errorf("%q: want fetch FOLDER [NAME=CLONE...] or compare [flags] FOLDER OLD NEW",
			os.Args[1:])
	}
	if err != nil {
		log.Fatal(err)
	}
}

func fetch(folder string, clones []string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var all []*table
	for _, s := range sources {
		clone := filepath.Join(folder, ".clones", filepath.Base(s.name))
		for _, c := range clones {
			if name, path, _ := strings.Cut(c, "="); name == s.name {
				clone = path
			}
		}
		if _, err := os.Stat(clone); err != nil {
			if err := git(nil, io.Discard, "init", "-q", "--bare", clone); err != nil {
				return err
			}
			url := "https://github.com/" + s.name
			if err := git(nil, io.Discard, "-C", clone, "fetch", "-q", "--depth", "1", url,
				s.commit); err != nil {
				return err
			}
		}
		tables, err := s.read(clone)
		if err != nil {
			return err
		}
		all = append(all, tables...)
	}
	index := [][]string{{"name", "task", "half", "rows", "columns", "source"}}
	for _, t := range choose(all) {
		if err := writeCSV(filepath.Join(folder, t.name+".csv"), t.cells); err != nil {
			return err
		}
		index = append(index, []string{t.name, t.task, t.half(), strconv.Itoa(len(t.cells) - 1),
			strconv.Itoa(len(t.cells[0]) - 1), t.source})
	}
	return writeCSV(filepath.Join(folder, "index.csv"), index)
}

func git(in io.Reader, out io.Writer, args ...string) error {
	c := exec.Command("git", args...)
	c.Stdin, c.Stdout, c.Stderr = in, out, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// Files of this size and more are left out.
const maxBytes = 4_000_000

func (s *source) read(clone string) ([]*table, error) {
	var list, names strings.Builder
	args := append([]string{"-C", clone, "ls-tree", "-r", "--name-only", s.commit, "--"},
		s.folders...)
	if err := git(nil, &list, args...); err != nil {
		return nil, err
	}
	var paths []string
	for p := range strings.Lines(list.String()) {
		p = strings.TrimSpace(p)
		if ext := filepath.Ext(p); (ext == ".csv" || ext == ".arff") && !strings.Contains(p, `"`) {
			paths = append(paths, p)
			fmt.Fprintf(&names, "%s:%s\n", s.commit, p)
		}
	}
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(git(strings.NewReader(names.String()), w, "-C", clone, "cat-file",
			"--batch"))
	}()
	defer r.Close()
	in := bufio.NewReader(r)
	var tables []*table
	for _, p := range paths {
		head, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(head) // hash, "blob", size
		size, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil { // "missing"
			continue
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, err
		}
		if size >= maxBytes {
			continue
		}
		if t := s.parse(string(text[:size])); t != nil {
			t.source = s.name + " " + p
			t.group = group(p)
			t.name = clean(strings.TrimSuffix(p, filepath.Ext(p)))
			tables = append(tables, t)
		}
	}
	slices.SortFunc(tables, func(a, b *table) int { return cmp.Compare(a.hash(), b.hash()) })
	return tables, nil
}

// group returns the file's R package, or the beginning of its name up to a _ or -.
func group(path string) string {
	if p, ok := strings.CutPrefix(path, "csv/"); ok {
		return p[:strings.Index(p, "/")]
	}
	base := filepath.Base(path)
	return base[:strings.IndexAny(base+"_", "_-")]
}

func clean(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

func (t *table) hash() string {
	h := sha256.Sum256([]byte(t.name))
	return hex.EncodeToString(h[:])
}

func (t *table) half() string {
	if h := sha256.Sum256([]byte(t.name)); h[31]&1 == 0 {
		return "decide"
	}
	return "report"
}

func writeCSV(path string, cells [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	return cmp.Or(w.WriteAll(cells), f.Close())
}
