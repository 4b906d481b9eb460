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
	switch {
	case beta == 1:
	case n == ldc:
		scale(beta, c[:m*n])
	default:
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
// of B as wide as the tile of asm.RankK, of A as high. Small matrices are read where they lie.
type gemm struct {
	m, n  int
	alpha float32
	a, b  Factor
	c     []float32
	ldc   int

	first, count int       // of the columns of A, rows of B
	from, width  int       // of the columns of B in panels
	panels       []float32 // of B, or nil
}

// columnsAtOnce is how many columns of B are in panels at a time: with 256 rows these are 512 KB,
// for the second cache.
const columnsAtOnce = 16 * asm.TileCols

// A factor is packed unless so few rows or columns of the other one are multiplied by it that it
// would not pay, and its own rows are so near to each other that the first cache holds a panel.
const (
	leastUses   = 256
	widestApart = 512
)

// productsAtOnce is about how many a call into assembly makes: some ten microseconds.
const productsAtOnce = 1 << 20

func (g *gemm) packsA() bool {
	return g.alpha != 1 || g.n > leastUses || g.a.Stride > widestApart
}

func (g *gemm) packsB() bool {
	return g.b.Transposed || g.m > leastUses || g.b.Stride > widestApart
}

type (
	panelOfA  [asm.TileRows * asm.BlockRows]float32
	panelsOfB [asm.BlockRows * columnsAtOnce]float32
)

var (
	roomsForA = sync.Pool{New: func() any { return new(panelOfA) }} // of each worker
	roomsForB = sync.Pool{New: func() any { return new(panelsOfB) }}
)

func (g *gemm) run(k, threads int) {
	if g.packsB() {
		room := roomsForB.Get().(*panelsOfB)
		defer roomsForB.Put(room)
		g.panels = room[:]
	}
	for g.first = 0; g.first < k; g.first += asm.BlockRows {
		g.count = min(asm.BlockRows, k-g.first)
		for g.from = 0; g.from < g.n; g.from += columnsAtOnce {
			g.width = min(columnsAtOnce, g.n-g.from)
			if threads == 1 {
				for i := 0; i < g.partsOfB(); i++ {
					g.packB(i)
				}
				g.multiply(0, g.m)
			} else {
				g.runThreads(threads)
			}
		}
	}
}

// runThreads has a copy of g, which goes to the heap.
func (g gemm) runThreads(threads int) {
	parallel.For(threads, g.partsOfB(), func(_, i int) { g.packB(i) })
	const height = asm.TileRows
	parallel.For(threads, (g.m+height-1)/height, func(_, i int) {
		g.multiply(i*height, min((i+1)*height, g.m))
	})
}

// partsOfB is how many parts the packing of B has: of its columns where these are stored
// lengthwise, else of its rows, each for all panels.
func (g *gemm) partsOfB() int {
	n := g.count
	switch {
	case g.panels == nil:
		return 0
	case g.b.Transposed:
		n = g.width
	}
	return (n + asm.TileCols - 1) / asm.TileCols
}

func (g *gemm) packB(part int) {
	const width = asm.TileCols
	i := part * width
	if g.b.Transposed {
		asm.PackColumns(g.panels[i*g.count:], width, 1, g.b.Data[(g.from+i)*g.b.Stride+g.first:],
			g.b.Stride, min(width, g.width-i), g.count)
		return
	}
	for l := i; l < min(i+width, g.count); l++ {
		asm.Pack(g.panels[l*width:], width, width*g.count, 1,
			g.b.Data[(g.first+l)*g.b.Stride+g.from:][:g.width])
	}
}

// packA makes a panel of m rows from i on, times alpha.
func (g *gemm) packA(to []float32, i, m int) {
	const width = asm.TileRows
	if !g.a.Transposed {
		asm.PackColumns(to, width, g.alpha, g.a.Data[i*g.a.Stride+g.first:], g.a.Stride, m, g.count)
		return
	}
	for l := range g.count {
		asm.ScaleTo(to[l*width:][:m], g.alpha, g.a.Data[(g.first+l)*g.a.Stride+i:][:m])
	}
}

// multiply adds to the rows of C from i to end-1.
func (g *gemm) multiply(i, end int) {
	columns := asm.TileCols
	b, bStep := g.panels, columns
	if g.panels == nil {
		columns = g.width
		b, bStep = g.b.Data[g.first*g.b.Stride+g.from:], g.b.Stride
	}
	height := max(productsAtOnce/(columns*g.count*asm.TileRows), 1) * asm.TileRows
	var room []float32
	if g.packsA() {
		p := roomsForA.Get().(*panelOfA)
		defer roomsForA.Put(p)
		room, height = p[:], asm.TileRows
	}
	for ; i < end; i += height {
		m := min(height, end-i)
		a, aRow, aStep := room, 1, asm.TileRows
		switch {
		case room != nil:
			g.packA(a, i, m)
		case g.a.Transposed:
			a, aStep = g.a.Data[g.first*g.a.Stride+i:], g.a.Stride
		default:
			a, aRow, aStep = g.a.Data[i*g.a.Stride+g.first:], g.a.Stride, 1
		}
		for j := 0; j < g.width; j += columns {
			asm.Gemm(g.c[i*g.ldc+g.from+j:], g.ldc, a, aRow, aStep, b[j*g.count:], bStep, m,
				min(columns, g.width-j), g.count)
		}
	}
}
