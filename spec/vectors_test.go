package spec

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// mix is the output of SplitMix64 for the state z.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// value returns number i of the stream s: of either sign, with a magnitude in [2^-8, 2^8).
func value(s uint32, i int) float32 {
	z := mix(uint64(s)<<32 + uint64(i))
	exponent := 119 + uint32(z>>59)&15
	return math.Float32frombits(uint32(z>>63)<<31 | exponent<<23 | uint32(z>>32)&0x7fffff)
}

func vector(s uint32, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = value(s, i)
	}
	return v
}

// indices returns n of 3n+1 columns: column i is 3i plus 0, 1 or 2.
func indices(n int) []int32 {
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(3*i) + int32(mix(uint64(i))%3)
	}
	return idx
}

func makeFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, k := range kernels {
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s of %s; n, and the result's bits or a vector's SHA-256: docs/spec.md\n",
			k.name, k.does)
		sizes := k.sizes
		if sizes == nil {
			sizes = lengths
		}
		for _, n := range sizes {
			fmt.Fprintf(&b, "%d %s\n", n, k.call(n))
		}
		files["kernel-"+k.name+".txt"] = b.Bytes()
	}
	functions(files)
	if err := models(files); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# SHA-256 of the other files\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	files["SHA256SUMS"] = b.Bytes()
	return files, nil
}

const (
	rows, cols = 60, 9
	steps      = 3 * rows
)

func data() (*sparse.Matrix, []float32, []byte) {
	var b bytes.Buffer
	starts, indices, values := []int64{0}, []int32(nil), []float32(nil)
	y := make([]float32, rows)
	for i := range rows {
		sum := float32(0)
		var line strings.Builder
		for j := range cols {
			v := value(10+uint32(j), i) / 64
			if mix(uint64(i*cols+j))%3 == 0 {
				continue
			}
			indices, values = append(indices, int32(j)), append(values, v)
			fmt.Fprintf(&line, " %d:%s", j+1, strconv.FormatFloat(float64(v), 'g', -1, 32))
			sum += v * float32(1-2*(j%2))
		}
		starts = append(starts, int64(len(values)))
		if y[i] = -1; sum+value(30, i)/256 > 0 {
			y[i] = 1
		}
		fmt.Fprintf(&b, "%+d%s\n", int(y[i]), line.String())
	}
	x, err := sparse.New(cols, starts, indices, values)
	if err != nil {
		panic(err)
	}
	return x, y, b.Bytes()
}

func models(files map[string][]byte) error {
	x, y, text := data()
	files["data.svm"] = text
	for name, cfg := range map[string]pegasos.Config{
		"hinge": {Loss: pegasos.Hinge, Bias: pegasos.BiasNone},
		"squared-hinge": {Loss: pegasos.SquaredHinge, Bias: pegasos.BiasAugmented, BiasScale: 2,
			Tol: 1e-3},
		"log":   {Loss: pegasos.Log, Bias: pegasos.BiasNone, Seed: 7},
		"unit":  {Loss: pegasos.Hinge, Bias: pegasos.BiasAugmented, Scale: pegasos.ScaleUnit},
		"dense": {Loss: pegasos.SquaredHinge, Bias: pegasos.BiasNone, Seed: 3},
		"products": {Loss: pegasos.Hinge, Bias: pegasos.BiasAugmented, Scale: pegasos.ScaleStandard,
			Curves: pegasos.CurvesProducts},
		"pieces": {Loss: pegasos.Log, Bias: pegasos.BiasNone, Scale: pegasos.ScaleStandard,
			Curves: pegasos.CurvesPieces},
	} {
		var rows pegasos.Examples = x
		if name == "dense" || cfg.Curves != "" {
			rows = filled(x)
		}
		if cfg.Scale == "" {
			cfg.Scale = pegasos.ScaleNone
		}
		cfg.Lambda, cfg.Steps, cfg.TargetScale = 0.1, steps, pegasos.ScaleNone
		cfg.Multiclass, cfg.Finish = pegasos.OneVsRest, pegasos.FinishNone
		m, err := (&pegasos.Trainer{Config: cfg, Fingerprint: true}).Train(context.Background(),
			rows, y)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.IndexBase = 1
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			return err
		}
		files[name+".model"] = b.Bytes()
		if files[name+".steps"], err = stepsOf(rows, y, cfg); err != nil {
			return err
		}
	}
	return nil
}

func filled(x *sparse.Matrix) *dense.Matrix {
	m := dense.New(x.Rows(), x.Cols())
	for i := range x.Rows() {
		for j, v := range x.Nonzeros(i) {
			m.Row(i)[j] = v
		}
	}
	return m
}

// stepsOf returns a line for each number of steps up to 2*rows: the number, and the bits of the
// last iterate's weights and bias.
func stepsOf(x pegasos.Examples, y []float32, cfg pegasos.Config) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# step, w of the last iterate as float32 bits, its bias as float64 bits\n")
	cfg.Average = pegasos.LastIterate
	for t := int64(1); t <= 2*rows; t++ {
		tr := &pegasos.Trainer{Config: cfg, Pause: t}
		m, err := tr.Train(context.Background(), x, y)
		if m == nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%d", t)
		for _, w := range m.Weights[0] {
			fmt.Fprintf(&b, " %s", one(w))
		}
		if m.Bias != nil {
			fmt.Fprintf(&b, " %016x", math.Float64bits(m.Bias[0]))
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}
