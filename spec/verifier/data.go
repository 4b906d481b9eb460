package main

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// This file reads svmlight data and scales them (spec, "Scaling").

type row struct {
	y     float64 // -1 or +1
	index []int   // ascending
	value []float64
}

// readRows reads the rows and computes their fingerprint (spec, "The fingerprint of data").
func readRows(name string, m *model) (rows []row, fingerprint string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, "", err
	}
	var labels []float32
	var hashes []uint64
	for line := range strings.Lines(string(text)) {
		class, index, values, err := m.readRow(line)
		if err != nil {
			return nil, "", fmt.Errorf("line %d: %w", len(rows)+1, err)
		}
		hash := uint64(0)
		for k, j := range index {
			hash += uint64(math.Float32bits(values[k])) * (mix(uint64(j)*0x9e3779b97f4a7c15) | 1)
		}
		labels, hashes = append(labels, m.Classes[class]), append(hashes, hash)
		rows = append(rows, m.scale(index, values))
		rows[len(rows)-1].y = float64(2*class - 1)
	}
	if len(rows) == 0 {
		return nil, "", fmt.Errorf("no rows")
	}
	head := fmt.Sprintf("%d %d 0 \n", len(rows), m.Features) // no weights and no prior
	sum := sha256.Sum256(append([]byte(head), pack(labels, hashes)...))
	return rows, fmt.Sprintf("%x", sum), nil
}

// mix is the output of SplitMix64 for the state z.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// readRow drops values of 0. It refuses comments, qid, and indices that do not ascend.
func (m *model) readRow(line string) (class int, index []int, values []float32, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return 0, nil, nil, fmt.Errorf("a blank line is not supported")
	}
	label, err := number(words[0])
	if class = slices.Index(m.Classes, label); err != nil || class < 0 {
		return 0, nil, nil, fmt.Errorf("%.40q is not the label of a class of the model", words[0])
	}
	last := -1
	for _, word := range words[1:] {
		first, second, _ := strings.Cut(word, ":")
		j, err := strconv.ParseUint(first, 10, 31)
		v, err2 := number(second)
		at := int(j) - m.IndexBase
		if err != nil || err2 != nil || at <= last || at >= m.Features {
			return 0, nil, nil, fmt.Errorf("%.40q: want FEATURE:FLOAT32, with features of the model in "+
				"ascending order", word)
		}
		if last = at; v != 0 {
			index, values = append(index, at), append(values, v)
		}
	}
	return class, index, values, nil
}

func number(text string) (float32, error) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(text, 32)
	return float32(v), err
}

// scale returns the scaled row with its terms. If the model has shifts, zeros are stored too.
func (m *model) scale(index []int, values []float32) (r row) {
	squares := 0.0
	for _, v := range values {
		squares += float64(float64(v) * float64(v))
	}
	if m.shift != nil {
		all := make([]float32, m.Features)
		for k, j := range index {
			all[j] = values[k]
		}
		index, values = nil, all
		for j := range all {
			index = append(index, j)
		}
	}
	for k, j := range index {
		v := float64(values[k])
		if m.shift != nil {
			v -= float64(m.shift[j])
		}
		if m.factor != nil {
			v *= float64(m.factor[j])
		}
		if m.Scaling.Kind == "unit" && squares > 0 {
			v /= math.Sqrt(squares)
		}
		r.index, r.value = append(r.index, j), append(r.value, v)
	}
	m.terms.expand(&r, m.Features)
	return r
}
