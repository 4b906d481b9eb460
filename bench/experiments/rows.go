package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A problem is data of two classes, and what is asked of it.
type problem struct {
	name        string
	train, test *dataset.Set
	lambda      float64
	sizes       []int      // rows of the nested subsets, ascending
	targets     [2]float64 // test errors in percent: one that all but the smallest subsets can give, and a low one
	steps       int64      // the most there will be
}

func rowsProblems(dir string) ([]problem, error) {
	imdb, imdbTest, err := readIMDB(dir)
	if err != nil {
		return nil, err
	}
	fashion, fashionTest, err := readFashion(dir)
	if err != nil {
		return nil, err
	}
	return []problem{
		{"IMDB", imdb, imdbTest, 1e-4, doubles(1000, imdb.Rows()), [2]float64{15, 12.5}, 200_000},
		{"pullovers and shirts", only(fashion, 2, 6), only(fashionTest, 2, 6), 1e-2, doubles(1000, 12_000), [2]float64{17, 16}, 400_000},
		{"shirts and others", against(fashion, 6), against(fashionTest, 6), 1e-2, doubles(1000, fashion.Rows()), [2]float64{9, 8}, 400_000},
	}, nil
}

// doubles returns from, twice that and so on, and at last to.
func doubles(from, to int) (sizes []int) {
	for ; from < to; from *= 2 {
		sizes = append(sizes, from)
	}
	return append(sizes, to)
}

// never stands for the steps of a run that did not get there.
const never = math.MaxInt64

// A cell is what the runs of one form with one number of rows took to the targets.
type cell struct {
	problem *problem
	form    string
	rows    int
	toTarget
	second toTarget
	setUp  []time.Duration // before the first step
	report []time.Duration // after the last: objective and certificate
}

// toTarget has a value for each seed.
type toTarget struct {
	steps []int64
	time  []time.Duration // of the steps alone
}

func (c *cell) targets() []*toTarget { return []*toTarget{&c.toTarget, &c.second} }

// rows prints how many steps and how much time it takes to get to a test error, for a growing number of rows.
func (e *experiment) rows(problems []problem) error {
	var cells []*cell
	for k := range problems {
		c, err := e.rowsOf(&problems[k])
		if err != nil {
			return err
		}
		cells = append(cells, c...)
	}
	for k := range problems {
		p := &problems[k]
		e.printf("\n#### %s, lambda %v, %d test rows\n\n", p.name, p.lambda, p.test.Rows())
		e.printf("| form | rows | steps to %v %% | ms | steps to %v %% | ms | ns a step | before the first step, ms | after the last, ms |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n",
			p.targets[0], p.targets[1])
		for _, c := range cells {
			if c.problem != p {
				continue
			}
			setUp, _, _ := median(c.setUp)
			report, _, _ := median(c.report)
			e.printf("| %s | %d | %s | %s | %.1f | %.1f |\n", c.form, c.rows, c.toTarget.text()+" | "+c.second.text(), c.perStep(), ms(setUp), ms(report))
		}
	}
	return rowsFigure(e.figure("rows.svg"), problems, cells)
}

// text returns the median of the steps with the quartiles, and that of the time.
func (t *toTarget) text() string {
	middle, low, high := median(slices.Clone(t.steps))
	if middle == never {
		return "not reached | "
	}
	d, _, _ := median(slices.Clone(t.time))
	return fmt.Sprintf("%s (%s to %s) | %.2f", count(middle), count(low), count(high), ms(d))
}

func count(steps int64) string {
	if steps == never {
		return "never"
	}
	return fmt.Sprint(steps)
}

// perStep returns the median time of a step in the longest runs that got to a target, in nanoseconds.
func (c *cell) perStep() string {
	for _, t := range []*toTarget{&c.second, &c.toTarget} {
		var ns []float64
		for i, n := range t.steps {
			if n != never {
				ns = append(ns, float64(t.time[i].Nanoseconds())/float64(n))
			}
		}
		if 2*len(ns) > len(t.steps) {
			middle, _, _ := median(ns)
			return fmt.Sprintf("%.0f", middle)
		}
	}
	return ""
}

// rowsOf trains on nested subsets, which are another choice for each seed. A run is one for its number of steps: the
// longer ones do not go on from the shorter.
func (e *experiment) rowsOf(p *problem) (cells []*cell, err error) {
	for _, f := range forms {
		for _, n := range p.sizes {
			cells = append(cells, &cell{problem: p, form: f.name, rows: n})
		}
	}
	for seed := range e.seeds {
		order := rand.New(rand.NewPCG(uint64(seed), 1)).Perm(p.train.Rows())
		for s, n := range p.sizes {
			subset := p.train.Subset(order[:n])
			rest()
			for f := range forms {
				log.Printf("%s, seed %d: %d rows, %s", p.name, seed, n, forms[f].name)
				if err := e.fill(cells[f*len(p.sizes)+s], subset, f, uint64(seed)); err != nil {
					return nil, fmt.Errorf("%s, %d rows: %w", p.name, n, err)
				}
			}
		}
	}
	return cells, nil
}

// fill adds the values of a seed to a cell.
func (e *experiment) fill(c *cell, subset *dataset.Set, form int, seed uint64) error {
	cfg := forms[form].cfg
	cfg.Lambda, cfg.Seed = c.problem.lambda, seed
	cfg.Steps = 1
	first, err := e.quickest(subset, cfg)
	if err != nil {
		return err
	}
	c.setUp = append(c.setUp, first.ready)
	c.report = append(c.report, first.after)
	missing := c.targets()
	for steps := 128.0; len(missing) > 0 && int64(steps) <= c.problem.steps; steps *= math.Sqrt(math.Sqrt2) {
		cfg.Steps = int64(steps)
		t, err := e.train(subset, cfg, 1)
		if err != nil {
			return err
		}
		wrong := testError(t.model, c.problem.test)
		if wrong > c.problem.targets[2-len(missing)] {
			continue
		}
		took, err := e.quickest(subset, cfg)
		if err != nil {
			return err
		}
		for len(missing) > 0 && wrong <= c.problem.targets[2-len(missing)] {
			missing[0].steps = append(missing[0].steps, cfg.Steps)
			missing[0].time = append(missing[0].time, max(0, took.ready-first.ready))
			missing = missing[1:]
		}
	}
	for _, t := range missing {
		t.steps, t.time = append(t.steps, never), append(t.time, math.MaxInt64)
	}
	return nil
}

// quickest takes the same run five times and returns the least time there was, of the processor where it can be had: what
// a run takes when nobody interrupts it.
func (e *experiment) quickest(s *dataset.Set, cfg pegasos.Config) (least span, err error) {
	for k := range 5 {
		t, err := e.train(s, cfg, 1)
		if err != nil {
			return least, err
		}
		have := t.took
		if _, ok := cpuTime(); ok {
			have = t.cpu
		}
		if k > 0 {
			have = have.least(least)
		}
		least = have
	}
	return least, nil
}

// rowsFigure draws steps and time against rows, for both targets.
func rowsFigure(name string, problems []problem, cells []*cell) error {
	var panels []panel
	least, most := math.Inf(1), 0.0
	for _, c := range cells {
		least, most = min(least, float64(c.rows)), max(most, float64(c.rows))
	}
	for k := range 2 {
		var errors []string
		for _, p := range problems {
			errors = append(errors, fmt.Sprint(p.targets[k]))
		}
		target := "test errors of " + strings.Join(errors, ", ") + " %"
		steps := panel{title: "Steps to " + target, x: "rows", y: "steps", logX: true, logY: true, legend: k == 0, rangeX: [2]float64{least, most}}
		times := steps
		times.title, times.y, times.legend = "Time of the steps to "+target, "milliseconds", false
		for i := range problems {
			for f, form := range forms {
				s := series{name: fmt.Sprintf("%s, %s", problems[i].name, form.name), color: i, dashed: f > 0}
				t := s
				for _, c := range cells {
					if c.problem != &problems[i] || c.form != form.name {
						continue
					}
					value := c.targets()[k]
					if middle, _, _ := median(slices.Clone(value.steps)); middle != never {
						d, _, _ := median(slices.Clone(value.time))
						s.points = append(s.points, point{float64(c.rows), float64(middle)})
						t.points = append(t.points, point{float64(c.rows), max(ms(d), 1e-3)})
					}
				}
				steps.series, times.series = append(steps.series, s), append(times.series, t)
			}
		}
		panels = append(panels, steps, times)
	}
	return drawPanels(name, 2, panels)
}

// head returns the first lines of a table.
func head(cells ...string) string {
	return "| " + strings.Join(cells, " | ") + " |\n|:--" + strings.Repeat("|--:", len(cells)-1) + "|\n"
}
