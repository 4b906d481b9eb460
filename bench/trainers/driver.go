package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/sparse"
)

// A driver is a process that trains with another library, by the protocol in peers/driver.h.
type driver struct {
	version string
	in      io.WriteCloser
	out     *bufio.Reader
	cmd     *exec.Cmd
}

type training struct {
	CPU   float64 `json:"cpu"`    // seconds
	Wall  float64 `json:"wall"`   // seconds
	Count int     `json:"values"` // values that follow
	Error string  `json:"error"`

	values    []float64 // weight vectors, or predictions of the test rows
	objective float64   // of our trainer; 0 for peers
	bound     float64   // of our trainer; 0 for peers
	proven    bool      // our trainer reports a gap of at most Tol
}

func start(ctx context.Context, command ...string) (*driver, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &driver{in: in, out: bufio.NewReaderSize(out, 1<<16), cmd: cmd}
	line, err := d.out.ReadString('\n')
	version, ready := strings.CutPrefix(line, "ready ")
	if err == nil && !ready {
		err = fmt.Errorf("the driver says %q, want ready", line)
	}
	if err != nil {
		d.stop()
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	d.version = strings.TrimSpace(version)
	return d, nil
}

// The driver exits when its input is closed.
func (d *driver) stop() {
	d.in.Close()
	d.cmd.Wait() // the exit code does not matter
}

var errLimit = errors.New("training took longer than the limit")

// train kills the process after the limit.
func (d *driver) train(method string, lambda, effort float64, seed int, limit time.Duration) (
	*training, error) {
	timer := time.AfterFunc(limit, func() { d.cmd.Process.Kill() })
	defer timer.Stop()
	if _, err := fmt.Fprintf(d.in, "%s %g %g %d\n", method, lambda, effort, seed); err != nil {
		return nil, err
	}
	t := new(training)
	line, err := d.out.ReadBytes('\n')
	if err != nil && !timer.Stop() {
		return nil, fmt.Errorf("%w of %v", errLimit, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("the driver has ended: %w", err)
	}
	if err := json.Unmarshal(line, t); err != nil {
		return nil, err
	}
	if t.Error != "" {
		return nil, errors.New(t.Error)
	}
	t.values = make([]float64, t.Count)
	if err := binary.Read(d.out, binary.LittleEndian, t.values); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(t.values, func(v float64) bool { return v-v != 0 }); i >= 0 {
		return nil, fmt.Errorf("value %d of the driver's answer is %v", i, t.values[i])
	}
	return t, nil
}

// writeRows writes, little-endian, the numbers of rows, columns and nonzeros, the rows' starts, the
// column indices, values, and labels.
func writeRows(name string, s *dataset.Set) error {
	var b bytes.Buffer
	starts := []int64{int64(s.Rows()), int64(s.Cols()), int64(s.NNZ()), 0}
	var indices []int32
	var values []float32
	for i := range s.Rows() {
		idx, val := s.Sparse.Row(i)
		indices, values = append(indices, idx...), append(values, val...)
		starts = append(starts, int64(len(values)))
	}
	for _, part := range []any{starts, indices, values, s.Y} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}

func score(m *sparse.Matrix, i int, w []float64) (sum float64) {
	for j, v := range m.Nonzeros(i) {
		sum += float64(v) * w[j]
	}
	return sum
}

// losses, by the margin y<w,x>
var losses = map[string]func(margin float64) float64{
	"hinge":         func(m float64) float64 { return max(0, 1-m) },
	"squared-hinge": func(m float64) float64 { return max(0, 1-m) * max(0, 1-m) },
	"log": func(m float64) float64 {
		return math.Log1p(math.Exp(-math.Abs(m))) + max(0, -m)
	},
}

func classes(s *dataset.Set) []float32 { return slices.Compact(slices.Sorted(slices.Values(s.Y))) }

// objective returns lambda/2 |w|^2 plus the mean loss. For two classes, weights is one vector,
// which scores the greater class above 0. For more, weights has a vector for each class against the
// rest, and objective returns the mean over them.
func objective(s *dataset.Set, loss string, lambda float64, weights []float64) float64 {
	of, labels, cols := losses[loss], classes(s), s.Cols()
	vectors, sum := len(weights)/cols, 0.0
	if vectors == 1 {
		labels = labels[1:]
	}
	for k := range vectors {
		w := weights[k*cols:][:cols]
		for i, y := range s.Y {
			z := score(s.Sparse, i, w)
			if y != labels[k] {
				z = -z
			}
			sum += of(z) / float64(s.Rows())
		}
		for _, v := range w {
			sum += lambda / 2 * v * v
		}
	}
	return sum / float64(vectors)
}

// labels are the classes of the training rows, and weights are as in objective.
func predict(s *dataset.Set, labels []float32, weights []float64) []float64 {
	cols := s.Cols()
	scores, predicted := make([]float64, len(weights)/cols), make([]float64, s.Rows())
	for i := range predicted {
		for k := range scores {
			scores[k] = score(s.Sparse, i, weights[k*cols:][:cols])
		}
		best := slices.Index(scores, slices.Max(scores))
		if len(scores) == 1 && scores[0] > 0 {
			best = 1
		}
		predicted[i] = float64(labels[best])
	}
	return predicted
}

// accuracy returns a percentage.
func accuracy(y []float32, predicted []float64) float64 {
	right := 0
	for i, v := range predicted {
		if float64(y[i]) == v {
			right++
		}
	}
	return 100 * float64(right) / float64(len(y))
}
