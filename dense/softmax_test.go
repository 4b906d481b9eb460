package dense_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

// The error bounds are those of the doc comments.
func TestSoftmax(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 8, 9, 63, 255, 256, 257, 1000, 70_000} {
			for _, scale := range []float32{1e-3, 1, 10, 60, 1e30, 3e38} {
				x := numbers(n) // from -1 to 1
				dense.Scale(scale, x)
				most, sum := float64(dense.Max(x)), 0.0
				for _, v := range x {
					sum += math.Exp(float64(v) - most)
				}
				logN := math.Log(float64(n))
				want := most + math.Log(sum)
				bound := (logN + 12 + math.Abs(want)) * 0x1p-24
				if got := float64(dense.LogSumExp(x)); !(math.Abs(got-want) <= bound) {
					t.Errorf("LogSumExp of %d up to %v: got %v, want %v", n, scale, got, want)
				}
				got := make([]float32, n)
				dense.Softmax(got, x)
				for i, v := range x {
					below := most - float64(v)
					want := math.Exp(-below) / sum
					bound := (below+logN+16)*0x1p-24*want + 0x1p-126
					if want >= 0x1p-125 {
						bound -= 0x1p-126
					}
					if !(math.Abs(float64(got[i])-want) <= bound) {
						t.Fatalf("Softmax of %d up to %v: element %d of %v is %v, want %v", n, scale,
							i, v, got[i], want)
					}
				}
				dense.Softmax(x, x)
				if !slices.Equal(x, got) {
					t.Errorf("Softmax of %d up to %v in place differs", n, scale)
				}
			}
		}
	})
}

func TestSoftmaxMeaning(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{1, 9, 256, 300, 513} {
			x := numbers(n)
			dense.Scale(20, x)
			got, want := make([]float32, n), make([]float32, n)
			dense.Softmax(got, x)
			sum := 0.0
			for i := 0; i < n; i += 256 {
				piece := want[i:min(i+256, n)]
				for j := range piece {
					piece[j] = x[i+j] - dense.Max(x)
				}
				dense.Exp(piece, piece)
				sum += float64(dense.Sum(piece))
			}
			dense.Scale(float32(1/sum), want)
			if !slices.Equal(got, want) {
				t.Errorf("n = %d: got %v, want %v", n, got, want)
			}
		}
	})
}

func TestSoftmaxOfSpecialValues(t *testing.T) {
	low := -infinity
	for _, c := range []struct {
		x       []float32
		log     float32
		softmax []float32
	}{
		{nil, low, nil}, {[]float32{low}, low, []float32{nan}},
		{[]float32{low, low}, low, []float32{nan, nan}},
		{[]float32{low, 3}, 3, []float32{0, 1}},
		{[]float32{infinity, 3, low}, infinity, []float32{nan, nan, nan}},
		{[]float32{infinity, infinity}, infinity, []float32{nan, nan}},
		{[]float32{nan, 3}, nan, []float32{nan, nan}},
		{[]float32{nan, infinity}, nan, []float32{nan, nan}},
		{[]float32{nan, low}, nan, []float32{nan, nan}},
		{[]float32{math.MaxFloat32, -math.MaxFloat32}, math.MaxFloat32, []float32{1, 0}},
		{[]float32{-math.MaxFloat32, -math.MaxFloat32}, -math.MaxFloat32, []float32{.5, .5}},
		{[]float32{minus0}, 0, []float32{1}},
		{[]float32{0x1p-149, 0}, math.Ln2, []float32{.5, .5}},
		{[]float32{1000, 1000, 1000, 1000}, 1001.3863, []float32{.25, .25, .25, .25}},
	} {
		equal(t, "LogSumExp", dense.LogSumExp(c.x), c.log)
		got := make([]float32, len(c.x))
		dense.Softmax(got, c.x)
		for i := range got {
			equal(t, "Softmax", got[i], c.softmax[i])
		}
	}
}
