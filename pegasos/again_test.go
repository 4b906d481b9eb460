package pegasos

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/metrics"
)

// nearlyEqual has its signal in the small differences of columns that are nearly equal, or none at
// all.
func nearlyEqual(seed uint64, rows, cols, classes int, signal bool) pair {
	g := rand.New(rand.NewPCG(seed, 77))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		row, z := x.Row(i), [3]float64{}
		common := 5 * g.NormFloat64()
		for j := range row {
			d := 0.02 * g.NormFloat64()
			row[j] = float32(common + d)
			z[j%classes] += d
		}
		if !signal {
			z[0] = g.NormFloat64()
		}
		for k, v := range z[:classes] {
			if v > z[int(y[i])] {
				y[i] = float32(k)
			}
		}
	}
	return pair{x, toSparse(x), y}
}

// Where the first try does hardly better than a constant there is a second one, and it is kept if
// it is much better: by rows that had no part in it too.
func TestSecondTry(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, loss := range []Loss{Hinge, Log} {
			p := nearlyEqual(1, 900, 12, classes, true)
			x, y := p.dense.Take(sequence(600)), p.y[:600]
			m := train(t, x, y, Trainer{Config: Config{Loss: loss}})
			rest := dense.New(300, 12)
			for i := range 300 {
				copy(rest.Row(i), p.dense.Row(600+i))
			}
			if a := metrics.Accuracy(p.y[600:], m.PredictAll(rest)); a < 0.85 ||
				!strings.Contains(m.Settings(), "a second try") {
				t.Errorf("%d classes, %s: accuracy %v, %s", classes, loss, a, m.Settings())
			}
			first := train(t, x, y, Trainer{Config: Config{Loss: loss, Finish: FinishNone}})
			if a := metrics.Accuracy(p.y[600:], first.PredictAll(rest)); a > 0.75 {
				t.Errorf("%d classes, %s: the first try has %v", classes, loss, a)
			}
			noise := nearlyEqual(2, 900, 12, classes, false)
			m = train(t, noise.dense, noise.y, Trainer{Config: Config{Loss: loss}})
			if strings.Contains(m.Settings(), "a second try") {
				t.Errorf("%d classes, %s, of noise: %s", classes, loss, m.Settings())
			}
		}
	}
}

// A run that was paused and read from a file has its second try when it is resumed.
func TestSecondTryResumed(t *testing.T) {
	p := nearlyEqual(3, 400, 8, 2, true)
	whole := train(t, p.dense, p.y, Trainer{})
	half, err := (&Trainer{KeepState: true, Pause: 300}).Train(t.Context(), p.dense, p.y)
	if !errors.Is(err, ErrPaused) {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := half.Write(&file); err != nil {
		t.Fatal(err)
	}
	if half, err = Read(&file); err != nil {
		t.Fatal(err)
	}
	m := train(t, p.dense, p.y, Trainer{Resume: half})
	if m.Hash() != whole.Hash() || !reflect.DeepEqual(m.Config, whole.Config) ||
		!strings.Contains(m.Settings(), "a second try") {
		t.Errorf("%s, want %s", m.Settings(), whole.Settings())
	}
}
