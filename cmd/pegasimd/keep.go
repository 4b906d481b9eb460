package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The table is read again for the cells of these columns.
type keptColumns struct {
	reader *dataReader
	at     []int // numbers of the columns in the table, in the order of the output
	header []string
}

func (d *dataReader) keepColumns(head pegasos.Head, list string) (
	*keptColumns, error,
) {
	defer d.options().clear()
	if err := d.like(head); err != nil {
		return nil, err
	}
	if !d.isTable() {
		return nil, flags.Usagef("-keep: %s is not read as a table: if it is one, name its format "+
			"with -format", d)
	}
	wanted, err := columnList(list)
	if err != nil {
		return nil, flags.Usagef("-keep: %w: want names separated by commas, quoted as in CSV if "+
			"they have commas or quotes", err)
	}
	if err := d.keepInput(); err != nil {
		return nil, err
	}
	k := &keptColumns{reader: d}
	width, enough := 0, errors.New("the columns are known")
	names, err := k.read(func(cells []string) error {
		if width = len(cells); d.format() == dataset.FormatJSONL { // later lines may be wider
			return nil
		}
		return enough
	})
	if err != nil && !errors.Is(err, enough) {
		return nil, err
	}
	named := names != nil
	for i := 0; !named && i < width; i++ {
		names = append(names, fmt.Sprintf("column %d", i))
	}
	if k.at, err = chooseColumns(wanted, names, named); err != nil {
		return nil, flags.Usagef("-keep: %w", err)
	}
	for _, i := range k.at {
		k.header = append(k.header, names[i])
	}
	return k, nil
}

// chooseColumns returns the numbers of the listed columns. The list has names, numbers, and "*" for
// all other columns; "all" alone means "*". If the table has a header (named), names take
// precedence.
func chooseColumns(list, names []string, named bool) (at []int, err error) {
	if len(list) == 1 && list[0] == "all" && !(named && slices.Contains(names, "all")) {
		list = []string{"*"}
	}
	words := map[int]string{} // of the list, by column
	star := -1                // position of the other columns in the result; -1 for none
	for _, name := range list {
		i := -1
		if named {
			i = slices.Index(names, name)
		}
		n, notNumber := strconv.Atoi(name)
		switch {
		case i >= 0 && slices.Contains(names[i+1:], name):
			return nil, fmt.Errorf("two columns are called %q: give their numbers, counted from 0",
				escape.Cut(name))
		case i >= 0:
		case name == "*" && star < 0:
			star = len(at)
			continue
		case notNumber == nil && n >= 0 && n < len(names):
			i = n
		case name == "*":
			return nil, errors.New("* is given twice")
		case !named:
			return nil, fmt.Errorf("no column %q: the table has no header, and %s, counted from 0",
				escape.Cut(name), count(len(names), "column"))
		default:
			return nil, fmt.Errorf("no column is called %q; the columns are %s", escape.Cut(name),
				listNames(names, 20))
		}
		if first, twice := words[i]; twice {
			if first != name {
				return nil, fmt.Errorf("the column %q is given twice, as %s and %s", escape.Cut(names[i]),
					escape.Cut(first), escape.Cut(name))
			}
			return nil, fmt.Errorf("the column %q is given twice", escape.Cut(name))
		}
		words[i] = name
		at = append(at, i)
	}
	if star < 0 {
		return at, nil
	}
	var others []int
	for i := range names {
		if !slices.Contains(at, i) {
			others = append(others, i)
		}
	}
	return slices.Insert(at, star, others...), nil
}

// read calls each with the cells of every row of the table. names is nil if the columns have no
// names.
func (k *keptColumns) read(each func(cells []string) error) (names []string, err error) {
	name, opt := k.reader.name, k.reader.opt
	opt.Progress = nil
	if k.reader.kept != nil { // a copy of standard input, or of a pipe
		opt.Format, opt.Stdin = k.reader.format(), bytes.NewReader(k.reader.kept)
		name = "-"
	}
	return dataset.ReadCells(name, opt, each)
}

func (k *keptColumns) write(
	w io.Writer, name string, f *flags.Set, s *scoredSet, predicted []int,
) error {
	out := csv.NewWriter(w)
	if dataset.FormatOf(name) == dataset.FormatTSV {
		out.Comma = '\t'
	}
	further, fill := s.furtherColumns(f)
	columns := make([]float64, len(further))
	out.Write(k.heading(f, further))

	names, leftOut := predictions.ClassNames(s.model), s.LeftOut
	record := make([]string, len(k.at)+1+len(further))
	changed := fmt.Errorf("%s: the file was changed while it was read: run the command again", k.reader)
	line, row := 0, 0 // numbers of the row in the table, and in the set, which lacks rows left out
	_, err := k.read(func(cells []string) error {
		clear(record)
		for j, i := range k.at {
			if i < len(cells) { // earlier lines of JSON lack fields that first appear later
				record[j] = cells[i]
			}
		}
		line++
		if len(leftOut) > 0 && leftOut[0] == line-1 {
			leftOut = leftOut[1:]
			return out.Write(record)
		}
		if row == s.Rows() {
			return changed
		}
		scores, err := s.row(row)
		if err != nil {
			return err
		}
		if fields := record[len(k.at):]; names == nil {
			fields[0] = pegasos.FormatLabel(float32(scores[0]))
		} else {
			fields[0] = names[predicted[row]]
			fill(scores, columns)
			for j, v := range columns {
				fields[1+j] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		}
		row++
		return out.Write(record)
	})
	if err == nil && (row < s.Rows() || len(leftOut) > 0) {
		err = changed
	}
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func (k *keptColumns) heading(f *flags.Set, further []string) []string {
	all := slices.Clone(k.header)
	add := func(name string) {
		own := name
		for n := 2; slices.Contains(all, own); n++ {
			own = fmt.Sprintf("%s_%d", name, n)
		}
		all = append(all, own)
	}
	add("prediction")
	kind := "score_"
	if f.Proba {
		kind = "probability_"
	}
	for _, name := range further {
		add(kind + name)
	}
	return all
}
