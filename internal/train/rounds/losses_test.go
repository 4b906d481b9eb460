package rounds

import (
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Every loss either has limits that its values and dual variables respect, or is refused by name.
func TestEveryLossHasLimitsOrIsRefused(t *testing.T) {
	for _, l := range pegasos.Losses() {
		limits := supported[l]
		if limits == nil {
			_, err := New(pegasos.Config{Loss: l}, Newton, &scale.Statistics{}, 1)
			if err == nil || !strings.Contains(err.Error(), string(l)) {
				t.Errorf("%s: %v", l, err)
			}
			continue
		}
		f := limits.kind
		if f.Name() != string(l) || limits.meanDual <= 0 || limits.meanDualTerm <= 0 {
			t.Errorf("%s: %+v of %s", l, limits, f.Name())
		}
		for _, m := range []float64{1, 1.5, 7, 1000} {
			row, dual, gain := limits.margin(m)
			for _, yz := range []float64{1 - m, m - 1, 0} {
				cost := loss.Func{Kind: f}
				a := cost.Coefficient(yz)
				if cost.At(yz) > row || a > dual || cost.DualTerm(a) > gain {
					t.Errorf("%s: beyond the limits %v, %v, %v at %v", l, row, dual, gain, yz)
				}
			}
		}
	}
}
