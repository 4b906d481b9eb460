package pegasos

import (
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/internal/order"
)

// mostPilots is the most rows that the pilot takes: of more, its answer is hardly another one.
const mostPilots = 4096

// pilot returns what t0 is to be multiplied by: see OffsetPilot.
func (r *run) pilot(p *problem) float64 {
	n := min(p.count()/8, mostPilots)
	if n == 0 {
		return 1
	}
	var idx []uint32
	if Order(r.order.Kind) == Shuffled {
		idx = make([]uint32, n)
		for j := range idx {
			idx[j] = uint32(j)
		}
	} else {
		idx = order.Begin(rand.NewPCG(r.cfg.Seed, ^uint64(order.Stream)), n, p.count())
	}
	for j, k := range idx {
		idx[j] = uint32(p.row(int(k)))
	}
	c := *p
	c.vs, c.vb = vectors(1, len(p.v)), make([]float64, 1)
	c.v, c.avg, c.recent = c.vs[0], nil, nil
	c.takeSteps(idx)
	if c.err != nil {
		return 1 // the run will fail and say why
	}
	c.refreshNorm()
	size := math.Sqrt(c.norm2) / c.divisor()
	g := math.Sqrt(float64(float64(c.violations) / float64(n) * r.r2))
	by := float64(g*math.Sqrt(float64(p.count()))) / float64(2*float64(size*r.r2))
	if !(by > 1) { // NaN where no row has a value
		return 1
	}
	return min(by, 16)
}
