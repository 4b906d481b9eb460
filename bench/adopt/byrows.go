package main

// The patches in this file score many rows with one call. The projects store each vector in a slice
// of its own; the patches copy the vectors to one slice first.

// hnswSearch is the setup that builds a graph of 2,000 vectors for each distance, and 256 queries.
const hnswSearch = `random := rand.New(rand.NewSource(2))
	vectors := make([][]float32, 2256)
	for k := range vectors {
		vectors[k] = floats(n)
		for i := range vectors[k] {
			vectors[k][i] = random.Float32()
		}
	}
	queries := vectors[2000:]
	graphs := map[string]*Graph[int]{}
	for name, distance := range distanceFuncs {
		g := NewGraph[int]()
		g.Distance, g.Rng = distance, rand.New(rand.NewSource(1))
		for key, v := range vectors[:2000] {
			g.Add(MakeNode(key, v))
		}
		graphs[name] = g
	}`

// hnswSearches are the timed calls of both patches to hnsw: searches in the graphs of hnswSearch.
var hnswSearches = []call{
	{name: "search by cosine",
		expr: `float32(graphs["cosine"].Search(queries[i%len(queries)], 10)[0].Key)`},
	{name: "search by Euclidean", loop: true,
		expr: `float32(graphs["euclidean"].Search(queries[i%len(queries)], 10)[0].Key)`},
}

// hnswByRows copies all vectors to one slice, and scores the unvisited neighbors of a node with one
// call.
var hnswByRows = project{
	name: "hnsw, neighbors at once", module: "github.com/coder/hnsw", version: "v0.6.1", folder: ".",
	edits: []edit{
		{file: "distance.go", old: "vek32.CosineSimilarity", with: "dense.Cosine", uses: dense},
		{file: "distance.go", fn: "EuclideanDistance", with: "return dense.Distance(a, b)",
			uses: dense},
		{file: "graph.go", old: "type layerNode[K cmp.Ordered] struct {",
			with: "type layerNode[K cmp.Ordered] struct {\n\ttable *table // of the graph\n\trow uint32\n"},
		{file: "graph.go", old: "type Graph[K cmp.Ordered] struct {",
			with: "type Graph[K cmp.Ordered] struct {\n\ttable table\n"},
		{file: "graph.go", old: "preLen := g.Len()", with: "preLen, row := g.Len(), g.table.add(vec)"},
		{file: "graph.go", old: "newNode := &layerNode[K]{",
			with: "newNode := &layerNode[K]{table: &g.table, row: row,"},
		{file: "graph.go", old: "slices.Sort(neighborKeys)", with: "slices.Sort(neighborKeys)\n" +
			"dists := current.score(neighborKeys, visited, target, distance)"},
		{file: "graph.go", old: "for _, neighborID := range neighborKeys",
			with: "for i, neighborID := range neighborKeys"},
		{file: "graph.go", old: "distance(neighbor.Value, target)", with: "dists[i]"},
		{file: "encode.go", old: "node := &layerNode[K]{",
			with: "node := &layerNode[K]{table: &h.table, row: h.table.add(vec),"},
		{file: "table.go", uses: dense, with: `package hnsw

import (
	"math"
	"reflect"

	"github.com/pegasimd/pegasimd/dense"
)

// table holds vectors of equal length one after the other.
type table struct {
	dims   int
	values []float32
}

// add appends a vector and returns its row.
func (t *table) add(v Vector) uint32 {
	if len(t.values) == 0 {
		t.dims = max(len(v), 1)
	}
	t.values = append(t.values, v...)
	return uint32(len(t.values)/t.dims) - 1
}

// score returns the distances of the target to the neighbors of the given keys that were not
// visited, in the order of the keys.
func (n *layerNode[K]) score(keys []K, visited map[K]bool, target Vector,
	distance DistanceFunc) []float32 {
	var (
		rowsBuffer, atBuffer [64]uint32
		scoreBuffer          [64]float32
	)
	rows, at, dists := rowsBuffer[:0], atBuffer[:0], make([]float32, len(keys))
	for i, key := range keys {
		if !visited[key] {
			rows, at = append(rows, n.neighbors[key].row), append(at, uint32(i))
		}
	}
	scores := append(scoreBuffer[:0], dists[:len(rows)]...)
	switch {
	case n.table != nil && same(distance, CosineDistance):
		dense.CosineRowsAt(scores, n.table.values, n.table.dims, rows, target)
		for k, i := range at {
			dists[i] = 1 - scores[k]
		}
	case n.table != nil && same(distance, EuclideanDistance):
		dense.SquaredDistanceRowsAt(scores, n.table.values, n.table.dims, rows, target)
		for k, i := range at {
			dists[i] = float32(math.Sqrt(float64(scores[k])))
		}
	default: // a function of the user's
		for _, i := range at {
			dists[i] = distance(n.neighbors[keys[i]].Value, target)
		}
	}
	return dists
}

func same(f, g DistanceFunc) bool {
	return reflect.ValueOf(f).Pointer() == reflect.ValueOf(g).Pointer()
}
`},
	},
	imports: []string{"math/rand"},
	setup:   hnswSearch,
	calls:   hnswSearches,
	theirs:  "^Benchmark_HNSW_1536$",
}

// weaviateByRows stores the centers of k-means, from which product quantization learns its codes,
// in one slice. One call compares a point with all centers, or with all that may be nearer.
var weaviateByRows = project{
	name: "weaviate, k-means", module: "github.com/weaviate/weaviate", version: "v1.38.0",
	folder: "adapters/repos/db/vector/kmeans",
	edits: []edit{
		{file: "kmeans.go", old: "type KMeans struct {",
			with: "type KMeans struct {\nflat, dists []float32\nnear []uint32\n"},
		{file: "kmeans.go", old: "m.Centers = make([][]float32, m.K)",
			with: "m.Centers, m.flat = make([][]float32, m.K), make([]float32, m.K*m.dimensions)\n" +
				"m.dists = make([]float32, m.K)"},
		{file: "kmeans.go", old: "m.Centers[c] = make([]float32, m.dimensions)",
			with: "m.Centers[c] = m.flat[c*m.dimensions:][:m.dimensions:m.dimensions]"},
		{file: "kmeans.go", fn: "nearestBruteForce", uses: dense,
			with: `dense.SquaredDistanceRows(m.dists, m.flat, m.dimensions, m.seg(point))
	best := dense.ArgMin(m.dists)
	return NearestCenter{index: uint32(best), distance: m.dists[best], computations: m.K}`},
		{file: "kmeans.go", fn: "nearestWithPruning", uses: dense,
			with: `segment := m.seg(point)
	nearest := NearestCenter{index: prevCenterIdx,
		distance: m.l2squared(m.Centers[prevCenterIdx], segment)}
	reach := 2 * float32(math.Sqrt(float64(nearest.distance)))
	m.near = m.near[:0]
	for _, v := range m.tmp.centerNeighbors[prevCenterIdx] {
		if v.distance >= reach {
			break
		}
		m.near = append(m.near, v.index)
	}
	dists := m.dists[:len(m.near)]
	dense.SquaredDistanceRowsAt(dists, m.flat, m.dimensions, m.near, segment)
	for k, dist := range dists {
		if dist < nearest.distance {
			nearest.index, nearest.distance = m.near[k], dist
		}
	}
	return nearest`},
		{file: "kmeans.go", old: "distancer.NewL2SquaredProvider()", with: "squaredL2{" +
			"distancer.NewL2SquaredProvider()}"},
		{file: "squared.go", uses: dense, with: `package kmeans

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/weaviate/weaviate/adapters/repos/db/vector/hnsw/distancer"
)

// squaredL2 is the provider of squared distances, computed by the same kernel as SquaredDistanceRows.
type squaredL2 struct{ distancer.L2SquaredProvider }

func (squaredL2) SingleDist(x, y []float32) (float32, error) {
	return dense.SquaredDistance(x, y), nil
}
`},
	},
	imports: []string{"math/rand/v2"},
	setup: `random := rand.New(rand.NewPCG(1, 2))
	data := [][]float32{}
	for len(data) < 2000 {
		v := floats(n)
		for i := range v {
			v[i] = random.Float32()
		}
		data = append(data, v)
	}
	fit := func(a AssignmentStrategy) float32 {
		km := New(256, n, 0)
		km.Seed, km.Initialization, km.Assignment, km.IterationThreshold = 1, RandomInitialization, a, 5
		if err := km.Fit(data); err != nil {
			b.Fatal(err)
		}
		return km.Centers[0][0]
	}`,
	calls: []call{
		{name: "fit, brute force", expr: "fit(BruteForce)"},
		{name: "fit, pruned", expr: "fit(GraphPruning)"},
	},
	theirs: "^$", // none, because a run of their benchmarks takes minutes
}
