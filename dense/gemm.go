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
// but that C is not read where beta is 0, and A and B not where alpha is. The work is shared by as
// many goroutines as threads says, or GOMAXPROCS if it is 0, which changes no bit.
//
// It panics if a matrix ends before its last row does, or a stride is less than the elements of a
// stored row. c must not overlap A or B.
func Gemm(m, n, k int, alpha float32, a, b Factor, beta float32, c []float32, ldc, threads int) {
	if m < 0 || n < 0 || k < 0 {
		panic(misuse.Of("m = %d, n = %d, k = %d", m, n, k))
	}
	a.check("a.Data", "a.Stride", m, k)
	b.check("b.Data", "b.Stride", k, n)
	asm.CheckMatrix("c", c, "ldc", ldc, m, n)
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
	if threads == 1 {
		g.run(k)
	} else {
		g.runThreads(k, threads)
	}
}

// leastProducts is how many make it worth to start goroutines: some tens of microseconds.
const leastProducts = 1 << 22

func (f Factor) check(data, stride string, rows, cols int) {
	if f.Transposed {
		rows, cols = cols, rows
	}
	asm.CheckMatrix(data, f.Data, stride, f.Stride, rows, cols)
}

// from returns what begins with element (i, j).
func (f Factor) from(i, j int) []float32 {
	if f.Transposed {
		i, j = j, i
	}
	return f.Data[i*f.Stride+j:]
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

// run multiplies with all k columns of A.
func (g *gemm) run(k int) {
	if g.packsB() {
		room := roomsForB.Get().(*panelsOfB)
		defer roomsForB.Put(room)
		g.panels = room[:]
	}
	for g.first = 0; g.first < k; g.first += asm.BlockRows {
		g.count = min(asm.BlockRows, k-g.first)
		for g.from = 0; g.from < g.n; g.from += columnsAtOnce {
			g.width = min(columnsAtOnce, g.n-g.from)
			if g.panels != nil {
				g.packB()
			}
			g.multiply()
		}
	}
}

// A part of C is a product of its own. There are four for each of several threads, which takes them
// as they come: some begin late. They have enough rows that it does not matter that each makes its
// panels of B, or else fewer columns.
const (
	partsEach               = 4
	leastRows, leastColumns = 20 * asm.TileRows, 8 * asm.TileCols
)

// runThreads has a copy of g, which goes to the heap.
func (g gemm) runThreads(k, threads int) {
	height := share(g.m, min(max(g.m/leastRows, 1), partsEach*threads), asm.TileRows)
	rows := (g.m + height - 1) / height
	width := max(share(g.n, (partsEach*threads+rows-1)/rows, asm.TileCols), leastColumns)
	columns := (g.n + width - 1) / width
	parallel.For(threads, rows*columns, func(_, part int) {
		i, j := part/columns*height, part%columns*width
		p := g
		p.m, p.n = min(height, g.m-i), min(width, g.n-j)
		p.a.Data, p.b.Data = g.a.from(i, 0), g.b.from(0, j)
		p.c = g.c[i*g.ldc+j:]
		p.run(k)
	})
}

// share returns how many of n come to each of some parts, a multiple of the unit.
func share(n, parts, unit int) int { return (n + parts*unit - 1) / (parts * unit) * unit }

// packB makes panels of TileCols columns each: for each row of B that many elements.
func (g *gemm) packB() {
	const width = asm.TileCols
	if g.b.Transposed {
		for j := 0; j < g.width; j += width {
			asm.PackColumns(g.panels[j*g.count:], width, 1, g.b.from(g.first, g.from+j),
				g.b.Stride, min(width, g.width-j), g.count)
		}
		return
	}
	for l := range g.count {
		asm.Pack(g.panels[l*width:], width, width*g.count, 1,
			g.b.from(g.first+l, g.from)[:g.width])
	}
}

// packA makes a panel of m rows from i on, times alpha.
func (g *gemm) packA(to []float32, i, m int) {
	const width = asm.TileRows
	if !g.a.Transposed {
		asm.PackColumns(to, width, g.alpha, g.a.from(i, g.first), g.a.Stride, m, g.count)
		return
	}
	for l := range g.count {
		asm.ScaleTo(to[l*width:][:m], g.alpha, g.a.from(i, g.first+l)[:m])
	}
}

// multiply adds what the present columns of A make.
func (g *gemm) multiply() {
	columns := asm.TileCols
	b, bStep := g.panels, columns
	if g.panels == nil {
		columns = g.width
		b, bStep = g.b.from(g.first, g.from), g.b.Stride
	}
	height := max(productsAtOnce/(columns*g.count*asm.TileRows), 1) * asm.TileRows
	var room []float32
	if g.packsA() {
		p := roomsForA.Get().(*panelOfA)
		defer roomsForA.Put(p)
		room, height = p[:], asm.TileRows
	}
	for i := 0; i < g.m; i += height {
		m := min(height, g.m-i)
		a, aRow, aStep := room, 1, asm.TileRows
		if room != nil {
			g.packA(a, i, m)
		} else if a = g.a.from(i, g.first); g.a.Transposed {
			aStep = g.a.Stride
		} else {
			aRow, aStep = g.a.Stride, 1
		}
		for j := 0; j < g.width; j += columns {
			asm.Gemm(g.c[i*g.ldc+g.from+j:], g.ldc, a, aRow, aStep, b[j*g.count:], bStep, m,
				min(columns, g.width-j), g.count)
		}
	}
}
