package engine

import (
	"encoding/binary"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/murmur"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// A record is the result of some items, as little-endian int64s: the number of items, the sum of
// their marks, and the sums of their numbers. An empty record stands for no items, or for the sum
// of records of different lengths.
type record []byte

const headLength = 2

// mark returns a hash of an item. The sum of marks reveals missing and repeated items.
func mark(item int) int64 { return int64(murmur.Mix64(uint64(item) + 1)) }

func recordOf(items []int, sum []int64) record {
	marks := int64(0)
	for _, item := range items {
		marks += mark(item)
	}
	le := binary.LittleEndian
	r := le.AppendUint64(make(record, 0, 8*(headLength+len(sum))), uint64(len(items)))
	r = le.AppendUint64(r, uint64(marks))
	for _, v := range sum {
		r = le.AppendUint64(r, uint64(v))
	}
	return r
}

// sumOf returns the sums, or an error unless the record has each of the items once.
func (r record) sumOf(items []int) ([]int64, error) {
	head := recordOf(items, nil)
	if len(r) < len(head) || len(r)%8 != 0 || string(r[:len(head)]) != string(head) {
		return nil, fmt.Errorf("the job's result, %d bytes, is not the sum of %s, each counted once",
			len(r), plural.Count(len(items), "part"))
	}
	sum := make([]int64, len(r)/8-headLength)
	for i := range sum {
		sum[i] = int64(binary.LittleEndian.Uint64(r[8*(headLength+i):]))
	}
	return sum, nil
}

// add returns the sum of two records, and may change a, not b. An empty record adds nothing.
func add(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return append([]byte(nil), b...)
	case len(b) == 0:
		return a
	case len(a) != len(b):
		return nil
	}
	le := binary.LittleEndian
	for i := 0; i < len(a); i += 8 {
		le.PutUint64(a[i:], le.Uint64(a[i:])+le.Uint64(b[i:]))
	}
	return a
}
