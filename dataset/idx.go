package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// ReadIDX reads a pair of IDX files, the form of MNIST: images, an array of unsigned bytes whose first dimension counts
// them, and as many labels, one unsigned byte each. An image becomes a row, its pixels in the file's order, each
// float32(pixel)/opt.PixelDivisor. name, which is "images,labels" or one word for both, stands for them in errors.
func ReadIDX(images, labels io.Reader, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	imagesName, labelsName, ok := strings.Cut(name, ",")
	if !ok {
		imagesName, labelsName = name+" images", name+" labels"
	}
	m := newMeter(opt, 0)
	return readIDX(limit(m.reader(images), opt.MaxBytes), limit(m.reader(labels), opt.MaxBytes), imagesName, labelsName, opt)
}

func readIDX(images, labels io.Reader, imagesName, labelsName string, opt Options) (*Set, error) {
	if err := opt.noHash(imagesName); err != nil {
		return nil, err
	}
	// Headers first: what they say has to fit before much is read, and what is read before more is allocated.
	rows, size, err := idxHeader(images, "images")
	if err != nil {
		return nil, fail(imagesName, err)
	}
	count, one, err := idxHeader(labels, "labels")
	if err == nil && one != 1 {
		err = fmt.Errorf("%d labels an example: want 1", one)
	}
	if err == nil && count != rows {
		err = fmt.Errorf("%d labels for the %d images of %s", count, rows, imagesName)
	}
	if err != nil {
		return nil, fail(labelsName, err)
	}
	cols := size
	if opt.Features > 0 {
		cols = opt.Features
	} else if cols > opt.MaxFeatures {
		return nil, fmt.Errorf("%s: images of %d pixels are beyond the limit of %d features (-max-features)", imagesName, size, opt.MaxFeatures)
	}
	classes, err := idxData(labels, rows)
	if err != nil {
		return nil, fail(labelsName, err)
	}
	pixels, err := idxData(images, rows*size)
	if err != nil {
		return nil, fail(imagesName, err)
	}

	s := &Set{Y: make([]float32, rows), IndexBase: 1}
	for i, c := range classes {
		s.Y[i] = float32(c)
	}
	var value [256]float32
	for p := range value {
		value[p] = float32(p) / opt.PixelDivisor
	}
	used := min(size, cols) // pixels of an image
	nnz := 0
	for i := range rows {
		image := pixels[i*size:][:size]
		n := used - bytes.Count(image[:used], []byte{0})
		nnz += n
		s.Ignored += int64(size - bytes.Count(image, []byte{0}) - n)
	}
	layout, err := opt.Layout.choose(nnz, rows, cols)
	if err != nil {
		return nil, fail(imagesName, err)
	}
	if layout == LayoutDense {
		s.Dense = dense.New(rows, cols)
		for i := range rows {
			row := s.Dense.Row(i)
			for j, p := range pixels[i*size:][:used] {
				row[j] = value[p]
			}
		}
		return s, nil
	}
	starts := make([]int64, 1, rows+1)
	indices := make([]int32, 0, nnz)
	values := make([]float32, 0, nnz)
	for i := range rows {
		for j, p := range pixels[i*size:][:used] {
			if p != 0 {
				indices = append(indices, int32(j))
				values = append(values, value[p])
			}
		}
		starts = append(starts, int64(len(values)))
	}
	s.Sparse, err = sparse.New(cols, starts, indices, values)
	return s, err
}

// idxHeader reads a header: two zeros, the type of the elements, the number of dimensions, and each of these as a
// big-endian uint32. It returns the first one and the product of the others.
func idxHeader(r io.Reader, what string) (count, size int, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, short(err)
	}
	if head[0] != 0 || head[1] != 0 || head[3] == 0 {
		return 0, 0, fmt.Errorf("starts with % x: not an IDX file", head)
	}
	if head[2] != 8 {
		return 0, 0, fmt.Errorf("elements of type %#02x: want unsigned bytes, 0x08", head[2])
	}
	if what == "labels" && head[3] != 1 || what == "images" && head[3] < 2 {
		return 0, 0, fmt.Errorf("%d dimensions are not those of %s", head[3], what)
	}
	dims := make([]byte, 4*int(head[3]))
	if _, err := io.ReadFull(r, dims); err != nil {
		return 0, 0, short(err)
	}
	// Each product is checked, with zeros as ones, so that no order of dimensions hides an overflow.
	product := uint64(1)
	size64 := uint64(1)
	for i := 0; i < len(dims); i += 4 {
		d := uint64(binary.BigEndian.Uint32(dims[i:]))
		over, p := bits.Mul64(product, max(d, 1))
		if over != 0 || p > math.MaxInt {
			return 0, 0, fmt.Errorf("dimensions % x: their product is too large", dims)
		}
		product = p
		if i == 0 {
			count = int(d)
		} else {
			size64 *= d
		}
	}
	return count, int(size64), nil
}

// idxData reads n bytes and makes sure that they are the last.
func idxData(r io.Reader, n int) ([]byte, error) {
	// The buffer grows with what is read: n is but a promise.
	var data bytes.Buffer
	if m, err := io.CopyN(&data, r, int64(n)); err == io.EOF {
		return nil, fmt.Errorf("%d bytes of data where the header says %d", m, n)
	} else if err != nil {
		return nil, err
	}
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return data.Bytes(), nil
	case nil:
		return nil, fmt.Errorf("more than the %d bytes of data that the header says", n)
	default:
		return nil, err
	}
}

// short names the error of a header that is cut off.
func short(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("header cut off")
	}
	return err
}
