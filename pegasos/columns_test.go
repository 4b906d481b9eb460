package pegasos_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

type claimedCols int

func (claimedCols) Rows() int                    { return 3 }
func (w claimedCols) Cols() int                  { return int(w) }
func (claimedCols) Dot(int, []float32) float32   { return 0 }
func (claimedCols) Axpy(int, float32, []float32) {}
func (claimedCols) SumSquares(int) float32       { return 0 }

// An impossible number of columns must be an error.
func TestImpossibleColumns(t *testing.T) {
	y := []float32{0, 1, 1}
	for _, cols := range []int{math.MinInt, -5, -1, math.MaxInt32, math.MaxInt - 1, math.MaxInt} {
		x := claimedCols(cols)
		for name, train := range map[string]func() error{
			"Train": func() error {
				_, err := pegasos.Train(t.Context(), x, y, pegasos.Config{})
				return err
			},
			"Train, plain": func() error {
				_, err := pegasos.Train(t.Context(), x, y, pegasos.Config{}.Plain())
				return err
			},
			"Choose": func() error {
				_, _, err := new(pegasos.Trainer).Choose(t.Context(), x, y)
				return err
			},
			"Valid": func() error {
				tr := pegasos.Trainer{Config: pegasos.Config{Patience: 1},
					Valid: &pegasos.Labelled{X: x, Y: y}}
				_, err := tr.Train(t.Context(), claimedCols(2), y)
				return err
			},
		} {
			before := allocations()
			err := train()
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(cols)) &&
				!strings.Contains(err.Error(), "MaxMemory") {
				t.Errorf("%s, %d columns: %v", name, cols, err)
			}
			if n := allocations() - before; n > 1<<20 {
				t.Errorf("%s, %d columns: %d bytes were allocated", name, cols, n)
			}
		}
	}
}

type noRows struct{ claimedCols }

func (noRows) Rows() int { return -1 }

func TestImpossibleRows(t *testing.T) {
	m := mustTrain(t, matrix(t, 2, 1, 1, -1), []float32{0, 1}, pegasos.Config{})
	if _, err := pegasos.Train(t.Context(), noRows{1}, nil, pegasos.Config{}); err == nil ||
		!strings.Contains(err.Error(), "Rows returns -1") {
		t.Error(err)
	}
	defer func() {
		if told := fmt.Sprint(recover()); !strings.Contains(told, "Rows returns -1") {
			t.Error(told)
		}
	}()
	m.PredictAll(noRows{1})
}

func TestImpossibleColumnsPredict(t *testing.T) {
	m := mustTrain(t, matrix(t, 2, 1, 1, -1), []float32{0, 1}, pegasos.Config{})
	for _, cols := range []int{math.MinInt, -1, math.MaxInt} {
		if cols == math.MaxInt32 {
			continue // int has 32 bits: the number is possible
		}
		func() {
			defer func() {
				told := fmt.Sprint(recover())
				if !strings.HasPrefix(told, "pegasimd: ") ||
					!strings.Contains(told, fmt.Sprint(cols)) {
					t.Errorf("%d columns: %s", cols, told)
				}
			}()
			m.PredictAll(claimedCols(cols))
		}()
	}
}
