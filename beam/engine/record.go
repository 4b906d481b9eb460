package engine

import (
	"encoding/binary"
	"fmt"
)

// A record is what goes through the pipeline: the sum of some items' parts, or why one of them was
// refused.
type record struct {
	refused string
	sum     []int64 // headLength numbers, then those of the parts
}

// The numbers before those of the parts.
const (
	headCount  = iota // of items
	headItems         // the sum of their marks, by which one missing and one twice are noticed
	headRows          // of Part
	headBytes         // likewise
	headLength        // how many there are
)

// mark returns a number that stands for an item: sums of different items' marks differ.
func mark(item int) int64 { // the finalizer of SplitMix64
	z := uint64(item)*0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int64(z ^ z>>31)
}

func recordOf(item int, p Part) record {
	return record{sum: append([]int64{1, mark(item), p.Rows, p.Bytes}, p.Sum...)}
}

// encode returns the record in bytes: 0 and the numbers, little-endian, or 1 and a text.
func (r record) encode() []byte {
	if r.refused != "" {
		return append([]byte{1}, r.refused...)
	}
	b := make([]byte, 1, 1+8*len(r.sum))
	for _, v := range r.sum {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func decode(b []byte) (record, error) {
	if len(b) > 1 && b[0] == 1 {
		return record{refused: string(b[1:])}, nil
	}
	if len(b) < 1+8*headLength || b[0] != 0 || len(b)%8 != 1 {
		return record{}, fmt.Errorf("%d bytes that are no sum", len(b))
	}
	r := record{sum: make([]int64, len(b)/8)}
	for i := range r.sum {
		r.sum[i] = int64(binary.LittleEndian.Uint64(b[1+8*i:]))
	}
	return r, nil
}

// add adds encoded records, in any order; of no record it has no bytes. It may change a, not b.
func add(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return append([]byte(nil), b...)
	case len(b) == 0:
		return a
	case a[0] == 1 && b[0] == 1: // one of them, which does not depend on the order
		if string(b) < string(a) {
			return append([]byte(nil), b...)
		}
		return a
	case a[0] == 1:
		return a
	case b[0] == 1:
		return append([]byte(nil), b...)
	case len(a) != len(b):
		return record{refused: "the parts of the shards differ in length"}.encode()
	}
	le := binary.LittleEndian
	for i := 1; i < len(a); i += 8 {
		le.PutUint64(a[i:], le.Uint64(a[i:])+le.Uint64(b[i:]))
	}
	return a
}
