package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/driver"
)

var (
	//go:embed peers.py
	peersScript string
	//go:embed shipped.py
	shippedScript string
)

// A prediction is what a trainer makes of a split's test rows.
type prediction struct {
	labels  []float64
	scores  []float64 // of the greater of two classes; nil if there are more, or not known
	whole   float64   // CPU seconds of the command that reads the rows and trains; 0 if not known
	seconds float64   // of the training alone; NaN if not known
	gap     float64   // as ours states it; NaN of peers
}

// A trainer learns from one file and predicts another.
type trainer interface {
	name() string
	predict(ctx context.Context, w *work) (*prediction, error)
}

// work is a split's files, and the folder for what a trainer writes.
type work struct {
	*split
	problem   *problem
	dir       string
	trainFile string
	testFile  string
}

func newWork(p *problem, s *split, dir string) (*work, error) {
	w := &work{split: s, problem: p, dir: dir, trainFile: filepath.Join(dir, "train.svm"),
		testFile: filepath.Join(dir, "test.svm")}
	if err := s.train.write(w.trainFile); err != nil {
		return nil, err
	}
	return w, s.test.write(w.testFile)
}

// errNotFor says that a trainer has no setting for this kind of problem.
var errNotFor = errors.New("not for this kind of problem")

// ours is a build of the command.
type ours struct {
	title   string
	path    string
	flags   []string // besides the defaults
	numbers []string // that say that labels are numbers
}

func (o *ours) name() string { return o.title }

func (o *ours) predict(ctx context.Context, w *work) (*prediction, error) {
	args := append([]string{"train"}, o.flags...)
	if w.problem.numbers {
		args = append(args, o.numbers...)
	}
	report := filepath.Join(w.dir, "report.json")
	model := filepath.Join(w.dir, "ours.model")
	whole, err := command(ctx, o.path, append(args, "-quiet", "-json", report, w.trainFile,
		model)...)
	if err != nil {
		return nil, err
	}
	var r struct {
		Train   float64  `json:"train_seconds"`
		Measure float64  `json:"measure_seconds"`
		Gap     *float64 `json:"gap"`
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	p := &prediction{whole: whole, seconds: r.Train + r.Measure, gap: math.NaN()}
	if r.Gap != nil {
		p.gap = *r.Gap
	}
	args = []string{"predict", "-quiet", "-force", "-scores"}
	if w.problem.numbers {
		args = args[:2]
	}
	out := filepath.Join(w.dir, "ours.txt")
	if _, err := command(ctx, o.path, append(args, w.testFile, model, out)...); err != nil {
		return nil, err
	}
	p.labels, p.scores, err = readPredictions(out, !w.problem.numbers)
	return p, err
}

// liblinear is the command liblinear-train, with its solver.
type liblinear struct{ solver string }

func (l liblinear) name() string { return "liblinear -s " + l.solver }

func (l liblinear) predict(ctx context.Context, w *work) (*prediction, error) {
	if w.problem.numbers {
		return nil, errNotFor
	}
	model := filepath.Join(w.dir, "liblinear.model")
	whole, err := command(ctx, "liblinear-train", "-q", "-s", l.solver, w.trainFile, model)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(w.dir, "liblinear.txt")
	if _, err := command(ctx, "liblinear-predict", w.testFile, model, out); err != nil {
		return nil, err
	}
	p := &prediction{whole: whole, seconds: math.NaN(), gap: math.NaN()}
	if p.labels, _, err = readPredictions(out, false); err != nil {
		return nil, err
	}
	p.scores, err = liblinearScores(model, w.test)
	return p, err
}

// liblinearScores returns the scores of the greater of two classes, which liblinear-predict doesn't
// print.
func liblinearScores(model string, t *table) ([]float64, error) {
	text, err := os.ReadFile(model)
	if err != nil {
		return nil, err
	}
	header, body, ok := strings.Cut(string(text), "\nw\n")
	if !ok {
		return nil, errors.New("liblinear's model has no weights")
	}
	var labels []string
	for line := range strings.SplitSeq(header, "\n") {
		if rest, ok := strings.CutPrefix(line, "label "); ok {
			labels = strings.Fields(rest)
		}
	}
	if len(labels) != 2 {
		return nil, nil
	}
	first, err := strconv.ParseFloat(labels[0], 64)
	if err != nil {
		return nil, err
	}
	second, err := strconv.ParseFloat(labels[1], 64)
	if err != nil {
		return nil, err
	}
	side := 1.
	if second > first {
		side = -1
	}
	var weights []float64
	for _, field := range strings.Fields(body) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, err
		}
		weights = append(weights, v)
	}
	scores := make([]float64, len(t.x))
	for i, row := range t.x {
		for _, v := range row {
			if v.index < len(weights) {
				scores[i] += side * weights[v.index] * v.value
			}
		}
	}
	return scores, nil
}

// sklearn is an estimator of the process that runs peers.py.
type sklearn struct {
	estimator string
	numbers   bool
	process   *python
}

func (s *sklearn) name() string { return s.estimator }

func (s *sklearn) predict(_ context.Context, w *work) (*prediction, error) {
	if w.problem.numbers != s.numbers {
		return nil, errNotFor
	}
	out := filepath.Join(w.dir, "sklearn.txt")
	seconds, err := s.process.ask(s.estimator, w.trainFile, w.testFile,
		strconv.Itoa(w.train.features), strconv.Itoa(w.seed), out)
	if err != nil {
		return nil, err
	}
	p := &prediction{seconds: seconds, gap: math.NaN()}
	p.labels, p.scores, err = readPredictions(out, false)
	return p, err
}

// python is a running peers.py.
type python struct{ *driver.Process }

func startPython(ctx context.Context, path string, limit time.Duration) (*python, error) {
	p, err := driver.Start(ctx, path, "-c", peersScript, fmt.Sprint(limit.Seconds()))
	if err != nil {
		return nil, fmt.Errorf("%w: scikit-learn (Debian: python3-sklearn): %w", errAbsent, err)
	}
	return &python{p}, nil
}

func (p *python) ask(words ...string) (seconds float64, err error) {
	if _, err := fmt.Fprintln(p.In, strings.Join(words, "\t")); err != nil {
		return 0, err
	}
	line, err := p.Out.ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("scikit-learn has ended: %w", err)
	}
	var answer struct {
		CPU   float64 `json:"cpu"`
		Error string  `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return 0, err
	}
	if answer.Error != "" {
		return 0, errors.New(answer.Error)
	}
	return answer.CPU, nil
}

// command runs one and returns its CPU seconds.
func command(ctx context.Context, path string, args ...string) (float64, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w: %s", filepath.Base(path), strings.Join(args, " "), err,
			out)
	}
	s := cmd.ProcessState
	return (s.UserTime() + s.SystemTime()).Seconds(), nil
}

// readPredictions reads lines of a label and, if there is one more column, a score.
func readPredictions(name string, heading bool) (labels, scores []float64, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		if heading {
			heading = false
			continue
		}
		fields := strings.Fields(line)
		v, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return nil, nil, err
		}
		labels = append(labels, v)
		if len(fields) == 2 {
			s, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				return nil, nil, err
			}
			scores = append(scores, s)
		}
	}
	return labels, scores, nil
}
