package quant

import (
	"math"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// Top finds the rows nearest to x, best first. The result equals that of [dense.Top] for the rows
// of the index. It panics unless len(x) is the length of the rows and the metric exists. A search
// reuses the memory of earlier searches.
func (ix *Index) Top(dst []dense.Hit, by dense.Metric, x []float32) []dense.Hit {
	ix.check(by, "len(x)", x)
	if s := ix.newSearch(dst, by, x); s != nil {
		searches := [1]*search{s}
		ix.scan(searches[:], 0, ix.count)
		return s.finish()
	}
	return dense.Top(dst, by, ix.rows, ix.stride, x)
}

// TopMany is [Index.Top] for many queries, like [dense.TopMany].
func (ix *Index) TopMany(dst [][]dense.Hit, by dense.Metric, queries [][]float32, threads int) {
	nearest.CheckQueries(len(dst), queries)
	if len(queries) == 0 {
		return
	}
	ix.check(by, "len(queries[0])", queries[0])
	threads = parallel.Threads(threads)
	all := make([]*search, len(queries)) // nil for queries that dense.TopMany answers
	searches := make([]*search, 0, len(queries))
	for q, x := range queries {
		if all[q] = ix.newSearch(dst[q], by, x); all[q] != nil {
			searches = append(searches, all[q])
		}
	}
	ix.scanThreads(searches, threads)
	var hits [][]dense.Hit
	var rest [][]float32
	for q, s := range all {
		if s != nil {
			dst[q] = s.finish()
		} else {
			hits, rest = append(hits, dst[q]), append(rest, queries[q])
		}
	}
	if len(rest) == 0 {
		return
	}
	dense.TopMany(hits, by, ix.rows, ix.stride, rest, threads)
	for q, s := range all {
		if s == nil {
			dst[q], hits = hits[0], hits[1:]
		}
	}
}

// name is the name of len(x) in the message.
func (ix *Index) check(by dense.Metric, name string, x []float32) {
	if by > dense.ByL1 {
		panic(misuse.Of("there is no metric %d", by))
	}
	if len(x) != ix.n {
		panic(misuse.Of("%s = %d, rows of %s", name, len(x), plural.Count(ix.n, "element")))
	}
}

// search finds the hits of one query, in all rows or in those that one goroutine screens. Rows that
// their bounds do not exclude are candidates. Candidates with great bounds are scored first,
// because their scores may exclude other candidates.
type search struct {
	screen
	rows       nearest.Rows[float32]
	hits       []dense.Hit         // heap of nearest.AddAt
	least      float32             // a row with a lesser bound cannot be a hit; -Inf at first
	bounds     [screenRows]float32 // products of bytes, then bounds
	candidates []candidate
	full       int
	batch      [scoredTogether]uint32

	screened, scored int
	abandoned        bool // too many rows were scored; the search scores all further rows
}

type candidate struct {
	bound float32
	row   uint32
}

const scoredTogether = 64

var searches sync.Pool

func getSearch() *search {
	if s, ok := searches.Get().(*search); ok {
		return s
	}
	return new(search)
}

func (s *search) free() {
	s.query, s.hits, s.rows = nil, nil, nearest.Rows[float32]{}
	searches.Put(s)
}

// newSearch returns a search for the len(dst) rows nearest to x, or nil if dense.Top must find
// them.
func (ix *Index) newSearch(dst []dense.Hit, by dense.Metric, x []float32) *search {
	k := min(len(dst), ix.count)
	if ix.bytes == nil || k == 0 || k > ix.count/16 {
		return nil
	}
	s := getSearch()
	if !s.set(ix, by, x) {
		searches.Put(s)
		return nil
	}
	s.rows = nearest.Rows[float32]{Slice: ix.rows, Stride: ix.stride, N: ix.n}
	s.reset(dst[:0:k])
	return s
}

func (s *search) clone() *search {
	c := getSearch()
	bytes := append(c.bytes[:0], s.bytes...)
	c.screen, c.rows = s.screen, s.rows
	c.bytes = bytes
	c.reset(make([]dense.Hit, 0, cap(s.hits)))
	return c
}

func (s *search) reset(hits []dense.Hit) {
	k := cap(hits)
	s.hits, s.least = hits, float32(math.Inf(-1))
	s.candidates = slices.Grow(s.candidates[:0], s.mostCandidates())
	s.full = min(max(2*k, 64), s.mostCandidates())
	s.screened, s.scored, s.abandoned = 0, 0, false
}

func (s *search) mostCandidates() int {
	return max(4*cap(s.hits), min(2048, len(s.rows.Slice)/s.rows.Stride/32))
}

func (ix *Index) scanThreads(searches []*search, threads int) {
	const runRows = 16 * screenRows
	runs := (ix.count + runRows - 1) / runRows
	scan := func(searches []*search, run int) {
		first := run * runRows
		ix.scan(slices.Clone(searches), first, min(first+runRows, ix.count))
	}
	if threads = min(threads, (runs+3)/4); threads <= 1 {
		for run := range runs {
			scan(searches, run)
		}
		return
	}
	own := make([][]*search, threads) // by goroutine
	for w := range own {
		for _, s := range searches {
			own[w] = append(own[w], s.clone())
		}
	}
	parallel.For(threads, runs, func(worker, run int) { scan(own[worker], run) })
	for _, clones := range own {
		for k, c := range clones {
			searches[k].merge(c)
			c.free()
		}
	}
}

// scan screens the rows from first to end-1 for the searches. If a search is abandoned, scan scores
// all further rows for it, and removes it from the slice.
func (ix *Index) scan(searches []*search, first, end int) {
	strip := min(asm.RowsAtOnce(ix.n), screenRows)
	if len(searches) > 1 {
		strip = min(max(stripBytes/ix.n&^3, 4), strip)
	}
	var products [queriesAtOnce * screenRows]int64
	for ; first < end; first += screenRows {
		if slices.ContainsFunc(searches, func(s *search) bool { return s.abandoned }) {
			searches = scoreAbandoned(searches, first, end)
		}
		if len(searches) == 0 {
			return
		}
		count := min(screenRows, end-first)
		for i := 0; i < count; i += strip {
			ix.multiply(searches, first, i, min(i+strip, count), products[:])
		}
		for _, s := range searches {
			s.upper(s.bounds[:count], ix, first)
			s.collect(s.bounds[:count], first)
		}
	}
}

// scoreAbandoned scores the rows for the abandoned searches, and returns the other searches, moved
// to the front of the slice.
func scoreAbandoned(searches []*search, first, end int) []*search {
	var some [32]*search
	var hits [len(some)][]dense.Hit
	var queries [len(some)][]float32
	others, n := searches[:0], 0
	for i, s := range searches {
		if s.abandoned {
			some[n], hits[n], queries[n] = s, s.hits, s.query
			n++
		} else {
			others = append(others, s)
		}
		if n == len(some) || n > 0 && i == len(searches)-1 {
			nearest.AddMany(&some[0].rows, hits[:n], nearest.Metric(some[0].by), queries[:n], first, end)
			for k, s := range some[:n] {
				s.hits = hits[k]
			}
			n = 0
		}
	}
	return others
}

// multiply sets bounds[i] of each search, for i from start to end-1, to the product of the query's
// bytes and those of row first+i. products is a buffer.
func (ix *Index) multiply(searches []*search, first, start, end int, products []int64) {
	rows, count := unsigned(ix.bytes[(first+start)*ix.n:]), end-start
	for k := 0; k < len(searches); k += queriesAtOnce {
		group := searches[k:min(k+queriesAtOnce, len(searches))]
		var bytes [queriesAtOnce][]uint8
		for i, s := range group {
			bytes[i] = unsigned(s.bytes)
		}
		var next []uint8 // half of the next rows, to prefetch
		if half := k / queriesAtOnce; half < 2 {
			size := count * ix.n / 2
			next = rows[min((2+half)*size, len(rows)):]
			next = next[:min(size, len(next))]
		}
		asm.DotTileBytes(products[:count*len(group)], rows, ix.n, bytes[:len(group)], next, true)
		for i, s := range group {
			some := s.bounds[start:end]
			for j, v := range products[i*count:][:len(some)] {
				some[j] = float32(v)
			}
		}
	}
}

func (s *search) collect(bounds []float32, first int) {
	s.screened += len(bounds)
	const part = 64 // bounds that are skipped at once
	for start := 0; start < len(bounds); start += part {
		some := bounds[start:min(start+part, len(bounds))]
		if asm.Max(some) < s.least {
			continue
		}
		for i := nearest.Next(some, 0, s.least); i < len(some); i = nearest.Next(some, i+1,
			s.least) {
			s.candidates = append(s.candidates, candidate{some[i], uint32(first + start + i)})
			if len(s.candidates) >= s.full {
				s.scoreBest()
			}
		}
	}
	s.abandoned = s.scored > s.screened/4+s.mostCandidates()
}

// scoreBest scores as many of the best candidates as hits are wanted, and drops the candidates that
// then cannot be hits. If many are left, it scores these too.
func (s *search) scoreBest() {
	k := cap(s.hits)
	best := min(k, len(s.candidates))
	moveGreatest(s.candidates, best)
	s.score(s.candidates[:best])
	rest := s.candidates[:0]
	for _, c := range s.candidates[best:] {
		if !(c.bound < s.least) {
			rest = append(rest, c)
		}
	}
	if s.full = min(2*s.full, s.mostCandidates()); len(rest) > s.full/2 {
		s.score(rest)
		rest = rest[:0]
	}
	s.candidates = rest
}

func moveGreatest(c []candidate, k int) {
	for start, end := 0, len(c); end-start > 1; {
		pivot := c[start+(end-start)/2].bound
		i, j := start, end-1
		for i <= j {
			for c[i].bound > pivot {
				i++
			}
			for c[j].bound < pivot {
				j--
			}
			if i <= j {
				c[i], c[j] = c[j], c[i]
				i++
				j--
			}
		}
		// c[:i] has no bound less than pivot, and c[j+1:] has none that is greater.
		switch {
		case k <= j:
			end = j + 1
		case k > i:
			start = i
		default:
			return
		}
	}
}

// score adds the candidates to the hits, except for those that earlier scores exclude.
func (s *search) score(candidates []candidate) {
	for len(candidates) > 0 {
		n := 0
		for ; n < len(s.batch) && len(candidates) > 0; candidates = candidates[1:] {
			if !(candidates[0].bound < s.least) {
				s.batch[n] = candidates[0].row
				n++
			}
		}
		var least float32
		s.hits, least = nearest.AddAt(&s.rows, s.hits, nearest.Metric(s.by), s.batch[:n], s.query)
		s.least = s.limit(least)
		s.scored += n
	}
}

func (s *search) scoreAll() {
	s.scoreBest()
	s.score(s.candidates)
	s.candidates = s.candidates[:0]
}

// finish frees s.
func (s *search) finish() []dense.Hit {
	s.scoreAll()
	nearest.Finish(&s.rows, s.hits, nearest.Metric(s.by), s.query)
	hits := s.hits
	s.free()
	return hits
}

func (s *search) merge(clone *search) {
	clone.scoreAll()
	for _, h := range clone.hits {
		s.hits = nearest.Add(s.hits, h, func(a, b dense.Hit) bool {
			return nearest.Better(&s.rows, nearest.Metric(s.by), s.query, a, b)
		})
	}
}
