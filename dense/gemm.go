package dense

import (
	"sync"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// Factor is a matrix that [Gemm] multiplies. Element (i, j) is Data[i*Stride+j], or
// Data[j*Stride+i] if the matrix is transposed.
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
// except that C is not read if beta is 0, and A and B are not read if alpha is 0. threads is the
// number of goroutines, 0 for GOMAXPROCS. It does not change the result.
//
// It panics if m, n or k is negative, a slice is too short for its matrix, or a stride is less than
// the length of a stored row. c must not overlap a.Data or b.Data.
func Gemm(m, n, k int, alpha float32, a, b Factor, beta float32, c []float32, ldc, threads int) {
	if m < 0 || n < 0 || k < 0 {
		panic(misuse.Of("m = %d, n = %d, k = %d, want 0 or more", m, n, k))
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
	if threads = parallel.Threads(threads); float64(m)*float64(n)*float64(k) < minParallelProducts {
		threads = 1
	}
	if threads == 1 {
		g.run(k)
	} else {
		g.runThreads(k, threads)
	}
}

// minParallelProducts is the least m*n*k for which Gemm uses several goroutines.
const minParallelProducts = 1 << 22

func (f Factor) check(data, stride string, rows, cols int) {
	if f.Transposed {
		rows, cols = cols, rows
	}
	asm.CheckMatrix(data, f.Data, stride, f.Stride, rows, cols)
}

func (f Factor) from(i, j int) []float32 {
	if f.Transposed {
		i, j = j, i
	}
	return f.Data[i*f.Stride+j:]
}

// gemm multiplies a block of columns of A by a block of equally many rows of B at a time. A factor
// may be copied (packed) into panels first: B into panels as wide as the tile of asm.RankK, A into
// panels of that tile's height.
type gemm struct {
	m, n  int
	alpha float32
	a, b  Factor
	c     []float32
	ldc   int

	first, count int
	from, width  int       // columns from to from+width-1 of B are being multiplied
	panels       []float32 // packed columns of B; nil if B is read in place
}

const blockColumns = 16 * asm.TileCols

// A factor above one of these limits is packed.
const (
	maxUnpackedUses   = 256 // rows or columns of the other factor
	maxUnpackedStride = 512 // elements
)

const callProducts = 1 << 20

func (g *gemm) packsA() bool {
	return g.alpha != 1 || g.n > maxUnpackedUses || g.a.Stride > maxUnpackedStride
}

func (g *gemm) packsB() bool {
	return g.b.Transposed || g.m > maxUnpackedUses || g.b.Stride > maxUnpackedStride
}

type (
	panelOfA  [asm.TileRows * asm.BlockRows]float32
	panelsOfB [asm.BlockRows * blockColumns]float32
)

var (
	poolA = sync.Pool{New: func() any { return new(panelOfA) }}
	poolB = sync.Pool{New: func() any { return new(panelsOfB) }}
)

// k is the number of columns of A.
func (g *gemm) run(k int) {
	if g.packsB() {
		panel := poolB.Get().(*panelsOfB)
		defer poolB.Put(panel)
		g.panels = panel[:]
	}
	for g.first = 0; g.first < k; g.first += asm.BlockRows {
		g.count = min(asm.BlockRows, k-g.first)
		for g.from = 0; g.from < g.n; g.from += blockColumns {
			g.width = min(blockColumns, g.n-g.from)
			if g.panels != nil {
				g.packB()
			}
			g.multiply()
		}
	}
}

// Several threads compute rectangular parts of C as separate products. There are up to
// partsPerThread parts per thread, because some threads start late. Each part packs its own panels
// of B, so it should have enough rows. If C has too few, its columns are divided too.
const (
	partsPerThread = 4
	minPartRows    = 20 * asm.TileRows
	minPartColumns = 8 * asm.TileCols
)

// runThreads has a value receiver so that only this copy, which goroutines share, moves to the
// heap.
func (g gemm) runThreads(k, threads int) {
	height := share(g.m, min(max(g.m/minPartRows, 1), partsPerThread*threads), asm.TileRows)
	rows := (g.m + height - 1) / height
	width := max(share(g.n, (partsPerThread*threads+rows-1)/rows, asm.TileCols), minPartColumns)
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

func share(n, parts, unit int) int { return (n + parts*unit - 1) / (parts * unit) * unit }

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

func (g *gemm) packA(panel []float32, i, m int) {
	const width = asm.TileRows
	if !g.a.Transposed {
		asm.PackColumns(panel, width, g.alpha, g.a.from(i, g.first), g.a.Stride, m, g.count)
		return
	}
	for l := range g.count {
		asm.ScaleTo(panel[l*width:][:m], g.alpha, g.a.from(i, g.first+l)[:m])
	}
}

func (g *gemm) multiply() {
	columns := asm.TileCols
	b, bStep := g.panels, columns
	if g.panels == nil {
		columns = g.width
		b, bStep = g.b.from(g.first, g.from), g.b.Stride
	}
	height := max(callProducts/(columns*g.count*asm.TileRows), 1) * asm.TileRows
	var panel []float32
	if g.packsA() {
		p := poolA.Get().(*panelOfA)
		defer poolA.Put(p)
		panel, height = p[:], asm.TileRows
	}
	for i := 0; i < g.m; i += height {
		m := min(height, g.m-i)
		a, aRow, aStep := panel, 1, asm.TileRows
		if panel != nil {
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
