package runs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

// shuffled runs rounds on the code path isa, with shards in random order and varying numbers of
// threads. The report has the seconds of all rounds.
func shuffled(t testing.TB, isa asm.ISA, manifest string, cfg Config) (*pegasos.Model, Report) {
	t.Helper()
	defer asm.Use(asm.Use(isa))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	random := rand.New(rand.NewPCG(5, 6))
	m, reports := drive(t, begin(t, manifest, cfg), runner(func(ctx context.Context, j work.Job) (
		[]int64, error,
	) {
		runtime.GOMAXPROCS([]int{1, 2, 8}[j.Round%3])
		random.Shuffle(len(j.Items), func(a, b int) {
			j.Items[a], j.Items[b] = j.Items[b], j.Items[a]
		})
		return work.InProcess{}.Run(ctx, j)
	}))
	end := reports[len(reports)-1]
	end.Seconds = 0
	for _, r := range reports {
		end.Seconds += r.Seconds
	}
	return m, end
}

func golden(m *pegasos.Model) string {
	return fmt.Sprintf("%.16s %x %x", m.Hash(), m.Result.Objective, m.Result.DualObjective)
}

// everyWay trains with each number of shards on the best code path. On the other paths, and in
// short tests, it uses only the second number, or the first if there is only one.
func everyWay(t *testing.T, file string, cfg Config, shards []int, want string,
	check func(n int, isa asm.ISA, end Report),
) {
	t.Helper()
	all, some := asm.Available(), min(1, len(shards)-1)
	for i, n := range shards {
		if testing.Short() && i != some {
			continue
		}
		manifest := split(t, file, n)
		for k, isa := range all {
			if k < len(all)-1 && i != some {
				continue
			}
			m, end := shuffled(t, isa, manifest, cfg)
			if have := golden(m); have != want || !end.Reached {
				t.Errorf("%d shards on %s: %s, want %s", n, isa, have, want)
			}
			check(n, isa, end)
		}
	}
}

// Models have the same bits on every code path, for any order of the shards and any number of
// threads. With Newton's method the same holds for any number of shards.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		method  rounds.Method
		classes int
		shards  []int
		want    string
	}{
		{rounds.Newton, 2, []int{1, 4, 16, 64},
			"d9161c47e4ffcba7 0x1.bc6663400d12ep-02 0x1.bc1230d1a01cbp-02"},
		{rounds.Newton, 3, []int{16, 4},
			"1e1dcf2241323cfe 0x1.064a63e72cff3p-01 0x1.06121e3fec6cfp-01"},
		{rounds.Dual, 2, []int{4},
			"74f889067d864bdd 0x1.bc70f70356131p-02 0x1.bba612f01f143p-02"},
		{rounds.Dual, 3, []int{3},
			"ea11ec074cc9cc51 0x1.0660953f59376p-01 0x1.05e4bdaa7937p-01"},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.method, c.classes), func(t *testing.T) {
			everyWay(t, small(t, 4200, c.classes), settingsOf(c.method), c.shards, c.want,
				func(int, asm.ISA, Report) {})
		})
	}
}
