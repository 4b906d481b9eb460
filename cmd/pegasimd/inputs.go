package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/csvcell"
	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file reads what training takes beside the data.

// readNumbers reads numbers, separated by blanks, tabs or commas, and calls f for those of each
// line. An error of f is that of the line.
func readNumbers(name, what string, f func(numbers []float64) error) error {
	text, err := readNamed(name, io.ReadAll)
	if err != nil {
		return err
	}
	name = inputName(name)
	separates := func(r rune) bool { return strings.ContainsRune(" \t,\r", r) }
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var numbers []float64
		for _, word := range strings.FieldsFunc(line, separates) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return fmt.Errorf("%s:%d: %.40q is not a %s", name, i+1, word, what)
			}
			numbers = append(numbers, v)
		}
		if err := f(numbers); err != nil {
			return fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	return nil
}

// readWeights reads one number a line, or nothing if the name is empty.
func readWeights(name string) (weights []float32, err error) {
	if name == "" {
		return nil, nil
	}
	err = readNumbers(name, "weight", func(numbers []float64) error {
		if len(numbers) != 1 {
			return errors.New("want one weight a line")
		}
		w := float32(numbers[0])
		weights = append(weights, w)
		if !options.GoodWeight(float64(w)) {
			return fmt.Errorf("the weight is %v, want %s", numbers[0], options.GoodWeights)
		}
		return nil
	})
	return weights, err
}

// readWeightsOf is readWeights for a number of rows.
func readWeightsOf(name string, rows int) ([]float32, error) {
	weights, err := readWeights(name)
	if err == nil {
		err = checkWeights(name, weights, rows)
	}
	return weights, err
}

// checkWeights returns an error unless the file, if it has a name, has a weight for each row.
func checkWeights(name string, weights []float32, rows int) error {
	if name != "" && len(weights) != rows {
		return fmt.Errorf("%s: %d weights for %d rows", inputName(name), len(weights), rows)
	}
	return nil
}

// readWeights reads the weights of the rows that d reads next. Encoders are not fitted to the rows
// of weight 0 then.
func (d *dataReader) readWeights(name string) ([]float32, error) {
	weights, err := readWeights(name)
	if weights != nil {
		d.skip = func(row int) bool { return row < len(weights) && weights[row] == 0 }
	}
	return weights, err
}

// readCosts reads a matrix, a row a line, or nothing if the name is empty.
func readCosts(name string) (costs [][]float64, err error) {
	if name == "" {
		return nil, nil
	}
	err = readNumbers(name, "cost", func(numbers []float64) error {
		costs = append(costs, numbers)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, row := range costs {
		if len(row) != len(costs) {
			return nil, fmt.Errorf("%s:%d: %d costs, want %d: as many as there are lines",
				name, i+1, len(row), len(costs))
		}
	}
	return costs, nil
}

// A labelling says which labels the names of the classes stand for.
type labelling struct {
	names  []string  // nil: they are the labels themselves, as text
	labels []float32 // nil: the names' positions
}

// label returns the label of a class. It reports false if there is none.
func (l labelling) label(name string) (float32, bool) {
	if l.names == nil {
		v, err := strconv.ParseFloat(name, 32)
		return float32(v), err == nil
	}
	k := csvcell.Find(l.names, name)
	switch {
	case k < 0:
		return 0, false
	case l.labels != nil:
		return l.labels[k], true
	}
	return float32(k), true
}

// namesOf returns the names of labels; nil if they have none. Some of the names may be of other
// labels.
func (l labelling) namesOf(labels []float32) (names []string) {
	if l.names == nil {
		return nil
	}
	for _, label := range labels {
		k := int(label)
		if l.labels != nil {
			k = slices.Index(l.labels, label)
		}
		names = append(names, l.names[k])
	}
	return names
}

// classWeight returns a list of class weights with labels in place of names.
func (l labelling) classWeight(list string) (string, error) {
	if l.names == nil || list == "" || list == pegasos.Balanced {
		return list, nil
	}
	parts := strings.Split(list, ",")
	for i, part := range parts {
		at := strings.LastIndexByte(part, '=')
		var label float32
		found := false
		if at >= 0 {
			label, found = l.label(part[:at])
		}
		switch {
		case at < 0:
			return "", usagef("-class-weight: %q: want name=weight, with a name from the data",
				part)
		case !found:
			return "", usagef("-class-weight: no row has the label %q", part[:at])
		}
		parts[i] = pegasos.FormatLabel(label) + part[at:]
	}
	return strings.Join(parts, ","), nil
}

// readValid reads data to validate a model of the set with. A label that the set's names do not
// have becomes NaN: no prediction is right.
func (d *dataReader) readValid(
	name string, set *dataset.Set, known labelling, numbers bool,
) (*pegasos.Labelled, error) {
	likeSet := *d
	likeSet.opt.IndexBase = dataset.IndexBase(fmt.Sprint(set.IndexBase))
	likeSet.opt.Features = set.Cols()
	if likeSet.opt.Table, _ = usable(set); d.encoder != nil {
		d.encoder.Options(&likeSet.opt).RefuseGaps = d.missing == "error"
	}
	v, _, err := likeSet.read(name, nil)
	if err != nil {
		return nil, err
	}
	if !d.quiet {
		likeSet.odd(d.call.stderr, escape.Name(shortName(name))+": ")
	}
	if v.Rows() == 0 {
		return nil, fmt.Errorf("%s: no rows to validate with", name)
	}
	if numbers && v.Names != nil {
		return nil, fmt.Errorf("%s: the labels are names, want numbers", name)
	}
	if v.Names != nil || known.names != nil {
		for i, y := range v.Y {
			label, ok := known.label(labelName(v, y))
			if !ok {
				label = float32(math.NaN())
			}
			v.Y[i] = label
		}
	}
	return &pegasos.Labelled{X: v.Examples(), Y: v.Y}, nil
}

// relabel gives the set the model's labels and names. Rows of weight 0 may have other labels; nil
// weights are ones.
func relabel(set *dataset.Set, m modelio.Predictor, weights []float32) error {
	classes := m.Head().Classes
	at, names := positions(set, predictions.ClassNames(m))
	for i, k := range at {
		if k >= len(classes) {
			if i < len(weights) && weights[i] == 0 {
				continue // a class that has no other rows is none of the model's
			}
			return fmt.Errorf("row %d: the label %s is none of the model's", i, names[k])
		}
		set.Y[i] = classes[k]
	}
	set.Names = m.Head().Names
	return nil
}
