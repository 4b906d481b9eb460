//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"slices"
	"testing"
)

func TestOneByOne(t *testing.T) {
	defer func(was bool) { likeZen5 = was }(likeZen5)
	const kilobyte = 1 << 10 / 4
	matrix := make([]float32, 32<<10*kilobyte)
	wide, narrow, all := []ISA{AVX512}, []ISA{AVX2, AVX512x256}, []ISA{AVX2, AVX512x256, AVX512}
	for _, c := range []struct {
		n, size int // row length; size of all rows of a call in kilobytes
		matrix  int // size of the matrix in kilobytes
		picked  bool
		zen     []ISA
		other   []ISA
	}{
		// consecutive rows
		{768, 48, 48, false, nil, nil},
		{64, 800, 800, false, nil, nil},
		{127, 8000, 8000, false, nil, nil},
		{128, 100, 100, false, wide, nil},
		{384, 800, 800, false, wide, nil},
		{768, 800, 800, false, []ISA{AVX2, AVX512}, narrow},
		{3072, 800, 800, false, all, narrow},
		{128, 2000, 2000, false, all, nil},
		{384, 3000, 3000, false, all, narrow},
		{384, 5000, 5000, false, all, nil},
		{768, 30000, 30000, false, all, narrow},
		// short rows of large matrices
		{65, 2000, 30000, false, narrow, nil},
		{100, 20000, 20000, false, narrow, nil},
		{100, 800, 30000, false, nil, nil},
		{64, 30000, 30000, false, nil, nil},
		// rows picked by index
		{128, 800, 30000, true, nil, nil},
		{768, 3000, 4000, true, nil, narrow},
		{768, 3000, 30000, true, nil, nil},
		{3072, 100, 4000, true, narrow, nil},
		{3072, 3000, 30000, true, nil, nil},
	} {
		var idx []uint32
		if c.picked {
			idx = []uint32{0}
		}
		for _, isa := range Available() {
			if isa == Generic {
				continue
			}
			for zen, paths := range map[bool][]ISA{true: c.zen, false: c.other} {
				likeZen5 = zen
				was := Use(isa)
				one := oneByOne(matrix[:c.matrix*kilobyte], idx, c.size*kilobyte/c.n, c.n)
				Use(was)
				if one != slices.Contains(paths, isa) {
					t.Errorf("%v, Zen 5 %t, %d KB of %d KB, picked %t: rows of %d elements are "+
						"read one by one: %t", isa, zen, c.size, c.matrix, c.picked, c.n, one)
				}
			}
		}
	}
}
