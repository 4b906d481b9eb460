// Package training holds what make bench finds out about training and make report draws.
package training

import "github.com/pegasimd/pegasimd/internal/proof"

// A Run is the training of one data set, with how it went and how good the model is on rows that it
// has not seen.
type Run struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	Cols      int      `json:"cols"`
	Fill      float64  `json:"fill"`   // share of the values that are not 0
	Config    string   `json:"config"` // as JSON
	Curve     []Point  `json:"curve"`
	Hash      string   `json:"hash"` // of the model
	Classes   []string `json:"classes"`
	Confusion [][]int  `json:"confusion"` // rows are true classes, columns predicted ones
}

// A Point is how good the model would be if the run ended there.
type Point struct {
	Steps     int64   `json:"steps"`
	Objective float64 `json:"objective"`
	Dual      float64 `json:"dual"` // a lower bound on the optimum
	Seconds   float64 `json:"seconds"`
	Accuracy  float64 `json:"accuracy"` // on the rows held out
}

// Gap is the most by which the objective is above the optimum, as a share of it; +Inf for not
// known.
func (p Point) Gap() float64 { return proof.Gap(p.Objective, p.Dual) }

// Accuracy is the share of the rows in the confusion matrix that were recognised.
func (r *Run) Accuracy() float64 {
	right, all := 0, 0
	for i, row := range r.Confusion {
		for j, n := range row {
			all += n
			if i == j {
				right += n
			}
		}
	}
	return float64(right) / float64(max(all, 1))
}
