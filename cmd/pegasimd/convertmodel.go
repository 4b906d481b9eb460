package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/modelio/onnx"
	"github.com/pegasimd/pegasimd/pegasos"
)

// modelFlags are those of convert that say that a model is converted, and how.
type modelFlags struct {
	from, to string
	lambda   float64
}

func (f *modelFlags) define(c *call) {
	c.flags.StringVar(&f.from, "from", "", "read a model in another `form`: liblinear or json")
	c.flags.StringVar(&f.to, "to", "", "write the model in another `form`: liblinear, onnx or json")
	c.flags.Float64Var(&f.lambda, "lambda", pegasos.DefaultLambda, "of a model from liblinear, whose file lacks it: the penalty's `weight`")
}

// asked reports whether a model is to be converted.
func (f *modelFlags) asked() bool { return f.from != "" || f.to != "" }

// convertModel converts the model in one file to another form in another file.
func convertModel(c *call, f *modelFlags, in, out string) error {
	read, ok := map[string]func(string) (*pegasos.Model, error){
		"": pegasos.ReadFile, "liblinear": readLiblinear, "json": readJSON,
	}[f.from]
	if !ok {
		return usagef("-from: there is no form %q, only liblinear and json", f.from)
	}
	write, ok := map[string]func(io.Writer, *pegasos.Model) error{
		"":          func(w io.Writer, m *pegasos.Model) error { return m.Write(w) },
		"json":      func(w io.Writer, m *pegasos.Model) error { return modelio.WriteJSON(w, m) },
		"liblinear": modelio.WriteLiblinear,
		"onnx":      onnx.Write,
	}[f.to]
	if !ok {
		return usagef("-to: there is no form %q, only liblinear, onnx and json", f.to)
	}
	if c.given("lambda") && f.from != "liblinear" {
		return usagef("-lambda is for models from liblinear: this one has its own")
	}
	if err := (pegasos.Config{Lambda: f.lambda}).Validate(); err != nil || f.lambda == 0 {
		return usagef("-lambda: have %v, want a finite number of at least %v", f.lambda, pegasos.MinLambda)
	}
	if isKernelModel(in) {
		return fmt.Errorf("%s: a kernel machine has none of these forms", in)
	}
	m, err := read(in)
	if err != nil {
		return err
	}
	if m.Scaler != nil && f.to != "" && f.to != "json" {
		return fmt.Errorf("%s: %s has no room for how the features are scaled: train on data that were scaled before", in, f.to)
	}
	if f.from == "liblinear" {
		m.Lambda, m.Config.Lambda = f.lambda, f.lambda
	}
	for _, lost := range losses(m, f.to) {
		fmt.Fprintln(c.stderr, lost)
	}
	if out == "-" {
		return write(c.stdout, m)
	}
	if err := replace.File(out, func(w io.Writer) error { return write(w, m) }); err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}

// losses tells what of a model a form does not keep and its user has to know.
func losses(m *pegasos.Model, to string) (told []string) {
	if to == "liblinear" && m.Names != nil {
		var names []string
		for i, name := range m.Names {
			names = append(names, fmt.Sprintf("%s is %s", pegasos.FormatLabel(m.Classes[i]), name))
			if len(names) == 20 && len(m.Names) > 20 {
				names = append(names, "...")
				break
			}
		}
		told = append(told, "liblinear has no names for classes: "+strings.Join(names, ", "))
	}
	if to == "liblinear" && m.Calibration != nil {
		told = append(told, "liblinear has no calibration: the model has no probabilities there")
	}
	if to != "" && m.State != nil {
		told = append(told, "the state of the run is not kept: the model can't be resumed from there")
	}
	if to == "liblinear" && m.IndexBase == 0 {
		told = append(told, "liblinear counts features from 1: feature 0 is 1 there, and so on")
	}
	return told
}

func readJSON(name string) (*pegasos.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := modelio.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// readLiblinear reads a file, and names it in errors along with the line.
func readLiblinear(name string) (*pegasos.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := modelio.ReadLiblinear(f)
	if at := (*modelio.SyntaxError)(nil); errors.As(err, &at) {
		return nil, fmt.Errorf("%s:%d:%d: %s", name, at.Line, at.Column, at.Reason)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
