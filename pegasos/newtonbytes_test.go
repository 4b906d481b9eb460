package pegasos

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

// toPixels makes the values of x whole numbers from 0 to 255, over n.
func toPixels(x *dense.Matrix, n float32) {
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			x.Row(i)[j] = float32(math.Round(min(255, math.Abs(100*float64(v))))) / n
		}
	}
}

// Rows of bytes have a Hessian that is exact: that of the rows in float64, however many of them
// have come and gone.
func TestNewtonPixels(t *testing.T) {
	data := random(63, 700, 30, 2, 0.7)
	toPixels(data.dense, 255)
	for _, loss := range []Loss{Hinge, SquaredHinge, Squared} {
		for _, bias := range []Bias{BiasNone, BiasAugmented, BiasUnregularised} {
			cfg := Config{Loss: loss, Bias: bias, Lambda: 1e-3, Finish: FinishNewton}
			if bias == BiasAugmented {
				cfg.BiasScale = 0.5
			}
			n := readyNewton(t, data.dense, data.y, cfg)
			if n.pixels == nil || n.pixels.own == nil {
				t.Fatal("the rows are bytes")
			}
			g := rand.New(rand.NewPCG(64, 1))
			for range 5 {
				var zone []int32
				for j := range n.rows {
					if g.IntN(3) > 0 {
						zone = append(zone, int32(j))
					}
				}
				n.addUp(zone, 1)
				checkHessian(t, n, zone)
				have := n.pixels.own
				n.pixels.own = nil // all rows anew
				n.addUp(zone, 1)
				checkHessian(t, n, zone)
				n.pixels.own = have
			}
		}
	}
}

// checkHessian holds that of n against one that is added up in float64.
func checkHessian(t *testing.T, n *newton, zone []int32) {
	t.Helper()
	d, dim := len(n.p.v), n.solved()
	var rows [][]float64
	mean := make([]float64, dim)
	for _, j := range zone {
		row := make([]float64, dim)
		x := make([]float32, d)
		n.p.x.Axpy(int(n.rows[j]), 1, x)
		for l, v := range x {
			row[l] = float64(v)
		}
		if dim > d {
			row[d] = n.beta
		}
		for l, v := range row {
			mean[l] += v / float64(len(zone))
		}
		rows = append(rows, row)
	}
	unit, _ := n.p.cost.Flat()
	have, diagonal := make([]float64, dim), make([]float64, dim)
	n.pixels.Diagonal(diagonal)
	for i := range dim {
		n.pixels.Upper(i, have)
		for j := i; j < dim; j++ {
			var want, size float64
			for _, row := range rows {
				a, b := row[i], row[j]
				size += a * b
				if n.free() {
					a, b = a-mean[i], b-mean[j]
				}
				want += unit * a * b
			}
			if math.Abs(have[j]-want) > 1e-6*size || i == j && diagonal[i] != have[i] {
				t.Fatalf("loss %v, bias %v, %d rows: element (%d, %d) is %v, %v, want %v",
					n.p.cost.Kind, n.beta, len(zone), i, j, have[j], diagonal[i], want)
			}
		}
	}
}

// Rows of bytes give the same bits however they are held, and whether sums are kept or not.
func TestNewtonPixelsKept(t *testing.T) {
	data := random(65, 900, 40, 3, 0.8)
	toPixels(data.dense, 16)
	defer func(n int) { pixelsKept = n }(pixelsKept)
	kept := pixelsKept
	for _, multiclass := range []Multiclass{OneVsRest, OneVsOne} {
		cfg := Config{Lambda: 1e-3, Finish: FinishNewton, Tol: 1e-4, Multiclass: multiclass,
			Bias: BiasUnregularised}
		want := ""
		for _, pixelsKept = range []int{kept, 0, newtonPixelBytes(41) + 1} {
			for k, x := range []Examples{data.dense, foreign{data.dense}, data.dense} {
				tr := Trainer{Config: cfg, Threads: 1 + k}
				m, err := tr.plain(t.Context(), x, data.y)
				if err != nil || m.Result.Gap > cfg.Tol {
					t.Fatal(err, m.Result.Gap)
				}
				if want == "" {
					want = m.Hash()
				} else if m.Hash() != want {
					t.Errorf("%s, %T, %d kept, %d threads: other bits", multiclass, x, pixelsKept,
						tr.Threads)
				}
			}
		}
	}
}
