package loss

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// Bent returns minus the slope of the loss, smoothed to the width h, at m, and its second
// derivative; inverse is 1/h. In a zone of that width the slope at a kink goes linearly from one
// side's to the other's. The zone has the kink in its middle, where the smoothed loss is h/8 above
// the true one, and both are the same at the ends: centred like this, the error is a quarter of
// what it is with the kink at the end of the zone.
func (f Func) Bent(m, inverse float64) (a, bend float64) {
	switch f.Kind {
	case Log:
		s := floats.Sigmoid(-m)
		return s, float64(s * (1 - s))
	case SquaredHinge:
		if m < 1 {
			return 2 * (1 - m), 2
		}
		return 0, 0
	case Squared:
		return -m, 1
	case EpsInsensitive:
		above, bend1 := ramp(float64((m-f.Epsilon)*inverse), inverse)
		below, bend2 := ramp(float64((-m-f.Epsilon)*inverse), inverse)
		return below - above, bend1 + bend2
	}
	return ramp(float64((1-m)*inverse), inverse)
}

// ramp goes from 0 to 1 for u from -1/2 to 1/2.
func ramp(u, inverse float64) (a, bend float64) {
	u += 0.5
	switch {
	case u <= 0:
		return 0, 0
	case u >= 1:
		return 1, 0
	}
	return u, inverse
}

// Smoothed returns the mean of Coefficient over a width h of margins around m for a loss with
// kinks, and Coefficient at m for others.
func (f Func) Smoothed(m, h float64) float64 {
	a, _ := f.Bent(m, 1/h)
	return a
}

// FromKink returns how far a margin is from where the derivative of the loss leaps.
func (f Func) FromKink(m float64) float64 {
	if f.Kind == EpsInsensitive {
		return math.Abs(math.Abs(m) - f.Epsilon)
	}
	return math.Abs(1 - m)
}

// Flat returns the second derivative of the smoothed loss where it is not 0, times the width if the
// loss has a kink. It reports false if the derivative is not the same everywhere.
func (f Func) Flat() (unit float64, ok bool) {
	switch f.Kind {
	case Hinge, Squared:
		return 1, true
	case SquaredHinge:
		return 2, true
	}
	return 0, false
}
