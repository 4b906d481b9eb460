package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file reads what training takes beside the data.

// readNumbers reads numbers, separated by blanks, tabs or commas, and calls f for those of each line.
func readNumbers(name, what string, f func(numbers []float64)) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var numbers []float64
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\r' }) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return fmt.Errorf("%s:%d: %.40q is not a %s", name, i+1, word, what)
			}
			numbers = append(numbers, v)
		}
		f(numbers)
	}
	return nil
}

// readWeights reads a number a line.
func readWeights(name string) (weights []float32, err error) {
	bad := 0
	err = readNumbers(name, "weight", func(numbers []float64) {
		if len(numbers) != 1 && bad == 0 {
			bad = len(weights) + 1
		}
		weights = append(weights, 0)
		if len(numbers) == 1 {
			weights[len(weights)-1] = float32(numbers[0])
		}
	})
	if err == nil && bad > 0 {
		err = fmt.Errorf("%s:%d: want one weight a line", name, bad)
	}
	return weights, err
}

// readCosts reads a matrix, a row a line.
func readCosts(name string) (costs [][]float64, err error) {
	err = readNumbers(name, "cost", func(numbers []float64) { costs = append(costs, numbers) })
	return costs, err
}

// readValid reads data to validate a model of the set with. Labels that the set does not have are NaN: no prediction is right.
func (d *dataFlags) readValid(c *call, name string, set *dataset.Set) (*pegasos.Labelled, error) {
	likeSet := *d
	likeSet.base = fmt.Sprint(set.IndexBase)
	likeSet.opt.Features = set.Cols()
	v, _, err := likeSet.read(c, name, nil)
	if err != nil {
		return nil, err
	}
	if v.Rows() == 0 {
		return nil, fmt.Errorf("%s: no rows to validate with", name)
	}
	if v.Names != nil || set.Names != nil {
		for i, y := range v.Y {
			label := pegasos.FormatLabel(y)
			if v.Names != nil {
				label = v.Names[int(y)]
			}
			if k := slices.Index(set.Names, label); k >= 0 {
				v.Y[i] = float32(k)
			} else {
				v.Y[i] = float32(math.NaN())
			}
		}
	}
	return &pegasos.Labelled{X: matrix(v), Y: v.Y}, nil
}

// classWeight returns a list of class weights with labels in place of the data's names.
func classWeight(list string, names []string) (string, error) {
	if names == nil || list == "" || list == pegasos.Balanced {
		return list, nil
	}
	parts := strings.Split(list, ",")
	for i, part := range parts {
		at := strings.LastIndexByte(part, '=')
		class := -1
		if at >= 0 {
			class = slices.Index(names, part[:at])
		}
		if class < 0 {
			return "", usagef("-class-weight: %q: want name=weight, with a name from the data", part)
		}
		parts[i] = fmt.Sprint(class, part[at:])
	}
	return strings.Join(parts, ","), nil
}

// relabel gives the set the model's labels and names.
func relabel(set *dataset.Set, m *pegasos.Model) error {
	at, names := labels(set, m)
	for i, k := range at {
		if k >= len(m.Classes) {
			return fmt.Errorf("row %d: the label %s is none of the model's", i, names[k])
		}
		set.Y[i] = m.Classes[k]
	}
	set.Names = m.Names
	return nil
}
