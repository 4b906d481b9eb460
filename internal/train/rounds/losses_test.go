package rounds

import (
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func TestEveryLossHasLimitsOrIsRefused(t *testing.T) {
	for _, name := range loss.Names() {
		kind, _ := loss.KindOf(name)
		limits := supported[kind]
		if limits == nil {
			_, err := New(settings.Settings{Loss: name}, Newton, &scale.Statistics{}, 1)
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: New returned %v", name, err)
			}
			continue
		}
		if limits.meanDual <= 0 || limits.meanDualTerm <= 0 {
			t.Errorf("%s: the limits are %+v", name, limits)
		}
		for _, m := range []float64{1, 1.5, 7, 1000} {
			row, dual, gain := limits.margin(m)
			for _, yz := range []float64{1 - m, m - 1, 0} {
				cost := loss.Func{Kind: kind}
				a := cost.Coefficient(yz)
				if cost.At(yz) > row || a > dual || cost.DualTerm(a) > gain {
					t.Errorf("%s: beyond the limits %v, %v, %v at %v", name, row, dual, gain, yz)
				}
			}
		}
	}
}
