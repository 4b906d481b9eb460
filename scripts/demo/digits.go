package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

type problem struct {
	name        string
	train, test *dataset.Set
}

// digits returns the embedded digits twice: with pixels from 0 to 1, and with each column
// multiplied by a power of ten from 1e-4 to 1e3, like columns in different units.
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

// The files must not exist.
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

// otherTrainers lists the accuracy, in percent, of others' default settings on the same rows.
// README.md has the commands.
var otherTrainers = []struct {
	name          string
	pixels, units float64
}{
	{"liblinear-train 2.3.0", 95.77, 60.36},
	{"scikit-learn 1.2.1, LinearSVC()", 95.55, 73.05},
	{"scikit-learn 1.2.1, SGDClassifier()", 95.55, 73.94},
	{"scikit-learn 1.2.1, LogisticRegression()", 95.32, 78.17},
}

func compare(w io.Writer, sets []problem) error {
	first := sets[0]
	fmt.Fprintf(w, "%d handwritten digits of %d pixels, ten classes; %d more to test.\n",
		first.train.Rows(), first.train.Cols(), first.test.Rows())
	var percent [2]float64
	var settings string
	start := now()
	for i, p := range sets {
		m, err := pegasos.Train(background, p.train.Dense, p.train.Y, pegasos.Config{})
		if err != nil {
			return err
		}
		percent[i] = 100 * metrics.Accuracy(p.test.Y, m.PredictAll(p.test.Dense), nil)
		settings = m.Settings()
	}
	seconds := now().Sub(start).Seconds() / 2
	fmt.Fprintf(w, "Chosen: %s.\n\n", settings)
	fmt.Fprintf(w, "%-42s %14s %14s\n", "accuracy, nothing but defaults", "pixels 0 to 1",
		"each pixel in")
	fmt.Fprintf(w, "%-42s %14s %14s\n", "", "", "its own unit")
	fmt.Fprintf(w, "%-42s %12.2f %% %12.2f %%\n", fmt.Sprintf("Pegasimd, here, in %.2f s", seconds),
		percent[0], percent[1])
	for _, o := range otherTrainers {
		fmt.Fprintf(w, "%-42s %12.2f %% %12.2f %%\n", o.name, o.pixels, o.units)
	}
	fmt.Fprintln(w, "\nThe others' figures were measured once: scripts/demo/README.md has the "+
		"commands.")
	return nil
}
