package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

func neverStop() bool { return false }

type opaque struct{ Examples }

func TestHashesOfEqualRows(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	d := dense.New(3000, 37)
	starts, indices, values := []int64{0}, []int32{}, []float32{}
	for i := range d.Rows() {
		for j := range d.Cols() {
			switch r.IntN(4) {
			case 0:
				v := float32(1+r.IntN(255)) / 255
				d.Row(i)[j] = v
				indices, values = append(indices, int32(j)), append(values, v)
			case 1:
				indices, values = append(indices, int32(j)), append(values, 0)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	s, err := sparse.New(d.Cols(), starts, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	l, err := matrices.Lazy(d.Cols(), starts, indices, values, matrices.Check{Shift: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := Hashes(d, 1, neverStop)
	for name, x := range map[string]Examples{
		"dense": d, "sparse": s, "mapped": (*sparse.Matrix)(l), "wrapped": opaque{d},
		"wrapped sparse": opaque{s}, "copied": Of(d).Take(sequence(d.Rows())),
	} {
		for _, threads := range []int{1, 2, 5} {
			if !slices.Equal(Hashes(x, threads, neverStop), want) {
				t.Errorf("%s, %d threads: other hashes", name, threads)
			}
		}
	}
}

func TestHashesOfWideRows(t *testing.T) {
	index, values := []int32{0, 5, 65_535}, []float32{1, 2, -3}
	var hashes [2]uint64
	for k, cols := range []int{keyTable, keyTable + 1} {
		s, err := sparse.New(cols, []int64{0, 3}, index, values)
		if err != nil {
			t.Fatal(err)
		}
		hashes[k] = Hashes(s, 1, neverStop)[0]
	}
	if hashes[0] != hashes[1] || hashes[0] == 0 {
		t.Errorf("hashes with and without the table: %x", hashes)
	}
}

func sequence(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

func TestHashesOfOtherRows(t *testing.T) {
	seen := map[uint64]string{}
	add := func(what string, row ...float32) {
		d := dense.New(1, len(row))
		copy(d.Row(0), row)
		h := Hashes(d, 1, neverStop)[0]
		if old, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", what, old)
		}
		seen[h] = what
	}
	plain := []float32{1, 2, 0, -3.5, 0.125, 7, 8, 9, 10}
	add("plain", plain...)
	for j, v := range plain {
		for bit := range 32 {
			w := math.Float32frombits(math.Float32bits(v) ^ 1<<bit)
			if w == v || w != w {
				continue
			}
			row := slices.Clone(plain)
			row[j] = w
			add(fmt.Sprintf("bit %d of %d", bit, j), row...)
		}
	}
	for i := range plain {
		for j := range i {
			row := slices.Clone(plain)
			row[i], row[j] = row[j], row[i]
			add(fmt.Sprintf("%d and %d swapped", i, j), row...)
		}
	}
	for i := range 40 { // unit vectors, with equal norms
		for j := range i {
			row := make([]float32, 40)
			row[i], row[j] = 0.6, 0.8
			add(fmt.Sprintf("0.6 at %d and 0.8 at %d", i, j), row...)
		}
	}
}

func BenchmarkHashes(b *testing.B) {
	d := dense.New(20_000, 784)
	starts, indices, values := []int64{0}, []int32{}, []float32{}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range d.Rows() {
		for j := range d.Cols() {
			if r.IntN(5) == 0 {
				v := float32(r.NormFloat64())
				d.Row(i)[j] = v
				indices, values = append(indices, int32(j)), append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	s, err := sparse.New(d.Cols(), starts, indices, values)
	if err != nil {
		b.Fatal(err)
	}
	w := make([]float32, 784)
	for name, x := range map[string]Examples{"dense": d, "sparse": s} {
		b.Run("op=hash/"+name, func(b *testing.B) {
			for range b.N {
				Hashes(x, 1, neverStop)
			}
		})
		b.Run("op=dot/"+name, func(b *testing.B) { // the least work of an epoch
			rows := Of(x)
			for range b.N {
				for i := range x.Rows() {
					rows.Dot(i, w)
				}
			}
		})
	}
}
