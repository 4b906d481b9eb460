// Package frame provides a timer that lets competitors alternate, and tables of the results. On
// shared machines only ratios within a round are reliable.
package frame

import (
	"math"
	"slices"
	"time"
)

// Sample is the intended duration of a sample.
const Sample = 40 * time.Microsecond

// A Race holds times in seconds, by competitor and round.
type Race [][]float64

// Loops times loops of n operations, in turns, and returns the seconds of one operation. A sample
// lasts about [Sample] or, if that is longer, one operation.
func Loops(rounds int, loops ...func(n int)) Race {
	race, calls := make(Race, len(loops)), make([]int, len(loops))
	for i, loop := range loops {
		calls[i] = calibrate(loop)
	}
	for round := range rounds {
		for i := range loops {
			at := (i + round) % len(loops)
			race[at] = append(race[at], timed(loops[at], calls[at])/float64(calls[at]))
		}
	}
	return race
}

// Runs times whole runs, each of which returns its seconds. No round begins after the time most; 0
// means no limit.
func Runs(rounds int, most time.Duration, runs ...func() (seconds float64, err error)) (
	Race, error,
) {
	race := make(Race, len(runs))
	for begin, round := time.Now(), 0; round < rounds; round++ {
		if round > 0 && most > 0 && time.Since(begin) >= most {
			break
		}
		for i := range runs {
			at := (i + round) % len(runs)
			seconds, err := runs[at]()
			if err != nil {
				return nil, err
			}
			race[at] = append(race[at], seconds)
		}
	}
	return race, nil
}

func timed(loop func(int), calls int) (seconds float64) {
	start := time.Now()
	loop(calls)
	return time.Since(start).Seconds()
}

func calibrate(loop func(int)) int {
	want := Sample.Seconds()
	for calls := 1; ; calls *= 4 {
		took := timed(loop, calls)
		if took < want/8 {
			continue
		}
		if took = min(took, timed(loop, calls), timed(loop, calls)); took >= want/8 {
			return max(1, int(math.Round(float64(calls)*want/took)))
		}
	}
}

// Seconds returns the 25th percentile of a competitor's times.
func (r Race) Seconds(i int) float64 { return Quantile(r[i], .25) }

// Ratio returns the median, over the rounds, of competitor i's time divided by competitor j's, and
// the quartiles. Both must have run in equally many rounds.
func (r Race) Ratio(i, j int) (median, lower, upper float64) {
	ratios := make([]float64, len(r[i]))
	for k, v := range r[i] {
		ratios[k] = v / r[j][k]
	}
	return Quantile(ratios, .5), Quantile(ratios, .25), Quantile(ratios, .75)
}

// Quantile returns the p-quantile of values, interpolated linearly (type 7 of Hyndman and Fan).
func Quantile(values []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := p * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
