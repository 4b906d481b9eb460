package asmtest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

type Source struct {
	*rand.Rand
	next func(r *rand.Rand) float32
}

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

// Uniform returns a source of numbers in [-1, 1).
func Uniform(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return 2*r.Float32() - 1 })
}

// Integers returns a source of the integers -3 to 3, whose sums of products are exact in any order.
func Integers(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return float32(r.IntN(7) - 3) })
}

var odd = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, -0x1p-126, 0x1.fffffep-127,
	math.MaxFloat32, -math.MaxFloat32, 0x1p-75, 0x1p64,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// Odd returns a source like Uniform, but each number is from odd with probability special/256.
func Odd(seed uint64, special int) *Source {
	return newSource(seed, func(r *rand.Rand) float32 {
		if r.IntN(256) < special {
			return odd[r.IntN(len(odd))]
		}
		return 2*r.Float32() - 1
	})
}

// Zeros returns a source of 0, -0, 1 and -1.
func Zeros(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return odd[r.IntN(4)] })
}

// Bits returns a source of floats with random bits, some of them NaN.
func Bits(seed uint64) *Source {
	return newSource(seed, func(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32()) })
}

// Pooled wraps a constructor of sources, to save time. The sources of the returned function draw
// from one pool of numbers of source(1), starting at a number that depends on their seed.
func Pooled(source func(seed uint64) *Source) func(seed uint64) *Source {
	pool := make([]float32, 1<<16)
	for i, s := 0, source(1); i < len(pool); i++ {
		pool[i] = s.Float()
	}
	return func(seed uint64) *Source {
		k := 40503 * seed // odd, so that seeds below 2^16 start at different numbers
		return newSource(seed, func(*rand.Rand) float32 {
			k++
			return pool[k%uint64(len(pool))]
		})
	}
}

// Bytes returns a source that repeats the little-endian floats in data, or zeros if data has less
// than four bytes.
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
