package asm

// Axpy computes
//
//	for i, v := range x {
//		y[i] += float32(a * v)
//	}
//
// It panics if the lengths differ. x and y may be the same slice.
func Axpy(a float32, x, y []float32) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpyActive(a, x, y)
}

func axpySlow(a float32, x, y []float32) {
	if len(x) != len(y) {
		panic(mismatchXY(x, y))
	}
	if len(x) > Block {
		axpyBlocks(a, x, y)
		return
	}
	axpyGeneric(a, x, y)
}

func axpyBlocks(a float32, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Axpy(a, x[i:j], y[i:j])
	}
}

func axpyGeneric(a float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float32(a * v)
	}
}

// Scale computes
//
//	for i := range x {
//		x[i] *= a
//	}
func Scale(a float32, x []float32) {
	if race {
		raceWrites(x)
	}
	scaleActive(a, x)
}

func scaleSlow(a float32, x []float32) {
	if len(x) > Block {
		scaleBlocks(a, x)
		return
	}
	scaleGeneric(a, x)
}

func scaleBlocks(a float32, x []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Scale(a, x[i:j])
	}
}

func scaleGeneric(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

// Add computes
//
//	for i, v := range x {
//		dst[i] = v + y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func Add(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	addActive(dst, x, y)
}

func addSlow(dst, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(mismatchDstXY(dst, x, y))
	}
	if len(x) > Block {
		addBlocks(dst, x, y)
		return
	}
	addGeneric(dst, x, y)
}

func addBlocks(dst, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Add(dst[i:j], x[i:j], y[i:j])
	}
}

func addGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v + y[i]
	}
}

// Sub computes
//
//	for i, v := range x {
//		dst[i] = v - y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func Sub(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	subActive(dst, x, y)
}

func subSlow(dst, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(mismatchDstXY(dst, x, y))
	}
	if len(x) > Block {
		subBlocks(dst, x, y)
		return
	}
	subGeneric(dst, x, y)
}

func subBlocks(dst, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Sub(dst[i:j], x[i:j], y[i:j])
	}
}

func subGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v - y[i]
	}
}

// Mul computes
//
//	for i, v := range x {
//		dst[i] = v * y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func Mul(dst, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	mulActive(dst, x, y)
}

func mulSlow(dst, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(mismatchDstXY(dst, x, y))
	}
	if len(x) > Block {
		mulBlocks(dst, x, y)
		return
	}
	mulGeneric(dst, x, y)
}

func mulBlocks(dst, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Mul(dst[i:j], x[i:j], y[i:j])
	}
}

func mulGeneric(dst, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// ScaleTo computes
//
//	for i, v := range x {
//		dst[i] = a * v
//	}
//
// It panics if the lengths differ. dst may be x.
func ScaleTo(dst []float32, a float32, x []float32) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	scaleToActive(dst, a, x)
}

func scaleToSlow(dst []float32, a float32, x []float32) {
	if len(dst) != len(x) {
		panic(mismatch("len(dst)", len(dst), "len(x)", len(x)))
	}
	if len(x) > Block {
		scaleToBlocks(dst, a, x)
		return
	}
	scaleToGeneric(dst, a, x)
}

func scaleToBlocks(dst []float32, a float32, x []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		ScaleTo(dst[i:j], a, x[i:j])
	}
}

func scaleToGeneric(dst []float32, a float32, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = a * v
	}
}

// AxpyTo computes
//
//	for i, v := range x {
//		dst[i] = float32(a*v) + y[i]
//	}
//
// It panics if the lengths differ. dst may be x or y.
func AxpyTo(dst []float32, a float32, x, y []float32) {
	if race {
		raceReads(x, y)
		raceWrites(dst)
	}
	axpyToActive(dst, a, x, y)
}

func axpyToSlow(dst []float32, a float32, x, y []float32) {
	if len(dst) != len(x) || len(x) != len(y) {
		panic(mismatchDstXY(dst, x, y))
	}
	if len(x) > Block {
		axpyToBlocks(dst, a, x, y)
		return
	}
	axpyToGeneric(dst, a, x, y)
}

func axpyToBlocks(dst []float32, a float32, x, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		AxpyTo(dst[i:j], a, x[i:j], y[i:j])
	}
}

func axpyToGeneric(dst []float32, a float32, x, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = float32(a*v) + y[i]
	}
}

// Axpby computes
//
//	for i, v := range x {
//		y[i] = float32(a*v) + float32(b*y[i])
//	}
//
// It panics if the lengths differ. x and y may be the same slice.
func Axpby(a float32, x []float32, b float32, y []float32) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpbyActive(a, x, b, y)
}

func axpbySlow(a float32, x []float32, b float32, y []float32) {
	if len(x) != len(y) {
		panic(mismatchXY(x, y))
	}
	if len(x) > Block {
		axpbyBlocks(a, x, b, y)
		return
	}
	axpbyGeneric(a, x, b, y)
}

func axpbyBlocks(a float32, x []float32, b float32, y []float32) {
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		Axpby(a, x[i:j], b, y[i:j])
	}
}

func axpbyGeneric(a float32, x []float32, b float32, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = float32(a*v) + float32(b*y[i])
	}
}
