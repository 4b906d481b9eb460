package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
)

func (d *dataReader) overrule() (map[string]tables.Given, error) {
	if n := d.call.flags.Grams; n < 1 || n > 8 {
		return nil, flags.Usagef("-ngrams: have %d, want 1 to 8", n)
	}
	all := map[string]tables.Given{}
	for _, given := range kindsOfFlags {
		if !d.call.flags.Given(given.flag) {
			continue
		}
		names, err := columnList(d.call.flags.Text(given.flag))
		if err != nil {
			return nil, flags.Usagef("-%s: %w: want names separated by commas, quoted as in CSV "+
				"if they have commas or quotes", given.flag, err)
		}
		for _, name := range names {
			is := tables.Given{Kind: given.kind}
			if at := strings.LastIndexByte(name, '='); at >= 0 && given.kind == tables.Date {
				if is.Order = dateOrders[name[at+1:]]; is.Order != 0 {
					name = name[:at]
				}
			}
			if _, twice := all[name]; twice {
				return nil, flags.Usagef("-%s: the column %q is given twice", given.flag, name)
			}
			all[name] = is
		}
	}
	return all, nil
}

// columnList parses a list of columns, a line of CSV. A blank list is one column without a name.
func columnList(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return []string{""}, nil
	}
	r := csv.NewReader(strings.NewReader(text))
	r.TrimLeadingSpace = true
	names, err := r.Read()
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
		err = bad.Err
	}
	return names, err
}

func looksLikeCSV(name string) bool {
	head, err := headOf(name)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	isText := utf8.Valid(line[:min(6, len(line))]) && !bytes.Contains(line, []byte{0})
	return err == nil && isText && bytes.ContainsAny(line, ",;\t") && !bytes.Contains(line, []byte(":"))
}

// checkFormat refuses flags that have no effect on data of the format.
func (d *dataReader) checkFormat() error {
	format := d.format()
	separated := format == dataset.FormatCSV || format == dataset.FormatTSV
	for _, f := range d.call.flags.Each() {
		switch {
		case f.Field == "Data.Format", f.Field == "Data.LabelColumn" && format == dataset.FormatNPY:
		case (f.Is(flags.Form|flags.Kinds) || f.Name == "words") && !d.isTable():
			return flags.Usagef("-%s is for tables, and %s is not read as a table: if it is one, name its "+
				"format with -format", f.Name, d)
		case f.Is(flags.Cells) && !separated:
			return flags.Usagef("-%s is for csv and tsv, and %s is read as %s", f.Name, d, format)
		case f.Is(flags.Indices) && format != dataset.FormatAuto && format != dataset.FormatSvmlight:
			return flags.Usagef("-%s is for svmlight data, and %s is read as %s", f.Name, d, format)
		}
	}
	return nil
}

// refuseDataFlags refuses flags about data if the argument is a model. inspect -data also reads
// data.
func (c *call) refuseDataFlags(model string) error {
	for _, f := range c.flags.Each() {
		ofData := f.Is(flags.Form|flags.Kinds|flags.Indices) ||
			slices.Contains(strings.Fields("layout missing hash-bits stream"), f.Name)
		switch {
		case c.flags.TextData != "" && f.Is(flags.Kinds):
			return flags.Usagef("-%s can't be given with -data: the model decides what the columns are",
				f.Name)
		case ofData && c.flags.TextData == "" && !(f.Name == "layout" && c.flags.To == "go"):
			return flags.Usagef("-%s is for data, and %s is a model", f.Name, inputName(model))
		}
	}
	return nil
}

func (d *dataReader) readFresh() (*dataset.Set, error) {
	if err := d.checkFormat(); err != nil {
		return nil, err
	}
	if !d.fits || !d.isTable() {
		return dataset.Read(d.name, d.opt)
	}
	if err := d.keepInput(); err != nil {
		return nil, err
	}
	set, err := d.fit()
	if set != nil || err != nil {
		return set, err
	}
	return d.readEncoded()
}

// Tables from standard input or a pipe are not encoded to a temporary file.
func (d *dataReader) readEncoded() (*dataset.Set, error) {
	opt := d.encoded()
	if d.encoder.Bytes() > cmp.Or(d.most, mostInMemory) && d.kept == nil {
		return d.readMapped(opt)
	}
	return d.again(opt)
}

// refit reads the table with an encoder fitted without the rows for which d.skip is true. The
// columns keep their kinds: a row counter without some rows would look like a number.
func (d *dataReader) refit() (set *dataset.Set, err error) {
	if d.encoder, err = d.refitted(); err != nil {
		return nil, err
	}
	return d.readEncoded()
}

func (d *dataReader) refitted() (*tables.Encoder, error) {
	f := tables.Fitter{Skip: d.skip}
	return f.Refit(d.encoder, func(enc form.Encoder) error {
		opt := d.opt
		opt.Encoder = enc
		_, err := d.again(opt)
		return err
	})
}

// bytes of encoded rows, unless a flag sets another limit
const mostInMemory = 1 << 30

func (d *dataReader) encoded() dataset.Options {
	opt, c := d.asFitted(), d.encoder.Coder()
	opt.Encoder, c.RefuseGaps = c, d.missing == "error"
	return opt
}

func (d *dataReader) stream(w io.WriterAt) (rows, cols int, err error) {
	if err := d.checkFormat(); err != nil {
		return 0, 0, err
	}
	if !d.isTable() {
		return dataset.ConvertSvmlight(w, d.name, d.opt)
	}
	d.streams = true
	if _, err := d.fit(); err != nil {
		return 0, 0, err
	}
	return dataset.ConvertCSV(w, d.name, d.encoded())
}

// fit returns the rows, too, if the fitter has encoded them.
func (d *dataReader) fit() (set *dataset.Set, err error) {
	kinds, err := d.overrule()
	if err != nil {
		return nil, err
	}
	d.fitter = &tables.Fitter{Overrule: kinds, Skip: d.skip, Grams: d.call.flags.Grams,
		Inspect: d.opt.Labels == dataset.LabelsNo, NoRows: d.streams}
	e, whole, err := d.fitter.Fit(func(enc form.Encoder) (err error) {
		opt := d.opt
		opt.Encoder = enc
		if set, err = d.again(opt); err == nil { // keep no rows
			d.last = &dataset.Set{Form: set.Form, Mixed: set.Mixed, Doubts: set.Doubts,
				LeftOut: set.LeftOut, Table: set.Table}
		}
		return err
	})
	if d.encoder = e; !whole {
		set = nil
	}
	if d.last != nil {
		d.named = d.last.Table != nil && d.last.Table.Columns != nil
		d.doubts = slices.Concat(d.last.Doubts, d.fitter.Doubts)
	}
	if errors.Is(err, tables.ErrNoRows) && d.last != nil {
		if len(d.last.LeftOut) > 0 && len(d.weights) > 0 {
			err = errors.New("no row has a label and a weight above 0")
		} else if len(d.last.LeftOut) > 0 {
			err = errors.New("no row has a label")
		}
	}
	if err != nil {
		at, open, closed := (*dataset.SyntaxError)(nil), (*dataset.LabelError)(nil), (*fs.PathError)(nil)
		named := slices.ContainsFunc(append([]string{d.name}, d.opt.More...), func(name string) bool {
			return strings.HasPrefix(err.Error(), name+":")
		})
		if !errors.As(err, &at) && !errors.As(err, &open) && !errors.As(err, &closed) && !named {
			err = fmt.Errorf("%s: %w", d, err)
		}
		return nil, err
	}
	if d.dropWeights(d.last) { // d.skip has used the weights before: fit again
		return d.fit()
	}
	for _, name := range []string{"ngrams", "words"} {
		if d.call.flags.Given(name) && !slices.ContainsFunc(e.Columns, hasText) {
			d.doubts = append(d.doubts, dataset.Doubt{About: "column",
				Text: "no column is read as text, so -" + name + " has no effect"})
		}
	}
	return set, nil
}

// Tables are read several times: keepInput stores the bytes of standard input or a pipe.
func (d *dataReader) keepInput() (err error) {
	if d.kept != nil || len(d.opt.More) > 0 { // several files have to be regular ones
		return nil
	}
	var in io.Reader = os.Stdin
	if d.name != "-" {
		if info, err := os.Stat(d.name); err != nil || info.Mode().IsRegular() || info.IsDir() {
			return nil // reading reports errors
		}
		f, err := os.Open(d.name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	} else if d.opt.Stdin != nil {
		in = d.opt.Stdin
	}
	if d.opt.MaxBytes > 0 {
		in = io.LimitReader(in, d.opt.MaxBytes+1)
	}
	d.kept, err = io.ReadAll(in)
	return err
}

// readMapped encodes a table to a temporary .pgsm file and maps it, if the system can map files.
func (d *dataReader) readMapped(opt dataset.Options) (set *dataset.Set, err error) {
	f, err := files.Temp("", "pegasimd-*.pgsm")
	if errors.Is(err, errors.ErrUnsupported) {
		return d.again(opt)
	}
	temporary := err != nil // whether err concerns the temporary file
	if err == nil {
		d.call.temporary = append(d.call.temporary, f)
		if _, _, err = dataset.ConvertCSV(f, d.name, opt); err == nil {
			set, err = dataset.ReadPGSM(f, dataset.Options{Context: d.call})
		}
		at := (*fs.PathError)(nil)
		temporary = errors.As(err, &at) && at.Path == f.Name()
	}
	if temporary {
		how, folder := "", "TMPDIR"
		if runtime.GOOS == "windows" {
			folder = "TMP"
		}
		if d.call.flags.Has("max-memory") {
			how = ", or give a larger -max-memory to keep the rows in memory"
		}
		err = fmt.Errorf("%s: the rows are written to a temporary file: %w; set %s to another "+
			"folder%s", d, err, folder, how)
	}
	if err != nil {
		return nil, err
	}
	set.Table = &dataset.Table{Columns: opt.Encoder.Features(), LabelAt: -1}
	set.Form, set.Mixed, set.LeftOut = d.last.Form, d.last.Mixed, d.last.LeftOut
	return set, nil
}

func (d *dataReader) nameGrams(e *tables.Encoder, features []int) error {
	n := e.Namer(features)
	opt := d.asFitted()
	opt.Encoder, opt.Labels = n, dataset.LabelsAuto
	_, err := d.again(opt)
	n.Name()
	return err
}

func (d *dataReader) nameHeaviest(weights [][]float32) error {
	if d.call.flags.Values.Words == 0 || d.encoder == nil {
		return nil
	}
	largest := make([]float32, d.encoder.Cols()) // terms of curves are left out
	order := d.encoder.Grams()
	for _, j := range order {
		for _, w := range weights {
			largest[j] = max(largest[j], w[j], -w[j])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(largest[b], largest[a]) })
	d.opt.Context = context.WithoutCancel(d.call) // an interruption must not lose the model
	return d.nameGrams(d.encoder, order[:min(d.call.flags.Values.Words, len(order))])
}
