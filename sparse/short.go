package sparse

// shortRow is the number of nonzeros up to which Matrix.Dot avoids calling the assembly.
const shortRow = 7

// dotShort is Dot, to the bit, for a row of at most shortRow nonzeros: each lane holds at most one
// product. The lanes of Dot start at +0, so the last addition turns -0 into +0. The indices must
// lie in [0, len(w)).
func dotShort(idx []int32, val, w []float32) float32 {
	var p0, p1, p2, p3, p4, p5, p6 float32
	val = val[:len(idx)]
	if len(idx) >= 4 {
		p0 = float32(val[0] * w[idx[0]])
		p1 = float32(val[1] * w[idx[1]])
		p2 = float32(val[2] * w[idx[2]])
		p3 = float32(val[3] * w[idx[3]])
		if len(idx) > 4 {
			p4 = float32(val[4] * w[idx[4]])
			if len(idx) > 5 {
				p5 = float32(val[5] * w[idx[5]])
				if len(idx) > 6 {
					p6 = float32(val[6] * w[idx[6]])
				}
			}
		}
	} else if len(idx) > 0 {
		p0 = float32(val[0] * w[idx[0]])
		if len(idx) > 1 {
			p1 = float32(val[1] * w[idx[1]])
			if len(idx) > 2 {
				p2 = float32(val[2] * w[idx[2]])
			}
		}
	}
	return ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + p3) + 0
}
