package pegasos

import "github.com/pegasimd/pegasimd/internal/floats"

// bent returns minus the slope of the loss, smoothed to the width h, at m, and its second
// derivative; inverse is 1/h. In a zone of that width the slope at a kink goes linearly from one
// side's to the other's. The zone has the kink in its middle, where the smoothed loss is h/8 above
// the true one, and both are the same at the ends: centred like this, the error is a quarter of
// what it is with the kink at the end of the zone.
func (c cost) bent(m, inverse float64) (a, bend float64) {
	switch c.loss {
	case logCost:
		s := floats.Sigmoid(-m)
		return s, float64(s * (1 - s))
	case squaredHingeCost:
		if m < 1 {
			return 2 * (1 - m), 2
		}
		return 0, 0
	case squaredCost:
		return -m, 1
	case epsCost:
		above, bend1 := ramp(float64((m-c.epsilon)*inverse), inverse)
		below, bend2 := ramp(float64((-m-c.epsilon)*inverse), inverse)
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
