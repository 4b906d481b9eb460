package options

// GoodWeight reports whether a row, or a class, can have a weight. The limit keeps sums of weights,
// and a row's share of them, far from the ends of float64 and float32.
func GoodWeight(w float64) bool { return w == 0 || w >= 1e-15 && w <= 1e15 }

// GoodWeights says which can be.
const GoodWeights = "0 or 1e-15 to 1e15"
