package runs

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
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

func fileHash(t testing.TB, m *pegasos.Model) string {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(file.Bytes()))
}

var errStop = errors.New("stopped by the test")

// stopAt stops after the work of round k, before the round is committed.
func stopAt(t testing.TB, manifest string, cfg Config, k int) *Folder {
	t.Helper()
	f := begin(t, manifest, cfg)
	err := f.Run(context.Background(), runner(func(ctx context.Context, j work.Job) ([]int64, error) {
		sum, err := work.InProcess{}.Run(ctx, j)
		if j.Round == k && err == nil {
			err = errStop
		}
		return sum, err
	}), nil)
	if !errors.Is(err, errStop) {
		t.Fatalf("stopped at round %d: %v", k, err)
	}
	return f
}

func again(t testing.TB, f *Folder) *Folder {
	t.Helper()
	last = work.Last[*Folder]{}
	f, err := open(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var methods = []rounds.Method{rounds.Newton, rounds.Dual}

func TestGoOn(t *testing.T) {
	for _, method := range methods {
		manifest := split(t, small(t, 800, 3), 3)
		m, reports := train(t, manifest, brief(method))
		want := fileHash(t, m)
		for k := 1; k <= len(reports); k++ {
			f := again(t, stopAt(t, manifest, brief(method), k))
			m, rest := drive(t, f, work.InProcess{})
			if have := fileHash(t, m); have != want || len(rest) != len(reports)-k+1 {
				t.Errorf("%s, stopped in round %d: %s after %d more rounds, want %s", method, k, have,
					len(rest), want)
			}
			if m, err := f.Model(); err != nil || fileHash(t, m) != want {
				t.Errorf("%s: the folder has another model: %v", method, err)
			}
		}
	}
}

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

func TestDamagedFiles(t *testing.T) {
	const k = 4
	for _, method := range methods {
		manifest := split(t, small(t, 800, 2), 3)
		m, _ := train(t, manifest, brief(method))
		want := fileHash(t, m)
		for what, harm := range harms {
			for _, kind := range []string{"alpha", "alpha before", "state"} {
				if method == rounds.Newton && strings.HasPrefix(kind, "alpha") {
					continue
				}
				f := stopAt(t, manifest, brief(method), k)
				switch kind {
				case "alpha":
					harm(t, f.alphaPath(k, 2))
				case "alpha before":
					harm(t, f.alphaPath(k-1, 1))
				case "state":
					harm(t, f.statePath(k-1))
				}
				m, _ := drive(t, again(t, f), work.InProcess{})
				if have := fileHash(t, m); have != want {
					t.Errorf("%s, %s %s: %s, want %s", method, kind, what, have, want)
				}
			}
		}
	}
}

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

// Dual variables of another shard, round or seed are computed again. A state of another seed is an
// error.
func TestForeignFiles(t *testing.T) {
	const k = 4
	manifest := split(t, small(t, 800, 2), 3)
	cfg := brief(rounds.Dual)
	m, _ := train(t, manifest, cfg)
	want := fileHash(t, m)
	seed := cfg
	seed.Seed++
	other := stopAt(t, manifest, seed, k)
	for what, from := range map[string]func(f *Folder) string{
		"another shard's":   func(f *Folder) string { return f.alphaPath(k-1, 0) },
		"another round's":   func(f *Folder) string { return f.alphaPath(k, 1) },
		"of other settings": func(*Folder) string { return other.alphaPath(k-1, 1) },
	} {
		f := stopAt(t, manifest, cfg, k)
		copyFile(t, from(f), f.alphaPath(k-1, 1))
		m, _ := drive(t, again(t, f), work.InProcess{})
		if have := fileHash(t, m); have != want {
			t.Errorf("%s: %s, want %s", what, have, want)
		}
	}
	f := stopAt(t, manifest, cfg, k)
	copyFile(t, other.statePath(k-1), f.statePath(k-1))
	err := f.Run(context.Background(), work.InProcess{}, nil)
	if !errors.Is(err, errForeign) || !strings.Contains(err.Error(), "belongs to other settings") ||
		!strings.Contains(err.Error(), "state-000003") {
		t.Errorf("a state of other settings: %v", err)
	}
}

func TestRefused(t *testing.T) {
	cfg := brief(rounds.Dual)
	data := small(t, 800, 2)
	manifest := split(t, data, 3)
	folder := stopAt(t, manifest, cfg, 2)
	further := cfg
	further.Tol = 0.5
	for what, start := range map[string]func() (*Folder, error){
		"other settings": func() (*Folder, error) { return Start(folder.dir, manifest, further) },
		"other data": func() (*Folder, error) {
			return Start(folder.dir, split(t, small(t, 790, 2), 3), cfg)
		},
		"other shards": func() (*Folder, error) { return Start(folder.dir, split(t, data, 4), cfg) },
		"no rounds":    func() (*Folder, error) { return open(t.TempDir()) },
	} {
		if _, err := start(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := Start(folder.dir, manifest, cfg); err != nil {
		t.Errorf("the folder's own data and settings: %v", err)
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
		if _, err := Start(into, manifest, c); err == nil {
			t.Errorf("%s: no error for %+v", name, c)
		} else if _, err := os.Stat(runPath(into)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder was begun", name)
		}
	}
	first := filepath.Join(filepath.Dir(manifest), "shard-00000.pgsm")
	copyFile(t, filepath.Join(filepath.Dir(manifest), "shard-00001.pgsm"), first)
	err := again(t, folder).Run(context.Background(), work.InProcess{}, nil)
	if err == nil || !strings.Contains(err.Error(), "shard-00000.pgsm") ||
		!errors.As(err, new(RoundError)) {
		t.Errorf("a shard was replaced: %v", err)
	}
	copyFile(t, split(t, data, 4), manifest)
	last = work.Last[*Folder]{}
	if _, err = open(folder.dir); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("the manifest was replaced: %v", err)
	}
}

// The lock file of a killed process does not count.
func TestLock(t *testing.T) {
	f := begin(t, split(t, small(t, 800, 2), 3), brief(rounds.Newton))
	if err := os.WriteFile(filepath.Join(f.dir, "lock"), []byte("4711\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, rounds := context.Background(), 0
	drive(t, f, runner(func(ctx context.Context, j work.Job) ([]int64, error) {
		rounds++
		second := again(t, f).Run(ctx, work.InProcess{}, nil)
		if second == nil || !strings.Contains(second.Error(), "another process") {
			t.Errorf("a second driver: %v", second)
		}
		return work.InProcess{}.Run(ctx, j)
	}))
	if rounds == 0 {
		t.Error("there were no rounds")
	}
	if err := again(t, f).Run(ctx, work.InProcess{}, nil); err != nil {
		t.Errorf("after the first driver has ended: %v", err)
	}
}

// Shards may be worked on in any order and more than once.
func TestAlone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	random := rand.New(rand.NewPCG(1, 2))
	for _, method := range methods {
		manifest := split(t, small(t, 800, 3), 5)
		m, _ := train(t, manifest, brief(method))
		want := fileHash(t, m)
		f := begin(t, manifest, brief(method))
		m, _ = drive(t, f, runner(func(ctx context.Context, j work.Job) ([]int64, error) {
			runtime.GOMAXPROCS([]int{1, 2, 8}[j.Round%3])
			sums := make([][]int64, len(j.Items))
			for _, i := range random.Perm(2 * len(j.Items)) {
				again(t, f)
				sum, err := takeShard(ctx, j.Arg, j.Round, j.Items[i/2])
				if err != nil || sums[i/2] != nil && !slices.Equal(sum, sums[i/2]) {
					t.Fatalf("shard %d gives other numbers, or %v", i/2, err)
				}
				sums[i/2] = sum
			}
			for _, sum := range sums[1:] {
				for k, v := range sum {
					sums[0][k] += v
				}
			}
			return sums[0], nil
		}))
		if fileHash(t, m) != want {
			t.Errorf("%s: another model", method)
		}
		checkFolder(t, f)
	}
}

func checkFolder(t *testing.T, f *Folder) {
	t.Helper()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	status, err := f.Status()
	if err != nil || !status.Done || !status.Reached {
		t.Fatalf("%+v, %v", status, err)
	}
	var foreign []string
	for _, e := range entries {
		kept := e.Name() == "run.json" || e.Name() == "lock"
		for k := status.Round - 1; k <= status.Round; k++ {
			for _, kind := range []string{"state", "alpha"} {
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

func TestModelIsVerified(t *testing.T) {
	for _, method := range methods {
		for _, classes := range []int{2, 3} {
			data := small(t, 800, classes)
			cfg := settingsOf(method)
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

func TestCancelled(t *testing.T) {
	manifest := split(t, small(t, 800, 2), 3)
	f := stopAt(t, manifest, brief(rounds.Dual), 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Run(ctx, work.InProcess{}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := takeShard(ctx, f.dir, 2, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if m, _ := drive(t, f, work.InProcess{}); m.Result.Gap > brief(rounds.Dual).Tol {
		t.Error(m.Result.Gap)
	}
}
