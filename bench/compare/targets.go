package main

import (
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// A target is a row of the design's section on targets: at every length from low to high, our time
// over that of the best of some peers must not exceed limit.
type target struct {
	tables    string // what the titles begin with
	low, high int
	against   string
	match     func(contender) bool
	limit     float64
}

func anyone(c contender) bool { return c.kind != ours }
func inGo(c contender) bool   { return c.kind == goPeer }

func named(prefix string) func(contender) bool {
	return func(c contender) bool { return strings.HasPrefix(c.name, prefix) }
}

func plainLoop(c contender) bool { return c.name == "Go loop" }

var targets = []target{
	{"Dot, aligned", 784, 65536, "best of all", anyone, 1.03},
	{"Axpy, aligned", 784, 65536, "best of all", anyone, 1.03},
	{"Dot, aligned", 8, 54, "best in Go", inGo, 0.80},
	{"Dot, aligned", 100, 300, "best in Go", inGo, 0.97},
	{"Axpy, aligned", 31, 100, "best in Go", inGo, 0.88},
	{"Axpy, one float off", 300, maxLength, "best in Go", inGo, 0.72},
	{"DotRows, 64 rows", 16, 128, "tphakala", named("tphakala"), 0.75},
	{"DotRows, 1024 rows", 16, 128, "tphakala", named("tphakala"), 0.75},
	{"DotRows, 64 rows", 16, 128, "gonum", named("gonum"), 0.40},
	{"DotRows, 1024 rows", 16, 128, "gonum", named("gonum"), 0.40},
	{"DotSparse", 75, 500, "Go loop", plainLoop, 0.75},
	{"AxpySparse", 75, 500, "Go loop", plainLoop, 0.60},
	{"Dot, aligned", 1 << 24, 1 << 24, "best in Go", inGo, 0.90},
}

type verdict struct {
	Op      string  `json:"op"`
	At      string  `json:"at"`
	Against string  `json:"against"`
	Target  float64 `json:"target"`
	Reached float64 `json:"reached"`
	Lower   float64 `json:"lower_quartile"`
	Upper   float64 `json:"upper_quartile"`
	Verdict string  `json:"verdict"`
}

func verdicts(cells []*cell) (vs []verdict) {
	for _, t := range targets {
		for _, c := range cells {
			if !strings.HasPrefix(c.table, t.tables) || c.n < t.low || c.n > t.high {
				continue
			}
			best, bestNs := -1, math.Inf(1)
			for i, p := range c.contenders {
				if ns := stats.Median(c.samples[i]); t.match(p) && ns < bestNs {
					best, bestNs = i, ns
				}
			}
			if best < 0 {
				continue
			}
			r := stats.Ratios(c.samples[0], c.samples[best])
			v := verdict{
				Op: strings.TrimSuffix(c.table, " (ns a row)"), At: c.column,
				Against: t.against, Target: t.limit, Reached: round(stats.Median(r)),
				Lower: round(stats.Quantile(r, 0.25)), Upper: round(stats.Quantile(r, 0.75)),
			}
			if name := c.contenders[best].name; name != t.against {
				v.Against += ": " + name
			}
			switch {
			case v.Reached <= t.limit:
				v.Verdict = "met"
			case v.Lower <= t.limit:
				v.Verdict = "missed, within the noise"
			default:
				v.Verdict = "missed"
			}
			vs = append(vs, v)
		}
	}
	return vs
}
