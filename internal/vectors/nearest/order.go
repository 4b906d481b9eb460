package nearest

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// order is the total order in which a query ranks rows: by float64 keys, greatest first and NaN
// last, then by ascending row number.
//
// The key of a row is its score (negated for distances), unless overflow or underflow may have
// changed the score by more than a rounding. Then the key is the wide score: the score computed in
// float64, where no square or product overflows or underflows. Below, all comparisons are of
// magnitudes, and n is the number of elements of a row.
//
//   - Overflow. A term or partial sum that overflows leaves an infinite or NaN sum, so the wide
//     score is the key if the score is infinite or NaN. The wide score is itself infinite or NaN
//     only if the row or the query has such an element.
//   - Underflow of a dot product or distance. The rounding of a product costs at most 2^-24
//     of the product, or 2^-150 if the product is below 2^-126. A sum or difference of two float32s
//     is exact below 2^-125. So underflow costs a sum of n products about n*2^-150 at most, no more
//     than one rounding of a sum of n*2^-126 or more. The wide score is the key if both the score
//     and the wide score are less than n*2^-126. If only the score is less, larger products have
//     canceled, which is not underflow: the score is the key.
//   - Underflow of a cosine. If a sum of squares is outside the bounds of asm.Cosine, the score is
//     the wide score rounded to float32, which costs bits below 2^-126. Otherwise both sums of
//     squares are at least 2^-90. The dot product may have lost n*2^-150: at most n*2^-60 of the
//     cosine, no more than one rounding of a cosine of n*2^-36 or more. The wide score is the key
//     if both the score and the wide score are less than n*2^-36, and if the wide dot product
//     (that of Dot64) is less than n*2^-126 or the wide score is less than 2^-126.
//
// So the key of a finite score is equal to the score, or both are less than the field small.
type order[E float32 | uint16] struct {
	rows  *Rows[E]
	by    Metric
	x     []float32
	small float32 // magnitude below which underflow may have changed a score

	root    int // row at the root of a heap, whose key is rootKey; -1 for none
	rootKey float64
}

func (s *Rows[E]) order(by Metric, x []float32) order[E] {
	small := leastSum(s.N)
	if by == ByCosine {
		small *= 0x1p90
	}
	return order[E]{rows: s, by: by, x: x, small: small, root: -1}
}

func leastSum(n int) float32 { return float32(n) * 0x1p-126 }

// scoreIsKey reports whether the score alone shows that it is the key of its row.
func (o *order[E]) scoreIsKey(score float32) bool {
	size := math.Float32frombits(math.Float32bits(score) &^ (1 << 31))
	return size >= o.small && size <= math.MaxFloat32
}

// For distances, h.Score is negated.
func (o *order[E]) key(h Hit) float64 {
	if o.scoreIsKey(h.Score) {
		return float64(h.Score)
	}
	if h.Row == o.root {
		return o.rootKey
	}
	wide := o.rows.wide(o.by, o.x, h.Row)
	score, small := float64(h.Score), float64(o.small)
	if math.Abs(score) < small && (math.Abs(wide) >= small || !o.underflowed(wide, h.Row)) {
		return score
	}
	return wide
}

// underflowed reports whether underflow may have changed the row's score by more than a rounding.
// wide is the row's wide score; it and the score must be below small in magnitude.
func (o *order[E]) underflowed(wide float64, row int) bool {
	return o.by != ByCosine || math.Abs(wide) < 0x1p-126 ||
		math.Abs(o.rows.wide(ByDot, o.x, row)) < float64(leastSum(len(o.x)))
}

func (o *order[E]) better(a, b Hit) bool { return precedes(a.Row, o.key(a), b.Row, o.key(b)) }

func precedes(i int, a float64, j int, b float64) bool {
	switch {
	case a > b:
		return true
	case a < b:
		return false
	case a != a && b == b:
		return false
	case a == a && b != b:
		return true
	}
	return i < j
}

const skipBlock = 256

// offer adds the best of the rows at positions firstRow to firstRow+len(scores)-1 to the heap hits.
// scores are negated for distances.
func (o *order[E]) offer(hits []Hit, scores []float32, firstRow int) []Hit {
	if cap(hits) == 0 {
		return hits
	}
	sum := asm.Sum(scores)
	finite := sum-sum == 0       // whether all scores and their sum are finite
	plain, asked := false, false // plain: scoreIsKey holds for all hits; asked: plain is known
	least := o.least(hits, finite)
	for start := 0; start < len(scores); start += skipBlock {
		some := scores[start:min(start+skipBlock, len(scores))]
		if least > -math.MaxFloat32 && asm.Max(some) < least {
			continue
		}
		for i := Next(some, 0, least); i < len(some); i = Next(some, i+1, least) {
			if !asked {
				plain, asked = o.scoresAreKeys(hits), true
			}
			h := Hit{o.rows.rowNumber(firstRow + start + i), some[i]}
			if plain = plain && o.scoreIsKey(h.Score); plain {
				hits = Add(hits, h, greater)
			} else {
				hits = Add(hits, h, o.better)
			}
			switch {
			case len(hits) < cap(hits):
			case plain && finite:
				least = hits[0].Score
			default:
				least = o.least(hits, finite)
			}
		}
	}
	return hits
}

// Next returns the index of the first score from index i on that is at least least or NaN, or
// len(scores).
//
//go:noinline // inlined into another loop, this loop has too few registers
func Next(scores []float32, i int, least float32) int {
	for ; i < len(scores); i++ {
		if !(scores[i] < least) {
			break
		}
	}
	return i
}

func (o *order[E]) scoresAreKeys(hits []Hit) bool {
	for _, h := range hits {
		if !o.scoreIsKey(h.Score) {
			return false
		}
	}
	return true
}

// The scores of a and b must be their keys.
func greater(a, b Hit) bool { return a.Score > b.Score || a.Score == b.Score && a.Row < b.Row }

// least returns a score below which all rows rank after hits[0], the root of the heap, or -Inf.
// finite reports whether all scores to compare with it are finite.
func (o *order[E]) least(hits []Hit, finite bool) float32 {
	if len(hits) == cap(hits) {
		root := hits[0]
		key := o.key(root)
		o.root, o.rootKey = root.Row, key
		switch {
		case !finite:
		case o.scoreIsKey(root.Score):
			return root.Score
		case math.Abs(key) < float64(o.small):
			// Any score between -small and small may rank before this key.
			return -o.small
		case key > math.MaxFloat32:
			return math.MaxFloat32
		}
	}
	return float32(math.Inf(-1))
}

func (o *order[E]) finish(hits []Hit) {
	if o.scoresAreKeys(hits) {
		Sort(hits, greater)
	} else {
		Sort(hits, o.better)
	}
	if o.by.isDistance() {
		for i := range hits {
			hits[i].Score = -hits[i].Score
		}
	}
}

func (s *Rows[E]) wide(by Metric, x []float32, row int) float64 {
	if s.isHalf() {
		return by.wideHalf(x, s.halfRow(row), s.Bfloat16)
	}
	return by.wide(x, s.row(row))
}

func (by Metric) wide(x, row []float32) float64 {
	switch by {
	case ByDot:
		return asm.Dot64(x, row)
	case ByCosine:
		return asm.Cosine64(x, row)
	case ByL1:
		return -l1Distance64(x, row)
	}
	return -asm.SquaredDistance64(x, row)
}

func l1Distance64(x, y []float32) (sum float64) {
	for i, v := range x {
		sum += math.Abs(float64(v) - float64(y[i]))
	}
	return sum
}

func (by Metric) wideHalf(x []float32, row []uint16, bfloat16 bool) float64 {
	var floats [2048]float32
	if len(row) <= len(floats) { // unpacking first is faster
		asm.UnpackHalves(floats[:len(row)], row, bfloat16)
		return by.wide(x, floats[:len(row)])
	}
	switch by {
	case ByDot:
		return asm.HalfDot.Of64(x, row, bfloat16)
	case ByCosine:
		return asm.CosineHalves64(x, row, bfloat16)
	}
	return -asm.HalfSquaredDistance.Of64(x, row, bfloat16)
}
