package dataset

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/mmap"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/sparse"
)

// Mapped tells whether the set's features are in a mapped file. Then they are read from there when
// they are used, can't be written to, and are gone after Close.
func (s *Set) Mapped() bool { return s.mapped != nil }

// Close takes a mapped file out of memory. The set, and whatever has its matrix or rows of it, must
// not be used any more. It does nothing to a set in memory. A set that is never closed stays mapped
// until the program ends.
func (s *Set) Close() error {
	if s.mapped == nil {
		return nil
	}
	s.Dense, s.Sparse = nil, nil
	return s.mapped.mapped.Close()
}

// Err returns the first fault that was found in a mapped file so far, and nil for a set in memory.
// Rows of a mapped set are checked when they are first used, in blocks, and those of a damaged
// block are empty: a result is to be trusted only if Err is nil after it. Training looks at it.
func (s *Set) Err() error {
	if s.Dense != nil {
		return s.Dense.Err()
	}
	if s.Sparse != nil {
		return s.Sparse.Err()
	}
	return nil
}

// mapInto gives the set a matrix in the mapping, with cols columns if it is sparse. The matrix asks
// the system for rows that will soon be used, and has its blocks checked at first use.
func (d *pgsmData) mapInto(s *Set, mapped *mmap.File, cols int) error {
	d.mapped, s.mapped = mapped, d
	data := mapped.Bytes()
	if d.layout == LayoutDense {
		stride := int(d.stride())
		values := view[float32](data, d.values, d.rows*stride)
		m, err := matrices.LazyDense(d.rows, d.cols, values, matrices.Check{
			Shift: d.shift,
			Verify: func(first, end int) error {
				return d.verifyDense(first, end, values[first*stride:end*stride])
			},
			WillNeed: func(first, end int) {
				mapped.WillNeed(d.values+4*int64(first*stride), d.values+4*int64(end*stride))
			},
		})
		s.Dense = (*dense.Matrix)(m)
		return err
	}
	starts := view[int64](data, d.starts, d.rows+1)
	columns, values := view[int32](data, d.columns, d.nnz), view[float32](data, d.values, d.nnz)
	willNeed := func(first, end int) {
		// The starts are small, and mostly in memory. They may be anything here: they are only a
		// hint.
		from, to := starts[first], starts[end]
		if from >= 0 && from < to && to <= int64(d.nnz) {
			mapped.WillNeed(d.columns+4*from, d.columns+4*to)
			mapped.WillNeed(d.values+4*from, d.values+4*to)
		}
	}
	check := matrices.Check{Shift: d.shift, Verify: d.verifySparse, WillNeed: willNeed}
	m, err := matrices.Lazy(cols, starts, columns, values, check)
	s.Sparse = (*sparse.Matrix)(m)
	return err
}

// verifySparse checks the sum of a mapped sparse block, whose starts are in order, and that its
// values are finite.
func (d *pgsmData) verifySparse(first, end int) error {
	data := d.mapped.Bytes()
	starts := view[int64](data, d.starts+8*int64(first), end-first+1)
	at, n := starts[0], int(starts[end-first]-starts[0])
	columns := view[int32](data, d.columns+4*at, n)
	values := view[float32](data, d.values+4*at, n)
	if blockSum(starts, columns, values) != d.sum[first>>d.shift] {
		return badSum(first, end)
	}
	if k := slices.IndexFunc(values, notStored); k >= 0 {
		i := 0
		for starts[i+1] <= at+int64(k) {
			i++
		}
		return badValueAt(first + i)
	}
	return nil
}

// Verify reads all of a mapped file and checks it: checksums, row starts, columns, and that numbers
// are finite. Of opt it uses Threads, Progress and Context. The error is that of the first bad
// rows. A set in memory has been checked before.
func (s *Set) Verify(opt Options) error {
	if s.mapped == nil {
		return nil
	}
	opt, err := opt.filled()
	if err != nil {
		return err
	}
	blocks := s.mapped.blocks()
	v := verification{set: s, meter: newMeter(opt, s.mapped.size), blocks: blocks, bad: blocks}
	parallel.For(opt.Threads, opt.Threads, func(_, _ int) { v.work() })
	return v.err
}

// A verification is a mapped file being checked by some threads, each of which takes the next
// block.
type verification struct {
	set    *Set
	blocks int

	mu    sync.Mutex
	meter *meter
	next  int   // block to check
	bad   int   // the first bad block so far, or blocks: nobody need look from there on
	err   error // of that block
}

func (v *verification) work() {
	for {
		b, ok := v.take()
		if !ok {
			return
		}
		size := 0
		err := v.meter.opt.Context.Err()
		if err == nil {
			first, end := v.set.mapped.block(b)
			size, err = v.set.verifyBlock(first, end)
		}
		v.done(b, size, err)
	}
}

func (v *verification) take() (block int, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	block = v.next
	v.next++
	return block, block < v.bad
}

// done takes note of a block of so many bytes that was checked.
func (v *verification) done(block, size int, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.meter.count(size, block == v.blocks-1)
	} else if block < v.bad {
		v.bad, v.err = block, err
	}
}

// verifyBlock checks the rows of a block of a mapped file, and returns how many bytes these are.
// The matrix does it, unless it has done so before.
func (s *Set) verifyBlock(first, end int) (size int, err error) {
	if s.Dense != nil {
		size = 4 * (end - first) * int(s.mapped.stride())
		return size, (*matrices.Dense)(s.Dense).Check(first)
	}
	err = (*matrices.CSR)(s.Sparse).Check(first)
	for i := first; i < end; i++ {
		idx, _ := sparseRow(s.Sparse, i)
		size += 8 + 8*len(idx)
	}
	return size, err
}

// view returns n numbers in the bytes of a mapping, which is little-endian, as the machine is.
func view[T int32 | int64 | float32](data []byte, at int64, n int) []T {
	if n == 0 {
		return nil
	}
	var one T
	raw := data[at:][:n*int(unsafe.Sizeof(one))]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), n)
}
