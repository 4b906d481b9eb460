package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file has what says whether labels are classes or numbers to predict.

// The values of -task.
const (
	taskAuto    = "auto"
	taskClasses = "classes"
	taskNumbers = "numbers"
)

// saysClasses are the flags that only make sense where labels are classes. One that is given says
// that they are, whatever they look like.
var saysClasses = strings.Fields("multiclass class-weight costs proba")

// applyTask makes -task numbers a loss, and refuses a task that the other flags contradict.
func (s *settingFlags) applyTask(kernel bool) error {
	regression := s.cfg.Loss.Regression()
	switch s.task {
	case taskAuto:
		return nil
	case taskClasses:
		if regression {
			return usagef("-task classes: -loss %s is for numbers to predict", s.cfg.Loss)
		}
		return nil
	case taskNumbers:
	default:
		return usagef("-task: have %q, want %s, %s or %s", s.task, taskAuto, taskClasses,
			taskNumbers)
	}
	switch {
	case kernel:
		return usagef("-task numbers can't be given with -kernel, which is for classes")
	case s.cfg.Loss == "":
		s.cfg.Loss = pegasos.Squared
	case !regression:
		return usagef("-task numbers: -loss %s is for classes; %s and %s are for numbers",
			s.cfg.Loss, pegasos.Squared, pegasos.EpsInsensitive)
	}
	return nil
}

// task returns what -task says.
func (c *call) task() string { return c.flags.Lookup("task").Value.String() }

// settleTask takes labels that look like numbers for such, if no flag says what they are, says so,
// and reports it.
func (d *dataReader) settleTask(name string, set *dataset.Set, cfg *pegasos.Config) bool {
	if d.call.task() != taskAuto || cfg.Loss != "" || cfg.Multiclass != "" || set.Names != nil ||
		slices.ContainsFunc(saysClasses, d.call.given) {
		return false
	}
	labels, _ := labelCounts(set)
	like, yes := looksNumeric(labels, set.Rows())
	if !yes {
		return false
	}
	cfg.Loss = pegasos.Squared
	if !d.quiet {
		fmt.Fprintf(d.call.stderr, "%s: the labels are taken for numbers to predict: there are %d "+
			"distinct ones, such as %v; if they are classes, give -task classes\n",
			visible.Name(shortName(name)), len(labels), like)
	}
	return true
}
