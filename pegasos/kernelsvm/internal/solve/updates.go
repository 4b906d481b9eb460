package solve

import (
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

func (s *solver) updateScores() {
	b := &s.block
	s.Updates += int64(len(b.updates))
	cached, known := make([][]float32, len(b.updates)), make([]bool, len(b.updates))
	probes := make([]kernel.Probe, len(b.updates))
	for k, u := range b.updates {
		cached[k], known[k] = s.cache.get(b.rows[u.index], s.ascending)
		if !known[k] {
			probes[k] = s.Rows.Probe(int(b.pos[u.index]))
			s.values.Add(int64(len(s.Pos)))
		}
	}
	s.eachTile(func(w *worker, _ int, tile Tile) {
		n := tile.End - tile.Start
		for start := 0; start < len(b.updates); start += tileProbes {
			w.rows, w.deltas, w.lags = w.rows[:0], w.deltas[:0], w.lags[:0]
			w.missing, w.probes = w.missing[:0], w.probes[:0]
			for k := start; k < min(start+tileProbes, len(b.updates)); k++ {
				u := b.updates[k]
				values := w.buffer[(k-start)*kernel.TileRows:][:n]
				if cached[k] != nil {
					values = cached[k][tile.Start:tile.End]
				}
				if !known[k] {
					w.missing = append(w.missing, values)
					w.probes = append(w.probes, probes[k])
				}
				w.rows, w.deltas = append(w.rows, values), append(w.deltas, u.delta)
				w.lags = append(w.lags, u.lag)
			}
			if len(w.missing) > 0 {
				kernel.Values(s.Rows, w.missing, w.probes, tile.Index)
			}
			addScaledRows(s.score[tile.Start:tile.End], w.deltas, w.rows)
			if s.scoreLag != nil && s.samples > 0 { // until then all lags are 0
				addScaledRows(s.scoreLag[tile.Start:tile.End], w.lags, w.rows)
			}
		}
	})
}

func (s *solver) eachTile(f func(w *worker, t int, tile Tile)) {
	parallel.For(len(s.workers), len(s.Tiles), func(worker, t int) {
		f(s.workers[worker], t, s.Tiles[t])
	})
}

func addScaledRows(y []float64, a []float64, rows [][]float32) {
	for ; len(a) >= 4; a, rows = a[4:], rows[4:] {
		a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
		r0, r1, r2, r3 := rows[0][:len(y)], rows[1][:len(y)], rows[2][:len(y)], rows[3][:len(y)]
		for j, v := range y {
			v += float64(a0 * float64(r0[j]))
			v += float64(a1 * float64(r1[j]))
			v += float64(a2 * float64(r2[j]))
			v += float64(a3 * float64(r3[j]))
			y[j] = v
		}
	}
	for k, row := range rows {
		for j, v := range row[:len(y)] {
			y[j] += float64(a[k] * float64(v))
		}
	}
}
