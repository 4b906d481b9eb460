// Command finishes times how soon a proof of 1 % and of 0.1 % is there: with Newton's method as the
// finish, with the dual as it was the best before, and beside them how long liblinear-train takes
// to its own stop, and how far above the optimum it is then. It prints a table:
//
//	PEGASIMD_DATA=FOLDER go run ./finishes
//
// All are on the same rows, lambda and objective, without a bias, on so many threads of ours and
// one of liblinear's. A time of ours is that of Train, which includes the proof; the least of some
// runs. liblinear's is that of the process, less that of one which stops after its first look. How
// far above the optimum it stops is at most P/D - 1, by our bound D.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	threads = flag.Int("threads", 1, "goroutines of ours")
	rounds  = flag.Int("rounds", 3, "runs of which the fastest counts")
	sets    = flag.String("sets", "a9a,pair,covtype,covtype-raw", "which, of these and fashion")
	losses  = flag.String("losses", "hinge,squared-hinge,log", "which")
	peer    = flag.String("liblinear", "liblinear-train", "the program; empty for none")
	epochs  = flag.Int("epochs", 500, "the most of the dual")
)

// A problem is rows and a lambda.
type problem struct {
	name   string
	lambda float64
	x      pegasos.Examples
	y      []float32
	high   float32 // the larger label
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("finishes: ")
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" {
		return fmt.Errorf("PEGASIMD_DATA is not set")
	}
	fmt.Printf("| set, lambda, loss | newton, 1 %% / 0.1 %% | iterations | before, 1 %% / 0.1 %% | " +
		"liblinear |\n| :-- | --: | --: | --: | --: |\n")
	for _, name := range strings.Split(*sets, ",") {
		problems, err := load(dir, name)
		if err != nil {
			return err
		}
		for _, p := range problems {
			for _, loss := range strings.Split(*losses, ",") {
				if err := p.print(pegasos.Loss(loss)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// load reads the rows of a set, and names its lambdas.
func load(dir, name string) ([]problem, error) {
	files := map[string]string{
		"a9a":         "a9a/a9a.svm.gz",
		"covtype":     "covtype20k/covtype20k.binary.svm.gz",
		"covtype-raw": "covtype20k/covtype20k.binary.svm.gz",
		"pair": "fashion-mnist/train-images-idx3-ubyte.gz," +
			"fashion-mnist/train-labels-idx1-ubyte.gz",
	}
	files["fashion"] = files["pair"]
	lambdas := map[string][]float64{
		"a9a": {1e-4, 1e-5}, "covtype": {1e-6}, "covtype-raw": {1e-6}, "pair": {1e-4},
		"fashion": {1e-4},
	}
	if files[name] == "" {
		return nil, fmt.Errorf("there is no set %q", name)
	}
	var paths []string
	for _, f := range strings.Split(files[name], ",") {
		paths = append(paths, filepath.Join(dir, f))
	}
	set, err := dataset.Read(strings.Join(paths, ","), dataset.Options{PixelDivisor: 255})
	if err != nil {
		return nil, err
	}
	var x pegasos.Examples = set.Examples()
	y := set.Y
	switch name {
	case "pair":
		x, y = classes(x, y, 2, 6)
	case "covtype":
		x = maxAbs(x)
	}
	var all []problem
	for _, lambda := range lambdas[name] {
		all = append(all, problem{fmt.Sprintf("%s, %g", name, lambda), lambda, x, y,
			slices.Max(y)})
	}
	return all, nil
}

// classes returns the rows of two classes.
func classes(x pegasos.Examples, y []float32, a, b float32) (pegasos.Examples, []float32) {
	var rows []int
	var labels []float32
	for i, label := range y {
		if label == a || label == b {
			rows, labels = append(rows, i), append(labels, label)
		}
	}
	m := dense.New(len(rows), x.Cols())
	for k, i := range rows {
		x.Axpy(i, 1, m.Row(k))
	}
	return m, labels
}

// maxAbs returns the rows with columns of at most 1.
func maxAbs(x pegasos.Examples) pegasos.Examples {
	m := dense.New(x.Rows(), x.Cols())
	most := make([]float32, x.Cols())
	for i := range m.Rows() {
		x.Axpy(i, 1, m.Row(i))
		for j, v := range m.Row(i) {
			most[j] = max(most[j], v, -v)
		}
	}
	for i := range m.Rows() {
		for j := range most {
			if most[j] > 0 {
				m.Row(i)[j] /= most[j]
			}
		}
	}
	return m
}

// print prints the line of a loss.
func (p *problem) print(loss pegasos.Loss) error {
	var newton, before, iterations []string
	bound := 0.0
	for _, tol := range []float64{1e-2, 1e-3} {
		cfg := pegasos.Config{Loss: loss, Lambda: p.lambda, Tol: tol, Finish: pegasos.FinishNewton}
		cell, m, err := p.time(cfg)
		if err != nil {
			return err
		}
		newton = append(newton, cell)
		iterations = append(iterations, fmt.Sprintf("%.0f", m.Result.Epochs-1))
		bound = max(bound, m.Result.DualObjective)
		cfg.Epochs, cfg.Finish = *epochs, pegasos.FinishAuto
		if loss == pegasos.Hinge {
			cfg.Offset = pegasos.OffsetPilot
		}
		if loss == pegasos.Log {
			cfg.Finish = pegasos.FinishNone
		}
		if cell, m, err = p.time(cfg); err != nil {
			return err
		}
		before = append(before, cell)
		bound = max(bound, m.Result.DualObjective)
	}
	liblinear, err := p.liblinear(loss, bound)
	if err != nil {
		return err
	}
	fmt.Printf("| %s, %s | %s | %s | %s | %s |\n", p.name, loss, strings.Join(newton, " / "),
		strings.Join(iterations, " / "), strings.Join(before, " / "), liblinear)
	return nil
}

// time returns how long training takes, or the gap that it ends with if that is too large.
func (p *problem) time(cfg pegasos.Config) (cell string, m *pegasos.Model, err error) {
	best := math.Inf(1)
	for range *rounds {
		start := time.Now()
		tr := pegasos.Trainer{Config: cfg.Plain(), Threads: *threads}
		if m, err = tr.Train(context.Background(), p.x, p.y); err != nil {
			return "", nil, err
		}
		best = min(best, time.Since(start).Seconds())
		if best > 2 || m.Result.Gap > cfg.Tol { // it is not close
			break
		}
	}
	if m.Result.Gap > cfg.Tol {
		return fmt.Sprintf("%.3g %% after %.2g s", 100*m.Result.Gap, best), m, nil
	}
	return fmt.Sprintf("%.3g s", best), m, nil
}

// liblinear returns how long liblinear-train takes, and how far above the optimum it may be then.
func (p *problem) liblinear(loss pegasos.Loss, bound float64) (string, error) {
	solver := map[pegasos.Loss]string{
		pegasos.Hinge: "3", pegasos.SquaredHinge: "2", pegasos.Log: "0",
	}[loss]
	if *peer == "" || solver == "" {
		return "-", nil
	}
	dir, err := os.MkdirTemp("", "finishes")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	data, model := filepath.Join(dir, "data"), filepath.Join(dir, "model")
	if err := p.write(data); err != nil {
		return "", err
	}
	c := strconv.FormatFloat(1/(p.lambda*float64(p.x.Rows())), 'g', -1, 64)
	train := func(more ...string) (seconds float64, err error) {
		args := append([]string{"-q", "-s", solver, "-c", c}, more...)
		start := time.Now()
		out, err := exec.Command(*peer, append(args, data, model)...).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("%s: %w: %s", *peer, err, out)
		}
		return time.Since(start).Seconds(), nil
	}
	least, err := train("-e", "1e9")
	if err != nil {
		return "", err
	}
	seconds, err := train()
	if err != nil {
		return "", err
	}
	objective, err := p.objective(model, loss)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.3g s, %.4g", seconds-least, objective/bound), nil
}

// write writes the rows as svmlight does. Labels are -1 and 1, of the smaller label and the larger.
func (p *problem) write(file string) error {
	var b bytes.Buffer
	row := make([]float32, p.x.Cols())
	for i := range p.x.Rows() {
		fmt.Fprintf(&b, "%v", p.sign(i))
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

// sign returns 1 for the larger label, else -1.
func (p *problem) sign(i int) float64 {
	if p.y[i] == p.high {
		return 1
	}
	return -1
}

// objective returns P of a model of liblinear's.
func (p *problem) objective(file string, loss pegasos.Loss) (float64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	head, body, _ := strings.Cut(string(text), "\nw\n")
	turn := 1.0
	if strings.Contains(head, "label -1 1") { // the weights are for the first of them
		turn = -1
	}
	w := make([]float32, p.x.Cols())
	squares := 0.0
	for j, word := range strings.Fields(body) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || j >= len(w) {
			return 0, fmt.Errorf("%s: weight %d is %q", file, j, word)
		}
		w[j] = float32(turn * v)
		squares += v * v
	}
	sum := 0.0
	for i := range p.y {
		m := p.sign(i) * float64(p.x.Dot(i, w))
		switch loss {
		case pegasos.SquaredHinge:
			sum += max(0, 1-m) * max(0, 1-m)
		case pegasos.Log:
			sum += math.Log1p(math.Exp(-math.Abs(m))) + max(0, -m)
		default:
			sum += max(0, 1-m)
		}
	}
	return p.lambda/2*squares + sum/float64(len(p.y)), nil
}
