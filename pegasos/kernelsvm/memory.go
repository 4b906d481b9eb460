package kernelsvm

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

// stateSize is about what a class has in each problem beside what it has for its rows: classState
// and the headers of its slices' memory.
const stateSize = 320

// checkMemory refuses a run that would take too much memory, before it is allocated.
func (r *run) checkMemory(most int64) error {
	n, rows := float64(len(r.classes)), float64(r.rows)
	problems, states, visited := n, n*n, n*rows // one for each class
	if r.cfg.pairs(len(r.classes)) {
		problems, states, visited = n*(n-1)/2, n*(n-1), (n-1)*rows
	}
	perRow := 28. // score and alpha, and the coefficients of the model
	switch {
	case r.cfg.Finish != pegasos.FinishNone:
		perRow += 8 // the best so far
	case r.cfg.Average == pegasos.LastHalf:
		perRow += 16
	}
	what := fmt.Sprintf("%.0f problems, which have %.3g rows in all,", problems, visited)
	return options.First(fieldError,
		[]options.Rule{options.Memory(most, states*stateSize+visited*perRow, what)})
}
