package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

func wide(f Function, x, z []float32) float64 {
	var dot, distance float64
	for j := range x {
		d := float64(x[j]) - float64(z[j])
		dot += float64(x[j]) * float64(z[j])
		distance += d * d
	}
	switch f.Kind {
	case RBF:
		return math.Exp(-f.Gamma * distance)
	case Polynomial:
		return math.Pow(f.Gamma*dot+f.Coef0, float64(f.Degree))
	case Sigmoid:
		return math.Tanh(f.Gamma*dot + f.Coef0)
	}
	return dot
}

func all[T float](r *Rows, query func(p int) Probe) (values [][]T) {
	for q := range r.At {
		row := make([]T, len(r.At))
		for t, tile := range r.Tiles {
			Values(r, [][]T{row[tile.Start:tile.End]}, []Probe{query(q)}, t)
		}
		values = append(values, row)
	}
	return values
}

// Kernel values must differ from their formulas by at most the error bounds. Float32 values must
// have the same bits for each way of computing them.
func TestValues(t *testing.T) {
	const rows = 110
	reversed := UpTo(rows)
	slices.Reverse(reversed)
	values := sample.Random(1, rows, 70, 2, 0.3)
	far := dense.New(rows, 9)
	for i := range rows {
		for j := range far.Row(i) {
			far.Row(i)[j] = values.Dense.Row(i)[j] + 5000
		}
	}
	for _, f := range []Function{
		{Kind: RBF, Gamma: 0.3}, {Kind: Linear}, {Kind: Polynomial, Gamma: 0.5, Coef0: 1, Degree: 3},
		{Kind: Sigmoid, Gamma: 0.1, Coef0: -0.5},
	} {
		for name, p := range map[string]sample.Pair{"sevenths": values, "far": {Dense: far},
			"zeros and ones": sample.ZerosAndOnes(sample.Random(2, rows, 70, 2, 0.3))} {
			for form, x := range map[string]store.Examples{"dense": p.Dense, "sparse": p.Sparse} {
				if name == "far" && (f.Kind != RBF || form == "sparse") {
					continue
				}
				m, _ := store.MatrixFrom(x, reversed)
				r := NewRows(f, m, reversed, []int{40, 0, 70})
				if packed := r.words != nil; packed != (name == "zeros and ones") || len(r.Tiles) != 2 {
					t.Fatalf("%s, %s: stored as bits: %v, tiles %v", form, name, packed, r.Tiles)
				}
				if r.direct != (name == "far") {
					t.Fatalf("%s: distances computed directly: %v", name, r.direct)
				}
				if bad := r.Measure(); bad >= 0 {
					t.Fatal("Measure refuses row", bad)
				}
				r.buildIndex() // for probes without words
				values := all[float32](r, r.Probe)
				values64 := all[float64](r, func(p int) Probe {
					return r.query(r.row(p), r.words != nil, new(buffer))
				})
				unpacked := all[float32](r, func(p int) Probe {
					q := r.Probe(p)
					q.words = nil
					return q
				})
				var some Rows
				r.Select(&some, reversed)
				selected := all[float32](&some, some.Probe)
				for q := range rows {
					for j, v := range values[q] {
						want := wide(f, p.Dense.Row(int(reversed[q])), p.Dense.Row(int(reversed[j])))
						limit, limit64 := new(WeightSums), new(WeightSums)
						limit.Add(r, int32(j), 1)
						limit64.Add(r, int32(j), 1)
						slack := 1e-14 * (1 + math.Abs(want)) // rounding error of the formula
						if name == "far" {
							slack = 1e-9
						}
						most := r.Error.SumError(limit, r, int32(q))
						most64 := r.Error64.SumError(limit64, r, int32(q))
						if f.Kind == Sigmoid { // not an inner product, so it has no bounds
							most, most64 = 1e-6, 1e-14
						}
						if math.Abs(float64(v)-want) > most+slack ||
							math.Abs(values64[q][j]-want) > most64+slack {
							t.Fatalf("%s %s, %s: %v and %v, want %v", f.Kind, form, name, v, values64[q][j],
								want)
						}
						if s := selected[rows-1-q][rows-1-j]; v != values[j][q] || v != s ||
							v != unpacked[q][j] || j == q && v != r.Diagonal[q] {
							t.Fatalf("%s %s, %s: the kernel of %d and %d is %v, %v, %v and %v", f.Kind,
								form, name, q, j, v, values[j][q], s, unpacked[q][j])
						}
					}
				}
			}
		}
	}
}
