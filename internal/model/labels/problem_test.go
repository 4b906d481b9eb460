package labels

import (
	"slices"
	"testing"
)

func TestProblemRows(t *testing.T) {
	class, weights := []int32{0, 2, 1, 2}, []float64{3, 0, 5, 7}
	for _, c := range []struct {
		p        Problem
		no, yes  int
		rows     []int // indices of the problem's rows, including rows of weight 0
		positive []bool
	}{
		{Problem{Vector: 2, Vectors: 3, Classes: 3}, -1, 2, []int{0, 1, 2, 3},
			[]bool{false, true, false, true}},
		{Problem{Vector: 1, Vectors: 3, Classes: 3, Pairs: true}, 0, 2, []int{0, 1, 3},
			[]bool{false, true, true}},
		{Problem{Vectors: 1, Classes: 2}, 0, 1, []int{0, 2}, []bool{false, true}},
	} {
		if no, yes := c.p.sides(); no != c.no || yes != c.yes {
			t.Errorf("%+v: classes %d and %d", c.p, no, yes)
		}
		scores := make([]float64, len(class)*c.p.Vectors)
		for i := range scores {
			scores[i] = float64(i)
		}
		for _, weights := range [][]float64{nil, weights} {
			var wantZ, wantWeight []float64
			var wantPositive []bool
			for k, i := range c.rows {
				if weights != nil && weights[i] == 0 {
					continue
				}
				wantZ = append(wantZ, scores[i*c.p.Vectors+c.p.Vector])
				wantPositive = append(wantPositive, c.positive[k])
				if weights != nil {
					wantWeight = append(wantWeight, weights[i])
				}
			}
			z, positive, weight := c.p.Rows(scores, class, weights)
			if !slices.Equal(z, wantZ) || !slices.Equal(positive, wantPositive) ||
				!slices.Equal(weight, wantWeight) {
				t.Errorf("%+v, weights %v: %v, %v, %v", c.p, weights, z, positive, weight)
			}
		}
	}
}

func TestPair(t *testing.T) {
	for classes := 2; classes < 6; classes++ {
		k := 0
		for a := range classes {
			for b := a + 1; b < classes; b++ {
				if first, second := Pair(k, classes); first != a || second != b {
					t.Errorf("pair %d of %d classes: %d, %d", k, classes, first, second)
				}
				k++
			}
		}
	}
}
