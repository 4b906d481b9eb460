package newton

// PerVector is the memory that the method keeps for a problem, in floats for each feature. PerRow
// is the same in bytes for each row: margin, dual variable and the best one, places, side, and
// whether it is in a kept sum.
const (
	PerVector = 8
	PerRow    = 26
)

// Memory estimates the bytes of the buffers for the problems that are at work at a time.
func Memory(at float64, rows, cols int) float64 {
	d := float64(cols + 1)
	rounded := d + 32                 // up to whole tiles: of the sums and their factor
	packed := 4 * gramBlock * rounded // of which the sums have two or more
	panels := 2*packed + min(4<<20, 14*packed)
	return at * (float64(12*rounded*rounded) + panels + float64(36*rows))
}

// SharedMemory estimates the bytes that the problems of all vectors share: directions, and, where
// the loss is flat, copies as bytes of the rows, which take size bytes, and the sums, of which kept
// bytes are kept at most.
func SharedMemory(vectors float64, rows, cols, size int, flat bool, kept int) float64 {
	n, d := float64(rows), float64(cols+1)
	directions := min(vectors, float64(Together)) * (4*n + 16*d)
	if !flat {
		return directions
	}
	copies := min(float64(size), n*d)
	return directions + copies + min(float64(kept), vectors*float64(pixelBytes(int(d))))
}
