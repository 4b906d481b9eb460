package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scores are accuracies in percent, or R^2.
type comparison struct {
	name     string
	rows     int
	old, new float64
	err      float64 // standard error of new - old
}

func (c comparison) gain() float64 { return c.new - c.old }

// compare prints mean scores over several splits of each table. OLD and NEW are paths of pegasimd
// or peer.py, with optional flags of train.
func compare(w io.Writer, args []string) error {
	flags := flag.NewFlagSet("compare", flag.ExitOnError)
	half := flags.String("half", "decide", "the `half` of the tables: decide or report")
	only := flags.String("task", "", "the `task` of the tables: classes or numbers (default both)")
	splits := flags.Int("splits", 5, "train on a part of each table and test on the rest this "+
		"`number` of times")
	match := flags.String("match", "", "only tables whose names contain this `text`")
	verbose := flags.Bool("v", false, "print the figures of each table")
	cache := flags.String("cache", "", "keep predictions in this `folder`, and use those of "+
		"the same program and flags")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() != 3:
		return fmt.Errorf("compare: %d arguments, want FOLDER OLD NEW", flags.NArg())
	case *splits < 1:
		return fmt.Errorf("-splits %d: want 1 or more", *splits)
	}
	folder := flags.Arg(0)
	index, err := readCSV(filepath.Join(folder, "index.csv"))
	if err != nil {
		return err
	}
	commands := [2]*command{}
	for k := range commands {
		if commands[k], err = newCommand(flags.Arg(1+k), *cache); err != nil {
			return err
		}
		defer os.RemoveAll(commands[k].temp)
	}
	results, left := map[string][]comparison{}, 0
	for _, f := range index[1:] {
		t := &table{name: f[0], task: f[1]}
		if f[2] != *half || *only != "" && t.task != *only || !strings.Contains(t.name, *match) {
			continue
		}
		if t.cells, err = readCSV(filepath.Join(folder, t.name+".csv")); err != nil {
			return err
		}
		t.label = len(t.cells[0]) - 1
		c, err := t.compare(commands, *splits)
		if err != nil {
			fmt.Fprintf(w, "left out: %s: %v\n", t.name, err)
			left++
			continue
		}
		results[t.task] = append(results[t.task], c)
	}
	switch {
	case len(results) == 0 && left == 0:
		return errors.New("no table was compared: -half, -task and -match select none")
	case len(results) == 0:
		return errors.New("no table was compared: every table that -half, -task and -match select was " +
			"left out, for the reasons above")
	}
	for _, task := range slices.Sorted(maps.Keys(results)) {
		all := results[task]
		if *verbose || len(all) == 1 { // summarize needs two
			slices.SortFunc(all, func(a, b comparison) int { return cmp.Compare(a.gain(), b.gain()) })
			for _, c := range all {
				fmt.Fprintf(w, "%-50s %6d rows %9.3f %9.3f %+8.3f (%.3f)\n", c.name, c.rows, c.old,
					c.new, c.gain(), c.err)
			}
		}
		summarize(w, task, all)
		summarize(w, task+", 1000 rows and more", slices.DeleteFunc(slices.Clone(all),
			func(c comparison) bool { return c.rows < 1000 }))
	}
	for k, c := range commands {
		fmt.Fprintf(w, "%s: %s: all training runs took %.1f s of processor time\n", []string{"old", "new"}[k],
			c.path, c.spent.Seconds())
	}
	return nil
}

// Gains of at most beyond standard errors count as neither up nor down.
const beyond = 3

func summarize(w io.Writer, title string, all []comparison) {
	if len(all) < 2 {
		return
	}
	n := float64(len(all))
	slices.SortFunc(all, func(a, b comparison) int { return cmp.Compare(b.gain(), a.gain()) })
	var before, after, sum, squares, best float64
	up, down := 0, 0
	for i, c := range all {
		before, after = before+c.old/n, after+c.new/n
		sum, squares = sum+c.gain(), squares+c.gain()*c.gain()
		if i < 10 {
			best += c.gain()
		}
		if c.gain() > beyond*c.err {
			up++
		} else if c.gain() < -beyond*c.err {
			down++
		}
	}
	mean := sum / n
	err := math.Sqrt((squares/n - mean*mean) / (n - 1))
	worst, median := all[len(all)-1], (all[len(all)/2].gain()+all[(len(all)-1)/2].gain())/2
	fmt.Fprintf(w, "%s: %d tables, mean %.4g (old) and %.4g (new), gain %+.4f (s.e. %.4f), "+
		"median %+.4f, %d best %.0f %% of the sum,\n  by more than %d s.e. up %d, down %d; worst %s %+.4f "+
		"(%.4f)\n", title, len(all), before, after, mean, err, median,
		min(10, len(all)), 100*best/sum, beyond, up, down, worst.name, worst.gain(), worst.err)
}

// lowest bounds the R^2 of a division from below, so that no single division decides a mean.
const lowest = -1

// The standard error counts a row's sum of differences as one observation.
func (t *table) compare(commands [2]*command, splits int) (comparison, error) {
	c := comparison{name: t.name, rows: len(t.cells) - 1}
	diffs := make([]float64, len(t.cells))
	tested := 0
	for s := range splits {
		train, test := t.divide(s)
		tested += len(test)
		var right [2][]float64 // as judge returns it
		for k, cmd := range commands {
			predicted, err := cmd.run(t, s, train, test)
			if err != nil {
				return c, err
			}
			if right[k], err = t.judge(test, predicted); err != nil {
				return c, err
			}
			score := 0.
			for i, i0 := range test {
				score += right[k][i] / float64(len(test))
				diffs[i0] += right[k][i] * float64(2*k-1)
			}
			if t.task == numbers {
				score = max(1+score, lowest)
			}
			*[]*float64{&c.old, &c.new}[k] += score / float64(splits)
		}
	}
	mean, squares := 0., 0.
	for _, d := range diffs {
		mean += d / float64(len(diffs))
	}
	for _, d := range diffs {
		squares += (d - mean) * (d - mean)
	}
	c.err = math.Sqrt(squares) / float64(tested)
	return c, nil
}

// divide returns the training rows and, 30 %, the test rows of division s. Both have about the same
// shares of classes.
func (t *table) divide(s int) (train, test []int) {
	seed := sha256.Sum256(fmt.Append(nil, t.name, s))
	r := rand.New(rand.NewChaCha8(seed))
	rows := r.Perm(len(t.cells) - 1)
	if t.task == classes {
		slices.SortStableFunc(rows, func(a, b int) int {
			return cmp.Compare(t.cells[a+1][t.label], t.cells[b+1][t.label])
		})
	}
	first := r.IntN(10)
	for i, row := range rows {
		if (i+first)*3%10 < 3 {
			test = append(test, row+1)
		} else {
			train = append(train, row+1)
		}
	}
	slices.Sort(train)
	slices.Sort(test)
	return train, test
}

// judge returns scores of the test rows: 100 or 0. For a regression they are negative squared
// errors, divided by the variance of the labels.
func (t *table) judge(test []int, predicted []string) ([]float64, error) {
	if len(predicted) != len(test) {
		return nil, fmt.Errorf("%d predictions for %d rows", len(predicted), len(test))
	}
	right := make([]float64, len(test))
	if t.task == classes {
		for i, row := range test {
			if predicted[i] == t.cells[row][t.label] {
				right[i] = 100
			}
		}
		return right, nil
	}
	y := make([]float64, len(test))
	mean, squares := 0., 0.
	for i, row := range test {
		z, err := strconv.ParseFloat(predicted[i], 64)
		if err != nil {
			return nil, err
		}
		if y[i], err = strconv.ParseFloat(t.cells[row][t.label], 64); err != nil {
			return nil, err
		}
		right[i] = -(z - y[i]) * (z - y[i])
		mean += y[i] / float64(len(test))
	}
	for _, v := range y {
		squares += (v - mean) * (v - mean) / float64(len(test))
	}
	for i := range right {
		right[i] /= squares
	}
	return right, nil
}

type command struct {
	path        string
	flags       []string
	hash        string
	cache, temp string
	spent       time.Duration // processor time of train
}

func newCommand(line, cache string) (*command, error) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return nil, fmt.Errorf("OLD and NEW must not be empty: want the path of pegasimd or peer.py")
	}
	program, err := os.ReadFile(f[0])
	if err != nil {
		return nil, err
	}
	h := sha256.Sum256(append(program, strings.Join(f[1:], " ")...))
	if cache != "" {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			return nil, err
		}
	}
	temp, err := os.MkdirTemp("", "tables")
	return &command{path: line, flags: f, hash: fmt.Sprintf("%x", h[:8]), cache: cache,
		temp: temp}, err
}

func (c *command) run(t *table, s int, train, test []int) ([]string, error) {
	kept := filepath.Join(c.cache, fmt.Sprintf("%s-%d-%s", t.name, s, c.hash))
	if text, err := os.ReadFile(kept); err == nil && c.cache != "" {
		seconds, labels, _ := strings.Cut(string(text), "\n")
		d, err := time.ParseDuration(seconds)
		c.spent += d
		return strings.Split(strings.TrimSpace(labels), "\n"), err
	}
	var names [3]string
	for i, base := range []string{"train.csv", "test.csv", "m.model"} {
		names[i] = filepath.Join(c.temp, base)
	}
	for i, rows := range [][]int{train, test} {
		cells := [][]string{t.cells[0]}
		for _, row := range rows {
			cells = append(cells, t.cells[row])
		}
		if err := writeCSV(names[i], cells); err != nil {
			return nil, err
		}
	}
	args := slices.Concat([]string{"train"}, c.flags[1:], []string{"-label-column", "label",
		names[0], names[2]})
	_, spent, err := execute(c.flags[0], args...)
	if err != nil {
		return nil, err
	}
	c.spent += spent
	out, _, err := execute(c.flags[0], "predict", names[1], names[2])
	if err == nil && c.cache != "" {
		err = os.WriteFile(kept, fmt.Append(nil, spent, "\n", string(out)), 0o644)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}

func execute(path string, args ...string) ([]byte, time.Duration, error) {
	var out, diagnostics bytes.Buffer
	c := exec.Command(path, args...)
	c.Stdout, c.Stderr = &out, &diagnostics
	if err := c.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", args[0], err, diagnostics.String())
	}
	return out.Bytes(), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

func readCSV(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return csv.NewReader(f).ReadAll()
}
