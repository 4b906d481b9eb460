package main

import (
	"fmt"
	"go/token"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/modelio/gofile"
	"github.com/pegasimd/pegasimd/modelio/onnx"
	"github.com/pegasimd/pegasimd/pegasos"
)

// In writeForms, "" is Pegasimd's own format.
var (
	readForms = map[string]func(io.Reader) (*pegasos.Model, error){
		"liblinear": modelio.ReadLiblinear,
		"json":      modelio.ReadJSON,
	}
	writeForms = map[string]func(io.Writer, *pegasos.Model) error{
		"":          func(w io.Writer, m *pegasos.Model) error { return m.Write(w) },
		"liblinear": modelio.WriteLiblinear,
		"json":      modelio.WriteJSON,
		"onnx":      onnx.Write,
	}
)

var formOfEnding = map[string]string{".json": "json", ".onnx": "onnx", ".liblinear": "liblinear",
	".go": "go"}

func convertModel(c *call, in, out string) error {
	f := c.flags
	if !(f.Lambda > 0 && f.Lambda <= math.MaxFloat64) {
		return flags.Usagef("-lambda: have %v, want a positive finite number", f.Lambda)
	}
	if err := c.refuseDataFlags(in); err != nil {
		return err
	}
	o := c.writes("OUT", out, modelKinds[f.To])
	var test *output
	if f.To == "go" {
		var err error
		if test, err = c.writesTest(out); err != nil {
			return err
		}
	}
	if err := c.openOutputs(); err != nil {
		return err
	}
	m, err := readLinear(f.From, in)
	if err != nil {
		return err
	}
	encoder, err := predictions.Encoder(m.Head())
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	encodes := encoder != nil && !encoder.Raw
	if encodes && f.To == "liblinear" {
		own, where := shellWord(in), ""
		if f.From != "" {
			own, where = "MODEL", ", where MODEL is in Pegasimd's own format"
		}
		how := "-curves none -scale none"
		if len(m.Classes) > 2 {
			how += " -multiclass ovr"
		}
		return fmt.Errorf("%s: the format %s can't represent how cells become numbers: write the "+
			"data as numbers (convert -for %s DATA rows.svm%s), train a model on rows.svm with %s, and "+
			"convert that model", inputName(in), f.To, own, where, how)
	}
	if m.Scaling != nil && m.Scaling.Expansion != nil && f.To == "liblinear" {
		return fmt.Errorf("%s: the format %[2]s can't represent the model's curves: train with "+
			"-curves none", in, f.To)
	}
	if m.Scaling != nil && !m.Scaling.Folded && f.To == "liblinear" {
		return fmt.Errorf("%s: the model scales each row (%s), which the format %s can't "+
			"represent: train with -scale none, and if need be scale the values in the data", in,
			m.Scaling.Kind, f.To)
	}
	if f.To == "liblinear" && m.Config.Multiclass == pegasos.OneVsOne && len(m.Classes) > 2 {
		return fmt.Errorf("%s: liblinear can't represent the pairs of one-vs-one: train with "+
			"-multiclass ovr", in)
	}
	if f.From == "liblinear" {
		m.Lambda, m.Config.Lambda = f.Lambda, f.Lambda
	}
	if f.To == "go" {
		err = writeGo(o, test, m, in, f.Data.Layout)
	} else {
		err = o.write(func(w io.Writer) error {
			if err := writeForms[f.To](w, m); err != nil {
				return fmt.Errorf("%s: %w", inputName(in), err)
			}
			return nil
		})
	}
	if err == nil && !f.Quiet {
		printLosses(c.stderr, m, f.To, encodes)
	}
	return err
}

func readLinear(form, name string) (*pegasos.Model, error) {
	if form != "" {
		return readNamed(name, readForms[form])
	}
	any, err := readModel(name, os.Stdin)
	if err != nil {
		return nil, err
	}
	m, linear := any.(*pegasos.Model)
	if !linear {
		return nil, fmt.Errorf("%s: a kernel machine can't be converted to another format",
			inputName(name))
	}
	return m, nil
}

func printLosses(w io.Writer, m *pegasos.Model, to string, encodes bool) {
	several := len(m.Classes) > 2
	settings := "the settings"
	switch {
	case !math.IsNaN(m.Result.Gap):
		settings += ", and the objective with its bound"
	case !math.IsNaN(m.Result.Objective):
		settings += ", and the objective"
	}
	for _, lost := range []struct {
		is          bool
		what, forms string
	}{
		{m.State != nil, "the state of the run, with which -resume continues it",
			"liblinear onnx json go"},
		{m.Table != nil && !encodes,
			"which column of the data has the labels, and the names of the columns, if any",
			"liblinear onnx"},
		{encodes, "how cells are read: pass numbers as floats, words without blanks around them, and " +
			"for a missing cell NaN or, in a column of words, \"\"", "onnx"},
		{m.HashBits > 0, fmt.Sprintf("the hashing of features: hash data to %d bits first "+
			"(convert -hash-bits)", m.HashBits), "liblinear onnx go"},
		{m.Names != nil, "the names of the classes", "liblinear"},
		{m.Calibration != nil || several && m.Config.Multiclass == pegasos.Multinomial,
			"the probabilities", "liblinear"},
		{m.HasProbabilities() && several && m.Config.Multiclass == pegasos.OneVsOne,
			"the probabilities (train with -multiclass ovr to keep them)", "onnx"},
		{true, settings, "liblinear onnx go"},
	} {
		if lost.is && slices.Contains(strings.Fields(lost.forms), to) {
			fmt.Fprintf(w, "%s leaves out %s\n", to, lost.what)
		}
	}
	if to != "liblinear" {
		return
	}
	for i, name := range m.Names {
		fmt.Fprintf(w, "class %s has the label %s\n", escape.Name(name),
			pegasos.FormatLabel(m.Classes[i]))
	}
	if m.IndexBase == 0 {
		fmt.Fprintln(w, "liblinear counts features from 1: feature 0 is 1 there, and so on")
	}
}

func (c *call) writesTest(out string) (*output, error) {
	name, isGo := strings.CutSuffix(out, ".go")
	switch {
	case out == "-":
		return nil, nil
	case !isGo || strings.HasSuffix(name, "_test"):
		return nil, flags.Usagef("%s: want a name that ends in .go, but not in _test.go", out)
	}
	return c.writes("the test of OUT", name+"_test.go", modelKinds["go"]), nil
}

func packageOf(file string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSuffix(filepath.Base(file), ".go")))
	if !token.IsIdentifier(name) || name == "main" {
		return "model"
	}
	return name
}

func writeGo(o, test *output, m *pegasos.Model, in string, layout dataset.Layout) error {
	name := packageOf(o.name)
	for _, f := range []struct {
		to    *output
		write func(io.Writer, *pegasos.Model, string, dataset.Layout) error
	}{{test, gofile.WriteTest}, {o, gofile.Write}} {
		if err := f.to.write(func(w io.Writer) error {
			if err := f.write(w, m, name, layout); err != nil {
				return fmt.Errorf("%s: %w", inputName(in), err)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
