package main

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

func sum[T float32 | float64](terms []T, block, lanes int) (total T) {
	for part := range slices.Chunk(terms, block) {
		var lane [64]T
		for i, v := range part {
			lane[i%lanes] += v
		}
		for l := lanes - 1; l > 0; l-- { // add lane l to the lane 32, 16, 8, 4, 2 or 1 below it
			lane[l-1<<(bits.Len(uint(l))-1)] += lane[l]
		}
		total += lane[0]
	}
	return total
}

// dot sums dense or shifted features by columns, others by nonzeros, and terms by columns (spec,
// "Words for sums").
func (m *model) dot(r *row, w []float32) float32 {
	var features, terms []float32
	dense, lanes := strings.HasPrefix(m.Data, "dense:") || m.shift != nil, 8
	if dense {
		features, lanes = make([]float32, m.Features), 64
	}
	for k, j := range r.index {
		product := float32(float32(r.value[k]) * w[j])
		switch {
		case j >= m.Features:
			terms = append(terms, product)
		case dense:
			features[j] = product
		default:
			features = append(features, product)
		}
	}
	return sum(features, 65536, lanes) + sum(terms, 65536, 64)
}

func (m *model) wideDot(r *row) (dot, size float64) {
	var of [2][4]float64 // of features and of terms
	for k, j := range r.index {
		product := float64(m.w[j] * r.value[k])
		lane := &of[0]
		if j >= m.Features {
			lane, j = &of[1], j-m.Features
		}
		lane[j%4] += product
		size += math.Abs(product)
	}
	for _, lane := range of {
		dot += (lane[0] + lane[1]) + (lane[2] + lane[3])
	}
	return dot, size
}

// margins returns the margins from float32 and from float64 scores, and a bound on the error of the
// objective computed from the latter.
func (m *model) margins(rows []row) (quick, exact []float64, slack float64) {
	n := float64(len(rows))
	for _, r := range rows {
		z, size := m.wideDot(&r)
		quick = append(quick, r.y*(float64(m.dot(&r, m.quick))+m.b))
		exact = append(exact, r.y*(z+m.b))
		off := float64(len(m.w)+8) * 0x1p-53 * (size + m.bSize + 1)
		if m.Config.Loss == "squared-hinge" {
			off *= 2*max(0, 1-r.y*(z+m.b)) + off
		}
		slack += off / n
	}
	slack += (n + float64(len(m.w)) + 64) * 0x1p-52 * m.objective(exact, squares(m.w))
	return quick, exact, slack
}

func (m *model) loss(margin float64) float64 {
	miss := max(0, 1-margin)
	switch m.Config.Loss {
	case "squared-hinge":
		return float64(miss * miss)
	case "log":
		return log1pExp(-margin)
	}
	return miss
}

func squares[T float32 | float64](w []T) (sum float64) {
	for _, v := range w {
		sum += float64(float64(v) * float64(v))
	}
	return sum
}

// squares is |w|^2.
func (m *model) objective(margins []float64, squares float64) float64 {
	b := m.b / cmp.Or(m.Config.BiasScale, 1)
	losses, order := make([]float64, len(margins)), make([]int, len(margins))
	pcg := rand.NewPCG(m.Config.Seed, ^uint64(0x9e3779b97f4a7c15))
	for i := range order { // shuffled (spec, "Random numbers") unless Solver begins with "dual"
		j := i
		if !strings.HasPrefix(m.Result.Solver, "dual") {
			high, _ := bits.Mul64(pcg.Uint64(), uint64(i)+1)
			j = int(high)
		}
		order[i], order[j] = order[j], i
	}
	for i, j := range order {
		losses[i] = m.loss(margins[j])
	}
	total := 0.0
	for part := range slices.Chunk(losses, 4096) {
		total += sum(part, max(32, len(m.w)/256), 1)
	}
	return float64(m.Lambda/2*(squares+float64(b*b))) + total/float64(len(losses))
}

// shares returns dual variables: the negative derivatives of the loss at the margins. The hinge
// loss is smoothed to width h.
func (m *model) shares(margins []float64, h float64) []float64 {
	a := make([]float64, len(margins))
	for i, margin := range margins {
		switch m.Config.Loss {
		case "squared-hinge":
			a[i] = 2 * max(0, 1-margin)
		case "log":
			a[i] = 1 / (1 + math.Exp(margin))
		default:
			a[i] = max(0, min(0.5+(1-margin)/h, 1))
		}
	}
	return a
}

// gain returns a dual variable's term in the bound, and the sum of the magnitudes of its parts.
func (m *model) gain(a float64) (gain, size float64) {
	switch {
	case m.Config.Loss == "squared-hinge":
		return a - a*a/4, a + a*a/4
	case m.Config.Loss == "log" && a > 0 && a < 1:
		gain = -a*math.Log(a) - (1-a)*math.Log(1-a)
		return gain, gain
	case m.Config.Loss == "log":
		return 0, 0
	}
	return a, a
}

// bound returns the dual objective of a, less bounds on its rounding errors and less slack, which
// bounds the error of the objective.
func (m *model) bound(rows []row, a []float64, slack float64) float64 {
	n, b := float64(len(rows)), m.Config.BiasScale
	u, sizes := make([]float64, len(m.w)+1), make([]float64, len(m.w)+1) // the last is the bias
	var mean, size, half float64
	for i, r := range rows {
		gain, most := m.gain(a[i])
		mean, size = mean+gain, size+most
		for k, j := range r.index {
			u[j] += r.y * a[i] * r.value[k]
			sizes[j] += math.Abs(a[i] * r.value[k])
		}
		u[len(m.w)] += r.y * a[i] * b
		sizes[len(m.w)] += a[i] * b
	}
	for j, v := range u { // v becomes an upper bound on |u[j]|, whatever the roundings
		v = math.Abs(v) + (n+4)*0x1p-53*sizes[j]
		half += v * v / (2 * m.Lambda * n * n)
	}
	return mean/n - half - 0x1p-52*((n+8)*size/n+float64(len(m.w)+16)*half) - slack
}

// ascend maximizes the bound over one dual variable at a time. In each, the bound is concave, and
// greatest where the slope of the gain equals the margin, or at an end of the variable's range.
func (m *model) ascend(rows []row, a []float64, order []int) {
	scale, b := m.Lambda*float64(len(rows)), m.Config.BiasScale
	w := make([]float64, len(m.w)+1)
	move := func(r *row, by float64) {
		for k, j := range r.index {
			w[j] += by * r.y * r.value[k] / scale
		}
		w[len(m.w)] += by * r.y * b / scale
	}
	for i := range rows {
		move(&rows[i], a[i])
	}
	for _, i := range order {
		r := &rows[i]
		margin, slope := b*w[len(m.w)], b*b/scale
		for k, j := range r.index {
			margin += w[j] * r.value[k]
			slope += r.value[k] * r.value[k] / scale
		}
		margin *= r.y
		old := a[i]
		switch {
		case m.Config.Loss == "squared-hinge":
			a[i] = max(0, old+(1-margin-old/2)/(slope+0.5))
		case m.Config.Loss == "log":
			a[i] = shareOfLog(old, margin-slope*old, slope)
		case slope > 0:
			a[i] = max(0, min(old+(1-margin)/slope, 1))
		default:
			a[i] = 1
		}
		move(r, a[i]-old)
	}
}

// shareOfLog solves log((1-a)/a) = margin + slope a for a. It uses Newton's method for z =
// log(a/(1-a)), and bisection if a step leaves the interval of z.
func shareOfLog(old, margin, slope float64) (a float64) {
	low, high := -margin-slope, -margin
	z := max(low, min(math.Log(old/(1-old)), high))
	for range 50 {
		a = 1 / (1 + math.Exp(-z))
		off := z + margin + slope*a
		if math.Abs(off) < 1e-15 {
			break
		}
		if off > 0 {
			high = z
		} else {
			low = z
		}
		if z -= off / (1 + slope*a*(1-a)); !(z > low && z < high) {
			z = (low + high) / 2
		}
	}
	return a
}
