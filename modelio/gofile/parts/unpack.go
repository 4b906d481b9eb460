// Package parts has the declarations of generated Go files: the copies in bundle.go, and functions
// that read what the files have as text. Package gofile picks those that a model needs.
package parts

import (
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"strings"
)

// unzip returns the bytes in a text: base64 of deflated ones.
func unzip(text string) []byte {
	b, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding,
		strings.NewReader(text))))
	if err != nil {
		panic(err) // the file was edited
	}
	return b
}

// vectors returns the vectors of numbers in a text, each of the given length.
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

// unpack returns the codings of columns some of which are text.
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
