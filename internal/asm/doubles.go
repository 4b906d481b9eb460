package asm

const doubleLanes = 32 // of a sum of float64

// Dot64 is
//
//	for i, v := range x {
//		lane[i%32] += float64(v) * float64(y[i])
//	}
//
// in lanes of float64, folded as other lanes are. Each product is exact, so that it makes no
// difference whether it is fused with the addition. It panics if the lengths differ.
func Dot64(x, y []float32) float64 {
	if race {
		raceReads(x, y)
	}
	return dot64Active(x, y)
}

func dot64Rare(x, y []float32) (sum float64) {
	if len(x) != len(y) {
		panic(vectorsDiffer(x, y))
	}
	if len(x) <= Block {
		return dot64Generic(x, y)
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += Dot64(x[i:j], y[i:j])
	}
	return sum
}

func dot64Generic(x, y []float32) float64 {
	y = y[:len(x)]
	var lane [doubleLanes]float64
	for i, v := range x {
		lane[i%doubleLanes] += float64(v) * float64(y[i])
	}
	for n := doubleLanes / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

// Axpy64 is
//
//	for i, v := range x {
//		y[i] += float64(a * float64(v))
//	}
//
// It panics if the lengths differ.
func Axpy64(a float64, x []float32, y []float64) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpy64Active(&a, x, y)
}

func axpy64Rare(a *float64, x []float32, y []float64) {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if len(x) <= Block {
		axpy64Generic(*a, x, y)
		return
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		axpy64Active(a, x[i:j], y[i:j])
	}
}

func axpy64Generic(a float64, x []float32, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * float64(v))
	}
}
