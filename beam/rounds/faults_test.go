package rounds

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// fileHash returns that of the model's file.
func fileHash(t testing.TB, m *pegasos.Model) string {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(file.Bytes()))
}

var errStop = errors.New("stopped by the test")

// stopAt starts rounds in a new folder, and stops when the shards of round k have been taken.
func stopAt(t testing.TB, manifest string, cfg Config, k int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	if err := Start(dir, manifest, cfg); err != nil {
		t.Fatal(err)
	}
	each := InProcess(dir, 1)
	err := Run(context.Background(), dir, func(ctx context.Context, at int, shards []int) ([]int64,
		error,
	) {
		sum, err := each(ctx, at, shards)
		if at == k && err == nil {
			err = errStop
		}
		return sum, err
	}, nil)
	if !errors.Is(err, errStop) {
		t.Fatalf("stopped at round %d: %v", k, err)
	}
	return dir
}

// forget makes this process read the folders anew, as another process would.
func forget() {
	last.Lock()
	defer last.Unlock()
	last.session = nil
}

var methods = []pegasos.RoundMethod{pegasos.RoundNewton, pegasos.RoundDual}

// Stopping in any round, and running again, changes nothing.
func TestGoOn(t *testing.T) {
	for _, method := range methods {
		manifest := split(t, small(t, 800, 3), 3)
		m, reports := train(t, manifest, brief(method))
		want := fileHash(t, m)
		for k := 1; k <= len(reports); k++ {
			dir := stopAt(t, manifest, brief(method), k)
			forget()
			m, rest := drive(t, dir)
			if have := fileHash(t, m); have != want || len(rest) != len(reports)-k+1 {
				t.Errorf("%s, stopped in round %d: %s after %d more rounds, want %s", method, k, have,
					len(rest), want)
			}
			if m, err := Model(dir); err != nil || fileHash(t, m) != want {
				t.Errorf("%s: the folder has another model: %v", method, err)
			}
		}
	}
}

// edit changes a file's bytes.
func edit(t testing.TB, path string, f func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, f(b), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// harms are what can happen to a file.
var harms = map[string]func(t testing.TB, path string){
	"gone": func(t testing.TB, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	},
	"empty": func(t testing.TB, path string) {
		edit(t, path, func([]byte) []byte { return nil })
	},
	"cut off": func(t testing.TB, path string) {
		edit(t, path, func(b []byte) []byte { return b[:len(b)-5] })
	},
	"cut in half": func(t testing.TB, path string) {
		edit(t, path, func(b []byte) []byte { return b[:len(b)/2] })
	},
	"flipped": func(t testing.TB, path string) {
		edit(t, path, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	},
	"longer": func(t testing.TB, path string) {
		edit(t, path, func(b []byte) []byte { return append(b, 0) })
	},
}

// Files of a round that were harmed, or are another's, are made again: the model is the same.
func TestDamagedFiles(t *testing.T) {
	const k = 4
	for _, method := range methods {
		manifest := split(t, small(t, 800, 2), 3)
		m, _ := train(t, manifest, brief(method))
		want := fileHash(t, m)
		for what, harm := range harms {
			for _, kind := range []string{"part", "alpha", "alpha before", "state"} {
				if method == pegasos.RoundNewton && strings.HasPrefix(kind, "alpha") {
					continue
				}
				dir := stopAt(t, manifest, brief(method), k)
				switch kind {
				case "part":
					harm(t, partPath(dir, k, 1))
				case "alpha":
					harm(t, alphaPath(dir, k, 2))
				case "alpha before":
					for i := range 3 {
						harms["gone"](t, partPath(dir, k, i))
					}
					harm(t, alphaPath(dir, k-1, 1))
				case "state":
					harm(t, statePath(dir, k-1))
				}
				forget()
				m, _ := drive(t, dir)
				if have := fileHash(t, m); have != want {
					t.Errorf("%s, %s %s: %s, want %s", method, kind, what, have, want)
				}
			}
		}
	}
}

// copyFile puts a file in the place of another.
func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A file of another shard, round, seed or set is never taken for the right one.
func TestForeignFiles(t *testing.T) {
	const k = 4
	manifest := split(t, small(t, 800, 2), 3)
	cfg := brief(pegasos.RoundDual)
	m, _ := train(t, manifest, cfg)
	want := fileHash(t, m)
	seed := cfg
	seed.Seed++
	other := stopAt(t, manifest, seed, k)
	for what, harm := range map[string]func(dir string){
		"another shard's part": func(dir string) {
			copyFile(t, partPath(dir, k, 0), partPath(dir, k, 1))
		},
		"another shard's alpha": func(dir string) {
			copyFile(t, alphaPath(dir, k, 0), alphaPath(dir, k, 1))
		},
		"another round's part": func(dir string) {
			copyFile(t, partPath(dir, k-1, 1), partPath(dir, k, 1))
		},
		"a part of other settings": func(dir string) {
			copyFile(t, partPath(other, k, 1), partPath(dir, k, 1))
		},
		"an alpha of other settings": func(dir string) {
			copyFile(t, alphaPath(other, k, 1), alphaPath(dir, k, 1))
		},
	} {
		dir := stopAt(t, manifest, cfg, k)
		harm(dir)
		if strings.Contains(what, "part") {
			if _, err := Sum(dir, k); err == nil {
				t.Errorf("%s was added", what)
			}
		}
		forget()
		m, _ := drive(t, dir)
		if have := fileHash(t, m); have != want {
			t.Errorf("%s: %s, want %s", what, have, want)
		}
	}
	dir := stopAt(t, manifest, cfg, k)
	copyFile(t, statePath(other, k-1), statePath(dir, k-1))
	err := Run(context.Background(), dir, InProcess(dir, 1), nil)
	if !errors.Is(err, errForeign) || !strings.Contains(err.Error(), "state-000003") {
		t.Errorf("a state of other settings: %v", err)
	}
}

// A folder of other data or settings is refused, and so is one whose shards were replaced.
func TestRefused(t *testing.T) {
	cfg := brief(pegasos.RoundDual)
	data := small(t, 800, 2)
	manifest := split(t, data, 3)
	dir := stopAt(t, manifest, cfg, 2)
	again := cfg
	again.Tol = 0.5
	for what, err := range map[string]error{
		"other settings": Start(dir, manifest, again),
		"other data":     Start(dir, split(t, small(t, 790, 2), 3), cfg),
		"other shards":   Start(dir, split(t, data, 4), cfg),
		"no rounds":      Run(context.Background(), t.TempDir(), nil, nil),
	} {
		if err == nil {
			t.Errorf("%s were taken", what)
		}
	}
	if err := Start(dir, manifest, cfg); err != nil {
		t.Errorf("its own data and settings: %v", err)
	}
	for name, f := range map[string]func(*Config){
		"Loss":       func(c *Config) { c.Loss = pegasos.EpsInsensitive },
		"Bias":       func(c *Config) { c.Bias = pegasos.BiasUnregularised },
		"Multiclass": func(c *Config) { c.Multiclass = pegasos.OneVsOne },
		"Batch":      func(c *Config) { c.Batch = 4 },
		"Lambda":     func(c *Config) { c.Lambda = -1 },
		"Method":     func(c *Config) { c.Method = "magic" },
	} {
		c, into := cfg, filepath.Join(t.TempDir(), "run")
		f(&c)
		if err := Start(into, manifest, c); err == nil {
			t.Errorf("%s: %+v was taken", name, c)
		} else if _, err := os.Stat(runPath(into)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder was begun", name)
		}
	}
	first := filepath.Join(filepath.Dir(manifest), "shard-00000.pgsm")
	copyFile(t, filepath.Join(filepath.Dir(manifest), "shard-00001.pgsm"), first)
	forget()
	err := Run(context.Background(), dir, InProcess(dir, 1), nil)
	if err == nil || !strings.Contains(err.Error(), "shard-00000.pgsm") {
		t.Errorf("a shard was replaced: %v", err)
	}
}

// A sum lacks parts that are not there.
func TestSumLacksParts(t *testing.T) {
	dir := stopAt(t, split(t, small(t, 800, 2), 3), brief(pegasos.RoundNewton), 2)
	if _, err := Sum(dir, 2); err != nil {
		t.Error(err)
	}
	harms["gone"](t, partPath(dir, 2, 1))
	if _, err := Sum(dir, 2); err == nil || !strings.Contains(err.Error(), "1 of 3 shards") {
		t.Errorf("without a part: %v", err)
	}
}

// Processes that take one shard each, in any order and more than once, with any number of threads,
// give the model of a run in one process. The folder keeps two rounds, and nothing else.
func TestAlone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	ctx, random := context.Background(), rand.New(rand.NewPCG(1, 2))
	for _, method := range methods {
		manifest := split(t, small(t, 800, 3), 5)
		m, _ := train(t, manifest, brief(method))
		want := fileHash(t, m)
		dir := filepath.Join(t.TempDir(), "run")
		if err := Start(dir, manifest, brief(method)); err != nil {
			t.Fatal(err)
		}
		for k := 1; ; k++ {
			runtime.GOMAXPROCS([]int{1, 2, 8}[k%3])
			_, shards, err := Plan(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range random.Perm(2 * len(shards)) {
				if i%3 == 0 { // another process
					forget()
				}
				if _, err := RunShardAlone(ctx, dir, k, shards[i/2]); err != nil {
					t.Fatal(err)
				}
			}
			sum, err := Sum(dir, k)
			if err != nil {
				t.Fatal(err)
			}
			report, err := Next(dir, k, sum)
			if err != nil {
				t.Fatal(err)
			}
			if report.Done {
				break
			}
		}
		m, err := Model(dir)
		if err != nil || fileHash(t, m) != want {
			t.Errorf("%s: %v, another model", method, err)
		}
		checkFolder(t, dir)
	}
}

// checkFolder holds a folder's files against those of two rounds.
func checkFolder(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	status, err := Status(dir)
	if err != nil || !status.Done || !status.Reached {
		t.Fatalf("%+v, %v", status, err)
	}
	var foreign []string
	for _, e := range entries {
		kept := e.Name() == runName
		for k := status.Round - 1; k <= status.Round; k++ {
			for _, kind := range []string{"state", "part", "alpha"} {
				kept = kept || strings.HasPrefix(e.Name(), fmt.Sprintf("%s-%06d", kind, k))
			}
		}
		if !kept || strings.HasSuffix(e.Name(), ".tmp") {
			foreign = append(foreign, e.Name())
		}
	}
	if len(foreign) > 0 {
		t.Errorf("the folder has %v", foreign)
	}
}

// What rounds give is an ordinary model, of which verifying confirms what it claims.
func TestModelIsVerified(t *testing.T) {
	for _, method := range methods {
		for _, classes := range []int{2, 3} {
			data := small(t, 800, classes)
			cfg := settings(method)
			cfg.ClassWeight, cfg.Loss = pegasos.Balanced, pegasos.SquaredHinge
			m, reports := train(t, split(t, data, 3), cfg)
			set, err := dataset.Read(data, dataset.Options{Layout: dataset.LayoutSparse})
			if err != nil {
				t.Fatal(err)
			}
			v, err := new(pegasos.Trainer).Verify(context.Background(), m, set.Sparse, set.Y,
				pegasos.VerifyOptions{Passes: 20})
			if err != nil || v.Verdict == pegasos.Contradicted || v.Gap > 0.01 {
				t.Errorf("%s, %d classes: %+v, %v", method, classes, v, err)
			}
			right := 0
			for i, y := range m.PredictAll(set.Sparse) {
				if y == set.Y[i] {
					right++
				}
			}
			if r := reports[len(reports)-1]; !r.Reached || 10*right < 6*len(set.Y) {
				t.Errorf("%s, %d classes: %d of %d rows right, %+v", method, classes, right,
					len(set.Y), r)
			}
		}
	}
}

// A run that is cancelled ends, and can go on.
func TestCancelled(t *testing.T) {
	manifest := split(t, small(t, 800, 2), 3)
	dir := stopAt(t, manifest, brief(pegasos.RoundDual), 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, dir, InProcess(dir, 2), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := InProcess(dir, 2)(ctx, 2, []int{0, 1, 2}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if m, _ := drive(t, dir); m.Result.Gap > brief(pegasos.RoundDual).Tol {
		t.Error(m.Result.Gap)
	}
}
