package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/metrics"
)

// A trainer predicts the test rows of a set, and says how many seconds its training took.
type trainer struct {
	name    string
	numbers bool // for numbers to predict; else for classes
	both    bool // for both
	predict func(of *set) (predicted []float64, seconds float64, err error)
}

// A tested row is one of a split: how good the prediction is, 1 or 0 for classes, and for numbers
// one minus the squared error over the variance. Their mean is the accuracy, or R^2.
type tested struct {
	row  int
	good float64
}

// A result is the accuracy and the time of a trainer on a set.
type result struct {
	set      *set // of the last split
	trainer  string
	rows     []tested
	balanced float64 // mean recall of the classes, the mean over the splits; NaN for numbers
	seconds  float64 // the mean over the splits, too
	err      error
}

func (r *result) mean() (sum float64) {
	for _, t := range r.rows {
		sum += t.good / float64(len(r.rows))
	}
	return sum
}

// minus returns by how much r is better, and the standard error of that. A row that was tested in
// several splits is one observation.
func (r *result) minus(o *result) (difference, deviation float64) {
	difference = r.mean() - o.mean()
	of := map[int]float64{}
	for k, t := range r.rows {
		of[t.row] += t.good - o.rows[k].good - difference
	}
	for _, d := range of {
		deviation += d * d
	}
	return difference, math.Sqrt(deviation) / float64(len(r.rows))
}

// compareDefaults lets all trainers learn from all sets and writes the tables.
func (s *session) compareDefaults(dir string) error {
	trainers, err := s.ours(dir)
	if err != nil {
		return err
	}
	trainers = append(trainers, s.others()...)
	if s.quick && s.sets == "" {
		s.sets = "made-tiny-three,made-numbers-small"
	}
	wanted, err := selected(s.sets, accurate)
	if err != nil {
		return err
	}
	var all [][]*result
	for _, source := range wanted {
		of, err := source.open()
		if errors.Is(err, errAbsent) {
			log.Printf("left out: %v", err)
			continue
		}
		if err != nil {
			return err
		}
		some, err := s.learn(of, trainers)
		if err != nil {
			return err
		}
		all = append(all, some)
	}
	return report(all)
}

// learn lets the trainers that are for a set learn from its splits.
func (s *session) learn(of *set, trainers []trainer) (all []*result, err error) {
	var fit []trainer
	for _, t := range trainers {
		if t.both || t.numbers == (of.use&numbers != 0) {
			fit = append(fit, t)
			all = append(all, &result{trainer: t.name})
		}
	}
	splits := s.splits
	if of.test != nil {
		splits = 1
	}
	for seed := range splits {
		split, rows := of.kept(seed)
		if err := s.host.open(split); err != nil {
			return nil, err
		}
		for k, t := range fit {
			r := all[k]
			r.set = split
			if r.err != nil {
				continue
			}
			predicted, seconds, err := t.predict(split)
			if s.ctx.Err() != nil {
				return nil, s.ctx.Err()
			}
			if r.err = err; err != nil {
				log.Printf("%s: %s: %v", of.name, t.name, err)
				continue
			}
			r.rate(rows, predicted)
			r.seconds += seconds / float64(splits)
			r.balanced += balanced(split, predicted) / float64(splits)
		}
	}
	for _, r := range all {
		if r.err == nil {
			log.Printf("%s: %s: %.4f in %.4f s", of.name, r.trainer, r.mean(), r.seconds)
		}
	}
	return all, nil
}

// rate adds the predictions of a split's test rows, which are those rows of the whole.
func (r *result) rate(rows []int, predicted []float64) {
	truth := r.set.test.Y
	var mean, variance float64
	for _, y := range truth {
		mean += float64(y) / float64(len(truth))
	}
	for _, y := range truth {
		variance += (float64(y) - mean) * (float64(y) - mean) / float64(len(truth))
	}
	for i, y := range truth {
		t, off := tested{row: rows[i]}, float64(y)-predicted[i]
		if r.set.use&numbers != 0 {
			t.good = 1 - off*off/variance
		} else if off == 0 {
			t.good = 1
		}
		r.rows = append(r.rows, t)
	}
}

// balanced returns the mean recall.
func balanced(of *set, predicted []float64) float64 {
	if of.use&numbers != 0 {
		return math.NaN()
	}
	labels := classes(&dataset.Set{Y: slices.Concat(of.train.Y, of.test.Y)})
	truth, guess := make([]int, len(predicted)), make([]int, len(predicted))
	for i, v := range predicted {
		truth[i], _ = slices.BinarySearch(labels, of.test.Y[i])
		guess[i], _ = slices.BinarySearch(labels, float32(v))
	}
	return metrics.BalancedAccuracy(metrics.Classes(
		metrics.Confusion(truth, guess, nil, len(labels))))
}

// withoutCurves are the flags with which the command, like its peers, trains on the columns alone.
var withoutCurves = []string{"-curves", "none"}

// ours returns the builds of the command that -ours names, or else this tree's, first without
// curves, as its peers train, and then without flags.
func (s *session) ours(dir string) (all []trainer, err error) {
	builds := s.builds
	if builds == nil {
		path, err := build(s.ctx, dir)
		if err != nil {
			return nil, err
		}
		plain := strings.Join(withoutCurves, " ")
		builds = []string{"Pegasimd " + plain + "=" + path + " " + plain, "Pegasimd=" + path}
	}
	for _, b := range builds {
		name, rest, _ := strings.Cut(b, "=")
		words := strings.Fields(rest)
		if len(words) == 0 {
			return nil, fmt.Errorf("-ours %s: want name=path", b)
		}
		all = append(all, trainer{name: name, both: true,
			predict: func(of *set) ([]float64, float64, error) {
				return command(s.ctx, dir, of, words[0], words[1:])
			}})
	}
	return all, nil
}

// build builds the command of this tree.
func build(ctx context.Context, dir string) (path string, err error) {
	path = filepath.Join(dir, "pegasimd")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path,
		"github.com/pegasimd/pegasimd/cmd/pegasimd").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
}

// command lets a build of the command train and predict. It reads text, as users have it.
func command(ctx context.Context, dir string, of *set, path string, flags []string) (
	predicted []float64, seconds float64, err error) {
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, rows := range map[string]*dataset.Set{"train.svm": of.train, "test.svm": of.test} {
		var text bytes.Buffer
		err := dataset.WriteSvmlight(&text, rows)
		if err := errors.Join(err, os.WriteFile(in(name), text.Bytes(), 0o666)); err != nil {
			return nil, 0, err
		}
	}
	train := slices.Concat([]string{"train"}, flags)
	if of.use&numbers != 0 {
		train = append(train, "-loss", "squared")
	}
	train = append(train, "-quiet", "-json", in("json"), in("train.svm"), in("model"))
	for _, args := range [][]string{train,
		{"predict", "-quiet", "-force", in("test.svm"), in("model"), in("out")}} {
		if out, err := exec.CommandContext(ctx, path, args...).CombinedOutput(); err != nil {
			return nil, 0, fmt.Errorf("%s %s: %w: %s", path, args[0], err, out)
		}
	}
	var said struct {
		Train   float64 `json:"train_seconds"`
		Measure float64 `json:"measure_seconds"`
	}
	text, err := os.ReadFile(in("json"))
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		return nil, 0, err
	}
	if text, err = os.ReadFile(in("out")); err != nil {
		return nil, 0, err
	}
	for _, word := range strings.Fields(string(text)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, 0, err
		}
		predicted = append(predicted, v)
	}
	if len(predicted) != of.test.Rows() {
		err = fmt.Errorf("%d predictions for %d rows", len(predicted), of.test.Rows())
	}
	return predicted, said.Train + said.Measure, err
}

// others returns the peers that there are, at their defaults.
func (s *session) others() (all []trainer) {
	for _, p := range peers {
		if s.host.commands[p] == nil {
			continue
		}
		add := func(name, code string, stop float64, numbers bool) {
			all = append(all, trainer{name: name, numbers: numbers,
				predict: func(of *set) ([]float64, float64, error) {
					lambda := 1 / float64(of.train.Rows()) // C is 1
					t, err := s.host.train(p, code, lambda, stop, 60*s.limit)
					if err != nil {
						return nil, 0, err
					}
					if p == liblinear { // it gives weights
						t.values = predict(of.test, classes(of.train), t.values)
					}
					return t.values, t.CPU, nil
				}})
		}
		switch p {
		case liblinear:
			add("liblinear -s 1", "1", .1, false)
			add("liblinear -s 3", "3", .1, false)
		case scikit:
			for _, name := range []string{"LinearSVC", "SGDClassifier",
				"Scaler+LogisticRegression"} {
				add(name, name, 1, false)
			}
			add("LinearSVR", "LinearSVR", 1, true)
			add("Ridge", "Ridge", 1, true)
		}
	}
	return all
}
