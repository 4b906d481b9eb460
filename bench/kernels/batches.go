package main

import (
	"math"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/quant"
)

// For each query of a batch, these operations find the nearest rows in a window of the large
// matrix.
const (
	batchCols   = 768 // elements of a row
	batchHits   = 10
	mostQueries = 64
	mostRows    = 1 << 13 // rows in a window of floats; times four for bytes
	mostInStrip = 1 << 10 // rows in a strip, which a peer scores before it ranks them
)

type batchHit[T float32 | int32] struct {
	row   int
	score T
}

type batch[T float32 | int8, S float32 | int32] struct {
	least   S     // score of a missing hit
	matrix  []T   // all queries
	queries [][]T // rows of matrix
	scores  []S   // of a strip, query by query
	hits    [mostQueries][batchHits]batchHit[S]
}

var (
	floatBatch = batch[float32, float32]{least: float32(math.Inf(-1))}
	int8Batch  = batch[int8, int32]{least: math.MinInt32}
)

// prepare copies count rows as queries, beginning with row planted of the first window. at(i)
// returns row i.
func (b *batch[T, S]) prepare(count int, at func(i int) []T) {
	b.matrix, b.queries = make([]T, 0, count*batchCols), nil
	b.scores = make([]S, count*mostInStrip)
	for q := range count {
		b.matrix = append(b.matrix, at(planted+q)...)
		b.queries = append(b.queries, b.matrix[q*batchCols:][:batchCols])
	}
}

// rank finds the hits of all queries among count rows. dots stores the scores of n rows, from row
// first on, in b.scores.
func (b *batch[T, S]) rank(count, strip int, dots func(first, n int)) {
	for q := range b.queries {
		for k := range b.hits[q] {
			b.hits[q][k] = batchHit[S]{score: b.least}
		}
	}
	for first := 0; first < count; first += strip {
		n := min(strip, count-first)
		dots(first, n)
		for q := range b.queries {
			b.insert(q, b.scores[q*n:][:n], first)
		}
	}
}

// scores[i] is the score of row first+i.
func (b *batch[T, S]) insert(q int, scores []S, first int) {
	hits := &b.hits[q]
	least := hits[batchHits-1].score
	for i, s := range scores {
		if s <= least {
			continue
		}
		k := batchHits - 1
		for ; k > 0 && hits[k-1].score < s; k-- {
			hits[k] = hits[k-1]
		}
		hits[k] = batchHit[S]{first + i, s}
		least = hits[batchHits-1].score
	}
}

// found returns the nearest row for each query, then the scores of all hits of the first and last
// query.
func (b *batch[T, S]) found() (all []float32) {
	for q := range b.queries {
		all = append(all, float32(b.hits[q][0].row))
	}
	for _, q := range []int{0, len(b.queries) - 1} {
		for _, h := range b.hits[q] {
			all = append(all, float32(h.score))
		}
	}
	return all
}

// want computes found's results in float64, and the magnitudes to which rounding errors are
// relative. score returns row i's score for query q, and its magnitude.
func (b *batch[T, S]) want(count int, score func(q, i int) (v, size float64)) (values,
	sizes []float64) {
	for q := range b.queries {
		values, sizes = append(values, float64(planted+q)), append(sizes, 0)
	}
	for _, q := range []int{0, len(b.queries) - 1} {
		scores, most := make([]float64, count), 0.
		for i := range scores {
			v, size := score(q, i)
			scores[i], most = v, max(most, size)
		}
		slices.SortFunc(scores, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		for _, v := range scores[:batchHits] {
			values, sizes = append(values, v), append(sizes, most)
		}
	}
	return values, sizes
}

func prepareWindow(cols, most int) {
	x, out, turn = make([]float32, cols), make([]float32, min(len(large())/cols/windows, most)), 0
	nextRows()
}

var (
	floatHits [mostQueries][]dense.Hit
	int8Hits  [mostQueries][]quant.Hit
)

// hit returns our k-th hit for query q. many searches for all queries in one call; each makes a
// call per query.
func (b *batch[T, S]) search(name string, prepare func(queries int),
	score func(q, i int) (v, size float64), hit func(q, k int) (row int, score S),
	many, each func()) *operation {
	ourHits := func() []float32 {
		for q := range b.queries {
			for k := range b.hits[q] {
				b.hits[q][k].row, b.hits[q][k].score = hit(q, k)
			}
		}
		return b.found()
	}
	return &operation{
		name: name, sizes: []int{8, mostQueries}, prepare: func(n, _ int) { prepare(n) },
		per:  func() int { return len(out) * len(b.queries) },
		want: func() (values, sizes []float64) { return b.want(len(out), score) }, got: b.found,
		ways: []way{{name: ours + " TopMany", loop: overRows(many), got: ourHits},
			{name: ours + " Top, a call per query", loop: overRows(each), got: ourHits}},
	}
}

func topManyBy(name string, by dense.Metric) *operation {
	return floatBatch.search(name, func(queries int) {
		prepareWindow(batchCols, mostRows)
		floatBatch.prepare(queries, row)
		for q := range floatHits {
			floatHits[q] = make([]dense.Hit, batchHits)
		}
	}, func(q, i int) (v, size float64) {
		r, x := row(i), floatBatch.queries[q]
		if by == dense.ByCosine {
			return cosineOf(r, x), 1
		}
		return sums(len(r), func(j int) float64 { return float64(r[j]) * float64(x[j]) })
	}, func(q, k int) (row int, score float32) {
		return floatHits[q][k].Row, floatHits[q][k].Score
	}, func() {
		dense.TopMany(floatHits[:len(floatBatch.queries)], by, rows, batchCols, floatBatch.queries, 1)
	}, func() {
		for q, x := range floatBatch.queries {
			floatHits[q] = dense.Top(floatHits[q], by, rows, batchCols, x)
		}
	})
}

var (
	topMany       = topManyBy("TopMany by dot, rows of 768, queries", dense.ByDot)
	topManyCosine = topManyBy("TopMany by cosine, rows of 768, queries", dense.ByCosine)
)

// inverseNorms returns 1/norm of each row of the large matrix. The verification computes them, so
// that peers are timed as if they stored unit vectors.
var inverseNorms = sync.OnceValue(func() []float32 {
	all := make([]float32, len(large())/batchCols)
	for i := range all {
		all[i] = 1 / dense.Norm(large()[i*batchCols:][:batchCols])
	}
	return all
})

// dots is as in rank: the scores are dot products.
func (b *batch[T, S]) addPeer(operation, name string, inC bool, strip int,
	dots func(first, n int)) {
	addWay(operation, way{name: name, inC: inC, loop: overRows(func() {
		b.rank(len(out), strip, dots)
	})})
}

func addTopMany(name string, inC bool, strip int, dots func(first, n int)) {
	floatBatch.addPeer("TopMany by dot", name, inC, strip, dots)
	addWay("TopMany by cosine", way{name: name, inC: inC, loop: overRows(func() {
		// nextRows has already incremented turn.
		start := (turn - 1) % windows * len(out)
		floatBatch.rank(len(out), strip, func(first, n int) {
			dots(first, n)
			norms := inverseNorms()[start+first:][:n]
			for q := range floatBatch.queries {
				scores := floatBatch.scores[q*n:][:n]
				dense.Mul(scores, scores, norms)
			}
		})
		for q, x := range floatBatch.queries {
			inverse := 1 / dense.Norm(x)
			for k := range floatBatch.hits[q] {
				floatBatch.hits[q][k].score *= inverse
			}
		}
	})})
}

func (b *batch[T, S]) eachPair(rows []T, n int, dot func(x, y []T) S) {
	for q, x := range b.queries {
		for i := range n {
			b.scores[q*n+i] = dot(rows[i*batchCols:][:batchCols], x)
		}
	}
}

func int8Row(i int) []int8 { return int8s(rows)[i*batchCols:][:batchCols] }

var int8TopMany = int8Batch.search("int8 TopMany, rows of 768, queries", func(queries int) {
	prepareWindow(batchCols/4, 4*mostRows)
	int8Batch.prepare(queries, int8Row)
	for q := range int8Hits {
		int8Hits[q] = make([]quant.Hit, batchHits)
	}
}, func(q, i int) (v, size float64) {
	r, x := int8Row(i), int8Batch.queries[q]
	for j, a := range r {
		v += float64(int(a) * int(x[j]))
	}
	return v, 0
}, func(q, k int) (row int, score int32) {
	return int8Hits[q][k].Row, int32(int8Hits[q][k].Score)
}, func() {
	quant.TopMany(int8Hits[:len(int8Batch.queries)], dense.ByDot, int8s(rows), batchCols,
		int8Batch.queries, 1)
}, func() {
	for q, x := range int8Batch.queries {
		int8Hits[q] = quant.Top(int8Hits[q], dense.ByDot, int8s(rows), batchCols, x)
	}
})
