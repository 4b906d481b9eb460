package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// A rounding sums up float32 numbers, to tell whether rounding has blurred their differences. From
// a magnitude of 2^24 on, neighboring float32 numbers differ by more than 1.
type rounding struct {
	n            int
	first        float64
	sum, squares float64 // of the differences from first
	largest      float32
}

const exactBelow = 1 << 24

func (s *rounding) add(v float32) {
	if s.n++; s.n == 1 {
		s.first = float64(v)
	}
	s.largest = max(s.largest, v, -v)
	of := float64(v) - s.first
	s.sum += of
	s.squares += float64(of * of)
}

// blurred describes the possible rounding of the numbers if it blurs them; else it returns "".
func (s *rounding) blurred() string {
	const share = 0.1
	if s.n == 0 {
		return ""
	}
	mean := s.sum / float64(s.n)
	deviation := math.Sqrt(max(0, s.squares/float64(s.n)-float64(mean*mean)))
	by := float64(math.Nextafter32(s.largest, math.MaxFloat32)-s.largest) / 2
	if !(by > share*deviation) {
		return ""
	}
	return fmt.Sprintf("rounded by up to %.4g to the nearest float32, and the standard deviation is "+
		"%.4g: subtract a constant near the mean, %.0f, from them in the data", by, deviation,
		s.first+mean)
}

func (d *dataReader) doubtRoundedLabels(set *dataset.Set) {
	if set.Rounded == 0 {
		return
	}
	var all rounding
	for _, y := range set.Y {
		all.add(y)
	}
	if text := all.blurred(); text != "" {
		d.doubts = append(d.doubts, dataset.Doubt{About: "label", Text: "the labels are " + text})
	}
}

func (d *dataReader) doubtRoundedFeatures(set *dataset.Set) {
	large := largeColumns(set, min(set.Rows(), 1000))
	if len(large) > 0 {
		large = largeColumns(set, set.Rows())
	}
	const most = 5
	var columns []int
	for j := range large {
		columns = append(columns, j)
	}
	slices.Sort(columns)
	for _, j := range columns[:min(most, len(columns))] {
		name := "feature " + strconv.Itoa(j+set.IndexBase)
		if d.encoder != nil {
			name = escape.Name(escape.Cut(d.encoder.Feature(j).Name))
		}
		d.doubts = append(d.doubts, dataset.Doubt{About: "column", Text: "the values of " + name +
			" may be " + large[j].blurred()})
	}
}

// largeColumns returns the blurred columns whose numbers in the first rows rows are all at least
// exactBelow in magnitude.
func largeColumns(set *dataset.Set, rows int) map[int]*rounding {
	columns := map[int]*rounding{}
	for i := range rows {
		add := func(j int, v float32) {
			if v > -exactBelow && v < exactBelow {
				return
			}
			if columns[j] == nil {
				columns[j] = new(rounding)
			}
			columns[j].add(v)
		}
		if set.Dense != nil {
			for j, v := range set.Dense.Row(i) {
				add(j, v)
			}
			continue
		}
		for j, v := range set.Sparse.Nonzeros(i) {
			add(j, v)
		}
	}
	for j, s := range columns {
		if s.n < rows || s.blurred() == "" {
			delete(columns, j)
		}
	}
	return columns
}
