package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/pegasimd/pegasimd/dataset"
)

var scaleCommand = command{
	name:      "scale",
	arguments: "DATA OUT",
	summary:   "bring the features of data to one scale",
	help: `Scale writes data with scaled features, in the format of OUT's ending as in convert. max-abs divides
each column by its largest magnitude, and keeps zeros; standard subtracts the column's mean and
divides by its standard deviation, for dense data; unit divides each row by its length.

Data to predict need the scale of the training data: -save keeps it, -like applies it.

Examples:
  pegasimd scale covtype.svm.gz covtype.scaled.svm.gz
  pegasimd scale -kind standard -layout dense -save scale.json train.csv train.npy
  pegasimd scale -like scale.json -layout dense test.csv test.npy`,
	common: "kind save like " + usualDataFlags,
	flags:  func() commandFlags { return new(scaleFlags) },
}

func (f *scaleFlags) run(c *call, args []string) error {
	format, err := outFormat(args[1])
	if err != nil {
		return err
	}
	if f.like != "" && c.given("kind") {
		return usagef("-like has its own -kind")
	}
	out := c.writes("OUT", args[1], dataKinds[format])
	saveOut := c.writes("-save", f.save, scaleKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	reader := c.reader(f.data)
	scaler, err := readNamed(f.like, readScaler)
	if err != nil {
		return err
	}
	if scaler != nil {
		reader.opt.Features = len(scaler.Factor) // 0, for any number, if it is for rows
		reader.opt.Table = scaler.Table
	}
	set, _, err := reader.read(args[0], nil)
	if err != nil {
		return err
	}
	if scaler == nil {
		if scaler, err = dataset.FitScaler(set, dataset.ScaleKind(f.kind)); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if scaler.Factor != nil {
			scaler.Table = usable(set)
		}
	}
	scaled, err := scaler.Apply(set)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if err := writeData(out, format, scaled, args[0]); err != nil {
		return err
	}
	if !f.data.quiet {
		reader.tell(set)
	}
	return saveOut.writeJSON(scaler)
}

func readScaler(r io.Reader) (*dataset.Scaler, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	s := new(dataset.Scaler)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("want what scale -save has written: %w", err)
	}
	return s, s.Check(len(s.Factor))
}
