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
	help: `Convert reads data and writes them in the form that OUT's ending says: .svm for svmlight, .csv, .npy or .pgsm, all but the last
also with .gz behind it; OUT may be - for svmlight on standard output. The .pgsm form is mapped into memory when it is read: it
opens at once, and may be larger than the memory. Numbers stay what they are, to the bit. docs/data.md tells what a form does
not keep.

With -from or -to it reads a model and writes it in another form: -to liblinear for liblinear's predict, or -to onnx for runtimes
of other languages, or -to json for everything else. With -from liblinear it reads what liblinear's train has written, and with
-from json what it wrote itself. OUT may be - for standard output. docs/models.md tells what is kept and what is lost.

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
	var data dataFlags
	var model modelFlags
	data.define(c)
	model.define(c)
	var stream bool
	c.flags.BoolVar(&stream, "stream", false, "from svmlight to .pgsm: read DATA twice, in place of holding them in memory")
	args, err := c.parse(2, 2)
	if err != nil {
		return err
	}
	if model.asked() {
		return convertModel(c, &model, args[0], args[1])
	}
	form, err := outForm(args[1])
	if err != nil {
		return err
	}
	if stream {
		if form != dataset.FormatPGSM {
			return usagef("-stream is for svmlight data and an OUT that ends in .pgsm")
		}
		return convertStream(c, &data, args[0], args[1])
	}
	set, _, err := data.read(c, args[0], nil)
	if err != nil {
		return err
	}
	if err := writeData(c, args[1], form, set); err != nil {
		return err
	}
	if !data.quiet {
		fmt.Fprintf(c.stderr, "%d rows, %d features: %s\n", set.Rows(), set.Cols(), args[1])
	}
	return nil
}

// convertStream converts svmlight data that may be larger than the memory.
func convertStream(c *call, data *dataFlags, in, out string) error {
	p := data.options(c, in)
	var rows, cols int
	err := replace.File(out, func(w io.Writer) (err error) {
		rows, cols, err = dataset.ConvertSvmlight(w.(io.WriterAt), in, data.opt)
		return err
	})
	p.clear()
	if err == nil && !data.quiet {
		fmt.Fprintf(c.stderr, "%d rows, %d features: %s\n", rows, cols, out)
	}
	return err
}

// outForm returns the form that a file's name asks for.
func outForm(name string) (dataset.Format, error) {
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
			return "", usagef("%s: the pgsm form is mapped into memory, so that it can't be compressed", name)
		}
		return dataset.FormatPGSM, nil
	}
	return "", usagef("%s: want an ending that tells the form: .svm, .csv, .npy or .pgsm; for a model, -from or -to", name)
}

// writeData writes a set to a file, in one piece, or to standard output.
func writeData(c *call, name string, form dataset.Format, set *dataset.Set) error {
	write := func(w io.Writer) error {
		switch form {
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
	err := replace.File(name, func(w io.Writer) error {
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
		return set.Err() // of the file that the set is mapped from, all of which has been met
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
