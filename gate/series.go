package main

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// A benchmark without package count does not always execute the same instructions: the work of maps
// and goroutines depends on the runtime's random numbers, and some benchmarks draw random data. So
// a benchmark is counted in several processes with different seeds. One process of the base and one
// of the head share each seed: equal code has equal counts, and where changed code draws other
// numbers, the pairs show how far that alone can change a count.

// A series is one number of a benchmark in several processes of the base and of the head. If both
// have the same number of values, values with the same index come from processes with the same
// seed.
type series [2][]float64

// change returns the relative change of the means. (If a benchmark has two modes, the median can
// jump from one to the other.)
func (s series) change() float64 { return stats.Mean(s[1])/stats.Mean(s[0]) - 1 }

// deviation returns the standard error of change, from the differences of the pairs if all values
// are paired; 0 if a tree has fewer than two values.
func (s series) deviation() float64 {
	if n := len(s[0]); n == len(s[1]) && n > 1 {
		differences := make([]float64, n)
		for i := range differences {
			differences[i] = s[1][i] - s[0][i]
		}
		return math.Sqrt(stats.Variance(differences)/float64(n)) / stats.Mean(s[0])
	}
	sum := 0.0
	for _, values := range s {
		if len(values) < 2 {
			return 0
		}
		sum += stats.Variance(values) / float64(len(values))
	}
	return math.Sqrt(sum) / stats.Mean(s[0])
}

// spread returns the ratio of the largest and the smallest value of a tree, minus 1, for the tree
// where it is larger.
func (s series) spread() float64 {
	return max(slices.Max(s[0])/slices.Min(s[0]), slices.Max(s[1])/slices.Min(s[1])) - 1
}

// exactLimit is the share that the rise of a count must exceed to be worse: smaller changes don't
// matter in practice.
const exactLimit = 0.005

// limit returns the change beyond which counts are worse or better: exactLimit or, if that is more,
// 5 standard errors, or 10 with fewer processes than in the last stage. With 6 or 16 processes and
// normally distributed counts, equal code is worse by chance less than once in 10,000 times.
func (s series) limit() float64 {
	errors := 5.0
	if min(len(s[0]), len(s[1])) < stages[len(stages)-1] {
		errors = 10
	}
	return max(exactLimit, errors*s.deviation())
}

// steady is the spread up to which single calls need no more processes, nor other benchmarks after
// the first stage.
const steady = 0.001

// stages are the numbers of processes of each tree after which settled decides whether more are
// needed.
var stages = []int{2, 6, 16}

func (s series) settled(stage int, calls bool) bool {
	switch {
	case stage == len(stages)-1:
		return true
	case s.spread() <= steady && (calls || stage > 0):
		return true
	case stage == 0:
		return math.Abs(s.change())+3*s.deviation() <= exactLimit
	case math.Abs(s.change()) > s.limit():
		return true // more processes would not change the verdict
	}
	return math.Abs(s.change()) <= max(exactLimit, 1.5*s.deviation())
}

// empty reports whether the series can't be compared: one tree has no counts, or there are counts
// of zero.
func (s series) empty() bool {
	return min(len(s[0]), len(s[1])) == 0 || slices.Min(s[0])*slices.Min(s[1]) == 0
}

// If the time limit was reached before the spread was known, a rise counts only if it is far
// greater than any spread seen in practice: without a common seed, two processes of the same code
// differed by up to 24 %. Every count of the head must exceed every count of the base by
// farAtLeast, and by farSpreads times the spread. So equal code whose counts differ by less than
// farAtLeast is never worse.
const (
	farAtLeast = 0.5
	farSpreads = 4
)

// farLimit returns the share by which the head's least count must exceed the base's greatest.
func (s series) farLimit() float64 { return max(farAtLeast, farSpreads*s.spread()) }

func (s series) farAbove() bool {
	return !s.empty() && slices.Min(s[1])/slices.Max(s[0])-1 > s.farLimit()
}

// believed returns the share by which the counts must rise to be worse; 0 if unknown.
func (s series) believed(calls, settled bool) float64 {
	switch {
	case s.empty():
		return 0
	case calls || settled || s.known():
		return s.limit()
	}
	return s.farLimit()
}

// known reports whether there were enough processes to know the spread.
func (s series) known() bool { return min(len(s[0]), len(s[1])) >= stages[1] }

func (s series) verdict(calls, settled bool) verdict {
	if s.empty() {
		return unsettled
	}
	v := judge(s.change(), s.limit())
	switch {
	case calls, v == worse && s.known(), v != worse && settled:
		return v
	case s.farAbove():
		return worse
	}
	return unsettled
}

func judge(change, limit float64) verdict {
	switch {
	case change > limit:
		return worse
	case change < -limit:
		return better
	}
	return equal
}

// Allocations of benchmarks without package count are reported by the Go runtime, over the same
// number of operations in each native run. They changed only if the ranges of the two trees do not
// overlap: every run of one has more than any run of the other. If a benchmark allocates only now
// and then, an allocation may fall into the operations of one run or of the next.

// allocRuns is the number of processes of each tree.
const allocRuns = 6

// A rise is the increase above which a number is worse: the larger of a share and an amount.
type rise struct{ share, least float64 }

var (
	allocsRise = rise{exactLimit, 0.5}
	bytesRise  = rise{0.02, 16}
)

func (s series) memoryVerdict(by rise, processes int) verdict {
	if min(len(s[0]), len(s[1])) == 0 {
		return unsettled
	}
	apart := func(low, high []float64) bool {
		from := slices.Max(low)
		return slices.Min(high) > from+max(by.share*from, by.least)
	}
	few := min(len(s[0]), len(s[1])) < processes
	switch {
	case apart(s[0], s[1]) && (!few || s.farAbove()):
		return worse
	case few:
		return unsettled
	case apart(s[1], s[0]):
		return better
	}
	return equal
}
