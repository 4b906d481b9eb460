package main

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// A plain benchmark does not always execute the same code: what its maps and goroutines do depends
// on the runtime's random numbers, and some benchmarks draw their data. So each is counted in
// several processes, with another seed in each. A process of the base and one of the head have the
// same seed: equal code has equal counts, and where changed code draws other numbers, the pairs tell
// how far that alone can change a count.

// A series is one number of a benchmark in several processes of the base and of the head. Numbers
// with the same index are of the same seed if there are as many of both.
type series [2][]float64

// change is that of the means: where a benchmark has two ways to go, the median jumps from one to
// the other.
func (s series) change() float64 { return stats.Mean(s[1])/stats.Mean(s[0]) - 1 }

// deviation is the standard error of change, from the differences of the pairs if there are pairs.
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

// spread is how far the values of a tree are apart, as a share.
func (s series) spread() float64 {
	return max(slices.Max(s[0])/slices.Min(s[0]), slices.Max(s[1])/slices.Min(s[1])) - 1
}

// exactLimit is the share by which a count must rise to be worse. Counts have no noise; a change
// below it is no reason to stop anyone.
const exactLimit = 0.005

// limit is the change that is believed: some standard errors. Chance passes them less than once in
// 10,000 times with the processes of the last stage, and with the 6 of the one before.
func (s series) limit() float64 {
	errors := 5.0
	if min(len(s[0]), len(s[1])) < stages[len(stages)-1] {
		errors = 10
	}
	return max(exactLimit, errors*s.deviation())
}

// steady is a spread that needs no more processes.
const steady = 0.001

// stages are how many processes of each tree have counted a benchmark when it is looked at again.
var stages = []int{2, 6, 16}

// settled tells whether a benchmark needs no more processes after a stage.
func (s series) settled(stage int, calls bool) bool {
	switch {
	case stage == len(stages)-1:
		return true
	case s.spread() <= steady && (calls || stage > 0):
		return true
	case stage == 0:
		return math.Abs(s.change())+3*s.deviation() <= exactLimit
	case math.Abs(s.change()) > s.limit():
		return true // far beyond what more processes could take back
	}
	return math.Abs(s.change()) <= max(exactLimit, 1.5*s.deviation())
}

// empty reports whether there is nothing to compare: no count of a tree, or counts of zero.
func (s series) empty() bool {
	return min(len(s[0]), len(s[1])) == 0 || slices.Min(s[0])*slices.Min(s[1]) == 0
}

// If the time was over before the spread was known, a rise is believed only far beyond any spread
// that was ever seen: without a common seed, two processes of the same code differed by up to 24 %.
// Every count of the head must be above every count of the base by
// farAtLeast, and by farSpreads times the spread. Equal code whose counts differ by less than
// farAtLeast is therefore never worse.
const (
	farAtLeast = 0.5
	farSpreads = 4
	farCounts  = 1 // of each tree
)

// farLimit is the share by which the head's least count must be above the base's greatest.
func (s series) farLimit() float64 { return max(farAtLeast, farSpreads*s.spread()) }

// farAbove reports whether the head's counts are that far above the base's.
func (s series) farAbove() bool {
	return min(len(s[0]), len(s[1])) >= farCounts && !s.empty() &&
		slices.Min(s[1])/slices.Max(s[0])-1 > s.farLimit()
}

// believed is the share by which the counts must rise to be worse. Single calls are exact; other
// benchmarks are settled if no more processes are wanted.
func (s series) believed(calls, settled bool) float64 {
	switch {
	case s.empty():
		return 0
	case calls || settled || s.known():
		return s.limit()
	}
	return s.farLimit()
}

// known reports whether the processes are enough to know the spread.
func (s series) known() bool { return min(len(s[0]), len(s[1])) >= stages[1] }

// verdict judges the counts.
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

// judge is the verdict on a change that is believed beyond a limit.
func judge(change, limit float64) verdict {
	switch {
	case change > limit:
		return worse
	case change < -limit:
		return better
	}
	return equal
}

// Allocations of plain benchmarks are what the Go runtime reports over the same number of
// operations, natively. They are judged by the runs that agree least: a change is one if no run of
// the base had as many as any run of the head. A benchmark that allocates now and then does so
// within the operations of one run or of the next.

// allocRuns are the processes of each tree.
const allocRuns = 6

// A rise is what a number must rise by to be worse: by a share, and by an amount.
type rise struct{ share, least float64 }

var (
	allocsRise = rise{exactLimit, 0.5}
	bytesRise  = rise{0.02, 16}
)

// memoryVerdict judges allocations or bytes.
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
