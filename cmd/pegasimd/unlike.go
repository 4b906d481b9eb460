package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// doubtLoudly adds a doubt that is printed even with -quiet, because predictions of data unlike the
// training data may be worthless.
func (d *dataReader) doubtLoudly(doubt dataset.Doubt) {
	d.doubts = append(d.doubts, doubt)
	d.call.loud = append(d.call.loud, doubt.String())
}

func (d *dataReader) doubtUnread() {
	coder, encodes := d.opt.Encoder.(*tables.Coder)
	if !encodes {
		return
	}
	d.unread = coder.Unread()
	for _, line := range d.unread {
		d.doubtLoudly(dataset.Doubt{About: "column", Text: line + "; at least half of the " +
			"column does not fit: write it as in the training data"})
	}
}

// maxDeviations is the distance from the training mean, in standard deviations, beyond which a
// number is far: by Chebyshev's inequality at most 1 % of the training cells are far.
const maxDeviations = 10

// doubtFar doubts columns of a table in which at least half of the rows have numbers far from the
// training mean, as in another unit. s is nil without a scaling.
func (d *dataReader) doubtFar(set *dataset.Set, s *pegasos.Scaling) {
	e := d.encoder
	if e == nil || set.Rows() == 0 {
		return
	}
	type column struct {
		*tables.Column
		feature                         int
		far                             int     // rows whose feature is far from mean
		such                            float64 // a value of the feature that is far from mean
		mean, most                      float64 // training mean, and the largest distance not far
		trainingMean, trainingDeviation float64
	}
	var columns []column
	next := 0
	for i := range e.Columns {
		c := column{Column: &e.Columns[i], feature: next}
		if next += e.FeaturesOf(i); c.Kind != tables.Number {
			continue
		}
		mean, deviation, ok := e.Standard(c.feature)
		switch {
		case ok:
			c.trainingMean, c.trainingDeviation = c.Number.Mean, 1/c.Number.Factor
		case e.Raw && s != nil && c.feature < len(s.Shift):
			mean, deviation = float64(s.Shift[c.feature]), 1/float64(s.Factor[c.feature])
			c.trainingMean, c.trainingDeviation = mean, deviation
		default:
			continue
		}
		if c.trainingDeviation != 1 { // a constant column has the deviation 1, too
			c.mean, c.most = mean, maxDeviations*deviation
			columns = append(columns, c)
		}
	}
	for i := range set.Rows() {
		for k := range columns {
			c := &columns[k]
			if v := featureOf(set, i, c.feature); math.Abs(v-c.mean) > c.most {
				c.far, c.such = c.far+1, v
			}
		}
	}
	for _, c := range columns {
		if 2*c.far < set.Rows() {
			continue
		}
		number, _ := e.Decode(c.feature, c.such)
		such := fmt.Sprintf("%.4g", number)
		if math.Abs(number) < math.Abs(c.trainingMean)/1e4 {
			such = "about 0" // the float32 feature has lost the digits of a number so near 0
		}
		d.doubtLoudly(dataset.Doubt{About: "column", Column: c.Name, Text: fmt.Sprintf("numbers "+
			"such as %s, in %d of %s, are more than %d deviations from the mean in training (mean "+
			"%.4g, deviation %.4g): are the units and the order of the columns the same as in the "+
			"training data?", such, c.far, count(set.Rows(), "row"), maxDeviations, c.trainingMean,
			c.trainingDeviation)})
	}
}

func featureOf(set *dataset.Set, row, j int) float64 {
	if set.Dense != nil {
		if values := set.Dense.Row(row); j < len(values) {
			return float64(values[j])
		}
		return 0
	}
	columns, values := set.Sparse.Row(row)
	if k, found := slices.BinarySearch(columns, int32(j)); found {
		return float64(values[k])
	}
	return 0
}

// doubtUnnamed doubts rows with two or more cells beyond the header's names, as decimal commas
// cause in a file separated by commas. A single such cell may be the row's name.
func (d *dataReader) doubtUnnamed(set *dataset.Set) {
	if set.Form == nil || !set.Form.Header {
		return
	}
	unnamed := -set.Form.Trailing
	for _, name := range set.Others {
		if name == "" {
			unnamed++
		}
	}
	if unnamed > 1 {
		d.doubtLoudly(dataset.Doubt{About: "header", Text: fmt.Sprintf("the rows have %d cells more than "+
			"the header has names, and these are ignored: if decimal commas split numbers, write the "+
			"numbers as in the training data; otherwise name all columns in the header", unnamed)})
	}
}
