package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

type dataReader struct {
	call    *call
	name    string // the first data file; opt.More has the others
	opt     dataset.Options
	missing string

	fits    bool               // fit an encoder to a table
	encoder *tables.Encoder    // nil without one
	fitter  *tables.Fitter     // nil if the encoder is a model's
	last    *dataset.Set       // the fitter's last pass, without rows
	named   bool               // the table that the encoder was fitted to has a header
	kept    []byte             // bytes of standard input or a pipe, if it is read several times
	most    int64              // most bytes of encoded rows in memory; 0 for the default
	weights []float32          // nil means 1 for each row
	given   int                // number of weights in the file of -weights
	dropped bool               // weights lacks rows without a label
	streams bool               // the rows may be larger than memory
	skip    func(row int) bool // rows to leave out when fitting; nil for none
	trained []int              // with -holdout, the rows of the set to train on
	leftOut []int              // rows of the data left out because they have no label

	doubts      []dataset.Doubt
	chosen      []string // flags of train that were chosen from the data
	unread      []string // lines of Coder.Odd that are among doubts
	manyClasses bool     // many distinct whole numbers are taken for classes
}

func (d *dataReader) String() string {
	if n := len(d.opt.More); n > 0 {
		return d.name + " and " + count(n, "more file")
	}
	return inputName(d.name)
}

func (c *call) reader(name string) *dataReader {
	f := c.flags
	d := &dataReader{call: c, name: name, opt: f.Data, missing: f.Missing}
	c.readers = append(c.readers, d)
	d.opt.Decompressors, d.opt.More = decompressors, c.more
	if f.Given("skip-lines") && d.opt.SkipLines == 0 {
		d.opt.SkipLines = -1 // no lines; 0 means to detect their number
	}
	return d
}

// likeTraining makes d read rows in the layout of a training set unless -layout is given, because
// the bits of an objective depend on the layout.
func (d *dataReader) likeTraining(fingerprint string) {
	layout, _, _ := strings.Cut(fingerprint, ":")
	if !d.call.flags.Given("layout") && (layout == "dense" || layout == "sparse") {
		d.opt.Layout = dataset.Layout(layout)
	}
}

func (c *call) fittingReader(name string) *dataReader {
	d := c.reader(name)
	d.fits, d.most = true, memoryFlag(c.flags.MaxMemory).given()
	return d
}

func labelName(s *dataset.Set, label float32) string {
	if s.Names != nil {
		return s.Names[int(label)]
	}
	return pegasos.FormatLabel(label)
}

// at has the index of each row's label in names, or noLabel. names are the classes, then other
// labels in the order of their first rows.
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

// names returns the names of all columns of the encoder's file, and the number of the label column,
// or -1.
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

func (d *dataReader) again(opt dataset.Options) (*dataset.Set, error) {
	if d.kept != nil && d.name != "-" {
		return dataset.ReadFrom(bytes.NewReader(d.kept), d.name, opt)
	}
	if d.kept != nil {
		opt.Stdin = bytes.NewReader(d.kept)
	}
	return dataset.Read(d.name, opt)
}

func (d *dataReader) format() dataset.Format {
	if d.opt.Format == dataset.FormatAuto || d.opt.Format == "" {
		return dataset.FormatOf(d.name)
	}
	return d.opt.Format
}

func (d *dataReader) isTable() bool { return d.format().IsTable() }

func separates(f *dataset.Form) bool {
	return (f.Format == form.CSV || f.Format == form.TSV) && f.Separator != form.None
}

// asFitted returns options that read the text of a table in the same way as the fitter.
func (d *dataReader) asFitted() dataset.Options {
	opt := d.opt
	if d.last == nil || d.last.Form == nil || d.last.Mixed || !separates(d.last.Form) {
		return opt // no text form is fixed: it is detected again
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

const noLabel = -1

type labelling struct {
	names  []string  // nil if the names are the labels as text
	labels []float32 // label of each name; nil if the labels are the indices of the names
}

var kindsOfFlags = []struct {
	flag string
	kind tables.Kind
}{{"ignore", tables.LeftOut}, {"numbers", tables.Number}, {"dates", tables.Date},
	{"categories", tables.Category}, {"text", tables.Text}}

var dateOrders = map[string]cell.Order{"dmy": cell.DMY, "mdy": cell.MDY, "ymd": cell.YMD}
