// Package kernels is copied by TestKernels next to the generated kernels.
package kernels

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

func foldLanes(lane []float32) float32 {
	for n := len(lane) / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[l+n]
		}
	}
	return lane[0]
}

func dotGeneric(x, y []float32) float32 {
	var lane [64]float32
	for i, v := range x {
		lane[i%64] += float32(v * y[i])
	}
	return foldLanes(lane[:])
}

func axpyGeneric(a float32, x, y []float32) {
	for i, v := range x {
		y[i] += float32(a * v)
	}
}

func dotSparseGeneric(values []float32, indices []int32, w []float32) float32 {
	var lane [8]float32
	for k, v := range values {
		lane[k%8] += float32(v * w[indices[k]])
	}
	return foldLanes(lane[:])
}

// guarded returns n elements that end where an unreadable page begins.
func guarded[T any](t *testing.T, n int) []T {
	const pages = 1 << 16 // a multiple of every page size
	m, err := syscall.Mmap(-1, 0, 2*pages, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[pages:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*T)(unsafe.Pointer(&m[pages-n*size])), n)
}

var special = []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)),
	float32(math.Inf(-1)), float32(math.NaN()),
	math.SmallestNonzeroFloat32, math.MaxFloat32, 1e-30}

// fill draws numbers of very different size, so that order and rounding show; one in rare is
// special.
func fill(r *rand.Rand, x []float32, rare int) {
	for i := range x {
		x[i] = float32(math.Ldexp(r.Float64()-0.5, r.IntN(6)))
		if rare > 0 && r.IntN(rare) == 0 {
			x[i] = special[r.IntN(len(special))]
		}
	}
}

func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

const longest = 300

func each(t *testing.T, f func(r *rand.Rand, n, rare int)) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n <= longest; n++ {
		for _, rare := range []int{0, 0, 50, 2} {
			f(r, n, rare)
		}
	}
}

func TestDot(t *testing.T) {
	xs, ys := guarded[float32](t, longest), guarded[float32](t, longest+3)
	each(t, func(r *rand.Rand, n, rare int) {
		x := xs[longest-n:]
		y := ys[longest+3-n:]
		if rare == 50 { // another alignment than x
			y = ys[3-n%3:][:n]
		}
		fill(r, x, rare)
		fill(r, y, rare)
		got, want := dotNEON(unsafe.SliceData(x), unsafe.SliceData(y), n), dotGeneric(x, y)
		if !same(got, want) {
			t.Fatalf("n=%d: %x, want %x", n, got, want)
		}
	})
}

func TestAxpy(t *testing.T) {
	xs, ys := guarded[float32](t, longest), guarded[float32](t, longest+1)
	each(t, func(r *rand.Rand, n, rare int) {
		x, y, a := xs[longest-n:], ys[longest+1-n:], make([]float32, 1)
		fill(r, x, rare)
		fill(r, y, rare)
		fill(r, a, rare)
		before := &ys[longest-n]
		*before = 42
		want := append([]float32(nil), y...)
		axpyGeneric(a[0], x, want)
		axpyNEON(a[0], unsafe.SliceData(x), unsafe.SliceData(y), n)
		for i := range want {
			if !same(y[i], want[i]) {
				t.Fatalf("n=%d: y[%d] = %x, want %x", n, i, y[i], want[i])
			}
		}
		if *before != 42 {
			t.Fatalf("n=%d: wrote before y", n)
		}
	})
}

func TestDotSparse(t *testing.T) {
	values, indices, w := guarded[float32](t, longest), guarded[int32](t, longest),
		guarded[float32](t, 1000)
	each(t, func(r *rand.Rand, n, rare int) {
		v, idx := values[longest-n:], indices[longest-n:]
		fill(r, v, rare)
		fill(r, w, rare)
		for k := range idx {
			idx[k] = int32(r.IntN(len(w)))
		}
		got := dotSparseNEON(unsafe.SliceData(v), unsafe.SliceData(idx), n, unsafe.SliceData(w))
		if want := dotSparseGeneric(v, idx, w); !same(got, want) {
			t.Fatalf("n=%d: %x, want %x", n, got, want)
		}
	})
}

func TestLookUp(t *testing.T) {
	for i := range int32(4) {
		if got := lookUpNEON(i); got != float32(i*i) {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestDifferent makes sure that the numbers of fill can tell orders and roundings apart.
func TestDifferent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := make([]float32, longest), make([]float32, longest)
	differ := 0
	for range 100 {
		fill(r, x, 0)
		fill(r, y, 0)
		var fused [64]float32
		for i, v := range x {
			fused[i%64] = float32(math.FMA(float64(v), float64(y[i]), float64(fused[i%64])))
		}
		if foldLanes(fused[:]) != dotGeneric(x, y) {
			differ++
		}
	}
	if differ < 50 {
		t.Errorf("only %d of 100 sums differ when fused", differ)
	}
}
