package main

import (
	"fmt"
	"math"
	"time"

	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A trainProgress is the line that shows how far a training is. Measuring the objective for it takes
// at most a tenth of the time.
type trainProgress struct {
	*progress
	cost     time.Duration // of the last measurement
	measured time.Time     // its end
	line     string        // what it gave
}

// showProgress measures the run if the curve or the progress is to show it.
func (r *linearRun) showProgress(now pegasos.Progress, start time.Time) {
	training := time.Since(start) - r.times.measuring
	before := time.Now()
	r.times.training, r.taken = training, now.Steps
	r.epochs, r.ended = now.Epoch, now.Steps < now.TotalSteps
	result, measured := r.curve.measure(now, training)
	p := &r.progress
	if now.Steps != now.TotalSteps && p.due() {
		if !measured && time.Since(p.measured) >= 9*p.cost {
			result, measured = now.Model().Result, true
			p.measured = time.Now()
			p.cost = p.measured.Sub(before)
		}
		if measured {
			p.line = describeResult(result)
		}
		rows := float64(now.Steps-r.keep.before) * float64(max(1, r.cfg.Batch))
		p.showLeft(r.left(now, training), "pass %d%s, %.3g rows/s", now.Epoch, p.line,
			rows/training.Seconds())
	}
	if measured {
		r.times.measuring = time.Since(start) - training
	}
}

func describeResult(r pegasos.Result) string {
	if !proof.Useful(r.Gap) { // also NaN
		return fmt.Sprintf(", objective %.4g", r.Objective)
	}
	return fmt.Sprintf(", objective %.4g, proven %s", r.Objective, proof.Percent(r.Gap))
}

// left estimates the time that the rest of the run takes, with what the curve measures in it.
func (r *linearRun) left(now pegasos.Progress, training time.Duration) time.Duration {
	done := float64(now.Steps - r.keep.before)
	if !(done > 0) {
		return -1
	}
	rest := float64(training) * float64(now.TotalSteps-now.Steps) / done
	if n := len(r.curve.points); n > 0 {
		// It measures after each time 1.3 as many steps, which takes as long each time.
		points := math.Log(float64(now.TotalSteps)/float64(now.Steps)) / math.Log(1.3)
		rest += float64(r.times.measuring) / float64(n) * points
	}
	return time.Duration(rest)
}
