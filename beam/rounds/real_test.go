package rounds

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

var real = flag.Bool("real", false, "train on the public sets in PEGASIMD_DATA: some minutes")

// How many rounds real sets take, of one hash for any number of shards with Newton's method. The
// numbers are those of docs/rounds.md.
func TestRealSets(t *testing.T) {
	data := os.Getenv("PEGASIMD_DATA")
	if !*real || data == "" {
		t.Skip("needs -real, and PEGASIMD_DATA")
	}
	const a9a, covtype = "a9a/a9a.svm.gz", "covtype20k/covtype20k.binary.svm.gz"
	for _, c := range []struct {
		set    string
		tol    float64
		scale  pegasos.Scale
		shards []int
		most   []int // iterations, or rounds of the dual method with that of the proof
	}{
		{a9a, 0.01, pegasos.ScaleNone, []int{1, 4, 16, 64}, []int{9}},
		{a9a, 0.001, pegasos.ScaleNone, []int{1, 4, 16, 64}, []int{14}},
		{covtype, 0.01, pegasos.ScaleNone, []int{4, 64}, []int{16}},
		{covtype, 0.001, pegasos.ScaleNone, []int{1, 4, 16, 64}, []int{21}},
		{covtype, 0.001, pegasos.ScaleMaxAbs, []int{4, 64}, []int{21}},
		{"fashion", 0.01, pegasos.ScaleNone, []int{4, 64}, []int{16}},
		{"imdb/imdb.tfidf.train.svm.gz", 0.01, pegasos.ScaleNone, []int{4, 16}, []int{10, 28}},
	} {
		file, hash := filepath.Join(data, filepath.FromSlash(c.set)), ""
		if c.set == "fashion" {
			file = fashionPair(t, data)
		}
		for i, n := range c.shards {
			cfg := Config{}
			cfg.Lambda, cfg.Tol, cfg.Scale, cfg.Bias = 1e-4, c.tol, c.scale, pegasos.BiasNone
			m, reports := train(t, split(t, file, n), cfg)
			last, seconds := reports[len(reports)-1], 0.0
			for _, r := range reports {
				seconds += r.Seconds
			}
			have := last.Iterations
			if last.Method == pegasos.RoundDual {
				have = last.Round
			} else if hash == "" {
				hash = fileHash(t, m)
			}
			t.Logf("%s, %d shards, tol %v, %s: %d iterations, %d rounds, %.3f s a round, gap %.4f %%",
				c.set, n, c.tol, c.scale, last.Iterations, last.Round,
				seconds/float64(last.Round), 100*last.Gap)
			if most := c.most[i%len(c.most)]; have > most || !last.Reached {
				t.Errorf("%s, %d shards: %d, want at most %d", c.set, n, have, most)
			}
			if hash != "" && fileHash(t, m) != hash {
				t.Errorf("%s, %d shards: another hash", c.set, n)
			}
		}
	}
}

// fashionPair writes the rows of the classes 2 and 6 to a file.
func fashionPair(t testing.TB, data string) string {
	dir := filepath.Join(data, "fashion-mnist")
	set, err := dataset.Read(fmt.Sprintf("%s,%s", filepath.Join(dir, "train-images-idx3-ubyte.gz"),
		filepath.Join(dir, "train-labels-idx1-ubyte.gz")), dataset.Options{PixelDivisor: 255})
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for i, y := range set.Y {
		if y == 2 || y == 6 {
			rows = append(rows, i)
		}
	}
	name := filepath.Join(t.TempDir(), "pair.pgsm")
	f, err := os.Create(name)
	if err == nil {
		err = dataset.WritePGSM(f, set.Subset(rows))
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}
