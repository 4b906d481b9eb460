package main

import (
	"bytes"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A dataReader reads data as the flags say.
type dataReader struct {
	call    *call
	opt     dataset.Options
	missing string // as -missing has it
	quiet   bool

	fits    bool               // fits an encoder to a table
	encoder *tables.Encoder    // of the table that was read; nil for other data
	fitter  *tables.Fitter     // that fitted the encoder; nil for a model's
	last    *dataset.Set       // what the fitter's last pass found, without rows
	named   bool               // the table that the encoder was fitted to has names for its columns
	kept    []byte             // what standard input had, where it is read several times
	most    int64              // bytes that encoded rows may take in memory; 0 for the default
	weights []float32          // of the rows; nil for ones
	dropped bool               // the weights of rows without a label are left out
	streams bool               // the rows may be larger than the memory
	skip    func(row int) bool // which rows the encoder is not fitted on; nil for none

	doubts      []dataset.Doubt // about the data that were read
	chosen      []string        // flags of train that the data chose
	manyClasses bool            // more whole numbers than usual are taken for classes
}

// reader returns a reader of data by the flags.
func (c *call) reader() *dataReader {
	f := c.flags
	c.quiet = f.Quiet
	d := &dataReader{call: c, opt: f.Data, missing: f.Missing, quiet: f.Quiet}
	d.opt.Decompressors, d.opt.More = decompressors, c.more
	if f.Given("skip-lines") && d.opt.SkipLines == 0 {
		d.opt.SkipLines = -1 // none; 0 detects them
	}
	return d
}

// fittingReader returns a reader that fits encoders to tables.
func (c *call) fittingReader() *dataReader {
	d := c.reader()
	d.fits, d.most = true, memoryFlag(c.flags.MaxMemory).given()
	return d
}

// labelName returns the name of a label of the set.
func labelName(s *dataset.Set, label float32) string {
	if s.Names != nil {
		return s.Names[int(label)]
	}
	return pegasos.FormatLabel(label)
}

// positions returns for each row of the set the position of its label among the classes. Labels
// that are none of the classes are added behind them, in the order of the rows; names has all.
func positions(s *dataset.Set, classes []string) (at []int, names []string) {
	place := map[string]int{}
	for i, name := range classes {
		names = append(names, name)
		place[name] = i
	}
	for _, y := range s.Y {
		if y != y {
			at = append(at, noLabel)
			continue
		}
		name := labelName(s, y)
		k, known := place[name]
		if !known {
			if k = cell.Find(classes, name); k < 0 {
				k = len(names)
				names = append(names, name)
			}
			place[name] = k
		}
		at = append(at, k)
	}
	return at, names
}

// names returns the names of all columns of the encoder's file, and the number of the label's
// column, -1 if there is none.
func (d *dataReader) names() (names []string, label int) {
	e := d.encoder
	for i := range e.Columns {
		names = append(names, e.Columns[i].Name)
	}
	if label = e.LabelAt; e.Label.Kind == "" {
		return names, -1
	}
	if label < 0 {
		label = len(names)
	}
	return slices.Insert(names, label, e.Label.Name), label
}

// again reads data that may have been read before.
func (d *dataReader) again(name string, opt dataset.Options) (*dataset.Set, error) {
	if d.kept != nil && name != "-" {
		return dataset.ReadFrom(bytes.NewReader(d.kept), name, opt)
	}
	if d.kept != nil {
		opt.Stdin = bytes.NewReader(d.kept)
	}
	return dataset.Read(name, opt)
}

// format returns the format of data of that name.
func (d *dataReader) format(name string) dataset.Format {
	if d.opt.Format == dataset.FormatAuto || d.opt.Format == "" {
		return dataset.FormatOf(name)
	}
	return d.opt.Format
}

// isTable reports whether data of that name are text in rows and columns.
func (d *dataReader) isTable(name string) bool { return d.format(name).IsTable() }

// separates reports whether a character separates the cells of a table.
func separates(f *dataset.Form) bool {
	return (f.Format == form.CSV || f.Format == form.TSV) && f.Separator != form.None
}

// asFitted returns options that read the text of a table as the fitter has read it.
func (d *dataReader) asFitted() dataset.Options {
	opt := d.opt
	if d.last == nil || d.last.Form == nil || d.last.Mixed || !separates(d.last.Form) {
		return opt // files of several forms are detected again
	}
	f := d.last.Form
	opt.Format, opt.Encoding, opt.SkipLines = dataset.Format(f.Format), f.Encoding, f.SkipLines
	if opt.Separator = string(f.Separator); f.SkipLines == 0 {
		opt.SkipLines = -1
	}
	opt.Quote, opt.Comment = characterWord(f.Quote), characterWord(f.Comment)
	if opt.Header = dataset.HeaderNo; f.Header {
		opt.Header = dataset.HeaderYes
	}
	return opt
}

// noLabel is the position of the label of a row that has none.
const noLabel = -1

// A labelling says which labels the names of the classes stand for.
type labelling struct {
	names  []string  // nil: they are the labels themselves, as text
	labels []float32 // nil: the names' positions
}

// kindsOfFlags has the kind that each of these flags gives to columns.
var kindsOfFlags = []struct {
	flag string
	kind tables.Kind
}{{"ignore", tables.LeftOut}, {"numbers", tables.Number}, {"dates", tables.Date},
	{"categories", tables.Category}, {"text", tables.Text}}

var dateOrders = map[string]cell.Order{"dmy": cell.DMY, "mdy": cell.MDY, "ymd": cell.YMD}
