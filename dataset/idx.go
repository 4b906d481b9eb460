package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// readIDX reads a pair of IDX files, MNIST's format: an array of unsigned bytes, the images, and an
// unsigned byte per image, the label.
func readIDX(images, labels openFile, opt Options) (*Set, error) {
	if err := opt.noHash(images.name); err != nil {
		return nil, err
	}
	// The headers may be wrong: the set is allocated only after all data have been read.
	rows, size, err := idxHeader(images.r, "images")
	if err != nil {
		return nil, fail(images.name, err)
	}
	count, _, err := idxHeader(labels.r, "labels")
	if err == nil && count != rows {
		err = fmt.Errorf("the number of labels is %d, but the number of images in %s is %d", count,
			images.name, rows)
	}
	if err != nil {
		return nil, fail(labels.name, err)
	}
	err = opt.checkWidth(size)
	if err == nil {
		_, err = opt.columns(size, rows*size/4)
	}
	if err != nil {
		return nil, fail(images.name, err)
	}
	classes, err := idxData(labels.r, rows)
	if err != nil {
		return nil, fail(labels.name, err)
	}
	pixels, err := idxData(images.r, rows*size)
	if err != nil {
		return nil, fail(images.name, err)
	}
	s, err := idxSet(pixels, classes, size, opt)
	if err != nil {
		return nil, fail(images.name, err)
	}
	return s, nil
}

func idxSet(pixels, labels []byte, size int, opt Options) (*Set, error) {
	rows := len(labels)
	s := &Set{Y: make([]float32, rows), IndexBase: 1, Bytes: *opt.bytes}
	for i, c := range labels {
		s.Y[i] = float32(c)
	}
	var value [256]float32
	for p := range value {
		value[p] = float32(p) / 255
	}
	nnz := len(pixels) - bytes.Count(pixels, []byte{0})
	row := make([]float32, size)
	return s, s.fill(rows, size, nnz, opt.Layout, func(i int) []float32 {
		for j, p := range pixels[i*size:][:size] {
			row[j] = value[p]
		}
		return row
	})
}

// idxHeader reads the header of a file of images or labels: two zero bytes, the type of the
// elements, the number of dimensions, and each dimension as a big-endian uint32. It returns the
// first dimension and the product of the others.
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
		return 0, 0, fmt.Errorf("%s: want %s", plural.Count(int(head[3]), "dimension"),
			map[string]string{"labels": "1 for labels", "images": "2 or more for images"}[what])
	}
	raw := make([]byte, 4*int(head[3]))
	if _, err := io.ReadFull(r, raw); err != nil {
		return 0, 0, short(err)
	}
	dims := make([]uint64, head[3])
	for i := range dims {
		dims[i] = uint64(binary.BigEndian.Uint32(raw[4*i:]))
	}
	count, size, ok := shapeOf(dims, math.MaxInt)
	if !ok {
		return 0, 0, fmt.Errorf("dimensions %v: too large", dims)
	}
	return count, size, nil
}

func idxData(r io.Reader, n int) ([]byte, error) {
	// The buffer grows as data arrive: n, from the header, may be wrong.
	var data bytes.Buffer
	if m, err := io.CopyN(&data, r, int64(n)); err == io.EOF {
		return nil, errCutOff(int(m), n)
	} else if err != nil {
		return nil, err
	}
	return data.Bytes(), checkEnd(r, n)
}
