package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/replace"
)

var convertCommand = command{
	name:      "convert",
	arguments: "DATA|MODEL OUT",
	summary:   "write data or a model in another form",
	help: `Convert reads data and writes them in the format that OUT's ending says: .svm for
svmlight, .csv, .npy or .pgsm, all but the last also with .gz behind it; OUT may be - for svmlight
on standard output. The .pgsm format is mapped into memory when it is read: it opens at once, and
may be larger than the memory. Numbers stay what they are, to the bit. docs/data.md says what a
format does not keep.

With -from or -to it reads a model and writes it in another form: -to liblinear for liblinear's
predict, or -to onnx for runtimes of other languages, or -to json for everything else. With -from
liblinear it reads what liblinear's train has written, and with -from json what it wrote itself. OUT
may be - for standard output. docs/models.md says what is kept and what is lost.

Examples:
  pegasimd convert train.svm.gz train.pgsm
  pegasimd convert -stream huge.svm.gz huge.pgsm
  pegasimd convert -label-column y table.csv table.npy
  pegasimd convert -hash-bits 20 clicks.svm.gz clicks.pgsm
  pegasimd convert -to liblinear a9a.model a9a.liblinear
  pegasimd convert -to onnx digits.model digits.onnx
  pegasimd convert -from liblinear heart_scale.model heart.model`,
	run: convert,
}

func convert(c *call) error {
	var f convertFlags
	args, err := c.parse(&f, 2, 2)
	if err != nil {
		return err
	}
	if f.from != "" || f.to != "" {
		return convertModel(c, &f, args[0], args[1])
	}
	format, err := outFormat(args[1])
	if err != nil {
		return err
	}
	var rows, cols int
	if f.stream {
		rows, cols, err = convertStream(c.reader(f.data), args[0], args[1], format)
	} else {
		rows, cols, err = convertData(c.reader(f.data), args[0], args[1], format)
	}
	if err == nil && !f.data.quiet {
		fmt.Fprintf(c.stderr, "%d rows, %d features: %s\n", rows, cols, args[1])
	}
	return err
}

func convertData(d *dataReader, in, out string, format dataset.Format) (rows, cols int, err error) {
	set, _, err := d.read(in, nil)
	if err != nil {
		return 0, 0, err
	}
	return set.Rows(), set.Cols(), writeData(d.call, out, format, set)
}

// convertStream converts svmlight data that may be larger than the memory.
func convertStream(d *dataReader, in, out string, format dataset.Format) (rows, cols int,
	err error) {
	if format != dataset.FormatPGSM {
		return 0, 0, usagef("-stream is for svmlight data and an OUT that ends in .pgsm")
	}
	p := d.options(in)
	err = replace.WriteFile(out, func(w io.Writer) (err error) {
		rows, cols, err = dataset.ConvertSvmlight(w.(io.WriterAt), in, d.opt)
		return err
	})
	p.clear()
	return rows, cols, err
}

// outFormat returns the format that a file's name asks for.
func outFormat(name string) (dataset.Format, error) {
	if name == "-" {
		return dataset.FormatSvmlight, nil
	}
	plain := strings.TrimSuffix(name, ".gz")
	switch filepath.Ext(plain) {
	case ".svm", ".libsvm", ".svmlight", ".txt":
		return dataset.FormatSvmlight, nil
	case ".csv":
		return dataset.FormatCSV, nil
	case ".npy":
		return dataset.FormatNPY, nil
	case ".pgsm":
		if plain != name {
			return "", usagef("%s: the pgsm format is mapped into memory, so that it can't be "+
				"compressed", name)
		}
		return dataset.FormatPGSM, nil
	}
	return "", usagef("%s: want an ending that tells the form: .svm, .csv, .npy or .pgsm; for a "+
		"model, -from or -to", name)
}

// writeData writes a set to a file, in one piece, or to standard output.
func writeData(c *call, name string, format dataset.Format, set *dataset.Set) error {
	write := func(w io.Writer) error {
		switch format {
		case dataset.FormatCSV:
			return dataset.WriteCSV(w, set)
		case dataset.FormatNPY:
			return dataset.WriteNPY(w, set)
		case dataset.FormatPGSM:
			return dataset.WritePGSM(w.(io.WriterAt), set) // it is an *os.File
		}
		return dataset.WriteSvmlight(w, set)
	}
	if name == "-" {
		if err := write(c.stdout); err != nil {
			return err
		}
		return set.Err()
	}
	err := replace.WriteFile(name, func(w io.Writer) error {
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(w)
			if err := write(z); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
		} else if err := write(w); err != nil {
			return err
		}
		return set.Err() // of the file that the set is mapped from, all of which has been read
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
