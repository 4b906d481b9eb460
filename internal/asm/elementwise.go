package asm

// In this file, results may be stored in the slice of an operand.

func Axpy(a float32, x, y []float32) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpyActive(a, x, y)
}

func axpyGeneric(a float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float32(a * v)
	}
}

// Scale multiplies x[i] by a.
func Scale(a float32, x []float32) {
	if race {
		raceWrites(x)
	}
	scaleActive(a, x)
}

func scaleGeneric(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

func Add(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	addActive(dst, x, y)
}

func addGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v + y[i]
	}
}

func Sub(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	subActive(dst, x, y)
}

func subGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v - y[i]
	}
}

func Mul(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	mulActive(dst, x, y)
}

func mulGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

func ScaleTo(dst []float32, a float32, x []float32) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	scaleToActive(dst, a, x)
}

func scaleToGeneric(dst []float32, a float32, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = a * v
	}
}

func AxpyTo(dst []float32, a float32, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	axpyToActive(dst, a, x, y)
}

func axpyToGeneric(dst []float32, a float32, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = float32(a*v) + y[i]
	}
}

func Axpby(a float32, x []float32, b float32, y []float32) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpbyActive(a, x, b, y)
}

func axpbyGeneric(a float32, x []float32, b float32, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = float32(a*v) + float32(b*y[i])
	}
}
