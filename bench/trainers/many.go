package main

import (
	"fmt"
	"math"
	"strings"
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

func (r *manyRow) seconds() float64 { return median(r.Seconds) }

// mostPassesOfMany is where accuracy has long ceased to grow.
const mostPassesOfMany = 64

// measureMany times peers once, ours in each round. limit is the longest run of ours.
func measureMany(s *set, lambda float64, peers, ours []*contender, twoThreads map[*contender]bool, rounds int, limit float64) (*manyTable, error) {
	t := &manyTable{Set: s.name, Heading: s.heading(), Lambda: lambda}
	run := func(c *contender, effort float64, seed int) (*manyRow, error) {
		result, err := c.driver.train(c.method, lambda, effort, seed)
		if err != nil {
			t.Left = append(t.Left, c.name+": "+err.Error())
			return nil, nil
		}
		r := &manyRow{
			Name: c.name, Ours: c.ours, Threads: 1, Effort: effort, Passes: c.passes, Steps: result.Steps, Vectors: result.Vectors,
			Seconds: []float64{result.Wall}, CPU: []float64{result.CPU},
		}
		if twoThreads[c] {
			r.Threads = 2
		}
		if r.Accuracy, err = accuracyOfMany(s.test, result.weights, strings.Contains(c.name, "one-vs-one")); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		// Scores in float32 and float64 may put a row or two on different sides, and ties of pairs are settled differently.
		if c.ours && math.Abs(r.Accuracy-result.Accuracy) > max(0.05, 300/float64(s.test.Rows())) {
			return nil, fmt.Errorf("%s: the library's predictions have an accuracy of %.2f %%, its weights %.2f %%", c.name, result.Accuracy, r.Accuracy)
		}
		return r, nil
	}
	first := map[*contender]int{}
	for round := range rounds {
		for _, c := range ours {
			if round == 0 {
				first[c], c.levels = len(t.Rows), 0
				for _, effort := range c.efforts {
					r, err := run(c, effort, 1)
					if err != nil {
						return nil, err
					}
					if r == nil {
						break
					}
					t.Rows = append(t.Rows, *r)
					c.levels++
					if r.CPU[0] > limit/2*float64(r.Threads) || effort >= mostPassesOfMany {
						break
					}
				}
				if last := c.efforts[max(0, c.levels-1)]; twoThreads[c] && last < c.long {
					r, err := run(c, c.long, 1)
					if err != nil {
						return nil, err
					}
					if r != nil {
						t.Rows = append(t.Rows, *r)
					}
				}
				continue
			}
			for k := range c.levels {
				at := &t.Rows[first[c]+k]
				r, err := run(c, at.Effort, 1)
				if err != nil || r == nil {
					return nil, fmt.Errorf("%s: a run that went well once fails: %v", c.name, err)
				}
				at.Seconds, at.CPU = append(at.Seconds, r.Seconds...), append(at.CPU, r.CPU...)
			}
		}
	}
	for _, c := range peers {
		for _, effort := range c.efforts {
			r, err := run(c, effort, 1)
			if err != nil {
				return nil, err
			}
			if r != nil {
				t.Rows = append(t.Rows, *r)
			}
		}
	}
	return t, nil
}

func (t *manyTable) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s, all classes, lambda %g\n\n", t.Heading, t.Lambda)
	b.WriteString("Wall seconds of training; ours are medians, peers ran once.\n\n| | threads | passes or tolerance | seconds | CPU seconds | million steps of all vectors | test accuracy |\n|:--|--:|--:|--:|--:|--:|--:|\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		name := r.Name
		if r.Ours {
			name = "**" + name + "**"
		}
		effort := fmt.Sprintf("%g passes", r.Effort)
		if !r.Passes {
			effort = fmt.Sprintf("tolerance %g", r.Effort)
		}
		steps := ""
		if r.Ours {
			steps = fmt.Sprintf("%.3g", r.Steps*float64(r.Vectors)/1e6)
		}
		fmt.Fprintf(b, "| %s | %d | %s | %.3g | %.3g | %s | %.2f |\n", name, r.Threads, effort, r.seconds(), median(r.CPU), steps, r.Accuracy)
	}
	for _, l := range t.Left {
		fmt.Fprintf(b, "\nLeft out: %s\n", l)
	}
}

// verdicts are about Fashion-MNIST on two threads.
func (t *manyTable) verdicts() (vs []verdict) {
	if t.Set != "fashion" {
		return nil
	}
	for _, goal := range []struct {
		scheme   string
		accuracy float64
		seconds  float64
		steps    float64
		against  string
	}{
		{"one-vs-one", 84.7, 3.5, 45e6, "sofia-ml, 45 x 10^6 steps: 36 s on a Zen 4"},
		{"one-vs-one", 85.0, 0.3, 0, "LinearSVC, 84.7 %: 36 s on a Zen 4"},
		{"one-vs-rest", 83.7, 0.15, 0, "liblinear, 83.7 %: 22 s on a Zen 4"},
	} {
		v := verdict{
			What: fmt.Sprintf("Fashion-MNIST, %s to %.1f %%, 2 threads", goal.scheme, goal.accuracy), Against: goal.against,
			Target: fmt.Sprintf("<= %g s", goal.seconds), Reached: "never",
		}
		if goal.steps > 0 {
			v.What = fmt.Sprintf("Fashion-MNIST, %s, 45 x 10^6 steps and %.1f %%, 2 threads", goal.scheme, goal.accuracy)
		}
		found := false
		for i := range t.Rows {
			r := &t.Rows[i]
			if !r.Ours || r.Threads != 2 || !strings.Contains(r.Name, goal.scheme) {
				continue
			}
			found = true
			took, steps := r.seconds(), r.Steps*float64(r.Vectors)
			if r.Accuracy < goal.accuracy || steps < goal.steps/2 {
				continue
			}
			if goal.steps > 0 {
				took *= goal.steps / steps
			}
			v.Reached, v.Met = fmt.Sprintf("%.3g s, %.2f %%", took, r.Accuracy), took <= goal.seconds
			break
		}
		if !found {
			v.Reached = "the trainer has no " + goal.scheme
		}
		vs = append(vs, v)
	}
	return vs
}
