package modelio_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

func sparseModel(classes, features int) *pegasos.Model {
	m := &pegasos.Model{Lambda: 1, Config: pegasos.Config{Lambda: 1, Multiclass: pegasos.OneVsRest}.Plain()}
	for k := range classes {
		w := make([]float32, features)
		for j := k; j < features; j += 10_007 {
			w[j] = float32(j%101) / 7
		}
		m.Classes, m.Weights = append(m.Classes, float32(k)), append(m.Weights, w)
	}
	if classes == 2 {
		m.Weights = m.Weights[:1]
	}
	return m
}

func TestCompressedSparse(t *testing.T) {
	for _, classes := range []int{2, 3, 20} {
		if classes == 20 && testing.Short() {
			continue
		}
		m, name := sparseModel(classes, 1<<20), filepath.Join(t.TempDir(), "model.gz")
		if err := m.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		have, err := modelio.ReadFile(name)
		if err != nil || have.Hash() != m.Hash() {
			t.Errorf("%d classes: error %v, or the model that was read is another", classes, err)
		}
		info, err := os.Stat(name)
		if err != nil || info.Size() > int64(classes)<<20 {
			t.Errorf("%d classes: the file has %d bytes, error %v", classes, info.Size(), err)
		}
	}
	// Gzip's default level compresses zeros further than WriteFile does, but within the limits.
	m, dir := sparseModel(2, 1<<20), t.TempDir()
	for form, f := range map[string]struct {
		write func(io.Writer) error
		read  func(name string) error
	}{
		"native":    {m.Write, readNative},
		"JSON":      {func(w io.Writer) error { return modelio.WriteJSON(w, m) }, readJSON},
		"liblinear": {func(w io.Writer) error { return modelio.WriteLiblinear(w, m) }, readLiblinear},
	} {
		name := filepath.Join(dir, form)
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(file)
		if err := f.write(z); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		file.Close()
		if err := f.read(name); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}
