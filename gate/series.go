package main

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// A benchmark without package count is counted in several processes with different seeds, because
// maps, goroutines and random data make it execute different instructions. Both trees use the same
// seeds, so that pairs show how far randomness alone changes a count.

// A series is one number of a benchmark in processes of base and head. In series of equal length,
// values with the same index are taken to have the same seed.
type series [2][]float64

// change compares means: a median could jump between two modes.
func (s series) change() float64 { return stats.Mean(s[1])/stats.Mean(s[0]) - 1 }

// deviation returns the standard error of change, from paired differences if both trees have
// equally many values. It returns 0 if a tree has fewer than two.
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

func (s series) spread() float64 {
	return max(slices.Max(s[0])/slices.Min(s[0]), slices.Max(s[1])/slices.Min(s[1])) - 1
}

const exactLimit = 0.005

// limit returns the relative change up to which code counts as equal. It is exactLimit or, if
// larger, 10 standard errors, or 5 from 16 processes on. Equal code looks worse by so many with a
// probability below 1e-4, if the differences of at least 6 pairs are normally distributed.
func (s series) limit() float64 {
	errors := 5.0
	if min(len(s[0]), len(s[1])) < stages[len(stages)-1] {
		errors = 10
	}
	return max(exactLimit, errors*s.deviation())
}

// steady is the spread up to which a series is settled: at once for single calls, else after the
// second stage.
const steady = 0.001

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
		return true
	}
	return math.Abs(s.change()) <= max(exactLimit, 1.5*s.deviation())
}

func (s series) empty() bool {
	return min(len(s[0]), len(s[1])) == 0 || slices.Min(s[0])*slices.Min(s[1]) == 0
}

// While a series has few values, a rise must far exceed the spread.
const (
	farAtLeast = 0.5
	farSpreads = 4
)

// farLimit is the share by which the head's least count must exceed the base's greatest.
func (s series) farLimit() float64 { return max(farAtLeast, farSpreads*s.spread()) }

func (s series) farAbove() bool {
	return !s.empty() && slices.Min(s[1])/slices.Max(s[0])-1 > s.farLimit()
}

func (s series) believed(calls, settled bool) float64 {
	switch {
	case s.empty():
		return 0
	case calls || settled || s.known():
		return s.limit()
	}
	return s.farLimit()
}

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

// The Go runtime reports the allocations of benchmarks without package count. Rare allocations fall
// into some runs only, so a number counts as changed only if the trees' ranges do not overlap.

const allocRuns = 6

// A rise is the growth to be exceeded: the larger of a share of the base's number and an amount.
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
