package newton

// memory that a Method keeps between iterations
const (
	PerVector = 8  // float32 numbers for each feature: four float64 vectors
	PerRow    = 26 // bytes for each row: margin, dual variables, indices, label, one flag
)

// Memory estimates the bytes of the buffers of problems that iterate at the same time, each with
// rows rows and cols columns.
func Memory(problems float64, rows, cols int) float64 {
	d := float64(cols + 1)
	rounded := d + 32                // room for rounding up to tiles
	panel := 4 * gramBlock * rounded // bytes of a block of rows
	panels := 2*panel + min(4<<20, 14*panel)
	return problems * (float64(12*rounded*rounded) + panels + float64(36*rows))
}

// SharedMemory estimates the bytes that one problem for each weight vector needs beyond Memory. If
// flat is true (see loss.Traits.Flat), they include a copy of the rows, at most rowBytes, and kept
// Hessians, at most maxKept.
func SharedMemory(vectors float64, rows, cols, rowBytes int, flat bool, maxKept int) float64 {
	n, d := float64(rows), float64(cols+1)
	directions := min(vectors, float64(maxTogether)) * (4*n + 16*d)
	if !flat {
		return directions
	}
	copies := min(float64(rowBytes), n*d)
	return directions + copies + min(float64(maxKept), vectors*float64(pixelBytes(int(d))))
}
