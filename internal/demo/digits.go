package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A problem is rows to train on and rows to test with.
type problem struct {
	name        string
	train, test *dataset.Set
}

// digits returns the embedded digits twice: their pixels from 0 to 1, and each pixel's column in a
// unit of its own, a power of ten from 1e-4 to 1e3, as columns of tables are.
func digits() []problem {
	var sets []problem
	for _, name := range []string{"pixels", "units"} {
		train, test := dataset.DigitsSplit()
		sets = append(sets, problem{name, train, test})
	}
	for _, s := range []*dataset.Set{sets[1].train, sets[1].test} {
		for i := range s.Rows() {
			for j, v := range s.Dense.Row(i) {
				s.Dense.Row(i)[j] = float32(float64(v) * math.Pow10(j*5%8-4))
			}
		}
	}
	return sets
}

// write writes the sets to dir, as name.train.svm and name.test.svm.
func write(dir string, sets []problem) error {
	for _, p := range sets {
		for part, s := range map[string]*dataset.Set{"train": p.train, "test": p.test} {
			f, err := os.OpenFile(filepath.Join(dir, p.name+"."+part+".svm"),
				os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			if err != nil {
				return err
			}
			err = dataset.WriteSvmlight(f, s)
			if last := f.Close(); err == nil {
				err = last
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// others is what others' defaults make of the same rows, in percent: see README.md.
var others = []struct {
	name          string
	pixels, units float64
}{
	{"liblinear-train 2.3.0", 95.77, 60.36},
	{"scikit-learn 1.2.1, LinearSVC()", 95.55, 73.05},
	{"scikit-learn 1.2.1, SGDClassifier()", 95.55, 73.94},
	{"scikit-learn 1.2.1, LogisticRegression()", 95.32, 78.17},
}

// compare trains on both sets with a zero Config, and prints how many test rows are recognised, by
// it and by others.
func compare(sets []problem) error {
	first := sets[0]
	fmt.Printf("%d handwritten digits of %d pixels, ten classes; %d others to recognise.\n",
		first.train.Rows(), first.train.Cols(), first.test.Rows())
	var percent [2]float64
	var settings string
	start := time.Now()
	for i, p := range sets {
		m, err := pegasos.Train(background, p.train.Dense, p.train.Y, pegasos.Config{})
		if err != nil {
			return err
		}
		percent[i] = 100 * metrics.Accuracy(p.test.Y, m.PredictAll(p.test.Dense), nil)
		settings = m.Settings()
	}
	seconds := time.Since(start).Seconds() / 2
	fmt.Printf("Chosen: %s.\n\n", settings)
	fmt.Printf("%-42s %14s %14s\n", "accuracy, nothing but defaults", "pixels 0 to 1",
		"each pixel in")
	fmt.Printf("%-42s %14s %14s\n", "", "", "its own unit")
	fmt.Printf("%-42s %12.2f %% %12.2f %%\n", fmt.Sprintf("Pegasimd, here, in %.2f s", seconds),
		percent[0], percent[1])
	for _, o := range others {
		fmt.Printf("%-42s %12.2f %% %12.2f %%\n", o.name, o.pixels, o.units)
	}
	fmt.Println("\nThe others' figures were measured once: internal/demo/README.md has the commands.")
	return nil
}
