package dataset

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// shapeOf returns the first dimension of an array, and the product of the others. ok is false if
// the product of all dimensions exceeds most. A dimension of 0 counts as 1, lest cols overflow.
func shapeOf(dims []uint64, most uint64) (rows, cols int, ok bool) {
	product, size := uint64(1), uint64(1)
	for i, d := range dims {
		over, p := bits.Mul64(product, max(d, 1))
		if over != 0 || p > most {
			return 0, 0, false
		}
		product = p
		if i > 0 {
			size *= d
		}
	}
	return int(dims[0]), int(size), true
}

func checkEnd(r io.Reader, n int) error {
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("more than the %s of data that the header says", plural.Count(n, "byte"))
	default:
		return err
	}
}

func errCutOff(got, want int) error {
	return fmt.Errorf("%s of data where the header says %d", plural.Count(got, "byte"), want)
}

func short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("header cut off")
	}
	return err
}
