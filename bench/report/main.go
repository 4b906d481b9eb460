// Command report makes one HTML file of what make bench and the regression gate have measured:
// pictures and tables, with nothing to be loaded from elsewhere. make report runs it.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/bench/internal/training"
	"github.com/pegasimd/pegasimd/gate/history"
)

//go:embed report.html
var pageText string

//go:embed report.css
var style string

// A page is what the template shows.
type page struct {
	Style    template.CSS
	Head     [][2]string
	Summary  summary
	Paths    []legend
	Kernels  []*figure
	Training trainingTable
	Curves   []*figure
	Gaps     *figure
	GapNames []legend
	Matrices []matrix
	History  []historyOf
}

func main() {
	results := flag.String("results", "build/bench/bench.txt",
		"the `file` in Go's benchmark format that make bench writes")
	runs := flag.String("training", "build/bench/training.json",
		"the `file` on training that make bench writes")
	past := flag.String("history", "build/history",
		"a `file` of the gate's history, or a folder of them; it need not be there")
	out := flag.String("o", "build/bench/report.html", "write the report to this `file`")
	pictures := flag.String("pictures", "", "write the pictures of the documents to this `folder`, "+
		"too")
	flag.Parse()
	if err := write(*results, *runs, *past, *out, *pictures); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	fmt.Println(*out)
}

func write(results, runs, past, out, pictures string) error {
	r, err := readResults(results)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(runs)
	if err != nil {
		return err
	}
	var trained []*training.Run
	if err := json.Unmarshal(text, &trained); err != nil {
		return fmt.Errorf("%s: %w", runs, err)
	}
	p := &page{Style: template.CSS(style), Head: r.head, Summary: r.summary(), Paths: r.legend(),
		Kernels: r.figures(), Training: r.training()}
	for _, run := range trained {
		p.Curves = append(p.Curves, curve(run))
		p.Matrices = append(p.Matrices, matrixOf(run))
	}
	p.Gaps, p.GapNames = gaps(trained)
	files := []string{past}
	if info, err := os.Stat(past); err == nil && info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(past, "*.jsonl"))
	} else if os.IsNotExist(err) {
		files = nil
	}
	var gated []*history.Run
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		more, err := history.Read(file, f)
		f.Close()
		if err != nil {
			return err
		}
		gated = append(gated, more...)
	}
	p.History = histories(gated)

	t, err := template.New("report").Parse(pageText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	if err := os.WriteFile(out, b.Bytes(), 0o666); err != nil || pictures == "" {
		return err
	}
	return writePictures(pictures, t, p.Kernels, p.Paths, trained)
}
