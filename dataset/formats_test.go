package dataset_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A data set gives the same model, to the bit, from each format.
func TestDataFormats(t *testing.T) {
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" {
		t.Skip("not tested, PEGASIMD_DATA is not set: models from each format")
	}
	if testing.Short() {
		t.Skip("not tested in a short run: models from each format")
	}
	var names []string
	for _, pattern := range []string{"*/*.svm.gz", "*/*.csv.gz", "*/*-images-idx3-ubyte.gz"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, paths...)
	}
	if len(names) < 20 {
		t.Fatalf("%s has %d data sets, want at least 20", dir, len(names))
	}
	for _, name := range names {
		if strings.Contains(name, "images-idx3") {
			name += "," + strings.Replace(name, "images-idx3", "labels-idx1", 1)
		}
		first, _, _ := strings.Cut(name, ",")
		t.Run(filepath.Base(first), func(t *testing.T) {
			set, err := dataset.Read(name, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, predicted := train(t, set)
			for _, form := range []string{"svm", "csv", "npy", "pgsm"} {
				// Limits that keep the test short.
				cells := float64(set.Rows()) * float64(set.Cols())
				if form == "csv" && cells > 3e7 || form == "npy" && cells > 1e8 {
					t.Logf("not tested: %.3g numbers as %s", cells, form)
					continue
				}
				path := filepath.Join(t.TempDir(), "a."+form)
				f, err := os.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				err = map[string]func(*os.File) error{
					"svm":  func(f *os.File) error { return dataset.WriteSvmlight(f, set) },
					"csv":  func(f *os.File) error { return dataset.WriteCSV(io.Writer(f), set) },
					"npy":  func(f *os.File) error { return dataset.WriteNPY(f, set) },
					"pgsm": func(f *os.File) error { return dataset.WritePGSM(f, set) },
				}[form](f)
				if last := f.Close(); err == nil {
					err = last
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := dataset.Read(path, dataset.Options{})
				if err != nil {
					t.Fatal(err)
				}
				hash, labels := train(t, got)
				if hash != want || got.NNZ() != set.NNZ() || got.Layout() != set.Layout() {
					t.Errorf("%s: model %.16s, %d nonzeros, %s; want %.16s, %d, %s", form, hash,
						got.NNZ(), got.Layout(), want, set.NNZ(), set.Layout())
				}
				for i := range labels {
					if labels[i] != predicted[i] {
						t.Fatalf("%s: row %d is predicted to be %v, want %v", form, i, labels[i],
							predicted[i])
					}
				}
				if err := got.Err(); err != nil {
					t.Error(err)
				}
				if err := got.Close(); err != nil {
					t.Error(err)
				}
				os.Remove(path)
			}
		})
	}
}

func train(t *testing.T, set *dataset.Set) (hash string, predicted []float32) {
	t.Helper()
	distinct := map[float32]bool{}
	for _, y := range set.Y {
		distinct[y] = true
	}
	cfg := pegasos.Config{Lambda: 1e-3, Steps: 3000}
	if len(distinct) > 100 {
		cfg.Loss = pegasos.EpsInsensitive
	}
	var x pegasos.Examples = set.Dense
	if set.Sparse != nil {
		x = set.Sparse
	}
	m, err := pegasos.Train(context.Background(), x, set.Y, cfg.Plain())
	if err != nil {
		t.Fatal(err)
	}
	return m.Hash(), m.PredictAll(x)
}
