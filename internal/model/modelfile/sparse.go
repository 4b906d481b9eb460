package modelfile

import (
	"errors"
	"math"
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
)

// The sparse form of vectors is a bitmap followed by the numbers whose bit is 1: see the section
// "Model files" of docs/spec.md.

// minBytesSaved keeps small files plain, because the plain form is simpler to read.
const minBytesSaved = 1 << 10

// Sparse reports whether w should write the vectors in sparse form: it must save a tenth of their
// bytes and minBytesSaved, and readers must accept vectors that take memory bytes.
func (w *Writer) Sparse(vectors [][]float32, memory int) bool {
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
	if w.compressed { // the compressed size is unknown and may be small
		most = budget.PackedVectors.Free
	}
	return full-size >= max(full/10, minBytesSaved) && int64(memory) <= most
}

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

// Vectors holds the numbers of a file's vectors.
type Vectors struct {
	bits   []byte    // bitmap of the sparse form; nil if values has all numbers
	values []float32 // stored numbers that Next has not returned yet
	at     int       // count of numbers that Next has returned in sparse form
}

// Vectors reads the n numbers of all vectors together. In sparse form it returns an error if the
// file is too small for vectors that take memory bytes.
func (r *Reader) Vectors(n int, sparse bool, memory int) (v *Vectors, err error) {
	v = new(Vectors)
	if !sparse {
		v.values, err = r.Floats(n)
		return v, err
	}
	if v.bits, err = numbers[uint8](r, (n+7)/8, 1); err != nil {
		return nil, err
	}
	if n%8 > 0 && v.bits[n/8]>>(n%8) != 0 {
		return nil, errors.New("the bitmap has a bit beyond the last weight")
	}
	stored := 0
	for _, b := range v.bits {
		stored += bits.OnesCount8(b)
	}
	if v.values, err = r.Floats(stored); err != nil {
		return nil, err
	}
	return v, r.r.Unpack(memory)
}

// Next stores the next len(dst) numbers in dst, which must be all zeros.
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
