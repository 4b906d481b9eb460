package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

const (
	longestLine = 16 << 20 // bytes in a line of numbers
	surplus     = 1000     // lines read beyond the expected number, to count them in errors
)

// readNumbers calls f with the numbers of each line of a text file, separated by blanks, tabs or
// commas. f must not keep the slice. Errors of f are reported with the file's name and the line.
// maxBytes 0 means no limit.
func readNumbers(name, what string, maxBytes int64, f func(numbers []float64) error) error {
	line := 0
	invalid, err := readNamed(name, func(r io.Reader) (invalid, err error) {
		limited := &io.LimitedReader{R: r, N: math.MaxInt64}
		if maxBytes > 0 {
			limited.N = maxBytes + 1
		}
		lines := bufio.NewScanner(limited)
		lines.Buffer(nil, longestLine)
		separates := func(r rune) bool { return strings.ContainsRune(" \t,\r", r) }
		var numbers []float64
		for lines.Scan() {
			line, numbers = line+1, numbers[:0]
			if limited.N <= 0 { // the last line may be cut off
				return nil, fmt.Errorf("longer than -max-bytes %d", maxBytes)
			}
			for _, word := range strings.FieldsFunc(lines.Text(), separates) {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil {
					return fmt.Errorf("%.40q is not a %s", word, what), nil
				}
				numbers = append(numbers, v)
			}
			if err := f(numbers); err != nil {
				return err, nil
			}
		}
		return nil, lines.Err()
	})
	if invalid != nil {
		return fmt.Errorf("%s:%d: %w", inputName(name), line, invalid)
	}
	return err
}

func readWeights(name string, maxBytes int64, rows int) (weights []float32, err error) {
	if name == "" {
		return nil, nil
	}
	err = readNumbers(name, "weight", maxBytes, func(numbers []float64) error {
		if len(numbers) != 1 {
			return errors.New("want one weight per line")
		}
		if len(weights)-surplus == rows {
			return fmt.Errorf("more than %d weights for %s", rows+surplus, count(rows, "row"))
		}
		w := float32(numbers[0])
		weights = append(weights, w)
		if !labels.GoodWeight(numbers[0]) || !labels.GoodWeight(float64(w)) {
			return fmt.Errorf("the weight is %v, want %s", numbers[0], labels.GoodWeights)
		}
		return nil
	})
	if err == nil && len(weights) > 0 && slices.Max(weights) == 0 {
		err = fmt.Errorf("%s: want a weight above 0: all are 0", inputName(name))
	}
	return weights, err
}

func checkWeights(name string, weights []float32, rows int) error {
	return checkWeightCount(name, len(weights), rows)
}

func checkWeightCount(name string, weights, rows int) error {
	if name != "" && weights != rows {
		return fmt.Errorf("%s: %s for %s", inputName(name), count(weights, "weight"),
			count(rows, "row"))
	}
	return nil
}

// checkWeights also counts rows left out because they have no label.
func (d *dataReader) checkWeights(set *dataset.Set) error {
	return checkWeightCount(d.call.flags.Weights, d.given, set.Rows()+len(set.LeftOut))
}

// readWeights also makes d fit encoders without rows of weight 0.
func (d *dataReader) readWeights(name string) (err error) {
	d.weights, err = readWeights(name, d.opt.MaxBytes, math.MaxInt)
	d.given = len(d.weights)
	if d.weights != nil {
		d.skip = func(row int) bool { return row < len(d.weights) && d.weights[row] == 0 }
	}
	return err
}

// dropWeights removes the weights of rows left out because they have no label. Later calls remove
// none.
func (d *dataReader) dropWeights(set *dataset.Set) bool {
	if d.dropped || d.weights == nil || len(set.LeftOut) == 0 {
		return false
	}
	d.dropped, d.weights = true, withoutRows(d.weights, set.LeftOut)
	return true
}

// rows must ascend.
func withoutRows(weights []float32, rows []int) (rest []float32) {
	for i, w := range weights {
		if len(rows) > 0 && rows[0] == i {
			rows = rows[1:]
		} else {
			rest = append(rest, w)
		}
	}
	return rest
}

func readCosts(name string) (costs [][]float64, err error) {
	if name == "" {
		return nil, nil
	}
	err = readNumbers(name, "cost", 0, func(numbers []float64) error {
		if len(numbers) == 0 {
			return errors.New("a line without costs")
		}
		if len(costs) > 0 && len(costs)-surplus >= len(costs[0]) {
			return fmt.Errorf("more than %d lines, but the first line has %s: want as many "+
				"lines as costs in a line", len(costs[0])+surplus, count(len(costs[0]), "cost"))
		}
		costs = append(costs, slices.Clone(numbers))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if costs == nil {
		return nil, fmt.Errorf("%s: no costs", inputName(name))
	}
	for i, row := range costs {
		if len(row) != len(costs) {
			return nil, fmt.Errorf("%s:%d: %s, want %d, the number of lines",
				inputName(name), i+1, count(len(row), "cost"), len(costs))
		}
	}
	return costs, nil
}

// Without names, label accepts every number.
func (l labelling) label(name string) (float32, bool) {
	if l.names == nil {
		v, err := strconv.ParseFloat(name, 32)
		return float32(v), err == nil
	}
	k := cell.Find(l.names, name)
	switch {
	case k < 0:
		return 0, false
	case l.labels != nil:
		return l.labels[k], true
	}
	return float32(k), true
}

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
			return "", flags.Usagef("-class-weight: %q: want class=weight, with a class of the data, or "+
				"balanced alone", part)
		case !found:
			return "", flags.Usagef("-class-weight: no class is called %q; the classes are %s",
				part[:at], listNames(l.names, 20))
		}
		parts[i] = pegasos.FormatLabel(label) + part[at:]
	}
	return strings.Join(parts, ","), nil
}

// Labels for which known.label fails become NaN, so that every prediction of such a row is wrong.
// leftOut lists the rows left out because they have no label.
func (d *dataReader) readValid(
	names []string, set *dataset.Set, known labelling, numbers bool,
) (valid *pegasos.Labelled, leftOut []int, err error) {
	likeSet := *d
	likeSet.name, likeSet.opt.More, likeSet.doubts = names[0], names[1:], nil
	likeSet.opt.IndexBase = dataset.IndexBase(fmt.Sprint(set.IndexBase))
	likeSet.opt.Features, likeSet.opt.HashBits = set.Cols(), set.HashBits
	if likeSet.opt.Table = usable(set); d.encoder != nil {
		c := d.encoder.Coder()
		likeSet.opt.Encoder, c.RefuseGaps = c, d.missing == "error"
	}
	v, _, err := likeSet.read(nil)
	if err != nil {
		return nil, nil, err
	}
	for i := range likeSet.doubts {
		if doubt := &likeSet.doubts[i]; doubt.File == "" {
			doubt.File = escape.Name(shortName(likeSet.String()))
		}
	}
	if err := likeSet.settle(false); err != nil {
		return nil, nil, err
	}
	if !d.call.flags.Quiet {
		for _, line := range likeSet.oddities(v) {
			fmt.Fprintf(d.call.stderr, "%s: %s\n", escape.Name(shortName(likeSet.String())), line)
		}
	}
	if v.Rows() == 0 {
		return nil, nil, fmt.Errorf("%s: no rows to validate with", &likeSet)
	}
	if numbers && v.Names != nil {
		return nil, nil, fmt.Errorf("%s: the labels are names, want numbers", &likeSet)
	}
	trained, unknown := map[float32]bool{}, map[string]bool{}
	for _, y := range set.Y {
		trained[y] = true
	}
	for i, y := range v.Y {
		label, ok := y, true
		if v.Names != nil || known.names != nil {
			if label, ok = known.label(labelName(v, y)); !ok {
				label = float32(math.NaN())
			}
			v.Y[i] = label
		}
		if !numbers && !trained[label] {
			unknown[labelName(v, y)] = true
		}
	}
	if len(unknown) > 0 {
		d.call.warn(fmt.Sprintf("%s: the training data lack these labels, whose rows count as mistakes: %s",
			escape.Name(shortName(likeSet.String())), firstNames(slices.Sorted(maps.Keys(unknown)))))
	}
	return &pegasos.Labelled{X: v.Examples(), Y: v.Y}, v.LeftOut, nil
}

// relabel replaces the set's labels, named or not, by the numbers of the model's classes.
func relabel(set *dataset.Set, m modelio.Predictor, weights []float32) error {
	classes := m.Head().Classes
	at, names := positions(set, predictions.ClassNames(m))
	for i, k := range at {
		if k == noLabel {
			continue
		}
		if k >= len(classes) {
			if i < len(weights) && weights[i] == 0 {
				continue // the model lacks classes that only have rows of weight 0
			}
			return fmt.Errorf("row %d, counted from 0: the label %s is not a class of the model",
				rowOfData(i, set.LeftOut), names[k])
		}
		set.Y[i] = classes[k]
	}
	set.Names = nil
	return nil
}

// rowOfData returns the number in the data of row i of a set that lacks the rows leftOut, which
// ascend.
func rowOfData(i int, leftOut []int) int {
	for _, row := range leftOut {
		if row <= i {
			i++
		}
	}
	return i
}
