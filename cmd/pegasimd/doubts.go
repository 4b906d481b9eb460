package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// settle turns the doubts about the data into warnings. It returns an error for a doubt in
// settledBy if trains is set, and for any doubt with -strict.
func (d *dataReader) settle(trains bool) error {
	for i, doubt := range d.doubts {
		if how := settledBy[doubt.About]; trains && how != "" {
			// The error takes the place of the warning.
			d.doubts = slices.Delete(d.doubts, i, i+1)
			if doubt.About == "header" && doubt.Flag != "-header" { // the doubt says what to do
				return fmt.Errorf("%s: %s", d, doubt.String())
			}
			return fmt.Errorf("%s: %s: give %s", d, doubt.String(), how)
		}
		d.call.warn(doubt.String())
	}
	if d.call.flags.Strict && len(d.doubts) > 0 {
		how := "mend the data or, where a warning names a flag, give this flag"
		if d.call.flags.Quiet {
			how = "without -quiet, warnings describe them"
		}
		return fmt.Errorf("%s: %s, an error because of -strict: %s", d, count(len(d.doubts), "doubt"),
			how)
	}
	return nil
}

var settledBy = map[string]string{"separator": "-sep CHARACTER",
	"header": "-header yes or -header no"}

// resolved returns flags of train that read the data and train on them in the same way. If files is
// false, FILE replaces the names of files.
func (d *dataReader) resolved(set *dataset.Set, multiclass pegasos.Multiclass, files bool) (
	words []string,
) {
	f, c, further := set.Form, d.call, d.chosen
	if d.manyClasses {
		further = []string{"-multiclass", string(multiclass)}
	}
	if f == nil || d.encoder == nil {
		return append(further, c.flags.Words(files, func(f *flags.Flag) bool {
			return !f.Is(flags.NoEffect)
		})...)
	}
	if set.Mixed { // no flag describes several forms
		words = c.flags.Words(files, func(f *flags.Flag) bool {
			return f.Is(flags.Form) && !f.Is(flags.Kinds) && f.Field != "Data.LabelColumn" &&
				f.Name != "decimal"
		})
	} else {
		words = append(words, "-format", f.Format)
		if separates(f) {
			words = append(words, "-sep", characterWord(f.Separator), "-quote", characterWord(f.Quote),
				"-comment", characterWord(f.Comment), "-skip-lines", strconv.Itoa(f.SkipLines), "-header",
				map[bool]string{true: "yes", false: "no"}[f.Header])
		}
		if f.Format != form.JSONL {
			words = append(words, "-encoding", f.Encoding)
		}
	}
	mark := cmp.Or(d.opt.Decimal, ".") // a run with a model's encoder has no fitter
	if d.fitter != nil {
		mark = string(d.fitter.Mark)
	}
	if d.fitter == nil || !d.fitter.Mixed || d.opt.Decimal != "" {
		words = append(words, "-decimal", mark)
	}
	names, label := d.names()
	// Then a model decides what the columns are.
	continued := c.flags.Given("start") || c.flags.Given("prior") || files && c.flags.Given("resume")
	switch {
	case continued && d.opt.LabelColumn != "":
		words = append(words, "-label-column", d.opt.LabelColumn)
	case label >= 0:
		words = append(words, "-label-column", d.columnWord(names, label, true))
	}
	if !continued {
		words = append(words, d.kindFlags(names, label)...)
	}
	others := c.flags.Words(files, func(f *flags.Flag) bool {
		return !f.Is(flags.NoEffect | flags.Form)
	})
	return slices.Concat(words, further, others)
}

func (d *dataReader) kindFlags(names []string, label int) (words []string) {
	const long = 10
	lists, most := map[tables.Kind][]string{}, tables.Number
	for i := range d.encoder.Columns {
		c, at := &d.encoder.Columns[i], i
		if label >= 0 && i >= label {
			at++
		}
		word := d.columnWord(names, at, false)
		if c.Date != nil && dateOrders[c.Date.Order] != 0 {
			word += "=" + c.Date.Order
		}
		if lists[c.Kind] = append(lists[c.Kind], word); len(lists[c.Kind]) > len(lists[most]) {
			most = c.Kind
		}
	}
	if n := len(lists[most]); most != tables.Date && (n > long || n == len(d.encoder.Columns)) {
		lists[most] = []string{"*"}
	}
	for _, k := range kindsOfFlags {
		if list := lists[k.kind]; list != nil {
			var b strings.Builder
			w := csv.NewWriter(&b)
			w.Write(list)
			w.Flush()
			words = append(words, "-"+k.flag, strings.TrimSuffix(b.String(), "\n"))
		}
	}
	return words
}

func (d *dataReader) columnWord(names []string, i int, label bool) string {
	if !d.encoder.Header {
		return strconv.Itoa(i)
	}
	return columnWord(names, i, label)
}

type questionError struct {
	error
	answers []string
}

func (c *call) labelQuestion(err error) error {
	var open *dataset.LabelError
	if !errors.As(err, &open) {
		return err
	}
	q := &questionError{error: err}
	for i, name := range open.Names {
		last := i == len(open.Names)-1
		if slices.Contains(open.Candidates, name) || saysLabel(name) || last {
			words := append(c.flags.Words(true, func(f *flags.Flag) bool {
				return f.Field != "Data.LabelColumn"
			}), "-label-column", columnWord(open.Names, i, true))
			q.answers = append(q.answers, c.commandLine(append(words, c.args...)))
		}
	}
	return q
}

func (c *call) commandLine(words []string) string {
	return "pegasimd " + c.flags.Command + " " + shellWords(words)
}
