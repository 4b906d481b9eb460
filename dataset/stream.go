package dataset

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
)

// ConvertSvmlight converts svmlight text to the binary format without holding the features in
// memory, and returns the number of rows and columns. The output equals the output of Read and
// WritePGSM, to the byte. ConvertSvmlight reads the files, which must be regular files, twice, and
// keeps the labels in memory. Options.Labels must be LabelsYes and Options.Features 0.
func ConvertSvmlight(w io.WriterAt, path string, opt Options) (rows, cols int, err error) {
	if opt, err = opt.filled(); err != nil {
		return 0, 0, err
	}
	if err := opt.rereadable(path); err != nil {
		return 0, 0, err
	}
	if opt.Features > 0 || opt.Labels != LabelsYes {
		return 0, 0, fmt.Errorf("%s: want Features 0 and Labels yes", path)
	}
	format := opt.Format
	if format == FormatAuto {
		format = FormatOf(path)
	}
	if format.IsTable() {
		return 0, 0, fmt.Errorf("%s: the format is %s, want svmlight", path, format)
	}
	if format != FormatAuto && format != FormatSvmlight {
		return 0, 0, fmt.Errorf("%s: the format is %s: only svmlight data and tables are converted "+
			"without holding them in memory", path, format)
	}
	if format == FormatAuto {
		opt.Format = FormatSvmlight
	}
	t, names := newTotals(opt), append([]string{path}, opt.More...)
	if err := eachBlock(path, opt, func(b *block) error { return t.add(b, names) }); err != nil {
		return 0, 0, err
	}
	base, first, cols, err := t.columns(opt, names)
	if err != nil {
		return 0, 0, err
	}
	layout, err := opt.Layout.choose(t.nnz, t.rows, cols)
	if err != nil {
		return 0, 0, fail(path, err)
	}
	p, err := NewPGSMWriter(w, PGSMShape{
		Layout: layout, Rows: t.rows, Cols: cols, NNZ: t.nnz,
		IndexBase: base, HashBits: opt.HashBits,
	})
	if err != nil {
		return 0, 0, err
	}
	*opt.bytes = 0 // MaxBytes limits each reading
	err = eachBlock(path, opt, func(b *block) error {
		if b.err != nil {
			return fmt.Errorf("%s: the file was changed while it was read", names[b.file])
		}
		for k := range b.idx {
			b.idx[k] -= int32(first)
		}
		return p.appendBlock(b, func(y float32) float32 { return y })
	})
	if err == nil {
		err = p.Close()
	}
	return t.rows, cols, err
}

// ConvertCSV converts a table to the binary format as [ConvertSvmlight] converts svmlight text, but
// with any Options.Labels and Options.Features.
func ConvertCSV(w io.WriterAt, path string, opt Options) (rows, cols int, err error) {
	if opt, err = opt.filled(); err != nil {
		return 0, 0, err
	}
	if err := opt.rereadable(path); err != nil {
		return 0, 0, err
	}
	nnz := 0
	f, err := eachCSVBlock(path, opt, func(b *block) error {
		nnz += len(b.val)
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	layout, err := opt.Layout.choose(nnz, f.count, f.columns.cols)
	if err != nil {
		return 0, 0, fail(path, err)
	}
	names := f.classes.settle()
	p, err := NewPGSMWriter(w, PGSMShape{
		Layout: layout, Rows: f.count, Cols: f.columns.cols, NNZ: nnz, IndexBase: 1, Names: names,
	})
	if err != nil {
		return 0, 0, err
	}
	*opt.bytes = 0 // MaxBytes limits each reading
	again, err := eachCSVBlock(path, opt, func(b *block) error {
		return p.appendBlock(b, f.classes.place)
	})
	if err == nil && !maps.Equal(again.classes.names, f.classes.names) {
		err = fmt.Errorf("%s: the table was changed while it was read", path)
	}
	if err == nil {
		err = p.Close()
	}
	return f.count, f.columns.cols, err
}

// rereadable returns an error for standard input and for files known to be neither regular nor
// directories, because the files are read more than once. Reading reports other errors.
func (o Options) rereadable(path string) error {
	for _, name := range append([]string{path}, o.More...) {
		if name == "-" {
			return errors.New("stdin: want a regular file, because it is read more than once")
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return fmt.Errorf("%s: want a regular file, because it is read more than once", name)
		}
	}
	return nil
}

func eachCSVBlock(path string, opt Options, each func(b *block) error) (f *tableFile, err error) {
	from, err := sourcesOf(path, opt)
	if err != nil {
		return nil, err
	}
	defer from.close()
	return scanTable(from, opt, func(t *tableFile) error { return each(&t.block) })
}

func (p *PGSMWriter) appendBlock(b *block, label func(y float32) float32) error {
	start := 0
	for i, end := range b.ends {
		if err := p.Append(label(b.y[i]), b.idx[start:end], b.val[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// eachBlock calls f with blocks of svmlight text, including a block that has an error.
func eachBlock(path string, opt Options, f func(b *block) error) error {
	from, err := sourcesOf(path, opt)
	if err != nil {
		return err
	}
	defer from.close()
	l, rules := chunks{from: from, size: chunkSize}, newRules(opt)
	var s scratch
	var data []byte
	for err == nil {
		var file int
		data, file, err = l.next(data)
		b := rules.parse(data, &s)
		b.file = file
		if err := f(&b); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return fail(from.name(), err)
	}
	return nil
}
