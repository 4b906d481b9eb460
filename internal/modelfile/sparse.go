package modelfile

import (
	"errors"
	"math"
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/budget"
)

// Vectors are sparse in a file if they begin with a bit for each of their numbers, one vector after
// the other, the first in the lowest bit of the first byte; the last byte is filled up with zeros.
// Numbers whose bit is 1 follow, the others are 0. A writer has bits of 0 for all that are +0.

// leastSaved is the least number of bytes to save, beside a tenth: files of few numbers stay simple
// to read.
const leastSaved = 1 << 10

// Sparse reports whether vectors, which take room bytes in memory, are to be sparse: if that makes
// them smaller by a tenth, and readers trust the file.
func (w *Writer) Sparse(vectors [][]float32, room int) bool {
	all, stored := 0, 0
	for _, v := range vectors {
		all += len(v)
		for _, x := range v {
			if math.Float32bits(x) != 0 {
				stored++
			}
		}
	}
	full, size := 4*all, (all+7)/8+4*stored
	most := budget.Vectors.Of(int64(size))
	if w.compressed { // and perhaps small
		most = budget.PackedVectors.Free
	}
	return full-size >= max(full/10, leastSaved) && int64(room) <= most
}

// Vectors writes vectors, sparse or as they are.
func (w *Writer) Vectors(vectors [][]float32, sparse bool) {
	if !sparse {
		for _, v := range vectors {
			WriteNumbers(w, v)
		}
		return
	}
	w.bitmap(vectors)
	stored := make([]float32, 0, chunk)
	for _, v := range vectors {
		for _, x := range v {
			if math.Float32bits(x) == 0 {
				continue
			}
			if stored = append(stored, x); len(stored) == chunk {
				WriteNumbers(w, stored)
				stored = stored[:0]
			}
		}
	}
	WriteNumbers(w, stored)
}

// bitmap writes a bit for each number.
func (w *Writer) bitmap(vectors [][]float32) {
	var b byte
	n := 0
	for _, v := range vectors {
		for _, x := range v {
			if math.Float32bits(x) != 0 {
				b |= 1 << (n % 8)
			}
			if n++; n%8 == 0 {
				w.WriteByte(b)
				b = 0
			}
		}
	}
	if n%8 > 0 {
		w.WriteByte(b)
	}
}

// Vectors are those of a file as they were read.
type Vectors struct {
	bits   []byte // or nil: there are all values
	values []float32
	at     int // numbers that Next has had
}

// Vectors reads vectors of n numbers, sparse or as they are, which are going to take room bytes in
// memory. Its result grows with the data that is there, for any n.
func (r *Reader) Vectors(n int, sparse bool, room int) (v *Vectors, err error) {
	v = new(Vectors)
	if !sparse {
		v.values, err = r.Floats(n)
		return v, err
	}
	if v.bits, err = numbers[uint8](r, (n+7)/8, 1); err != nil {
		return nil, err
	}
	if n%8 > 0 && v.bits[n/8]>>(n%8) != 0 {
		return nil, errors.New("there are bits of more weights than there can be")
	}
	stored := 0
	for _, b := range v.bits {
		stored += bits.OnesCount8(b)
	}
	if v.values, err = r.Floats(stored); err != nil {
		return nil, err
	}
	return v, r.r.Unpack(room)
}

// Next fills dst, which has zeros, with the next numbers.
func (v *Vectors) Next(dst []float32) {
	if v.bits == nil {
		v.values = v.values[copy(dst, v.values):]
		return
	}
	for j := range dst {
		if v.bits[v.at/8]>>(v.at%8)&1 != 0 {
			dst[j], v.values = v.values[0], v.values[1:]
		}
		v.at++
	}
}
