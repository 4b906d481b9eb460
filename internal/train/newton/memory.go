package newton

// These constants are the memory that the method keeps for a problem between iterations.
const (
	PerVector = 8  // float32 numbers for each feature
	PerRow    = 26 // bytes for each row: margin, dual variables, indices, label, one flag
)

// Memory estimates the bytes of the buffers for problems that iterate at the same time.
func Memory(problems float64, rows, cols int) float64 {
	d := float64(cols + 1)
	rounded := d + 32                 // dimension of the Hessian and its factor, in whole tiles
	packed := 4 * gramBlock * rounded // bytes of a panel of rows; the sums have two or more
	panels := 2*packed + min(4<<20, 14*packed)
	return problems * (float64(12*rounded*rounded) + panels + float64(36*rows))
}

// SharedMemory estimates the bytes that the problems of all vectors share: their directions and, if
// flat is set (see loss.Func.Flat), the rows as bytes and the Hessians kept between iterations.
// size is the number of bytes of the rows, and kept the largest number of bytes of the Hessians.
func SharedMemory(vectors float64, rows, cols, size int, flat bool, kept int) float64 {
	n, d := float64(rows), float64(cols+1)
	directions := min(vectors, float64(MaxTogether)) * (4*n + 16*d)
	if !flat {
		return directions
	}
	copies := min(float64(size), n*d)
	return directions + copies + min(float64(kept), vectors*float64(pixelBytes(int(d))))
}
