package main

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
)

// pathStyle is the same in all figures.
func pathStyle(path string) style {
	i := slices.Index([]string{"avx2", "generic", "avx512", "avx512x256"}, path)
	if path == "neon" {
		i = 0
	} else if i < 0 {
		i = 4
	}
	return lines[i]
}

func legendOf(paths []string) (all []series) {
	for _, path := range paths {
		all = append(all, series{style: pathStyle(path), Name: path})
	}
	return append(all, series{style: limit, Name: "limit of loads and stores"})
}

// speed draws a kernel's speed over the size.
func speed(k *measured.Kernel, paths []string) *figure {
	f := &figure{ID: "kernel-" + k.Name, Title: k.Name, Lines: legendOf(paths),
		x: axis{label: "n", log: true, format: short},
		y: axis{label: "GB/s", log: true, format: short}}
	from := 1.
	for i, s := range k.Sizes {
		n := float64(s.N)
		for path, rate := range append(slices.Clone(s.GBs), s.Limit) {
			f.Lines[path].add(n, rate)
		}
		if i > 0 {
			from = math.Sqrt(n * float64(k.Sizes[i-1].N))
		}
		if last := len(f.bands) - 1; last < 0 || f.bands[last].name != s.Level {
			f.bands = append(f.bands, level{s.Level, from, from})
		}
		f.bands[len(f.bands)-1].to = 2 * n
		if last := len(f.bands) - 1; last > 0 {
			f.bands[last-1].to = f.bands[last].from
		}
	}
	return f
}
