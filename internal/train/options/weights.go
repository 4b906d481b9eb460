package options

// GoodWeight reports whether w is a valid weight of a row or class: 0, or from 1e-15 to 1e15. The
// limits keep sums of weights, and a row's share of them, far from the ends of float64 and float32.
func GoodWeight(w float64) bool { return w == 0 || w >= 1e-15 && w <= 1e15 }

// GoodWeights describes the valid weights for error messages.
const GoodWeights = "0 or 1e-15 to 1e15"
