package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The kernels from docs/spec.md alone.

func stream(s uint64, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = value(s, i)
	}
	return v
}

func word(s uint64, i int) uint32 { return uint32(mix(s<<32+uint64(i)) >> 32) }

func octet(s uint64, i int) byte { return byte(word(s, i) >> 24) }

func column(k int) int { return 3*k + int(mix(uint64(k))%3) }

func bits32(v float32) string { return fmt.Sprintf("%08x", math.Float32bits(v)) }
func bits64(v float64) string { return fmt.Sprintf("%016x", math.Float64bits(v)) }

func hashOf(v ...any) string {
	var b []byte
	for _, v := range v {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

func dots(n int, term func(i int) float32) float32 {
	terms := make([]float32, n)
	for i := range terms {
		terms[i] = term(i)
	}
	return sum(terms, 65536, 64)
}

func dotOf(x, y []float32) float32 {
	return dots(len(x), func(i int) float32 { return float32(x[i] * y[i]) })
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func distanceOf(x, y []float32) float32 {
	return dots(len(x), func(i int) float32 { return float32((x[i] - y[i]) * (x[i] - y[i])) })
}

func dot64(x, y []float32) float64 {
	return sum64(len(x), func(i int) float64 { return float64(x[i]) * float64(y[i]) })
}

func sum64(n int, term func(i int) float64) float64 {
	terms := make([]float64, n)
	for i := range terms {
		terms[i] = term(i)
	}
	return sum(terms, 65536, 32)
}

// halfValue decodes a float16, or a bfloat16 if brain. Infinity counts as the number after the
// greatest finite one: 2^16 or 2^128.
func halfValue(h uint16, brain bool) float64 {
	fraction, bias := 10, 15
	if brain {
		fraction, bias = 7, 127
	}
	exponent, mantissa := int(h&0x7fff)>>fraction, int(h)&(1<<fraction-1)
	if exponent > 0 {
		mantissa += 1 << fraction
	}
	v := math.Ldexp(float64(mantissa), max(exponent, 1)-bias-fraction)
	if h >= 0x8000 {
		return -v
	}
	return v
}

// nearestHalf rounds v to a float16, or to a bfloat16 if brain, with ties to even.
func nearestHalf(v float32, brain bool) uint16 {
	size := math.Abs(float64(v))
	above := uint16(0)
	for bit := uint16(1 << 14); bit > 0; bit /= 2 {
		if halfValue(above+bit-1, brain) < size {
			above += bit
		}
	}
	if above > 0 {
		below := above - 1
		down, up := size-halfValue(below, brain), halfValue(above, brain)-size
		if down < up || down == up && below%2 == 0 {
			above = below
		}
	}
	return above | uint16(math.Float32bits(v)>>16)&0x8000
}

func within(s float32) bool { return s >= 0x1p-90 && s <= math.MaxFloat32 }

func length(x []float32) float64 {
	if s := dotOf(x, x); within(s) {
		return math.Sqrt(float64(s))
	}
	return math.Sqrt(dot64(x, x))
}

func cosine(x, y []float32) float32 {
	xx, yy := dotOf(x, x), dotOf(y, y)
	xy, squares := float64(dotOf(x, y)), float64(float64(xx)*float64(yy))
	if !within(xx) || !within(yy) || xy-xy != 0 {
		return float32(cosine64(x, y))
	}
	return float32(max(-1, min(xy/math.Sqrt(squares), 1)))
}

func exp32(x float32) float32 {
	x = max(-104, min(x, 89))
	shifted := float32(x*0x1.715476p+0) + 0x1.8p23
	k := shifted - 0x1.8p23
	r := x - float32(k*0x1.62e4p-1)
	r -= float32(k * 0x1.7f7d1cp-20)
	p := float32(r*0x1.6d119ap-10) + 0x1.120c00p-7
	p = float32(p*r) + 0x1.555518p-5
	p = float32(p*r) + 0x1.5554dcp-3
	p = float32(p*r) + 0.5
	e := float32(p*float32(r*r)) + r
	e++
	n := int(k) + 254
	return float32(e*float32(math.Ldexp(1, n/2-127))) * float32(math.Ldexp(1, n-n/2-127))
}

// The row has the nonzeros x(k) in the columns column(k). The vector's elements are step apart in
// w.
func sparseDot(n int, x func(k int) float32, w []float32, step int) float32 {
	terms := make([]float32, n)
	for k := range terms {
		terms[k] = float32(x(k) * w[column(k)*step])
	}
	return sum(terms, 65536, 8)
}

func axpy(a float32, x, y []float32) {
	for i := range y {
		y[i] += float32(a * x[i])
	}
}

// tile adds to the m x n elements c[i*stride+j] the sums of a(l, i) b(l, j) over l < k, in blocks
// of 256 terms.
func tile(c []float32, stride, m, n, k int, a, b func(l, i int) float32) {
	for first := 0; first < k; first += 256 {
		for i := range m {
			for j := range n {
				var s float32
				for l := first; l < min(first+256, k); l++ {
					s += float32(a(l, i) * b(l, j))
				}
				c[i*stride+j] += s
			}
		}
	}
}

func packed(n, width int) string {
	dst := make([]float32, (n+width-1)/width*(width+3))
	for i, v := range stream(1, n) {
		dst[i/width*(width+3)+i%width] = float32(value(4, 0) * v)
	}
	return hashOf(dst)
}

func steps(n int) string {
	w, told := stream(3, 3*n+1), ""
	for i, ends := range [5][2]int{{0, n}, {n / 3, n}, {0, n % 16}, {n / 2, n}, {0, n}} {
		var terms []float32
		for k := ends[0]; k < ends[1]; k++ {
			terms = append(terms, float32(value(4, 3*i)*w[column(k)]))
		}
		margin := sum(terms, 65536, 8)
		for k := ends[0]; k < ends[1] && margin < value(4, 3*i+2); k++ {
			w[column(k)] += value(4, 3*i+1)
		}
		told += bits32(margin) + " "
	}
	return told + hashOf(w)
}

func cosine64(x, y []float32) float64 {
	xy, squares := dot64(x, y), float64(dot64(x, x)*dot64(y, y))
	if xy == 0 && squares == 0 {
		return 0
	}
	return max(-1, min(xy/math.Sqrt(squares), 1))
}

func distance64(x, y []float32) float64 {
	return sum64(len(x), func(i int) float64 {
		d := float64(x[i]) - float64(y[i])
		return float64(d * d)
	})
}

func l1Of(x, y []float32) float32 {
	return dots(len(x), func(i int) float32 { return abs(x[i] - y[i]) })
}

func l1of64(x, y []float32) (sum float64) {
	for i, v := range x {
		sum += math.Abs(float64(v) - float64(y[i]))
	}
	return sum
}

// wide is the v of the specification.
func keyOf(score float32, wide, dot float64, cosine bool, n int) float64 {
	t := float64(n) * 0x1p-126
	size, most := math.Abs(float64(score)), max(math.Abs(float64(score)), math.Abs(wide))
	switch {
	case !(size <= math.MaxFloat32),
		!cosine && most < t,
		cosine && most < 0x1p90*t && (math.Abs(dot) < t || math.Abs(wide) < 0x1p-126):
		return wide
	}
	return float64(score)
}

// nearest passes to told, for each metric, the ten best of n rows of small numbers times scale, or
// all if n < 10. Metrics 0 to 3 are dot, cosine, squareddistance and l1distance.
func nearest(n int, scale float32, told func(numbers [10]int32, scores [10]float32),
	metrics ...int) {
	small := func(s uint64, n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = scale * (float32(word(s, i)%3) - 1)
		}
		return v
	}
	rows, query := small(5, 9*n), small(6, 9)
	wide := []func(x, y []float32) float64{dot64, cosine64, distance64, l1of64}
	for _, k := range metrics {
		score := []func(x, y []float32) float32{dotOf, cosine, distanceOf, l1Of}[k]
		sign := float64(1 - 2*(k/2)) // the least distance is best
		all, scores, keys := make([]int32, n), make([]float32, n), make([]float64, n)
		for i := range all {
			row := rows[9*i:][:9]
			all[i], scores[i] = int32(i), score(query, row)
			keys[i] = keyOf(scores[i], wide[k](query, row), dot64(query, row), k == 1, 9)
		}
		slices.SortStableFunc(all, func(i, j int32) int {
			return cmp.Compare(sign*keys[j], sign*keys[i])
		})
		var numbers [10]int32
		var best [10]float32
		for i := range min(n, 10) {
			numbers[i], best[i] = all[i], scores[all[i]]
		}
		told(numbers, best)
	}
}

func integers(n int, term func(i int) int64) string {
	var s int64
	for i := range n {
		s += term(i)
	}
	return fmt.Sprint(s)
}

func each(n int, f func(i int) float32) string {
	v := make([]float32, n)
	for i := range v {
		v[i] = f(i)
	}
	return hashOf(v)
}

// extreme returns the least number in v if sign is 1, or the greatest if sign is -1, and its first
// index. The index is -1 if no number is less than +Inf, or greater than -Inf.
func extreme(v []float32, sign float32) (best float32, at int) {
	best, at = float32(math.Inf(1)), -1
	for i, x := range v {
		if sign*x < best {
			best, at = sign*x, i
		}
	}
	return sign*best + 0, at
}

// kernel returns the text after n in a line of the named kernel's vectors, or "" for unknown
// kernels.
func kernel(name string, n int) string {
	a, b := value(4, 0), value(4, 1)
	x := func(i int) float32 { return value(1, i) }
	y := func(i int) float32 { return value(2, i) }
	signed := func(s uint64, i int) int64 { return int64(int8(octet(s, i))) }
	plain := func(s uint64, i int) int64 { return int64(octet(s, i)) }
	row := func(i int) []float32 { return stream(5, i*(n+1)+n)[i*(n+1):] }
	pick := func(i int) int { return int(mix(uint64(i)) % 7) }
	brain := strings.HasSuffix(name, "bfloat16")
	half := func(i int) float32 { return float32(halfValue(nearestHalf(y(i), brain), brain)) }
	unpacked := func(i int) float32 {
		v := float32(octet(1, i))
		return float32(v*a) + float32(v*b)
	}
	switch name {
	case "dot":
		return bits32(dotOf(stream(1, n), stream(2, n)))
	case "sumsquares":
		return bits32(dotOf(stream(1, n), stream(1, n)))
	case "squareddistance":
		return bits32(distanceOf(stream(1, n), stream(2, n)))
	case "l1distance":
		return bits32(l1Of(stream(1, n), stream(2, n)))
	case "sum":
		return bits32(dots(n, x))
	case "sumabs":
		return bits32(dots(n, func(i int) float32 { return abs(x(i)) }))
	case "dotnorms":
		return kernel("dot", n) + " " + kernel("sumsquares", n) + " " +
			bits32(dotOf(stream(2, n), stream(2, n)))
	case "dot64":
		return bits64(dot64(stream(1, n), stream(2, n)))
	case "axpy", "axpyto":
		return each(n, func(i int) float32 { return float32(a*x(i)) + y(i) })
	case "axpby":
		return each(n, func(i int) float32 { return float32(a*x(i)) + float32(b*y(i)) })
	case "scale", "scaleto":
		return each(n, func(i int) float32 { return float32(a * x(i)) })
	case "add":
		return each(n, func(i int) float32 { return x(i) + y(i) })
	case "sub":
		return each(n, func(i int) float32 { return x(i) - y(i) })
	case "mul":
		return each(n, func(i int) float32 { return float32(x(i) * y(i)) })
	case "exp":
		return each(n, func(i int) float32 { return exp32(x(i)) })
	case "softmax", "logsumexp":
		most, _ := extreme(stream(1, n), -1)
		most *= 0x1p-5
		sum, e := 0.0, func(i int) float32 { return exp32(float32(x(i)*0x1p-5) - most) }
		for i := 0; i < n; i += 256 {
			sum += float64(dots(min(256, n-i), func(j int) float32 { return e(i + j) }))
		}
		if name == "softmax" {
			return each(n, func(i int) float32 { return float32(1/sum) * e(i) })
		}
		if n == 0 {
			most = 0
		}
		return bits32(float32(float64(most) + wideLog(sum)))
	case "axpy64":
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(y(i)) + float64(float64(a)/float64(b)*float64(x(i)))
		}
		return hashOf(v)
	case "fromfloat64":
		return each(n, func(i int) float32 { return float32(float64(x(i)) * float64(y(i))) })
	case "sigmoid", "log1pexp":
		f := map[string]func(float64) float64{"sigmoid": sigmoid, "log1pexp": log1pExp}[name]
		v := make([]float64, n)
		for i := range v {
			v[i] = f(4 * float64(x(i)))
		}
		return hashOf(v)
	case "min", "max":
		best, _ := extreme(stream(1, n), map[string]float32{"min": 1, "max": -1}[name])
		return bits32(best)
	case "argmin", "argmax":
		_, at := extreme(stream(1, n), map[string]float32{"argmin": 1, "argmax": -1}[name])
		return fmt.Sprint(at)
	case "find":
		return fmt.Sprint(slices.Index(stream(1, n), x(2*n/3)))
	case "dotsparse":
		return bits32(sparseDot(n, x, stream(3, 3*n+1), 1))
	case "dotsame":
		return bits32(sparseDot(n, func(int) float32 { return a }, stream(3, 3*n+1), 1))
	case "axpysparse", "axpysame":
		w := stream(3, 3*n+1)
		for k := range n {
			if name == "axpysame" {
				w[column(k)] += a
			} else {
				w[column(k)] += float32(a * x(k))
			}
		}
		return hashOf(w)
	case "stepssame":
		return steps(n)
	case "dotsparsek":
		w := stream(3, 24*(3*n+1))
		return each(24, func(c int) float32 { return sparseDot(n, x, w[c:], 24) })
	case "axpysparsek":
		w := stream(3, 24*(3*n+1))
		for k := range n {
			axpy(x(k), stream(4, 24), w[24*column(k):][:24])
		}
		return hashOf(w)
	case "dotrows":
		return each(5, func(i int) float32 { return dotOf(row(i), stream(1, n)) })
	case "dotrowsat":
		return each(6, func(i int) float32 { return dotOf(row(pick(i)), stream(1, n)) })
	case "squareddistancerows":
		return each(5, func(i int) float32 { return distanceOf(row(i), stream(1, n)) })
	case "squareddistancerowsat":
		return each(6, func(i int) float32 { return distanceOf(row(pick(i)), stream(1, n)) })
	case "cosinerows":
		return each(5, func(i int) float32 { return cosine(stream(1, n), row(i)) })
	case "cosinerowsat":
		return each(6, func(i int) float32 { return cosine(stream(1, n), row(pick(i))) })
	case "axpyrows":
		v := stream(2, n)
		for i := range 6 {
			axpy(value(4, i), row(pick(i)), v)
		}
		return hashOf(v)
	case "rankk":
		c := stream(3, 11*35+32)
		tile(c, 35, 12, 32, n, func(l, i int) float32 { return x(12*l + i) },
			func(l, j int) float32 { return y(32*l + j) })
		return hashOf(c)
	case "rankkpairs":
		c := make([]uint32, 11*35+32)
		for i := range c {
			c[i] = word(3, i)
		}
		for e := range 12 * 32 * n {
			l, i, j := e/384, e/32%12, e%32
			p, q := word(1, 12*l+i), word(2, 32*l+j)
			c[i*35+j] += uint32(int32(int16(p))*int32(int16(q))) +
				uint32((int32(p)>>16)*(int32(q)>>16))
		}
		return hashOf(c)
	case "pack":
		return packed(n, 12) + " " + packed(n, 32)
	case "packcolumns":
		dst := make([]float32, 7*n)
		for i := range 5 * n {
			dst[i%n*7+i/n] = float32(a * row(i / n)[i%n])
		}
		return hashOf(dst)
	case "unpack":
		return each(n, unpacked)
	case "unpackdot":
		return bits32(dots(n, func(i int) float32 { return float32(unpacked(i) * value(3, i)) })) +
			" " + each(n, unpacked)
	case "squareddistance64":
		return bits64(distance64(stream(1, n), stream(2, n)))
	case "dotnorms64":
		return kernel("dot64", n) + " " + bits64(dot64(stream(1, n), stream(1, n))) + " " +
			bits64(dot64(stream(2, n), stream(2, n)))
	case "packfloat16", "packbfloat16":
		packed := make([]uint16, n)
		for i := range packed {
			packed[i] = nearestHalf(x(i), brain)
		}
		return hashOf(packed)
	case "unpackfloat16", "unpackbfloat16":
		return each(n, half)
	case "dotfloat16", "dotbfloat16":
		return bits32(dots(n, func(i int) float32 { return float32(x(i) * half(i)) }))
	case "squareddistancefloat16", "squareddistancebfloat16":
		return bits32(dots(n, func(i int) float32 {
			return float32((x(i) - half(i)) * (x(i) - half(i)))
		}))
	case "cosinefloat16", "cosinebfloat16":
		rounded := make([]float32, n)
		for i := range rounded {
			rounded[i] = half(i)
		}
		return bits32(cosine(stream(1, n), rounded))
	case "hammingbytes":
		return integers(n, func(i int) int64 {
			return int64(bits.OnesCount8(octet(1, i) ^ octet(2, i)))
		})
	case "hamming":
		return integers(n, func(i int) int64 {
			return int64(bits.OnesCount64(mix(1<<32+uint64(i)) ^ mix(2<<32+uint64(i))))
		})
	case "dotint8":
		return integers(n, func(i int) int64 { return signed(1, i) * signed(2, i) })
	case "dotuint8":
		return integers(n, func(i int) int64 { return plain(1, i) * plain(2, i) })
	case "dotfloatint8":
		return bits32(dots(n, func(i int) float32 { return float32(x(i) * float32(signed(1, i))) }))
	case "dotfloatuint8":
		return bits32(dots(n, func(i int) float32 { return float32(x(i) * float32(plain(1, i))) }))
	case "squareddistanceint8":
		return integers(n, func(i int) int64 {
			return (signed(1, i) - signed(2, i)) * (signed(1, i) - signed(2, i))
		})
	case "squareddistanceuint8":
		return integers(n, func(i int) int64 {
			return (plain(1, i) - plain(2, i)) * (plain(1, i) - plain(2, i))
		})
	case "norm":
		return bits32(float32(length(stream(1, n))))
	case "distance":
		return bits32(float32(math.Sqrt(float64(distanceOf(stream(1, n), stream(2, n))))))
	case "cosine":
		return bits32(cosine(stream(1, n), stream(2, n)))
	case "normalize":
		factor := float32(1 / length(stream(1, n)))
		return each(n, func(i int) float32 { return float32(factor * x(i)) })
	}
	return products(name, n)
}

func products(name string, n int) string {
	a, b := value(4, 0), value(4, 1)
	m := stream(5, 40*n)
	var told []string
	switch name {
	case "gemv":
		return each(n, func(i int) float32 {
			return float32(a*dotOf(m[40*i:][:37], stream(1, 37))) + float32(b*value(2, i))
		})
	case "gemvt":
		v := stream(2, 37)
		for j := range v {
			v[j] = float32(b * v[j])
		}
		for i := range n {
			axpy(float32(a*value(1, i)), m[40*i:][:37], v)
		}
		return hashOf(v)
	case "ger":
		for i := range n {
			axpy(float32(a*value(1, i)), stream(2, 37), m[40*i:][:37])
		}
		return hashOf(m)
	case "gemm":
		c := stream(3, 13*35)
		for i := range c {
			c[i] = float32(b * c[i])
		}
		tile(c, 35, 13, 35, n, func(l, i int) float32 { return float32(a * value(1, i*n+l)) },
			func(l, j int) float32 { return value(2, l*35+j) })
		return hashOf(c)
	case "top":
		nearest(n, 1, func(numbers [10]int32, scores [10]float32) {
			told = append(told, hashOf(numbers, scores))
		}, 0, 1, 2)
	case "topl1":
		for _, scale := range []float32{1, 0x1p70, 0x1p126} {
			nearest(n, scale, func(numbers [10]int32, scores [10]float32) {
				told = append(told, hashOf(numbers, scores))
			}, 3)
		}
	case "topends":
		for _, scale := range []float32{0x1p70, 0x1p-80} {
			nearest(n, scale, func(numbers [10]int32, _ [10]float32) {
				told = append(told, hashOf(numbers))
			}, 0, 1, 2)
		}
	}
	return strings.Join(told, " ")
}

func TestGoldenKernels(t *testing.T) {
	files, err := filepath.Glob(folder + "kernel-*.txt")
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d files of vectors, want at least 40: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "kernel-"), ".txt")
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
		for _, line := range lines {
			var n int
			first, want, _ := strings.Cut(line, " ")
			if _, err := fmt.Sscan(first, &n); err != nil {
				t.Fatal(file, err)
			}
			if testing.Short() && n > 1023 {
				continue
			}
			have := kernel(name, n)
			if have == "" {
				t.Errorf("kernels_test.go does not compute %s", name)
				break
			}
			if have != want {
				t.Errorf("%s of %d: %s, want %s", name, n, have, want)
			}
		}
	}
}
