package asmtest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// A Source makes numbers for kernels, the same on every machine for the same seed.
type Source struct {
	*rand.Rand
	next func(r *rand.Rand) float32
}

// Float returns the next number.
func (s *Source) Float() float32 { return s.next(s.Rand) }

func (s *Source) floats(m Memory, n int) []float32 {
	v := m.Floats(n)
	for i := range v {
		v[i] = s.Float()
	}
	return v
}

func newSource(seed uint64, next func(*rand.Rand) float32) *Source {
	return &Source{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), next}
}

// Uniform makes numbers in [-1, 1).
func Uniform(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return 2*r.Float32() - 1 })
}

// Integers makes -3 to 3: sums of their products are exact in any order.
func Integers(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return float32(r.IntN(7) - 3) })
}

// odd are the numbers that find what uniform ones don't.
var odd = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, -0x1p-126, 0x1.fffffep-127,
	math.MaxFloat32, -math.MaxFloat32, 0x1p-75, 0x1p64,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// Odd makes zeros of both signs, subnormals, huge numbers, infinities and NaN among ordinary ones;
// special of 256 are odd.
func Odd(seed uint64, special int) *Source {
	return newSource(seed, func(r *rand.Rand) float32 {
		if r.IntN(256) < special {
			return odd[r.IntN(len(odd))]
		}
		return 2*r.Float32() - 1
	})
}

// Zeros makes zeros of both signs and the units: sums that must end as +0 and not as -0.
func Zeros(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return odd[r.IntN(4)] })
}

// Bits makes floats of any bits, some of them NaN.
func Bits(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32()) })
}

// Drawn makes sources of numbers like those of another, which are drawn once and begin at another
// place for each seed: for tests that take many.
func Drawn(of func(seed uint64) *Source) func(seed uint64) *Source {
	pool := make([]float32, 1<<16)
	for i, s := 0, of(1); i < len(pool); i++ {
		pool[i] = s.Float()
	}
	return func(seed uint64) *Source {
		k := 40503 * seed // odd, so that no two of the pool's places are the same
		return newSource(seed, func(*rand.Rand) float32 {
			k++
			return pool[k%uint64(len(pool))]
		})
	}
}

// Bytes makes the floats whose bits stand in data, over and over.
func Bytes(seed uint64, data []byte) *Source {
	k := 0
	return newSource(seed, func(*rand.Rand) float32 {
		if len(data) < 4 {
			return 0
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[k:]))
		if k += 4; k+4 > len(data) {
			k = 0
		}
		return v
	})
}
