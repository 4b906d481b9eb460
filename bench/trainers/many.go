package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/record"
	"github.com/pegasimd/pegasimd/gate/stats"
)

// A manyTable is that of a problem of more than two classes: what accuracy takes how long.
type manyTable struct {
	Set     string    `json:"set"`
	Heading string    `json:"heading"`
	Lambda  float64   `json:"lambda"`
	Rows    []manyRow `json:"rows"`
	Left    []string  `json:"left_out,omitempty"`
}

type manyRow struct {
	Name     string    `json:"name"`
	Ours     bool      `json:"ours,omitempty"`
	Threads  int       `json:"threads"`
	Effort   float64   `json:"effort"`
	Passes   bool      `json:"passes"`  // what effort is; else a tolerance
	Seconds  []float64 `json:"seconds"` // wall
	CPU      []float64 `json:"cpu"`
	Steps    float64   `json:"steps"` // of each weight vector's
	Vectors  int       `json:"vectors"`
	Accuracy float64   `json:"accuracy"`
}

func (r *manyRow) seconds() float64 { return stats.Median(r.Seconds) }

// allSteps are those of all weight vectors.
func (r *manyRow) allSteps() float64 { return r.Steps * float64(r.Vectors) }

// mostPassesOfMany is where accuracy has long ceased to grow.
const mostPassesOfMany = 64

// A manyRun measures a problem of more than two classes.
type manyRun struct {
	set        *set
	table      *manyTable
	twoThreads map[*contender]bool
	limit      float64 // seconds of the longest run of ours
	first      map[*contender]int
}

// measureMany times peers once, ours in each round. limit is the longest run of ours.
func measureMany(s *set, lambda float64, peers, ours []*contender, twoThreads map[*contender]bool,
	rounds int, limit float64) (*manyTable, error) {
	m := &manyRun{set: s, twoThreads: twoThreads, limit: limit, first: map[*contender]int{}}
	m.table = &manyTable{Set: s.name, Heading: s.heading(), Lambda: lambda}
	for round := range rounds {
		for _, c := range ours {
			measure := m.again
			if round == 0 {
				measure = m.explore
			}
			if err := measure(c); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range peers {
		for _, effort := range c.efforts {
			if _, err := m.add(c, effort); err != nil {
				return nil, err
			}
		}
	}
	return m.table, nil
}

// explore makes the first round's runs of a contender of ours: longer and longer ones, up to the
// limit, and then the long one if it has one.
func (m *manyRun) explore(c *contender) error {
	m.first[c], c.levels = len(m.table.Rows), 0
	for _, effort := range c.efforts {
		r, err := m.add(c, effort)
		if err != nil {
			return err
		}
		if r == nil {
			break
		}
		c.levels++
		if r.CPU[0] > m.limit/2*float64(r.Threads) || effort >= mostPassesOfMany {
			break
		}
	}
	if last := c.efforts[max(0, c.levels-1)]; m.twoThreads[c] && last < c.long {
		_, err := m.add(c, c.long)
		return err
	}
	return nil
}

// again repeats the runs of explore, without the long one.
func (m *manyRun) again(c *contender) error {
	for k := range c.levels {
		at := &m.table.Rows[m.first[c]+k]
		r, err := m.run(c, at.Effort)
		if err != nil || r == nil {
			return fmt.Errorf("%s: a run that went well once fails: %v", c.name, err)
		}
		at.Seconds, at.CPU = append(at.Seconds, r.Seconds...), append(at.CPU, r.CPU...)
	}
	return nil
}

// add makes a run and appends a row for it, which it returns; nil if the trainer refused.
func (m *manyRun) add(c *contender, effort float64) (*manyRow, error) {
	r, err := m.run(c, effort)
	if r != nil {
		m.table.Rows = append(m.table.Rows, *r)
	}
	return r, err
}

// run trains once and checks the result. It returns nil if the trainer refused.
func (m *manyRun) run(c *contender, effort float64) (*manyRow, error) {
	result, err := c.driver.train(c.method, m.table.Lambda, effort, 1)
	if err != nil {
		m.table.Left = append(m.table.Left, c.name+": "+err.Error())
		return nil, nil
	}
	r := &manyRow{
		Name: c.name, Ours: c.ours, Threads: 1, Effort: effort, Passes: c.passes,
		Seconds: []float64{result.Wall}, CPU: []float64{result.CPU},
		Steps: result.Steps, Vectors: result.Vectors,
	}
	if m.twoThreads[c] {
		r.Threads = 2
	}
	pairs := strings.Contains(c.name, "one-vs-one")
	if r.Accuracy, err = accuracyOfMany(m.set.test, result.weights, pairs); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	// Scores in float32 and float64 may put a row or two on different sides, and ties of pairs are
	// settled differently.
	slack := max(0.05, 300/float64(m.set.test.Rows()))
	if c.ours && math.Abs(r.Accuracy-result.Accuracy) > slack {
		return nil, fmt.Errorf("%s: the library's predictions have an accuracy of %.2f %%, "+
			"its weights %.2f %%", c.name, result.Accuracy, r.Accuracy)
	}
	return r, nil
}

func (t *manyTable) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s, all classes, lambda %g\n\n", t.Heading, t.Lambda)
	b.WriteString("Wall seconds of training; ours are medians, peers ran once.\n\n")
	b.WriteString("| | threads | passes or tolerance | seconds | CPU seconds " +
		"| million steps of all vectors | test accuracy |\n|:--|--:|--:|--:|--:|--:|--:|\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		effort, steps := fmt.Sprintf("%g passes", r.Effort), ""
		if !r.Passes {
			effort = fmt.Sprintf("tolerance %g", r.Effort)
		}
		if r.Ours {
			steps = fmt.Sprintf("%.3g", r.allSteps()/1e6)
		}
		fmt.Fprintf(b, "| %s | %d | %s | %.3g | %.3g | %s | %.2f |\n", record.Name(r.Name, r.Ours),
			r.Threads, effort, r.seconds(), stats.Median(r.CPU), steps, r.Accuracy)
	}
	for _, l := range t.Left {
		fmt.Fprintf(b, "\nLeft out: %s\n", l)
	}
}

// A manyTarget is an accuracy that a scheme must have within some seconds on two threads, and, if
// steps is not 0, with so many steps.
type manyTarget struct {
	scheme   string
	accuracy float64
	seconds  float64
	steps    float64
	against  string
}

// The targets are about Fashion-MNIST.
var manyTargets = []manyTarget{
	{"one-vs-one", 84.7, 3.5, 45e6, "sofia-ml, 45 x 10^6 steps: 36 s on a Zen 4"},
	{"one-vs-one", 85.0, 0.3, 0, "LinearSVC, 84.7 %: 36 s on a Zen 4"},
	{"one-vs-rest", 83.7, 0.15, 0, "liblinear, 83.7 %: 22 s on a Zen 4"},
}

func (t *manyTable) verdicts() (vs []verdict) {
	if t.Set != "fashion" {
		return nil
	}
	for _, goal := range manyTargets {
		vs = append(vs, t.verdict(goal))
	}
	return vs
}

// verdict quotes the first row that has the accuracy and about the steps.
func (t *manyTable) verdict(goal manyTarget) verdict {
	v := verdict{
		What:    fmt.Sprintf("Fashion-MNIST, %s to %.1f %%, 2 threads", goal.scheme, goal.accuracy),
		Against: goal.against, Target: fmt.Sprintf("<= %g s", goal.seconds),
		Reached: "the trainer has no " + goal.scheme,
	}
	if goal.steps > 0 {
		v.What = fmt.Sprintf("Fashion-MNIST, %s, 45 x 10^6 steps and %.1f %%, 2 threads",
			goal.scheme, goal.accuracy)
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if !r.Ours || r.Threads != 2 || !strings.Contains(r.Name, goal.scheme) {
			continue
		}
		v.Reached = "never"
		if r.Accuracy < goal.accuracy || r.allSteps() < goal.steps/2 {
			continue
		}
		took := r.seconds()
		if goal.steps > 0 {
			took *= goal.steps / r.allSteps()
		}
		v.Reached, v.Met = fmt.Sprintf("%.3g s, %.2f %%", took, r.Accuracy), took <= goal.seconds
		break
	}
	return v
}
