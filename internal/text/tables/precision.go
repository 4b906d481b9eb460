package tables

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

// This file finds columns of numbers that differ only beyond the precision of float32, such as
// 1700000001 and 1700000002, or of float64.

// Significant bits of float32 and float64.
const (
	bits32 = 24
	bits64 = 53
)

// If different numbers are the same normal float32, the text of one of them has at least long32
// bytes; if they are the same normal float64, at least long64 bytes.
const (
	long32 = 8
	long64 = 16
)

// near reports whether at most about maxKeptNumbers floating-point numbers of the given precision
// lie between the least and the greatest value.
func (x *extremes) near(bits int) bool {
	largest := max(math.Abs(x.least), math.Abs(x.most))
	return x.least <= x.most && x.most-x.least < math.Ldexp(maxKeptNumbers*largest, -bits)
}

// merges reports whether the column's numbers are near each other and different cells become the
// same number.
func (s *stats) merges(bits int) bool {
	if !s.extremes.near(bits) {
		return false
	}
	if s.full { // probably more different cells than numbers of this precision
		return true
	}
	type rounded struct {
		value float64
		bytes int // length of the text, to tell 1.50 from 1.5; 0 for float32
	}
	seen := map[rounded]float64{}
	for text := range s.levels {
		n, ok := cell.ParseNumber(text, s.as.decimal)
		if !ok {
			continue
		}
		to := rounded{n.Value, len(text)}
		if bits == bits32 {
			to = rounded{float64(float32(n.Value)), 0}
		}
		other, found := seen[to]
		if found && (other != n.Value || bits == bits64 && len(text) >= long64) {
			return true
		}
		seen[to] = n.Value
	}
	return false
}
