package choose

import (
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/loss"
)

func TestEveryLossHasCosts(t *testing.T) {
	for k := range loss.Kind(loss.Kinds) {
		c := costsOf(k)
		if c.iterations <= 0 || c.step <= 0 || c.passes <= 0 || c.growth < 1 || c.leastLambda <= 0 ||
			(c.zone > 0) == k.Traits().Kinks {
			t.Errorf("%s: the constants are %+v", k.Name(), c)
		}
	}
	defer func(c lossCosts) {
		costs[loss.Log] = c
		if text, _ := recover().(string); !strings.Contains(text, "no line for the loss log") {
			t.Errorf("without a line: %q", text)
		}
	}(costs[loss.Log])
	costs[loss.Log] = lossCosts{}
	costsOf(loss.Log)
}
