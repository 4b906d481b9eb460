package main

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/bench/internal/picture"
)

// pathStyle is the same in all figures.
func pathStyle(path string) picture.Style {
	switch path {
	case "avx2", "neon":
		return picture.Lines[0]
	case "generic":
		return picture.Lines[1]
	case "avx512", "neondot":
		return picture.Lines[2]
	case "avx512x256":
		return picture.Lines[3]
	}
	return picture.Lines[4]
}

func legendOf(paths []string) (all []picture.Series) {
	for _, path := range paths {
		all = append(all, picture.Series{Style: pathStyle(path), Name: path})
	}
	return append(all, picture.Series{Style: picture.Limit, Name: "limit of loads and stores"})
}

// speed draws a kernel's speed over the size.
func speed(k *measured.Kernel, paths []string) *picture.Figure {
	f := &picture.Figure{ID: "kernel-" + k.Name, Title: k.Name, Lines: legendOf(paths),
		X: picture.Axis{Label: "n", Log: true, Format: picture.Short},
		Y: picture.Axis{Label: "GB/s", Log: true, Format: picture.Short}}
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
			f.Bands = append(f.Bands, picture.Level{Name: s.Level, From: from, To: from})
		}
		f.Bands[len(f.Bands)-1].To = 2 * n
		if last := len(f.Bands) - 1; last > 0 {
			f.Bands[last-1].To = f.Bands[last].From
		}
	}
	return f
}
