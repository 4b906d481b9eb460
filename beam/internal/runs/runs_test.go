package runs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/beam/internal/shards"
	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

func split(t testing.TB, data string, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shards")
	if _, err := shards.Split(data, dir, shards.Options{Shards: n}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "manifest.json")
}

func begin(t testing.TB, manifest string, cfg Config) *Folder {
	t.Helper()
	f, err := Start(filepath.Join(t.TempDir(), "run"), manifest, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func train(t testing.TB, manifest string, cfg Config) (*pegasos.Model, []Report) {
	t.Helper()
	return drive(t, begin(t, manifest, cfg), work.InProcess{})
}

func drive(t testing.TB, f *Folder, r work.Runner) (m *pegasos.Model, reports []Report) {
	t.Helper()
	err := f.Run(context.Background(), r, func(r Report) { reports = append(reports, r) })
	if err != nil {
		t.Fatal(err)
	}
	if m, err = f.Model(); err != nil {
		t.Fatal(err)
	}
	return m, reports
}

type runner func(context.Context, work.Job) ([]int64, error)

func (r runner) Run(ctx context.Context, j work.Job) ([]int64, error) { return r(ctx, j) }

func small(t testing.TB, rows, classes int) string {
	t.Helper()
	var text strings.Builder
	random := rand.New(rand.NewPCG(7, 7))
	for range rows {
		class, noise := random.IntN(classes), 0
		if random.IntN(10) == 0 {
			noise = random.IntN(classes)
		}
		fmt.Fprintf(&text, "%d", class)
		for j := range 12 {
			v := random.NormFloat64()
			if j%classes == (class+noise)%classes {
				v++
			}
			if random.IntN(2) == 0 {
				fmt.Fprintf(&text, " %d:%.4g", j+1, v)
			}
		}
		text.WriteByte('\n')
	}
	name := filepath.Join(t.TempDir(), "rows.svm")
	if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func brief(method rounds.Method) Config {
	cfg := settingsOf(method)
	cfg.Tol = 2e-2
	return cfg
}

func settingsOf(method rounds.Method) Config {
	cfg := Config{Method: method}
	cfg.Lambda, cfg.Tol, cfg.Seed = 1e-2, 2e-3, 3
	return cfg
}

func TestManyLabels(t *testing.T) {
	var text strings.Builder
	for i := range labels.MaxClasses + 1 {
		fmt.Fprintf(&text, "%d 1:1\n", i)
	}
	data := filepath.Join(t.TempDir(), "rows.svm")
	if err := os.WriteFile(data, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Start(filepath.Join(t.TempDir(), "run"), split(t, data, 1), Config{})
	if err == nil || !strings.Contains(err.Error(), "more than 65536 distinct labels") {
		t.Error(err)
	}
}
