package chart

import (
	"fmt"
	"math"
	"strconv"
)

type Axis struct {
	Label  string
	Log    bool                 // logarithmic: values up to 0 are left out
	Format func(float64) string // formats the labels of ticks; nil for a default format
	Marks  []Tick               // nil for ticks at round numbers
	Range  *[2]float64          // values at the ends; nil for the range of the points and a margin
}

type Tick struct {
	Value float64
	Label string
}

// limit is the largest magnitude that is drawn, so that differences do not overflow.
const limit = 1e300

func (a *Axis) shows(v float64) bool { return v >= -limit && v <= limit && (!a.Log || v > 0) }

func (a *Axis) place(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// bounds returns the places of the axis's ends, for points whose places are from low to high.
func (a *Axis) bounds(low, high float64) (from, to float64) {
	by := max((high-low)*.05, math.Abs(high)*1e-3, 1e-9)
	switch {
	case a.Range != nil:
		return a.place(a.Range[0]), a.place(a.Range[1])
	case a.Log:
		by = max((high-low)*.04, math.Log10(1.05))
	case a.Marks != nil:
		by = 0.5
	}
	return low - by, high + by
}

func (a *Axis) ticks(low, high float64) []Tick {
	switch {
	case a.Marks != nil:
		return a.Marks
	case a.Log:
		return a.logTicks(low, high)
	}
	return a.linearTicks(low, high)
}

func (a *Axis) linearTicks(low, high float64) (ticks []Tick) {
	rough := (high - low) / 5
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	switch m := rough / step; {
	case m >= 7:
		step *= 10
	case m >= 3.5:
		step *= 5
	case m >= 1.5:
		step *= 2
	}
	most := max(math.Abs(low), math.Abs(high))
	format := a.Format
	if format == nil {
		decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
		digits := int(math.Floor(math.Log10(most)+1e-9)-math.Floor(math.Log10(step)+1e-9)) + 1
		format = func(v float64) string {
			if most >= 1e6 || decimals > 4 {
				return strconv.FormatFloat(v, 'g', digits, 64)
			}
			return strconv.FormatFloat(v, 'f', decimals, 64)
		}
	}
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9 && len(ticks) < 20; k++ {
		ticks = append(ticks, Tick{k * step, format(k*step + 0)}) // -0 + 0 is 0
	}
	return ticks
}

func (a *Axis) logTicks(low, high float64) (ticks []Tick) {
	format := a.Format
	if format == nil {
		format = func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	}
	decades := high - low
	every := int(decades/6) + 1
	first, last := math.Floor(low), math.Ceil(high)
	for e := int(first); e <= int(last); e++ {
		for _, f := range []float64{1, 2, 5} {
			v := f * math.Pow10(e)
			at := math.Log10(v)
			if at >= low && at <= high && (f == 1 && e%every == 0 || decades < 2) {
				ticks = append(ticks, Tick{v, format(v)})
			}
		}
	}
	return ticks
}

// Short formats a number with three significant digits, and k, M or G for thousands and more.
func Short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.size {
			return fmt.Sprintf("%.3g%s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

func Percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }
