package quant_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/quant"
)

func exactly(v float32) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(float64(v)) }

func withinRounding(q int, x, offset, step float32, least, most float64) bool {
	d := new(big.Float).SetPrec(400).Sub(exactly(x), exactly(offset))
	exact, _ := d.Quo(d, exactly(step)).Float64()
	exact = min(max(exact, least), most)
	return math.Abs(float64(q)-exact) <= .5+0x1p-22*math.Abs(exact)
}

func anyFloat(r *rand.Rand) float32 {
	switch r.IntN(8) {
	case 0:
		return math.Float32frombits(r.Uint32N(2)<<31 | r.Uint32N(300))
	case 1:
		return math.Float32frombits(r.Uint32N(2)<<31 | 0x7f7fffff - r.Uint32N(3))
	}
	for {
		if v := math.Float32frombits(r.Uint32()); v-v == 0 {
			return v
		}
	}
}

func TestQuantizeAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		x, offset, step float32
		want            uint8
	}{
		{1e38, -3e38, 6e38 / 255, 170},
		{3e38, -3e38, 6e38 / 255, 255},
		{-3e38, 3e38, -6e38 / 255, 255},
		{math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, 2},
		{math.MaxFloat32, -math.MaxFloat32, 0x1p-149, 255},
		{0x1p-149, -0x1p-149, 0x1p-149, 2},
		{float32(math.Inf(1)), -1, 1, 255},
		{float32(math.Inf(1)), -1, float32(math.Inf(1)), 0},
		{1, float32(math.Inf(-1)), 1, 255},
	} {
		var q [1]uint8
		if quant.QuantizeUint8(q[:], []float32{c.x}, c.offset, c.step); q[0] != c.want {
			t.Errorf("%v, offset %v, step %v: got %d, want %d", c.x, c.offset, c.step, q[0], c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var q [1]int8
	var u [1]uint8
	for range 200_000 {
		x, offset, step := []float32{anyFloat(r)}, anyFloat(r), anyFloat(r)
		if step == 0 {
			continue
		}
		if r.IntN(2) == 0 {
			step = float32((float64(x[0]) - float64(offset)) / float64(1+r.IntN(300)))
			if step == 0 || step-step != 0 {
				continue
			}
		}
		if quant.Quantize(q[:], x, step); !withinRounding(int(q[0]), x[0], 0, step, -127, 127) {
			t.Fatalf("%v, step %v: got %d", x[0], step, q[0])
		}
		quant.QuantizeUint8(u[:], x, offset, step)
		if !withinRounding(int(u[0]), x[0], offset, step, 0, 255) {
			t.Fatalf("%v, offset %v, step %v: got %d", x[0], offset, step, u[0])
		}
	}
}

func TestDequantizeAtTheEnds(t *testing.T) {
	var v [1]float32
	if quant.Dequantize(v[:], []uint8{255}, -3e38, 6e38/255); v[0] < 2.99999e38 || v[0] > 3.00001e38 {
		t.Errorf("got %v, want 3e38", v[0])
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		offset, step, q := anyFloat(r), anyFloat(r), []int8{int8(r.Uint32())}
		quant.Dequantize(v[:], q, offset, step)
		product := new(big.Float).SetPrec(400).Mul(exactly(step), exactly(float32(q[0])))
		size, _ := product.Float64()
		sum, _ := product.Add(product, exactly(offset)).Float64()
		bound := 0x1p-23*max(math.Abs(size), math.Abs(sum)) + 0x1p-149
		if math.IsInf(float64(float32(sum)), 0) {
			sum, bound = float64(float32(sum)), 0
		}
		if off := math.Abs(float64(v[0]) - sum); !(off <= bound) && float64(v[0]) != sum {
			t.Fatalf("%v + %v*%d: got %v, want %v", offset, step, q[0], v[0], sum)
		}
	}
}

func TestStepAtTheEnds(t *testing.T) {
	check := func(most float32) {
		t.Helper()
		x := []float32{0, -most, most}
		step := quant.Step(x)
		var q [3]int8
		quant.Quantize(q[:], x, step)
		if ratio := float64(most) / float64(step); math.RoundToEven(ratio) > 127 || q[1] != -q[2] {
			t.Fatalf("greatest %v: the step is %v, the bytes %v", most, step, q)
		}
		if off := math.Abs(float64(step) - float64(most)/127); off >= 0x1p-149 &&
			off > 0x1p-22*float64(step) {
			t.Fatalf("greatest %v: the step is %v", most, step)
		}
		var back [3]float32
		quant.Dequantize(back[:], q[:], 0, step)
		for i, v := range x {
			if off := math.Abs(float64(back[i]) - float64(v)); !(off <= .5001*float64(step)) {
				t.Fatalf("%v becomes %v, with a step of %v", v, back[i], step)
			}
		}
	}
	for bits := uint32(1); bits < 1<<17; bits++ {
		check(math.Float32frombits(bits))
		check(math.Float32frombits(0x7f800000 - bits))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		if v := float32(math.Abs(float64(anyFloat(r)))); v > 0 {
			check(v)
		}
	}
	if got := quant.Step([]float32{1, float32(math.Inf(-1))}); !math.IsInf(float64(got), 1) {
		t.Errorf("the step of an infinity is %v", got)
	}
}
