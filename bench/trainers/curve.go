package main

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// A contender is a method on a set: a peer's, or one of ours.
type contender struct {
	name    string
	ours    bool
	driver  *driver
	method  string
	efforts []float64
	passes  bool
	long    float64 // see setting

	levels int // efforts that are worth their time; found in the first round
	points []point
	left   string // why the contender was left out
}

// A point is what one effort led to, over the rounds.
type point struct {
	Effort    float64   `json:"effort"`
	CPU       []float64 `json:"cpu"`
	Wall      []float64 `json:"wall"`
	Steps     float64   `json:"steps"`
	Objective []float64 `json:"objective"`
	Accuracy  []float64 `json:"accuracy"`
}

func (p *point) cpu() float64       { return stats.Median(p.CPU) }
func (p *point) objective() float64 { return stats.Median(p.Objective) }
func (p *point) accuracy() float64  { return stats.Median(p.Accuracy) }

// A problem is a set with a lambda.
type problem struct {
	set        *set
	lambda     float64
	optimum    *optimum
	contenders []*contender
}

// short is what a run must last for one to be enough.
const short = 10e-3

// The targets: how far above the optimum, and how many points below the accuracy there.
var (
	targetsAbove = []float64{1.10, 1.01, 1.001}
	targetsBelow = []float64{0.5, 0.1}
)

// enough is an objective, in terms of the least, that leaves nothing to read off.
const enough = 1.0005

// measure makes a round: all contenders of an effort in turns, then the next effort. limit is the
// longest run, in seconds.
func (p *problem) measure(round int, limit float64) error {
	for level := 0; ; level++ {
		busy := false
		for k := range p.contenders {
			c := p.contenders[(k+round+level)%len(p.contenders)]
			if c.left != "" || level >= len(c.efforts) || level >= c.levels {
				continue
			}
			busy = true
			if round == 0 {
				c.points = append(c.points, point{Effort: c.efforts[level]})
			}
			if err := c.run(p, &c.points[level], round+1); err != nil {
				return err
			}
			if round == 0 && c.left == "" && c.finished(p, level, limit) {
				c.levels = level + 1
			}
		}
		if !busy {
			return nil
		}
	}
}

// run trains once, or a few times if that is quick.
func (c *contender) run(p *problem, at *point, seed int) error {
	var cpu, wall []float64
	var t *training
	for total := 0.0; total < short && len(cpu) < 7; {
		var err error
		if t, err = c.driver.train(c.method, p.lambda, at.Effort, seed); err != nil {
			c.left = err.Error()
			return nil
		}
		cpu, wall = append(cpu, t.CPU), append(wall, t.Wall)
		total += t.CPU
	}
	if len(t.weights) != 1 {
		return fmt.Errorf("%s: %d weight vectors", c.name, len(t.weights))
	}
	w := t.weights[0]
	f := objective(p.set.train, p.lambda, w)
	if err := p.verify(c, t, f); err != nil {
		return err
	}
	at.CPU, at.Wall = append(at.CPU, stats.Median(cpu)), append(at.Wall, stats.Median(wall))
	at.Objective = append(at.Objective, f)
	at.Accuracy = append(at.Accuracy, accuracy(p.set.test, w))
	at.Steps = t.Steps
	return nil
}

// verify holds what a run says against the certificate of the optimum.
func (p *problem) verify(c *contender, t *training, f float64) error {
	const slack = 1e-4
	switch {
	case !(f >= p.optimum.lower*(1-1e-9)):
		return fmt.Errorf("%s: the objective is %v, but %v was proven to be a lower bound", c.name,
			f, p.optimum.lower)
	case c.ours && !(math.Abs(t.Objective-f) <= slack*f):
		return fmt.Errorf("%s: the library says that the objective is %v, but it is %v", c.name,
			t.Objective, f)
	case c.ours && !(t.Dual <= p.optimum.upper*(1+1e-9)):
		return fmt.Errorf("%s: the library says that %v is a lower bound, but %v was attained",
			c.name, t.Dual, p.optimum.upper)
	}
	return nil
}

// finished tells whether a longer run would show nothing new, or take too long.
func (c *contender) finished(p *problem, level int, limit float64) bool {
	last := &c.points[level]
	if last.cpu() > limit/2 {
		return true
	}
	done := last.objective() <= enough*p.optimum.upper
	for _, points := range targetsBelow {
		if _, ok := c.toAccuracy(p.optimum.accuracy - points); !ok {
			done = false
		}
	}
	return done
}

// toObjective returns the seconds to the objective f, between two efforts by a straight line
// through the logarithms of the time and of the distance to the optimum. If the first effort was
// enough the true time may be less.
func (c *contender) toObjective(o *optimum, f float64, cost func(*point) float64) (
	value float64, ok bool) {
	for i := range c.points {
		q := &c.points[i]
		if q.objective() > f {
			continue
		}
		if i == 0 {
			return cost(q), true
		}
		before := &c.points[i-1]
		distance := func(f float64) float64 { return math.Log(f - o.lower) }
		far, near, want := distance(before.objective()), distance(q.objective()), distance(f)
		share := (far - want) / (far - near)
		return cost(before) * math.Pow(cost(q)/cost(before), share), true
	}
	return math.NaN(), false
}

// toAccuracy returns the seconds of the first effort that had this accuracy. It is not asked to
// stay there.
func (c *contender) toAccuracy(percent float64) (seconds float64, ok bool) {
	for i := range c.points {
		if c.points[i].accuracy() >= percent {
			return c.points[i].cpu(), true
		}
	}
	return math.NaN(), false
}

// stepsPerSecond is that of the longest run.
func (c *contender) stepsPerSecond() float64 {
	last := &c.points[len(c.points)-1]
	if last.Steps == 0 {
		return math.NaN()
	}
	return last.Steps / last.cpu()
}

func (c *contender) best() (f float64) {
	f = math.Inf(1)
	for i := range c.points {
		f = min(f, c.points[i].objective())
	}
	return f
}
