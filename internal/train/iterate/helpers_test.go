package iterate_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

const (
	testRows = 20
	testCols = 6
)

// newState returns a state with n vectors. Its random rows begin with row 10 of a set.
func newState(t testing.TB, n int, lambda, biasScale float64, free bool) *iterate.State {
	t.Helper()
	data := sample.Random(1, testRows, testCols, 2, 0.8)
	set, err := store.NewSet(data.Dense, data.Y, store.SetOptions{})
	if err == nil {
		err = set.Measure()
	}
	if err != nil {
		t.Fatal(err)
	}
	view, _, err := set.View(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	view.SetRows = make([]uint32, testRows)
	for i := range view.SetRows {
		view.SetRows[i] = uint32(10 + i)
	}
	s := iterate.New(&objective.Terms{View: view, Lambda: lambda, BiasScale: biasScale, FreeBias: free,
		PriorBias: make([]float64, n)}, n)
	s.T0, s.Total, s.Period = 3, 100, 5
	return &s
}

func last(s *iterate.State) (all []float64) {
	w, b := s.NewWeights()
	s.Last(w, b)
	return flat(w, b)
}

func result(s *iterate.State) (all []float64) {
	w, b := s.NewWeights()
	s.Weights(w, b)
	return flat(w, b)
}

func flat(w [][]float32, b []float64) (all []float64) {
	for k, w := range w {
		for _, z := range w {
			all = append(all, float64(z))
		}
		all = append(all, b[k])
	}
	return all
}

func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if !(math.Abs(v-b[i]) <= 1e-6*(1+math.Abs(b[i]))) {
			return false
		}
	}
	return true
}

func row(x store.Rows, i int) (all []float64) {
	v := make([]float32, x.Cols())
	x.Axpy(i, 1, v)
	for _, z := range v {
		all = append(all, float64(z))
	}
	return all
}
