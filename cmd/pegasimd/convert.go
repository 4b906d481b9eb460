package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/pegasos"
)

var convertCommand = command{help.Command{
	Name:      "convert",
	Arguments: "MODEL|DATA... OUT",
	Summary:   "write data or a model in another form",
	Help: `Convert writes data in the format of OUT's ending: .svm for svmlight, .csv, .npy or
.pgsm. All but .pgsm may be followed by .gz. OUT may be - for svmlight on standard output. A .pgsm
file is mapped into memory when it is read. So it opens at once, and may be larger than memory.
docs/data.md says what each format loses. Several DATA are read as one, as by train. The last
argument is OUT.

For a table convert writes the features that train would compute. With -for MODEL it writes the
features that the model computes. If the model has curves, these are the scaled features and the
terms of the curves. The model is a linear function of them.

With -from or -to, convert reads or writes a linear model:
  -to go           a Go file that needs only the standard library, and a test
  -to liblinear    for liblinear's predict
  -to onnx         for other runtimes; of tables only numbers and categories
  -to json         for other programs
  -from liblinear  a file of liblinear's train
  -from json       a file of -to json
If OUT ends in .go, .liblinear, .onnx or .json, -to is not needed for a MODEL that is a file, or with
-from. Lines name the parts of the model that the format leaves out. Some models, such as curves to
liblinear, can't be converted.

Examples:
  pegasimd convert train.svm.gz train.pgsm
  pegasimd convert jan.csv feb.csv quarter.pgsm
  pegasimd convert -stream huge.svm.gz huge.pgsm
  pegasimd convert -for people.model people.csv people.svm
  pegasimd convert -to go people.model people.go
  pegasimd convert -to liblinear a9a.model a9a.liblinear
  pegasimd convert -to onnx digits.model digits.onnx
  pegasimd convert -from liblinear heart_scale.model heart.model`,
}, runConvert}

func runConvert(c *call, args []string) error {
	f := c.flags
	if f.For != "" && (f.From != "" || f.To != "" || f.Stream) {
		return flags.Usagef("-for converts data: it can't be given with -from, -to or -stream")
	}
	if f.Given("lambda") && f.From != "liblinear" {
		return flags.Usagef("-lambda is only for -from liblinear")
	}
	model := f.From != "" || f.To != ""
	if f.To == "" && f.From != "" {
		f.To = formOfEnding[files.Ending(plainName(args[1]))]
	}
	if !model && args[0] != "-" {
		if model, _ = c.holdsModel(args[0]); model && f.For != "" {
			return flags.Usagef("%s is a model, want data", args[0])
		} else if model {
			if f.To = formOfEnding[files.Ending(plainName(args[1]))]; f.To == "" {
				if _, err := readLinear("", args[0]); err != nil {
					return err
				}
				return flags.Usagef("%s is a model: want -to, or an OUT that ends in .go, .json, "+
					".liblinear or .onnx", args[0])
			}
		}
	}
	switch {
	case model && len(c.more) > 0:
		return flags.Usagef("a model is converted alone: want MODEL OUT")
	case model:
		return convertModel(c, args[0], args[1])
	}
	format, err := outFormat(args[1])
	if err != nil {
		return err
	}
	if f.Stream && format != dataset.FormatPGSM {
		return flags.Usagef("-stream writes .pgsm files: want an OUT that ends in .pgsm")
	}
	out := c.writes("OUT", args[1], dataKinds[format])
	if err := c.openOutputs(); err != nil {
		return err
	}
	var rows, cols int
	reader := c.fittingReader(args[0])
	if f.For != "" {
		reader.opt.Labels = dataset.LabelsAuto
	}
	set := new(dataset.Set) // stays empty with -stream
	if f.Stream {
		p := reader.options()
		err = out.write(func(w io.Writer) (err error) {
			rows, cols, err = reader.stream(w.(io.WriterAt))
			return cmp.Or(err, reader.settle(false))
		})
		p.clear()
	} else {
		if set, err = reader.readFor(f.For, format); err != nil {
			return err
		}
		if err := reader.settle(false); err != nil {
			return err
		}
		rows, cols, err = set.Rows(), set.Cols(), reader.writeData(out, format, set)
	}
	if err == nil && !c.flags.Quiet {
		name := escape.Name(args[1])
		if out.toStdout() {
			name = "the output"
		}
		fmt.Fprintf(c.stderr, "%s, %s: %s\n", count(rows, "row"), count(cols, "feature"), name)
		if e := reader.encoder; f.For == "" && e != nil && !e.Raw {
			printTable(c.stderr, e, reader.fitter)
			fmt.Fprintf(c.stderr, "a model trained on %s predicts rows of these features, not rows of the "+
				"table\n", name)
		}
		reader.tell(set)
	}
	return err
}

func (d *dataReader) readFor(model string, format dataset.Format) (*dataset.Set, error) {
	if model == "" {
		set, _, err := d.read(nil)
		return set, err
	}
	m, err := readModel(model, os.Stdin)
	if err != nil {
		return nil, err
	}
	head := m.Head()
	set, _, err := d.read(&head)
	if l, ok := m.(*pegasos.Model); ok && err == nil && l.Scaling != nil &&
		l.Scaling.Expansion != nil {
		err = d.expand(set, l.Scaling)
	}
	if err == nil && head.Classes != nil && !set.Unlabelled {
		y, names := slices.Clone(set.Y), set.Names
		if err = relabel(set, m, nil); err != nil {
			err = fmt.Errorf("%s: %w", d, err)
		}
		if format == dataset.FormatCSV || format == dataset.FormatPGSM { // hold names
			set.Y, set.Names = y, names
		}
	}
	return set, err
}

func outFormat(name string) (dataset.Format, error) {
	format := dataset.FormatOf(name)
	switch {
	case !format.CanWrite(name) && format.CanWrite(strings.ReplaceAll(name, ",", "-")):
		return "", flags.Usagef("%s: a name of two files: want one, whose last column gets the labels",
			name)
	case !format.CanWrite(plainName(name)):
		return "", flags.Usagef("%s: want a name that ends in .svm, .csv, .npy or .pgsm; to convert a "+
			"linear model, give -from or -to", name)
	case !format.CanWrite(name):
		return "", flags.Usagef("%s: a .pgsm file is mapped into memory and can't be compressed",
			name)
	}
	return format, nil
}

func (d *dataReader) writeData(out *output, format dataset.Format, set *dataset.Set) error {
	return out.write(func(w io.Writer) error {
		err := dataset.Write(w, format, set)
		if err == nil {
			err = set.Err() // damage found while reading a mapped file
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
		return nil
	})
}
