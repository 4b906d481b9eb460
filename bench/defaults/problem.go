package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

// A table holds rows as peers read them: features from 0 on, zeros left out.
type table struct {
	x        [][]feature
	y        []float64
	features int
}

type feature struct {
	index int
	value float64
}

// A problem is a table to learn from, with its own test rows or without.
type problem struct {
	name    string
	made    bool // by a generator
	scaled  bool // its columns or rows have been brought to one scale before
	numbers bool // to predict; else classes
	load    func() (train, test *table, err error)
}

// splits is how often a problem without test rows is divided: seeds 0 to 4.
const splits = 5

// A split is a problem's rows divided into those to train on and those to test on.
type split struct {
	seed        int
	train, test *table
}

// divide returns the problem's splits: the one that it comes with, or 70 % against 30 %, by class.
func (p *problem) divide() ([]split, error) {
	train, test, err := p.load()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	if test != nil {
		test.features, train.features = max(train.features, test.features), max(train.features,
			test.features)
		return []split{{0, train, test}}, nil
	}
	var all []split
	for seed := range splits {
		a, b := train.stratified(seed, p.numbers)
		all = append(all, split{seed, a, b})
	}
	return all, nil
}

// stratified draws 70 % of the rows of each class for training, and at least one for each side of a
// class of two rows or more. Rows with numbers are of one class.
func (t *table) stratified(seed int, numbers bool) (train, test *table) {
	order := rand.New(rand.NewPCG(uint64(seed), 0x70)).Perm(len(t.y))
	rows := map[float64][]int{}
	for _, i := range order {
		class := t.y[i]
		if numbers {
			class = 0
		}
		rows[class] = append(rows[class], i)
	}
	tests := make([]bool, len(t.y))
	for _, of := range rows {
		n := (3*len(of) + 5) / 10
		if len(of) > 1 {
			n = max(n, 1)
		}
		for _, i := range of[:n] {
			tests[i] = true
		}
	}
	var a, b []int
	for _, i := range order {
		if tests[i] {
			b = append(b, i)
		} else {
			a = append(a, i)
		}
	}
	return t.subset(a), t.subset(b)
}

func (t *table) subset(rows []int) *table {
	s := &table{features: t.features}
	for _, i := range rows {
		s.x = append(s.x, t.x[i])
		s.y = append(s.y, t.y[i])
	}
	return s
}

// constant tells if training on the rows can't be asked for: there is but one class.
func (t *table) constant() bool {
	return len(t.y) == 0 || slices.Max(t.y) == slices.Min(t.y)
}

// write writes svmlight text with indices from 1.
func (t *table) write(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	for i, row := range t.x {
		b = strconv.AppendFloat(b[:0], t.y[i], 'g', -1, 64)
		for _, v := range row {
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(v.index+1), 10)
			b = append(b, ':')
			b = strconv.AppendFloat(b, v.value, 'g', -1, 32)
		}
		w.Write(append(b, '\n'))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
