package main

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/bench/internal/picture"
)

// pathStyle is the same in all figures.
func pathStyle(path string) picture.Style {
	i := slices.Index([]string{"avx2", "generic", "avx512", "avx512x256"}, path)
	if path == "neon" {
		i = 0
	} else if i < 0 {
		i = 4
	}
	return picture.Lines[i]
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
