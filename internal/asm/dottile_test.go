package asm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Of three queries or more, one is all -0, so that many products are -0.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	for _, isa := range asm.Available() {
		defer asm.Use(asm.Use(isa))
		for _, n := range []int{0, 1, 63, 64, 65, 72, 79, 80, 81, 96, 97, 100, 127, 128, 129, 200, 1000} {
			for _, count := range []int{0, 1, 3, 4, 5, 8, 11} {
				for q := range 8 {
					stride, step := n+r.IntN(3), count+r.IntN(3)
					rows, queries := random(max(count-1, 0)*stride+n), make([][]float32, q)
					for j := range queries {
						queries[j] = random(n)
					}
					if q > 2 {
						queries[1] = make([]float32, n)
						asm.Scale(-1, queries[1])
					}
					checkTiles(t, rows, stride, count, queries, step)
				}
			}
		}
		checkTiles(t, random(4*asm.Block), asm.Block, 4, [][]float32{random(asm.Block),
			random(asm.Block), random(asm.Block)}, 4) // more terms than one call computes
		checkTiles(t, random(4*asm.Block+4), asm.Block+1, 4, [][]float32{random(asm.Block + 1),
			random(asm.Block + 1)}, 4)
	}
}

func checkTiles(t *testing.T, rows []float32, stride, count int, queries [][]float32, step int) {
	t.Helper()
	next := make([]byte, 1000*(len(queries)%3))
	for name, k := range map[string]struct {
		tile func(dst []float32, step int, rows []float32, stride, count int, queries [][]float32,
			next []byte)
		one func(x, y []float32) float32
	}{
		"dot":              {asm.DotTile, asm.Dot},
		"squared distance": {asm.SquaredDistanceTile, asm.SquaredDistance},
	} {
		want := make([]float32, max(len(queries)-1, 0)*step+count)
		for i := range want {
			want[i] = 0.5
		}
		got := append([]float32(nil), want...)
		for j, x := range queries {
			for i := range count {
				want[j*step+i] = k.one(rows[i*stride:][:len(x)], x)
			}
		}
		k.tile(got, step, rows, stride, count, queries, next)
		for i, v := range got {
			if math.Float32bits(v) != math.Float32bits(want[i]) {
				t.Fatalf("%v, %s, %d rows of %d elements, %d queries, %d apart: got[%d] = %v, want %v",
					asm.Active(), name, count, len(queries[0]), len(queries), step, i, v, want[i])
			}
		}
	}
}

func TestTilePanics(t *testing.T) {
	x := make([]float32, 3)
	two := [][]float32{x, x}
	for name, c := range map[string]struct {
		dst, step, rows, stride int
		queries                 [][]float32
	}{
		"queries of different lengths": {9, 3, 9, 3, [][]float32{x, x[:2]}},
		"dst too short":                {5, 3, 9, 3, two},
		"negative step":                {9, -1, 9, 3, two},
		"rows too short":               {6, 3, 8, 3, two},
		"negative stride":              {6, 3, 9, -1, two},
		"":                             {6, 3, 9, 3, two}, // valid
	} {
		func() {
			defer func() {
				if (recover() == nil) != (name == "") {
					t.Errorf("%q: want a panic for invalid arguments only", name)
				}
			}()
			asm.DotTile(make([]float32, c.dst), c.step, make([]float32, c.rows), c.stride, 3,
				c.queries, nil)
		}()
	}
}
