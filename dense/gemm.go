package dense

import (
	"sync"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A Factor is a matrix that [Gemm] multiplies: element (i, j) is Data[i*Stride+j], or, of one that
// is transposed, Data[j*Stride+i].
type Factor struct {
	Data       []float32
	Stride     int
	Transposed bool
}

// Gemm multiplies a matrix A of m rows and k columns by a matrix B of k rows and n columns: C =
// alpha*A*B + beta*C, where element (i, j) of C is c[i*ldc+j]. To the bit each element is
//
//	sum := beta * C(i, j)
//	for first := 0; first < k; first += 256 {
//		var block float32
//		for l := first; l < min(first+256, k); l++ {
//			block += float32(float32(alpha*A(i, l)) * B(l, j))
//		}
//		sum += block
//	}
//	C(i, j) = sum
//
// but that C is not read where beta is 0, and A and B not where alpha is. So many goroutines share
// the work, or GOMAXPROCS if threads is 0, which changes no bit.
//
// It panics if a matrix ends before its last row does, or a stride is less than the elements of a
// stored row. c must not overlap A or B.
func Gemm(m, n, k int, alpha float32, a, b Factor, beta float32, c []float32, ldc, threads int) {
	if m < 0 || n < 0 || k < 0 {
		panic(misuse.Of("m = %d, n = %d, k = %d", m, n, k))
	}
	a.check("a.Data", "a.Stride", m, k)
	b.check("b.Data", "b.Stride", k, n)
	checkMatrix("c", c, "ldc", ldc, m, n)
	if m == 0 || n == 0 {
		return
	}
	if beta != 1 {
		for i := range m {
			scale(beta, c[i*ldc:][:n])
		}
	}
	if alpha == 0 || k == 0 {
		return
	}
	g := gemm{m: m, n: n, alpha: alpha, a: a, b: b, c: c, ldc: ldc}
	if threads = parallel.Threads(threads); float64(m)*float64(n)*float64(k) < leastProducts {
		threads = 1
	}
	g.run(k, threads)
}

// leastProducts is how many make it worth to start goroutines: some tens of microseconds.
const leastProducts = 1 << 20

func (f Factor) check(data, stride string, rows, cols int) {
	if f.Transposed {
		rows, cols = cols, rows
	}
	checkMatrix(data, f.Data, stride, f.Stride, rows, cols)
}

// A gemm is a product under way. Of each 256 columns of A, and as many rows of B, panels are made:
// of B as wide as the tile of asm.RankK, of A as high.
type gemm struct {
	m, n  int
	alpha float32
	a, b  Factor
	c     []float32
	ldc   int

	first, count int       // of the columns of A, rows of B
	from, width  int       // of the columns of B in panels
	panels       []float32 // of B
}

// columnsAtOnce is how many columns of B are in panels at a time: with 256 rows these are 512 KB,
// for the second cache.
const columnsAtOnce = 16 * asm.TileCols

// A workspace has the memory that a worker needs.
type workspace struct {
	panel [asm.TileRows * asm.BlockRows]float32
	tile  [asm.TileRows * asm.TileCols]float32
}

var (
	workspaces = sync.Pool{New: func() any { return new(workspace) }}
	panelRooms = sync.Pool{New: func() any {
		s := make([]float32, asm.BlockRows*columnsAtOnce)
		return &s
	}}
)

func (g *gemm) run(k, threads int) {
	room := panelRooms.Get().(*[]float32)
	defer panelRooms.Put(room)
	rowPanels := (g.m + asm.TileRows - 1) / asm.TileRows
	for g.first = 0; g.first < k; g.first += asm.BlockRows {
		g.count = min(asm.BlockRows, k-g.first)
		for g.from = 0; g.from < g.n; g.from += columnsAtOnce {
			g.width = min(columnsAtOnce, g.n-g.from)
			columnPanels := (g.width + asm.TileCols - 1) / asm.TileCols
			g.panels = (*room)[:columnPanels*asm.TileCols*g.count]
			if threads == 1 {
				for j := range columnPanels {
					g.packB(j)
				}
				w := workspaces.Get().(*workspace)
				for i := range rowPanels {
					g.multiply(w, i)
				}
				workspaces.Put(w)
				continue
			}
			g.runThreads(threads, columnPanels, rowPanels)
		}
	}
}

// runThreads has a copy of g, which goes to the heap.
func (g gemm) runThreads(threads, columnPanels, rowPanels int) {
	parallel.For(threads, columnPanels, func(_, j int) { g.packB(j) })
	parallel.For(threads, rowPanels, func(_, i int) {
		w := workspaces.Get().(*workspace)
		g.multiply(w, i)
		workspaces.Put(w)
	})
}

// packB makes panel j of B: for each of the rows TileCols elements, those that B lacks being 0.
func (g *gemm) packB(j int) {
	const width = asm.TileCols
	from := g.from + j*width
	n := min(width, g.n-from)
	pack(g.panels[j*width*g.count:][:width*g.count], width, 1, g.b, !g.b.Transposed,
		g.first, g.count, from, n)
}

// multiply adds to the rows of C that panel i of A is for.
func (g *gemm) multiply(w *workspace, i int) {
	const height, width = asm.TileRows, asm.TileCols
	from := i * height
	m := min(height, g.m-from)
	panel := w.panel[:height*g.count]
	pack(panel, height, g.alpha, g.a, g.a.Transposed, g.first, g.count, from, m)
	for j := 0; j < g.width; j += width {
		columns := g.panels[j*g.count:][:width*g.count]
		n := min(width, g.width-j)
		c := g.c[from*g.ldc+g.from+j:]
		if m == height && n == width {
			asm.RankK(c, g.ldc, panel, columns)
			continue
		}
		clear(w.tile[:])
		for r := range m {
			copy(w.tile[r*width:], c[r*g.ldc:][:n])
		}
		asm.RankK(w.tile[:], width, panel, columns)
		for r := range m {
			copy(c[r*g.ldc:][:n], w.tile[r*width:])
		}
	}
}

// pack sets the first n of each width elements of dst to factor times n elements from column or row
// from on, and the others to 0, for count rows or columns from first on: rows where the elements
// are stored lengthwise.
func pack(dst []float32, width int, factor float32, f Factor, lengthwise bool,
	first, count, from, n int) {
	if lengthwise {
		for l := range count {
			to := dst[l*width:][:width]
			asm.ScaleTo(to[:n], factor, f.Data[(first+l)*f.Stride+from:][:n])
			clear(to[n:])
		}
		return
	}
	if n < width {
		clear(dst)
	}
	for j := range n {
		at := j
		for _, v := range f.Data[(from+j)*f.Stride+first:][:count] {
			dst[at] = factor * v
			at += width
		}
	}
}
