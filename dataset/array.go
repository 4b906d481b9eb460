package dataset

import (
	"fmt"
	"io"
	"math/bits"
)

// An arrayFile is the source of an array in .npy or IDX format.
type arrayFile struct {
	r    io.Reader
	at   io.ReaderAt // the same data, from any position; nil if only r can read them
	name string
	size int64 // bytes, or -1 if that isn't known

	regular bool // whether reading never waits, as it may for a pipe
}

// shapeOf returns the first dimension of an array, and the product of the others. It fails if the
// product of all is larger than most.
func shapeOf(dims []uint64, most uint64) (rows, cols int, ok bool) {
	// Each product is checked, with zeros as ones, so that no order of dimensions hides an
	// overflow.
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

// checkEnd returns an error if r has more data after the n bytes that were read.
func checkEnd(r io.Reader, n int) error {
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("more than the %d bytes of data that the header says", n)
	default:
		return err
	}
}

// errCutOff returns the error of data that end early.
func errCutOff(got, want int) error {
	return fmt.Errorf("%d bytes of data where the header says %d", got, want)
}

// short returns the error of a header that is cut off.
func short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("header cut off")
	}
	return err
}
