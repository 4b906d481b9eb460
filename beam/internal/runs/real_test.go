package runs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

var real = flag.Bool("real", false, "train on the public sets in PEGASIMD_DATA: some minutes")

func TestRealSets(t *testing.T) {
	data := os.Getenv("PEGASIMD_DATA")
	if !*real {
		t.Skip("needs -real, and PEGASIMD_DATA")
	}
	if data == "" {
		t.Fatal("-real needs PEGASIMD_DATA")
	}
	for _, c := range []realSet{
		{a9a, rounds.Newton, 0.01, pegasos.ScaleNone, []int{1, 4, 16, 64}, 9,
			"df2868cdf4cac66d 0x1.6844521fdfb36p-02 0x1.6620ea3216875p-02"},
		{a9a, rounds.Newton, 0.001, pegasos.ScaleNone, []int{1, 4, 16, 64}, 14,
			"52c973e51bd55a15 0x1.6836bcf307c42p-02 0x1.68094b7a2fe7dp-02"},
		{covtype, rounds.Newton, 0.01, pegasos.ScaleNone, []int{1, 4, 16, 64}, 16,
			"ba3d9376ff604f98 0x1.5a31ee20b60c9p-02 0x1.58f0ef5689316p-02"},
		{covtype, rounds.Newton, 0.001, pegasos.ScaleNone, []int{1, 4, 16, 64}, 21,
			"ccd3f61bf4d340d8 0x1.5a260f9ee82afp-02 0x1.59ef710839e34p-02"},
		{covtype, rounds.Newton, 0.001, pegasos.ScaleMaxAbs, []int{1, 4, 16, 64}, 21,
			"412a3dae8e905598 0x1.5d19731cb0714p-02 0x1.5cdd4274ea55ap-02"},
		{fashion, rounds.Newton, 0.01, pegasos.ScaleNone, []int{1, 4, 16, 64}, 16,
			"30b8613f14cc7264 0x1.301f0c3e83fb8p-02 0x1.2d4f9aaa48042p-02"},
		{imdb, rounds.Dual, 0.01, pegasos.ScaleNone, []int{4}, 10,
			"dee3d9147a11c2c5 0x1.4276cd9140304p-02 0x1.402a3230c17c6p-02"},
		{imdb, rounds.Dual, 0.01, pegasos.ScaleNone, []int{16}, 28,
			"59c48fd4dde3e06a 0x1.4252ae057bc3cp-02 0x1.3f4a91e759826p-02"},
	} {
		t.Run(fmt.Sprintf("%s/%s/%v/%v", filepath.Dir(c.name), c.scale, c.tol, c.shards),
			func(t *testing.T) { c.run(t, data) })
	}
}

// Files in PEGASIMD_DATA. fashion stands for the file that fashionPair writes.
const (
	a9a     = "a9a/a9a.svm.gz"
	covtype = "covtype20k/covtype20k.binary.svm.gz"
	fashion = "fashion-mnist/pair"
	imdb    = "imdb/imdb.tfidf.train.svm.gz"
)

type realSet struct {
	name   string
	method rounds.Method
	tol    float64
	scale  pegasos.Scale
	shards []int
	most   int // Newton's iterations, or rounds of the dual method, including the proof's
	want   string
}

func (c realSet) run(t *testing.T, data string) {
	file := filepath.Join(data, filepath.FromSlash(c.name))
	if c.name == fashion {
		file = fashionPair(t, data)
	}
	cfg := Config{Method: c.method}
	cfg.Lambda, cfg.Tol, cfg.Scale, cfg.Bias = 1e-4, c.tol, c.scale, pegasos.BiasNone
	everyWay(t, file, cfg, c.shards, c.want, func(n int, isa asm.ISA, end Report) {
		have := end.Iterations
		if c.method == rounds.Dual {
			have = end.Round
		}
		t.Logf("%d shards on %s: %d iterations, %d rounds, %.3f s a round, gap %.4f %%", n, isa,
			end.Iterations, end.Round, end.Seconds/float64(end.Round), 100*end.Gap())
		if have > c.most {
			t.Errorf("%d shards: %d, want at most %d", n, have, c.most)
		}
	})
}

func fashionPair(t testing.TB, data string) string {
	dir := filepath.Join(data, "fashion-mnist")
	set, err := dataset.Read(fmt.Sprintf("%s,%s", filepath.Join(dir, "train-images-idx3-ubyte.gz"),
		filepath.Join(dir, "train-labels-idx1-ubyte.gz")), dataset.Options{})
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
