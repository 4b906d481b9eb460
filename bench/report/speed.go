package main

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/internal/app/chart"
)

// pathStyle returns the style of a path, which is the same in all figures.
func pathStyle(path string) chart.Style {
	switch path {
	case "avx2", "neon":
		return chart.Lines[0]
	case "generic":
		return chart.Lines[1]
	case "avx512", "neondot":
		return chart.Lines[2]
	case "avx512x256":
		return chart.Lines[3]
	}
	return chart.Lines[4]
}

func legendOf(paths []string) (all []chart.Series) {
	for _, path := range paths {
		all = append(all, chart.Series{Style: pathStyle(path), Name: path})
	}
	return append(all, chart.Series{Style: chart.Limit, Name: "limit of loads and stores"})
}

// speed draws a kernel's speed over the size.
func speed(k *measured.Kernel, paths []string) *chart.Figure {
	f := &chart.Figure{ID: "kernel-" + k.Name, Title: k.Name, Lines: legendOf(paths),
		X: chart.Axis{Label: "n", Log: true, Format: chart.Short},
		Y: chart.Axis{Label: "GB/s", Log: true, Format: chart.Short}}
	from := 1.
	for i, s := range k.Sizes {
		n := float64(s.N)
		for path, rate := range append(slices.Clone(s.GBs), s.Limit) {
			f.Lines[path].Add(n, rate)
		}
		if i > 0 {
			from = math.Sqrt(n * float64(k.Sizes[i-1].N))
		}
		if last := len(f.Bands) - 1; last < 0 || f.Bands[last].Name != s.Level {
			f.Bands = append(f.Bands, chart.Band{Name: s.Level, From: from, To: from})
		}
		f.Bands[len(f.Bands)-1].To = 2 * n
		if last := len(f.Bands) - 1; last > 0 {
			f.Bands[last-1].To = f.Bands[last].From
		}
	}
	return f
}
