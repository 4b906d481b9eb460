package modelio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

func predictors(t *testing.T) []Predictor {
	t.Helper()
	var all []Predictor
	for _, classes := range []int{2, 4} {
		p := sample.Random(1, 60, 5, classes, 1)
		linear, err := pegasos.Train(context.Background(), p.Dense, p.Y, pegasos.Config{
			Multiclass: pegasos.OneVsOne,
		})
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := kernelsvm.Train(context.Background(), p.Dense, p.Y, kernelsvm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, linear, kernel)
	}
	return all
}

func TestReadEitherKind(t *testing.T) {
	x := sample.Random(2, 40, 5, 2, 1).Dense
	dir := t.TempDir()
	for i, m := range predictors(t) {
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.Bytes()
		have, err := Read(iotest.OneByteReader(bytes.NewReader(text)))
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		name := filepath.Join(dir, "model")
		if err := m.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		file, err := ReadFile(name)
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if have.Hash() != m.Hash() || file.Hash() != m.Hash() {
			t.Errorf("model %d: the model that was read is another", i)
		}
		scores, k := have.DecisionAll(x), have.Outputs()
		if len(scores) != 40*k || !slices.Equal(have.PredictAll(x), m.PredictAll(x)) {
			t.Errorf("model %d: %d scores for %d outputs, or other predictions", i, len(scores), k)
		}
		head := have.Head()
		if head.Features != 5 || !slices.Equal(head.Classes, m.Head().Classes) {
			t.Errorf("model %d: head %+v", i, head)
		}
		for row := range 40 {
			z := scores[row*k:][:k]
			all := have.ClassScores(z, nil)
			class := have.Class(z)
			if len(all) != len(head.Classes) || all[class] != slices.Max(all) {
				t.Errorf("model %d: class %d of %v", i, class, all)
			}
		}
		for n := range len("pegasimd kernel model 1") {
			if _, err := Read(bytes.NewReader(text[:n])); err == nil {
				t.Errorf("model %d cut to %d bytes was read", i, n)
			}
		}
	}
}

func TestReadNoModel(t *testing.T) {
	for _, text := range []string{"", "x", "solver_type L2R_LR\n", "pegasimd kernels",
		"pegasimd proof 1\n"} {
		m, err := Read(strings.NewReader(text))
		if m != nil || err == nil || !strings.Contains(err.Error(), "not a model") {
			t.Errorf("%q: model %v, error %v", text, m, err)
		}
	}
	broken := errors.New("broken")
	for _, r := range []io.Reader{
		iotest.ErrReader(broken),
		io.MultiReader(strings.NewReader("pegasimd model 1\n"), iotest.ErrReader(broken)),
	} {
		if m, err := Read(r); m != nil || !errors.Is(err, broken) {
			t.Errorf("model %v, error %v, want %v", m, err, broken)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
