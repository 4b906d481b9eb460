package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/record"
)

// combinations returns the settings that a value of each choice makes, as JSON, and the values'
// names in order.
func combinations(choices []choice) (configs []string, names [][]string) {
	configs, names = []string{""}, [][]string{nil}
	for _, c := range choices {
		var moreConfigs []string
		var moreNames [][]string
		for i, config := range configs {
			for _, v := range c.values {
				moreConfigs = append(moreConfigs, config+","+v.config)
				moreNames = append(moreNames, append(slices.Clone(names[i]), v.name))
			}
		}
		configs, names = moreConfigs, moreNames
	}
	for i, config := range configs {
		configs[i] = "{" + config[1:] + "}"
	}
	return configs, names
}

// A studied row has the passes that a combination needs.
type studied struct {
	Study  int             `json:"study"` // which list of choices, from 0
	Set    string          `json:"set"`
	Lambda float64         `json:"lambda"`
	Values []string        `json:"values"`
	Passes []record.Number `json:"passes"` // to 1.10, 1.01 and 1.001 of the optimum
	Best   float64         `json:"best_over_optimum"`
	Left   string          `json:"left_out,omitempty"`
}

// leastPasses is where the study begins.
const leastPasses = 0.125

// study trains with each combination for more and more passes, up to most, until there is nothing
// to read off any more.
func study(p *problem, d *driver, most float64) (rows []studied, err error) {
	for k, choices := range studies {
		some, err := p.study(choices, d, most)
		if err != nil {
			return nil, err
		}
		for i := range some {
			some[i].Study = k
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func (p *problem) study(choices []choice, d *driver, most float64) (rows []studied, err error) {
	configs, values := combinations(choices)
	for i, config := range configs {
		c := &contender{name: config, ours: true, driver: d, method: compact(config),
			efforts: passes(leastPasses), passes: true}
		for level, effort := range c.efforts {
			if effort > most {
				break
			}
			c.points = append(c.points, point{Effort: effort})
			at := &c.points[level]
			t, err := d.train(c.method, p.lambda, effort, 1)
			if err != nil {
				c.left = err.Error()
				break
			}
			f := objective(p.set.train, p.lambda, t.weights[0])
			if err := p.verify(c, t, f); err != nil {
				return nil, err
			}
			at.Objective = []float64{f}
			if f <= enough*p.optimum.upper {
				break
			}
		}
		r := studied{Set: p.set.name, Lambda: p.lambda, Values: values[i], Left: c.left}
		if c.left == "" {
			r.Best = c.best() / p.optimum.upper
			for _, above := range targetsAbove {
				v, _ := c.toObjective(p.optimum, above*p.optimum.upper,
					func(q *point) float64 { return q.Effort })
				r.Passes = append(r.Passes, record.Number(v))
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// markStudies writes a table a study.
func markStudies(b *strings.Builder, rows []studied, most float64) {
	for k, choices := range studies {
		var some []studied
		for _, r := range rows {
			if r.Study == k {
				some = append(some, r)
			}
		}
		var names []string
		for _, c := range choices {
			names = append(names, c.name)
		}
		fmt.Fprintf(b, "\n### By %s\n\n", strings.Join(names, ", "))
		markStudy(b, choices, some, most)
	}
}

// markStudy writes a line a combination, and for each problem the passes to the three targets.
func markStudy(b *strings.Builder, choices []choice, rows []studied, most float64) {
	fmt.Fprintf(b, "Passes to 1.10 / 1.01 / 1.001 of the optimum; - where it took more than %g, "+
		"and the best that was reached in brackets.\n\n|", most)
	for _, c := range choices {
		fmt.Fprintf(b, " %s |", c.name)
	}
	var problems, lines []string
	cells := map[[2]string]string{}
	for _, r := range rows {
		name := fmt.Sprintf("%s %g", r.Set, r.Lambda)
		line := strings.Join(r.Values, " | ")
		if _, ok := cells[[2]string{name, line}]; !ok &&
			(len(problems) == 0 || problems[len(problems)-1] != name) {
			problems = append(problems, name)
		}
		if len(problems) == 1 {
			lines = append(lines, line)
		}
		cells[[2]string{name, line}] = r.cell()
	}
	for _, name := range problems {
		fmt.Fprintf(b, " %s |", name)
	}
	fmt.Fprintf(b, "\n|%s%s\n", strings.Repeat(":--|", len(choices)),
		strings.Repeat("--:|", len(problems)))
	for _, line := range lines {
		fmt.Fprintf(b, "| %s |", line)
		for _, name := range problems {
			fmt.Fprintf(b, " %s |", cells[[2]string{name, line}])
		}
		b.WriteString("\n")
	}
}

func (r *studied) cell() string {
	if r.Left != "" {
		return r.Left
	}
	var parts []string
	for _, n := range r.Passes {
		switch {
		case !n.Reached():
			parts = append(parts, "-")
		case n == leastPasses:
			parts = append(parts, fmt.Sprintf("<%.2g", leastPasses))
		default:
			parts = append(parts, fmt.Sprintf("%.2g", float64(n)))
		}
	}
	text := strings.Join(parts, " / ")
	if n := r.Passes[len(r.Passes)-1]; !n.Reached() {
		text += fmt.Sprintf(" (%.4f)", r.Best)
	}
	return text
}
