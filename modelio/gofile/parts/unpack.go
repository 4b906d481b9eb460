// Package parts contains the declarations that package gofile copies into generated Go files. Those
// in bundle.go are copies from other packages; the functions of unpack.go decode packed numbers and
// n-grams.
package parts

import (
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"strings"
)

// unzip decodes text from base64 and inflates it.
func unzip(text string) []byte {
	b, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding,
		strings.NewReader(text))))
	if err != nil {
		panic(err) // the file was edited
	}
	return b
}

// vectors unpacks the vectors of float32 in text, each of the given length.
func vectors(length int, text string) (all [][]float32) {
	b := unzip(text)
	for len(b) > 0 {
		v := make([]float32, length)
		for j := range v {
			v[j] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*j:]))
		}
		all, b = append(all, v), b[4*length:]
	}
	return all
}

// unpack returns the codings of the columns, after unpacking the n-grams of columns of text.
func unpack(columns []tableColumn, rows int, raw bool) []coding {
	for _, c := range columns {
		if c.Text != nil {
			if err := c.Text.unpack(rows); err != nil {
				panic(err) // the file was edited
			}
		}
	}
	return codingsOf(columns, rows, raw)
}
