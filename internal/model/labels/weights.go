package labels

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// GoodWeight reports whether w is a valid weight of a row or class.
func GoodWeight(w float64) bool { return w == 0 || w >= 1e-15 && w <= 1e15 }

const GoodWeights = "0 or 1e-15 to 1e15"

// Unused is the error for a label with a weight but no row.
type Unused float32

func (e Unused) Error() string { return fmt.Sprintf("no row has the label %v", float32(e)) }

// Weigh returns own[i] times byLabel[y[i]] for each row i, or nil if own and byLabel are both nil.
// If only own is nil, its elements count as 1, as do labels that byLabel lacks. Weigh returns an
// error if own has the wrong length or an invalid weight, or if no product is above 0, and an
// Unused for a label of byLabel that no row has.
func Weigh(y, own []float32, byLabel map[float32]float64,
	badRow func(row int, reason string) error) ([]float64, error) {
	if own != nil && len(own) != len(y) {
		return nil, fmt.Errorf("pegasos: %s for %s", plural.Count(len(own), "weight"),
			plural.Count(len(y), "row"))
	}
	if own == nil && byLabel == nil {
		return nil, nil
	}
	weight := make([]float64, len(y))
	some := false
	for i, label := range y {
		w := 1.0
		if own != nil {
			if w = float64(own[i]); !GoodWeight(w) {
				return nil, badRow(i, fmt.Sprintf("the weight is %v, want %s", own[i], GoodWeights))
			}
		}
		if c, ok := byLabel[label]; ok {
			w = float64(w * c)
		}
		weight[i] = w
		some = some || w > 0
	}
	if !some {
		return nil, fmt.Errorf("pegasos: no row has a weight above 0")
	}
	for label := range byLabel {
		if !slices.Contains(y, label) {
			return nil, Unused(label)
		}
	}
	return weight, nil
}
