package dataset

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// WriteSvmlight writes the set as svmlight text with indices from 1, without its zeros. Numbers have the fewest digits
// that give the same float32 again, so that reading the text gives the same set: but for the number of columns, which
// is that of the last nonzero one unless Options.Features says more, and for Names, whose indices are written. It
// fails, naming the row, if a number is not finite.
func WriteSvmlight(w io.Writer, s *Set) error {
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, y := range s.Y {
		ok := isFinite(y)
		line = strconv.AppendFloat(line[:0], float64(y), 'g', -1, 32)
		feature := func(j int, v float32) {
			if v != 0 {
				ok = ok && isFinite(v)
				line = append(line, ' ')
				line = strconv.AppendInt(line, int64(j)+1, 10)
				line = append(line, ':')
				line = strconv.AppendFloat(line, float64(v), 'g', -1, 32)
			}
		}
		if s.Dense != nil {
			for j, v := range s.Dense.Row(i) {
				feature(j, v)
			}
		} else {
			idx, val := s.Sparse.Row(i)
			for k, j := range idx {
				feature(int(j), val[k])
			}
		}
		if !ok {
			return fmt.Errorf("dataset: row %d has a number that is not finite", i)
		}
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

func isFinite(v float32) bool { return math.Abs(float64(v)) <= math.MaxFloat32 }
