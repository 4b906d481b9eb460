package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/pegasos"
)

// A rival is liblinear-train on the rows.
type rival struct {
	dir     string // has the file of the rows
	args    []string
	above   float64 // P over the bound, of the worst class
	labels  []float32
	weights [][]float32 // of each of the labels against the rest
}

// liblinear trains with liblinear-train, which has solvers for these three losses. It returns nil
// without one.
func (p *problem) liblinear(loss pegasos.Loss) (r *rival, err error) {
	solver := map[pegasos.Loss]string{
		pegasos.Hinge: "3", pegasos.SquaredHinge: "2", pegasos.Log: "0",
	}[loss]
	if *peer == "" || solver == "" || p.alone {
		return nil, nil
	}
	r = &rival{}
	if r.dir, err = os.MkdirTemp("", "finishes"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.remove()
		}
	}()
	if err := p.write(filepath.Join(r.dir, "data")); err != nil {
		return nil, err
	}
	c := strconv.FormatFloat(1/(p.lambda*float64(p.x.Rows())), 'g', -1, 64)
	r.args = []string{"-q", "-s", solver, "-c", c}
	if _, err := r.train(); err != nil {
		return nil, err
	}
	return r, r.read(filepath.Join(r.dir, "model"), p.x.Cols())
}

// remove removes its files.
func (r *rival) remove() {
	if r != nil {
		os.RemoveAll(r.dir)
	}
}

// train runs the program with some more arguments.
func (r *rival) train(more ...string) (seconds float64, err error) {
	args := slices.Concat(r.args, more, []string{filepath.Join(r.dir, "data"),
		filepath.Join(r.dir, "model")})
	start := time.Now()
	if out, err := exec.Command(*peer, args...).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", *peer, err, out)
	}
	return time.Since(start).Seconds(), nil
}

// time is a run, less one that stops after its first look.
func (r *rival) time() (timing, error) {
	least, err := r.train("-e", "1e9")
	if err != nil {
		return timing{}, err
	}
	seconds, err := r.train()
	return timing{seconds: max(0, seconds-least)}, err
}

// raceLiblinear times auto to 1 %, and to what liblinear reached, beside liblinear.
func (p *problem) raceLiblinear(
	loss pegasos.Loss, threads int, theirs *rival, line *cells,
) error {
	if err := p.judge(theirs, loss); err != nil {
		return err
	}
	tol := min(max(theirs.above-1, 1e-5), 0.99)
	r, err := byTurns(*rounds, *most, p.runner(p.auto(loss, 1e-2), threads, 0),
		p.runner(p.auto(loss, tol), threads, 0), theirs.time)
	if err != nil {
		return err
	}
	line.equal, line.theirs = r.of(1), r.of(2)
	line.overTheirs = r.text(2, 0) + ", " + r.text(2, 1)
	return nil
}

// write writes the rows as svmlight does.
func (p *problem) write(file string) error {
	var b bytes.Buffer
	row := make([]float32, p.x.Cols())
	for i := range p.x.Rows() {
		fmt.Fprintf(&b, "%v", p.y[i])
		clear(row)
		p.x.Axpy(i, 1, row)
		for j, v := range row {
			if v != 0 {
				b.WriteByte(' ')
				b.WriteString(strconv.Itoa(j + 1))
				b.WriteByte(':')
				b.WriteString(strconv.FormatFloat(float64(v), 'g', -1, 32))
			}
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

// read reads the model's weights.
func (r *rival) read(file string, cols int) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, body, _ := strings.Cut(string(text), "\nw\n")
	for _, line := range strings.Split(head, "\n") {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "label" {
			for _, word := range words[1:] {
				label, err := strconv.ParseFloat(word, 32)
				if err != nil {
					return fmt.Errorf("%s: label %q", file, word)
				}
				r.labels = append(r.labels, float32(label))
			}
		}
	}
	vectors := len(r.labels)
	if vectors == 2 {
		vectors = 1 // for the first of them
	}
	words := strings.Fields(body)
	if vectors == 0 || len(words)%vectors != 0 || len(words)/vectors > cols {
		return fmt.Errorf("%s: %d weights for %d labels and %d columns", file, len(words),
			len(r.labels), cols)
	}
	for range vectors {
		r.weights = append(r.weights, make([]float32, cols))
	}
	for j, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return fmt.Errorf("%s: weight %q", file, word)
		}
		r.weights[j%vectors][j/vectors] = float32(v)
	}
	return nil
}

// judge finds how far above the optimum liblinear's model is at most, of the worst class. It is
// known to a part in 100,000.
func (p *problem) judge(r *rival, loss pegasos.Loss) error {
	if r.above > 0 {
		return nil // it has
	}
	t, err := p.once(p.auto(loss, 1e-5), 2, *limit)
	if err != nil {
		return err
	}
	p.bound(t)
	classes := slices.Clone(r.labels)
	slices.Sort(classes)
	for k, w := range r.weights {
		bound := p.bounds[0]
		if len(r.weights) > 1 {
			bound = p.bounds[slices.Index(classes, r.labels[k])]
		}
		r.above = max(r.above, p.objective(w, r.labels[k], loss)/bound)
	}
	return nil
}

// objective returns P of weights for a class.
func (p *problem) objective(w []float32, class float32, loss pegasos.Loss) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range w {
		squares += float64(v) * float64(v)
	}
	for i, y := range p.y {
		m := float64(p.x.Dot(i, w))
		if y != class {
			m = -m
		}
		switch loss {
		case pegasos.SquaredHinge:
			sum += max(0, 1-m) * max(0, 1-m)
		case pegasos.Log:
			sum += math.Log1p(math.Exp(-math.Abs(m))) + max(0, -m)
		default:
			sum += max(0, 1-m)
		}
	}
	return p.lambda/2*squares + sum/float64(len(p.y))
}
