package floats

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

var points = func() int {
	if os.Getenv("PEGASIMD_LONG") != "" {
		return 250_000
	}
	return 3_000
}()

type function struct {
	name   string
	f      func(float64) float64
	wide   func(float64) *big.Float
	bound  float64 // in units in the last place: see doc.go
	above  float64 // every finite x with above < x <= upTo has a finite result
	upTo   float64
	ranges [][2]float64
	seams  []float64 // arguments whose neighbors are tested
	golden string
}

var (
	ln2  = math.Ln2
	root = math.Float64frombits(sqrtHalfBits)
)

var functions = []function{
	{
		name: "exp", f: Exp, bound: 0.67, above: -math.MaxFloat64, upTo: expHigh,
		wide: func(x float64) *big.Float { return wideExp(number(x)) },
		ranges: [][2]float64{{-1, 1}, {-40, 40}, {-745.2, 709.78}, {-745.2, -707},
			{-0x1p-20, 0x1p-20}},
		seams: []float64{0, ln2 / 2, -ln2 / 2, 3 * ln2 / 2, ln2, expHigh, -708.396418532264,
			-745.13, -744.44, -40, 1},
		golden: "95a17608c8f992a9869e556822d12518711b094bfe2430a95048caeebd8174c2",
	},
	{
		name: "log", f: Log, bound: 0.55, above: 0, upTo: math.MaxFloat64,
		wide: func(x float64) *big.Float {
			if math.Abs(x-1) < 0x1p-30 {
				return wideLog1p(number(x - 1))
			}
			return wideLog(number(x))
		},
		ranges: [][2]float64{{0x1p-60, 1}, {0.7, 1.42}, {1, 100}, {0, 1e-300}, {0, 0x1p-1022},
			{1, math.MaxFloat64}, {0.999, 1.001}},
		seams: []float64{1, root, 2 * root, 2, 0.5, 0x1p-1022, 0x1p-1074, math.MaxFloat64,
			4 * root, 1e-5},
		golden: "3868625a8d4308233d2e535f7cc6ae19a4a0e753958891229582e341cb11c846",
	},
	{
		name: "sigmoid", f: Sigmoid, bound: 0.75, above: -math.MaxFloat64, upTo: math.MaxFloat64,
		wide:   wideSigmoid,
		ranges: [][2]float64{{-1, 1}, {-8, 8}, {-45, 45}, {-745.2, 0}, {-0x1p-40, 0x1p-40}},
		seams: []float64{0, -cutoff, cutoff, ln2 / 2, -ln2 / 2, -708.396418532264, -745.13, 36.7,
			37.4, -36.7},
		golden: "15493840091fa93a1e5f47b2c2d43f88a3e1eced59f221b6a99a15f7373ee64e",
	},
	{
		name: "log1pexp", f: Log1pExp, bound: 0.8, above: -math.MaxFloat64, upTo: math.MaxFloat64,
		wide: wideLog1pExp,
		ranges: [][2]float64{{-1, 1}, {-8, 8}, {-45, 45}, {-745.2, 0}, {-0x1p-40, 0x1p-40},
			{0, 1000}},
		seams: []float64{0, -cutoff, cutoff, -0.8916, 0.8916, -0.8814, 0.8814, -708.396418532264,
			-745.13, -36.7, 1},
		golden: "81416d8d591f995a1490a605f978dfbfd4361969ebaa9c6a6bbfd87c1964dc7d",
	},
}

// unit uses only Uint64, which is the same in every Go release.
func unit(r *rand.Rand) float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

func (f *function) each(n int, do func(x float64)) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, lim := range f.ranges {
		width := lim[1] - lim[0]
		for range n {
			do(lim[0] + float64(width*unit(r)))
		}
		for range n / 4 {
			x := math.Float64frombits(r.Uint64()>>12 | (1023-r.Uint64()%64)<<52)
			if r.Uint64()%2 == 0 {
				do(max(lim[0], min(lim[0]*x, lim[1])))
			} else {
				do(max(lim[0], min(lim[1]*x, lim[1])))
			}
		}
		for i := range n / 4 {
			do(lim[0] + float64(width*(float64(i)/float64(n/4))))
		}
	}
	for _, s := range f.seams {
		x, y := s, s
		for range n / 100 {
			do(x)
			do(y)
			x, y = math.Nextafter(x, math.Inf(1)), math.Nextafter(y, math.Inf(-1))
		}
	}
}

func TestAccuracy(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			worst, at, n, rounded := 0.0, 0.0, 0, 0
			f.each(points, func(x float64) {
				if !(x > f.above && x <= f.upTo) {
					return
				}
				off := distance(f.f(x), f.wide(x))
				if off > worst {
					worst, at = off, x
				}
				if off <= 0.5 {
					rounded++
				}
				n++
			})
			t.Logf("%d points, at most %.4f units in the last place, at %v; %.2f %% "+
				"correctly rounded", n, worst, at, 100*float64(rounded)/float64(n))
			if worst > f.bound {
				t.Errorf("%s(%v) is wrong by %.4f units in the last place, want at most %v", f.name,
					at, worst, f.bound)
			}
		})
	}
}

// Errors above half a unit allow a result below the previous one, but none occurs here.
func TestMonotonic(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			walk := func(x float64, n int, next func(float64) float64) {
				y := f.f(x)
				for range n {
					x = next(x)
					if x != x {
						return
					}
					z := f.f(x)
					if z < y {
						t.Errorf("%s(%v) = %v is below %v, the result one step before", f.name,
							x, z, y)
						return
					}
					if z == z {
						y = z
					}
				}
			}
			up := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
			for _, s := range f.seams {
				x := s
				for range 1000 {
					x = math.Nextafter(x, math.Inf(-1))
				}
				walk(x, 2000, up)
			}
			for _, lim := range f.ranges {
				for range 100 {
					walk(lim[0]+float64((lim[1]-lim[0])*unit(r)), 500, up)
				}
				step := (lim[1] - lim[0]) / 100_000
				walk(lim[0], 100_000, func(x float64) float64 { return x + step })
			}
		})
	}
}

func TestSpecial(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	const tiny, most = math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Exp", Exp, 0, 1},
		{"Exp", Exp, zero, 1},
		{"Exp", Exp, tiny, 1},
		{"Exp", Exp, -tiny, 1},
		{"Exp", Exp, 0x1p-54, 1},
		{"Exp", Exp, 0x1.8p-53, 1 + 0x1p-52},
		{"Exp", Exp, 1, math.E},
		{"Exp", Exp, inf, inf},
		{"Exp", Exp, -inf, 0},
		{"Exp", Exp, nan, nan},
		{"Exp", Exp, expHigh, 0x1.fffffffffff2ap+1023},
		{"Exp", Exp, math.Nextafter(expHigh, inf), inf},
		{"Exp", Exp, most, inf},
		{"Exp", Exp, -most, 0},
		{"Exp", Exp, -745.1332191019411, tiny},
		{"Exp", Exp, -745.1332191019412, 0}, // e^x is just below half of tiny
		{"Exp", Exp, -746, 0},
		{"Exp", Exp, -747, 0},
		{"Exp", Exp, -1e30, 0},
		{"Log", Log, 1, 0},
		{"Log", Log, 0, -inf},
		{"Log", Log, zero, -inf},
		{"Log", Log, -tiny, nan},
		{"Log", Log, -1, nan},
		{"Log", Log, -inf, nan},
		{"Log", Log, inf, inf},
		{"Log", Log, nan, nan},
		{"Log", Log, 2, math.Ln2},
		{"Log", Log, 0.5, -math.Ln2},
		{"Log", Log, 10, math.Ln10},
		{"Log", Log, most, 709.782712893384},
		{"Log", Log, tiny, -744.4400719213812},
		{"Sigmoid", Sigmoid, 0, 0.5},
		{"Sigmoid", Sigmoid, zero, 0.5},
		{"Sigmoid", Sigmoid, tiny, 0.5},
		{"Sigmoid", Sigmoid, 1e30, 1},
		{"Sigmoid", Sigmoid, -1e30, 0},
		{"Sigmoid", Sigmoid, 38, 1},
		{"Sigmoid", Sigmoid, -745.1332191019411, tiny},
		{"Sigmoid", Sigmoid, inf, 1},
		{"Sigmoid", Sigmoid, -inf, 0},
		{"Sigmoid", Sigmoid, nan, nan},
		{"Log1pExp", Log1pExp, 0, math.Ln2},
		{"Log1pExp", Log1pExp, zero, math.Ln2},
		{"Log1pExp", Log1pExp, tiny, math.Ln2},
		{"Log1pExp", Log1pExp, 41, 41},
		{"Log1pExp", Log1pExp, 1e30, 1e30},
		{"Log1pExp", Log1pExp, -1e30, 0},
		{"Log1pExp", Log1pExp, most, most},
		{"Log1pExp", Log1pExp, -745.1332191019411, tiny},
		{"Log1pExp", Log1pExp, inf, inf},
		{"Log1pExp", Log1pExp, -inf, 0},
		{"Log1pExp", Log1pExp, nan, nan},
	} {
		got := c.f(c.x)
		if math.Float64bits(got) != math.Float64bits(c.want) && !(got != got && c.want != c.want) {
			t.Errorf("%s(%v) is %v, want %v", c.name, c.x, got, c.want)
		}
	}
}

func TestRange(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		x := math.Float64frombits(r.Uint64())
		if x != x {
			continue
		}
		if y := Exp(x); !(y >= 0) {
			t.Fatalf("Exp(%v) is %v", x, y)
		}
		if y := Sigmoid(x); !(y >= 0 && y <= 1) {
			t.Fatalf("Sigmoid(%v) is %v", x, y)
		}
		if y := Log1pExp(x); !(y >= max(x, 0)) {
			t.Fatalf("Log1pExp(%v) is %v", x, y)
		}
		if y := Log(x); x > 0 && !(y >= -745 && y <= 710) {
			t.Fatalf("Log(%v) is %v", x, y)
		}
	}
}

func TestGolden(t *testing.T) {
	for _, f := range functions {
		h := sha256.New()
		write := func(x float64) {
			y := f.f(x)
			bits := math.Float64bits(y)
			if y != y {
				bits = math.Float64bits(math.NaN()) // payloads are not promised
			}
			h.Write(binary.LittleEndian.AppendUint64(nil, bits))
		}
		f.each(20_000, write)
		r := rand.New(rand.NewPCG(7, 8))
		for range 50_000 {
			write(math.Float64frombits(r.Uint64()))
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != f.golden {
			t.Errorf("%s: hash is %s, want %s", f.name, got, f.golden)
		}
	}
}

var sink float64

func BenchmarkFunction(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	var any, positive [1024]float64
	for i := range any {
		any[i] = float64(r.NormFloat64() * 5)
		positive[i] = math.Abs(any[i]) + 0x1p-30
	}
	for _, c := range []struct {
		op, by string
		f      func(float64) float64
		x      *[1024]float64
	}{
		{"exp", "own", Exp, &any},
		{"exp", "math", math.Exp, &any},
		{"log", "own", Log, &positive},
		{"log", "math", math.Log, &positive},
		{"sigmoid", "own", Sigmoid, &any},
		{"sigmoid", "math", func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }, &any},
		{"log1pexp", "own", Log1pExp, &any},
		{"log1pexp", "math", func(z float64) float64 {
			return max(z, 0) +
				math.Log1p(math.Exp(-math.Abs(z)))
		}, &any},
	} {
		// Independent calls show the throughput, a chain of calls the latency.
		for _, chain := range []float64{0, 0x1p-1000} {
			b.Run("op="+c.op+"/by="+c.by+"/chain="+strconv.FormatBool(chain != 0),
				func(b *testing.B) {
					y := 0.0
					if chain != 0 {
						for i := range b.N {
							y = c.f(c.x[i%1024] + float64(y*chain))
						}
					} else {
						for i := range b.N {
							y += c.f(c.x[i%1024])
						}
					}
					sink = y
				})
		}
	}
}
