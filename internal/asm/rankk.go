package asm

// rankKGeneric takes two rows and four columns of the tile at a time, whose sums stay in registers.
func rankKGeneric(c []float32, stride int, a, b []float32) {
	for i := 0; i < TileRows; i += 2 {
		for j := 0; j < TileCols; j += 4 {
			var s00, s01, s02, s03, s10, s11, s12, s13 float32
			x, y := a[i:], b[j:]
			for {
				u, v := (*[2]float32)(x), (*[4]float32)(y)
				s00 += float32(u[0] * v[0])
				s01 += float32(u[0] * v[1])
				s02 += float32(u[0] * v[2])
				s03 += float32(u[0] * v[3])
				s10 += float32(u[1] * v[0])
				s11 += float32(u[1] * v[1])
				s12 += float32(u[1] * v[2])
				s13 += float32(u[1] * v[3])
				if len(x) <= TileRows {
					break
				}
				x, y = x[TileRows:], y[TileCols:]
			}
			p, q := (*[4]float32)(c[i*stride+j:]), (*[4]float32)(c[(i+1)*stride+j:])
			p[0], p[1], p[2], p[3] = p[0]+s00, p[1]+s01, p[2]+s02, p[3]+s03
			q[0], q[1], q[2], q[3] = q[0]+s10, q[1]+s11, q[2]+s12, q[3]+s13
		}
	}
}

func rankKPairsGeneric(c []int32, stride int, a, b []uint32) {
	for i := range TileRows {
		row := c[i*stride:][:TileCols]
		for r := range len(a) / TileRows {
			x := a[r*TileRows+i]
			low, high := int32(int16(x)), int32(int16(x>>16))
			for j, y := range b[r*TileCols:][:TileCols] {
				row[j] += low*int32(int16(y)) + high*int32(int16(y>>16))
			}
		}
	}
}

func packGeneric(dst []float32, width, step int, c float32, x []float32) {
	for len(x) > 0 {
		n := min(width, len(x))
		panel := dst[:n]
		for i, v := range x[:n] {
			panel[i] = float32(c * v)
		}
		if x = x[n:]; len(x) > 0 {
			dst = dst[step:]
		}
	}
}
