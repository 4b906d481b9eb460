package pegasos_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestMaxMemory(t *testing.T) {
	data := random(1, 2000, 2, 3, 1)
	for most, allowed := range map[int64]bool{-1: false, 1: false, 1e4: false, 1e7: true, 0: true} {
		tr := pegasos.Trainer{MaxMemory: most, Config: pegasos.Config{Lambda: 0.1, Epochs: 1}}
		_, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		var bad *pegasos.ConfigError
		if allowed && err != nil || !allowed && (!errors.As(err, &bad) || bad.Field != "MaxMemory") ||
			most == 1e4 && !strings.Contains(err.Error(), "3 weight vectors of 2 features") {
			t.Errorf("%d bytes: %v", most, err)
		}
	}
}
