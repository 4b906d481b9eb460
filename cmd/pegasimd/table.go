package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/files"
	"github.com/pegasimd/pegasimd/internal/tables"
)

// This file reads tables with words and gaps, and prints what becomes of them.

// tableFlags say what becomes of the columns of a table.
type tableFlags struct {
	ignore, numbers, categories, text string

	grams, words int
}

func (t *tableFlags) define(f *flag.FlagSet) {
	f.StringVar(&t.ignore, "ignore", "", "`list` columns of a table to leave out, by name or number "+
		"from 0, with commas between")
	f.StringVar(&t.numbers, "numbers", "", "`list` columns of a table to take for numbers, whatever "+
		"they look like")
	f.StringVar(&t.categories, "categories", "", "`list` columns of a table to take for words, with a "+
		"feature for each, also if they look like numbers or like names")
	f.StringVar(&t.text, "text", "", "`list` columns of a table to take for text, with a feature "+
		"for each n-gram of two rows or more")
	f.IntVar(&t.words, "words", 0, "`n` keep in the model the words of the n largest weights of text, "+
		"for inspect")
	f.IntVar(&t.grams, "ngrams", 2, "`n` how many words of text an n-gram has at most")
}

// saysColumns are the flags that say what becomes of columns.
var saysColumns = strings.Fields("ignore numbers categories text ngrams")

// overrule returns the kinds of columns that the flags give.
func (t *tableFlags) overrule() (map[string]tables.Kind, error) {
	if t.grams < 1 {
		return nil, usagef("-ngrams: have %d, want 1 or more", t.grams)
	}
	kinds := map[string]tables.Kind{}
	for _, given := range []struct {
		list string
		kind tables.Kind
	}{{t.ignore, tables.LeftOut}, {t.numbers, tables.Number}, {t.categories, tables.Category},
		{t.text, tables.Text}} {
		for _, name := range strings.Split(given.list, ",") {
			name = strings.TrimSpace(name)
			if _, twice := kinds[name]; twice {
				return nil, usagef("the column %q is given twice", name)
			}
			if name != "" {
				kinds[name] = given.kind
			}
		}
	}
	return kinds, nil
}

// isTable reports whether data of that name are text in rows and columns.
func (d *dataReader) isTable(name string) bool {
	switch d.opt.Format {
	case dataset.FormatCSV, dataset.FormatTSV, dataset.FormatLines, dataset.FormatJSONL:
		return true
	case dataset.FormatAuto, "":
		return slices.Contains(strings.Fields(".csv .tsv .jsonl .ndjson"), filepath.Ext(plainName(name)))
	}
	return false
}

// looksLikeCSV reports whether the first line of a file has commas or tabs, and no index:value.
func looksLikeCSV(name string) bool {
	head, err := headOf(name)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return err == nil && bytes.ContainsAny(line, ",\t") && !bytes.Contains(line, []byte(":"))
}

// labelElsewhere returns the column of a CSV file that is called as labels are, if the label is at
// fault and by default that of the last column.
func (d *dataReader) labelElsewhere(name string, err error) string {
	var bad *dataset.SyntaxError
	if !errors.As(err, &bad) || bad.Cell || bad.Name == "" || d.opt.LabelColumn != "" ||
		d.opt.Table != nil {
		return ""
	}
	head, _ := headOf(name)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for cell := range strings.FieldsFuncSeq(string(line), func(c rune) bool {
		return strings.ContainsRune(",\t\r\"", c)
	}) {
		if slices.Contains(labelNames, strings.ToLower(strings.TrimSpace(cell))) &&
			cell != bad.Name {
			return cell
		}
	}
	return ""
}

// readFresh reads data that no model says how to read: numbers as they are, a table with words and
// gaps by an encoder that is fitted on it.
func (d *dataReader) readFresh(name string) (*dataset.Set, error) {
	if d.tables == nil {
		set, err := dataset.Read(name, d.opt)
		if needsEncoder(err) {
			err = fmt.Errorf("%w; convert makes numbers of words and gaps, on one scale", err)
		}
		return set, err
	}
	kinds, err := d.tables.overrule()
	if err != nil {
		return nil, err
	}
	if !d.isTable(name) {
		if len(kinds) > 0 {
			return nil, usagef("-ignore, -numbers, -categories and -text are for tables")
		}
		return dataset.Read(name, d.opt)
	}
	if err := d.keepInput(name); err != nil {
		return nil, err
	}
	if len(kinds) == 0 {
		if set, err := d.again(name, d.opt); !needsEncoder(err) {
			return set, err
		}
	}
	if err := d.fit(name, kinds); err != nil {
		return nil, err
	}
	opt := d.encoded()
	if d.encoder.Bytes() > cmp.Or(d.most, mostInMemory) && d.kept == nil {
		return d.readMapped(name, opt)
	}
	return d.again(name, opt)
}

// mostInMemory is how many bytes of encoded rows are kept in memory, unless a flag says otherwise.
const mostInMemory = 1 << 30

// fit fits an encoder to a table.
func (d *dataReader) fit(name string, kinds map[string]tables.Kind) (err error) {
	f := tables.Fitter{Overrule: kinds, Skip: d.skip, Grams: d.tables.grams}
	d.encoder, err = f.Fit(d.opt, func(opt dataset.Options) (*dataset.Set, error) {
		return d.again(name, opt)
	})
	var at *dataset.SyntaxError
	if err != nil && !errors.As(err, &at) {
		err = fmt.Errorf("%s: %w", inputName(name), err)
	}
	return err
}

// encoded returns the options by which the encoder reads data.
func (d *dataReader) encoded() dataset.Options {
	opt := d.opt
	d.encoder.Options(&opt).RefuseGaps = d.missing == "error"
	return opt
}

// stream converts data that may be larger than the memory.
func (d *dataReader) stream(w io.WriterAt, name string) (rows, cols int, err error) {
	if !d.isTable(name) {
		return dataset.ConvertSvmlight(w, name, d.opt)
	}
	kinds, err := d.tables.overrule()
	if err != nil {
		return 0, 0, err
	}
	if len(kinds) == 0 {
		if rows, cols, err = dataset.ConvertCSV(w, name, d.opt); !needsEncoder(err) {
			return rows, cols, err
		}
	}
	if err := d.fit(name, kinds); err != nil {
		return 0, 0, err
	}
	return dataset.ConvertCSV(w, name, d.encoded())
}

// needsEncoder reports whether a table was refused for a cell without a number.
func needsEncoder(err error) bool {
	var bad *dataset.SyntaxError
	return errors.As(err, &bad) && bad.Cell
}

// keepInput keeps what standard input has, if that is the data: they are read several times.
func (d *dataReader) keepInput(name string) (err error) {
	if name != "-" || d.kept != nil {
		return nil
	}
	var in io.Reader = os.Stdin
	if d.opt.Stdin != nil {
		in = d.opt.Stdin
	}
	if d.opt.MaxBytes > 0 {
		in = io.LimitReader(in, d.opt.MaxBytes+1)
	}
	d.kept, err = io.ReadAll(in)
	return err
}

// again reads data that may have been read before.
func (d *dataReader) again(name string, opt dataset.Options) (*dataset.Set, error) {
	if d.kept != nil {
		opt.Stdin = bytes.NewReader(d.kept)
	}
	return dataset.Read(name, opt)
}

const overruled = "-ignore, -numbers, -categories and -text COLUMNS say otherwise"

// readMapped encodes a table to a temporary file of the binary form, and maps that. Where there are
// no such files the rows are kept in memory.
func (d *dataReader) readMapped(name string, opt dataset.Options) (set *dataset.Set, err error) {
	f, err := files.Temp("", "pegasimd-*.pgsm")
	if errors.Is(err, errors.ErrUnsupported) {
		return d.again(name, opt)
	}
	if err != nil {
		return nil, err
	}
	d.call.temporary = append(d.call.temporary, f)
	if _, _, err = dataset.ConvertCSV(f, name, opt); err == nil {
		set, err = dataset.ReadPGSM(f, dataset.Options{Context: d.call})
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) && at.Path == f.Name() {
		err = fmt.Errorf("%s: the rows are written to a temporary file: %w; set TMPDIR to a folder "+
			"with more space, or raise -max-memory to keep them in memory", inputName(name), err)
	}
	if err != nil {
		return nil, err
	}
	set.Table = &dataset.Table{Columns: opt.Encoder.Features(), LabelAt: -1}
	return set, nil
}

// printTable prints what became of the columns of a table.
func printTable(w io.Writer, e *tables.Encoder) {
	const most = 40
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range e.Columns[:min(most, len(e.Columns))] {
		c := &e.Columns[i]
		fmt.Fprintf(t, "  %s\t%s\t%s%s", escape.Name(c.Name), c.Kind, escape.Text(c.Reason),
			valuesOf(c))
		if c.Gaps > 0 {
			fmt.Fprintf(t, "; %s", count(c.Gaps, "gap"))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if n := len(e.Columns) - most; n > 0 {
		fmt.Fprintf(w, "  ... and %s more\n", count(n, "column"))
	}
}

// tell prints what became of a table's columns, or what cells the training lacked.
func (d *dataReader) tell(set *dataset.Set) {
	if d.opt.Encoder == nil && d.encoder != nil {
		printTable(d.call.stderr, d.encoder)
		return
	}
	d.warn(set)
}

// valuesOf says what a column's cells are.
func valuesOf(c *tables.Column) string {
	const most = 5
	switch {
	case c.Kind == tables.Number:
		return fmt.Sprintf(": mean %.4g, deviation %.4g", c.Mean, 1/c.Factor)
	case c.Kind == tables.Text:
		return fmt.Sprintf(": %s", count(c.Features(), "feature"))
	case c.HashBits > 0:
		return fmt.Sprintf(", hashed to %d features", 1<<c.HashBits)
	case c.Kind == tables.Category && c.Levels == nil && !c.GapFeature:
		return ", but no word is in two rows, as those with a feature are"
	}
	var b strings.Builder
	before := ": "
	for k := range min(most, len(c.Levels)) {
		fmt.Fprintf(&b, "%s%s %d", before, escape.Name(c.Levels[k]), c.Counts[k])
		before = ", "
	}
	if len(c.Levels) > most {
		b.WriteString(", ...")
	}
	return b.String()
}

// nameGrams names the features of text by the n-grams that data have.
func (d *dataReader) nameGrams(name string, e *tables.Encoder, features []int) error {
	n := e.Namer(features)
	opt := d.opt
	opt.Encoder, opt.Features, opt.Table = n, len(e.Columns), e.Table()
	opt.Labels = dataset.LabelsAuto
	_, err := d.again(name, opt)
	n.Name()
	return err
}

// nameHeaviest keeps the n-grams of the text features of the largest weights in the model's encoder.
func (d *dataReader) nameHeaviest(name string, weights [][]float32) error {
	if d.tables.words == 0 || d.encoder == nil {
		return nil
	}
	largest := make([]float32, len(weights[0]))
	order := make([]int, len(largest))
	for j := range order {
		order[j] = j
		for _, w := range weights {
			largest[j] = max(largest[j], w[j], -w[j])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(largest[b], largest[a]) })
	return d.nameGrams(name, d.encoder, order[:min(d.tables.words, len(order))])
}

// withoutBuckets returns the encoder for a report, without what only machines read.
func withoutBuckets(e *tables.Encoder) *tables.Encoder {
	if e == nil {
		return nil
	}
	shown := *e
	shown.Columns = slices.Clone(e.Columns)
	for i := range shown.Columns {
		if t := shown.Columns[i].Text; t != nil {
			without := *t // which still knows how many there are
			without.Buckets = nil
			shown.Columns[i].Text = &without
		}
	}
	return &shown
}

// odd prints what cells the training lacked, behind a text that says of which data.
func (d *dataReader) odd(w io.Writer, of string) {
	if coder, encodes := d.opt.Encoder.(*tables.Coder); encodes {
		for _, line := range coder.Odd() {
			fmt.Fprintln(w, of+line)
		}
	}
}
