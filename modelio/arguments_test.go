package modelio

import (
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
	"github.com/pegasimd/pegasimd/sparse"
)

type nowhere struct{}

func (nowhere) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }

func TestBadArguments(t *testing.T) {
	nan := float32(math.NaN())
	d, y := dense.New(3, 2), []float32{0, 1, 1}
	bad := dense.New(3, 2)
	bad.Row(1)[0] = nan
	badSparse, err := sparse.New(2, []int64{0, 1, 1, 1}, []int32{1}, []float32{nan})
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, f func() error) {
		t.Helper()
		defer func() {
			t.Helper()
			if r := recover(); r != nil {
				t.Errorf("%s: panic: %v", name, r)
			}
		}()
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	train := func(name string, x pegasos.Examples, y []float32) {
		t.Helper()
		try("Train: "+name, func() error {
			_, err := pegasos.Train(t.Context(), x, y, pegasos.Config{})
			return err
		})
		try("kernelsvm.Train: "+name, func() error {
			_, err := kernelsvm.Train(t.Context(), x, y, kernelsvm.Config{})
			return err
		})
		try("CrossPredict: "+name, func() error {
			_, err := (&kernelsvm.Trainer{}).CrossPredict(t.Context(), x, y, 2)
			return err
		})
		try("Fit: "+name, func() error {
			p, err := pegasos.NewPartial(pegasos.Config{}, []float32{0, 1}, 2)
			if err != nil {
				t.Fatal(err)
			}
			return p.Fit(x, y)
		})
	}
	for name, x := range map[string]pegasos.Examples{
		"nil": nil, "nil dense": (*dense.Matrix)(nil), "nil sparse": (*sparse.Matrix)(nil),
		"no rows": dense.New(0, 2), "NaN": bad, "sparse NaN": badSparse,
	} {
		train(name, x, y)
		if x != bad && x != badSparse { // validation rows may have NaN: they are only predicted
			try("Valid: "+name, func() error {
				tr := pegasos.Trainer{Config: pegasos.Config{Patience: 1},
					Valid: &pegasos.Labelled{X: x, Y: y}}
				_, err := tr.Train(t.Context(), d, y)
				return err
			})
		}
	}
	inf := float32(math.Inf(1))
	for _, y := range [][]float32{nil, {1}, {1, 0, 0, 1}, {nan, 1, 0}, {inf, 0, 1}} {
		train(fmt.Sprint("labels ", y), d, y)
	}
	for name, m := range map[string]*pegasos.Model{
		"nil": nil, "zero": {}, "no weights": {Classes: y[:2], Lambda: 1},
		"ragged":     {Classes: []float32{0, 1, 2}, Weights: [][]float32{{1}, {1, 2}, {}}, Lambda: 1},
		"few biases": {Classes: y[:2], Weights: [][]float32{{1, 2}}, Bias: []float64{}, Lambda: 1},
		"NaN":        {Classes: y[:2], Weights: [][]float32{{nan, 1}}, Lambda: 1},
		"pairs": {Classes: []float32{0, 1, 2}, Weights: [][]float32{{1, 2}}, Lambda: 1,
			Config: pegasos.Config{Multiclass: pegasos.OneVsOne}},
	} {
		try("Validate: "+name, func() error { return m.Validate() })
		try("Write: "+name, func() error { return m.Write(io.Discard) })
		try("WriteJSON: "+name, func() error { return WriteJSON(io.Discard, m) })
		try("WriteLiblinear: "+name, func() error { return WriteLiblinear(io.Discard, m) })
		if m != nil { // Start, Prior and Resume may be nil
			try("Start: "+name, func() error {
				_, err := (&pegasos.Trainer{Start: m}).Train(t.Context(), d, y)
				return err
			})
			try("Prior: "+name, func() error {
				_, err := (&pegasos.Trainer{Prior: m}).Train(t.Context(), d, y)
				return err
			})
			try("Resume: "+name, func() error {
				_, err := (&pegasos.Trainer{Resume: m}).Train(t.Context(), d, y)
				return err
			})
		}
	}
	try("kernelsvm.Write: zero", func() error { return new(kernelsvm.Model).Write(io.Discard) })
	for name, s := range map[string]*dataset.Set{
		"nil": nil, "zero": {}, "no labels": {Dense: d}, "labels": {Dense: d, Y: y[:1]},
		"both":  {Dense: d, Sparse: badSparse, Y: y},
		"names": {Dense: d, Y: y, Names: []string{"a"}},
	} {
		for form, write := range map[string]func(io.Writer, *dataset.Set) error{
			"Svmlight": dataset.WriteSvmlight, "CSV": dataset.WriteCSV, "NPY": dataset.WriteNPY,
		} {
			try("Write"+form+": "+name, func() error { return write(io.Discard, s) })
		}
		try("WritePGSM: "+name, func() error { return dataset.WritePGSM(nowhere{}, s) })
		if s != nil && s.Dense != nil && s.Sparse == nil {
			continue // WithLayout checks only the rows
		}
		try("WithLayout: "+name, func() error {
			_, err := s.WithLayout(dataset.LayoutSparse)
			return err
		})
	}
}
