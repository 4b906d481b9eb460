package kernelsvm

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

type claimedCols struct {
	pegasos.Examples
	cols int
}

func (c claimedCols) Cols() int { return c.cols }

// A call must fail before it allocates more than 1 MiB.
func TestImpossibleColumns(t *testing.T) {
	y := []float32{0, 1, 1}
	rbf := Config{Kernel: RBF, Gamma: 1}
	zeros := dense.New(3, 1)
	m, err := Train(t.Context(), zeros, y, rbf)
	if err != nil {
		t.Fatal(err)
	}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	for _, cols := range []int{math.MinInt, -1, math.MaxInt32, math.MaxInt} {
		x := claimedCols{zeros, cols}
		for name, call := range map[string]func() error{
			"Train": func() error { _, err := Train(t.Context(), x, y, rbf); return err },
			"CrossPredict": func() error {
				_, err := (&Trainer{Config: rbf}).CrossPredict(t.Context(), x, y, 2)
				return err
			},
			"Verify": func() error {
				_, err := new(Trainer).Verify(t.Context(), m, x, y)
				return err
			},
		} {
			before := allocated()
			err := call()
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(cols)) &&
				!strings.Contains(err.Error(), "MaxMemory") {
				t.Errorf("%s, %d columns: error %v, want one that names the columns or MaxMemory",
					name, cols, err)
			}
			if n := allocated() - before; n > 1<<20 {
				t.Errorf("%s, %d columns: %d bytes were allocated", name, cols, n)
			}
		}
		if cols == math.MaxInt32 {
			continue // not impossible, so PredictAll may accept it
		}
		func() {
			defer func() {
				if told := fmt.Sprint(recover()); !strings.HasPrefix(told, "pegasimd: ") ||
					!strings.Contains(told, fmt.Sprint(cols)) {
					t.Errorf("PredictAll, %d columns: the panic is %s", cols, told)
				}
			}()
			m.PredictAll(x)
		}()
	}
}
