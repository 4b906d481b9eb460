// Command report draws the results of make bench and the history of the regression gate in an HTML
// file that loads no other files.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"html/template"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/internal/app/chart"
)

//go:embed report.html
var pageText string

//go:embed report.css
var styleSheet string

type page struct {
	*measured.Report
	Style   template.CSS
	Legend  []chart.Series
	Speed   []*chart.Figure
	Curves  []*chart.Figure
	Times   []*chart.Figure
	History []*chart.Figure
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("report: ")
	dir := flag.String("dir", ".", "the `folder` of the results of make bench and of the report")
	pictures := flag.String("pictures", "", "write kernels.svg and proof.svg to this `folder`")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := write(*dir, "../build/history", *pictures); err != nil {
		log.Fatal(err)
	}
}

// past is the folder of the gate's history. kernels.svg and proof.svg are written to the folder
// pictures, unless it is "".
func write(dir, past, pictures string) error {
	r, err := measured.Read(dir)
	if err != nil {
		return err
	}
	p := &page{Report: r, Style: template.CSS(chart.Sheet + styleSheet), Legend: legendOf(r.Paths),
		Times: []*chart.Figure{accuracies(r.Runs), gaps(r.Runs)}}
	for _, k := range r.Kernels {
		p.Speed = append(p.Speed, speed(k, r.Paths))
	}
	for _, run := range r.Runs {
		p.Curves = append(p.Curves, curve(run))
	}
	if p.History, err = readHistory(past); err != nil {
		return err
	}
	t, err := template.New("report").Funcs(template.FuncMap{"halves": halves}).Parse(pageText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	if err := save(filepath.Join(dir, "report.html"), b.String()); err != nil || pictures == "" {
		return err
	}
	shown := slices.DeleteFunc(p.Speed, func(f *chart.Figure) bool {
		return f.Title != "dot" && f.Title != "axpy"
	})
	err = save(filepath.Join(pictures, "kernels.svg"), chart.Alone(p.Legend, shown...))
	if err != nil {
		return err
	}
	return save(filepath.Join(pictures, "proof.svg"), chart.Alone(p.Times[0].Lines, p.Times...))
}

func halves(cell string) []string {
	first, second, _ := strings.Cut(cell, " ")
	return []string{first, strings.ReplaceAll(second, " ", "\u00a0")}
}

func save(name, text string) error {
	fmt.Println(name)
	return os.WriteFile(name, []byte(text), 0o666)
}
