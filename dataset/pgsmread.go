package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/blob"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Mapped reports whether the set's features are in a mapped file. Such features are read when they
// are used, must not be written to, and are invalid after Close.
func (s *Set) Mapped() bool { return s.mapped != nil }

// Close unmaps the file of a mapped set. Afterwards the set, its matrix and all slices of its rows
// must not be used. Close does nothing if the set is in memory.
func (s *Set) Close() error {
	if s.mapped == nil {
		return nil
	}
	s.Dense, s.Sparse = nil, nil
	return s.mapped.Close()
}

// Err returns the error of the first damaged block, in the file's order, that was found so far in a
// mapped file, and nil for a set in memory. The rows of a mapped set are checked block by block
// when they are first used, and the rows of a damaged block have no nonzeros. Trust a result
// computed from the set only if Err then returns nil. Training calls Err itself.
func (s *Set) Err() error {
	if s.Dense != nil {
		return s.Dense.Err()
	}
	if s.Sparse != nil {
		return s.Sparse.Err()
	}
	return nil
}

func readPGSM(path string, opt Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readOpenPGSM(f, opt)
}

// ReadPGSM reads an open .pgsm file as Read does. It maps the file unless opt.InMemory is set,
// other options require a copy, the system can't map files or the machine is big-endian. The
// mapping outlives f.
func ReadPGSM(f *os.File, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	return readOpenPGSM(f, opt)
}

func readOpenPGSM(f *os.File, opt Options) (*Set, error) {
	path := f.Name()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: the pgsm format is read from regular files only", path)
	}
	h, err := readPGSMHeader(f, info.Size(), opt)
	if err != nil {
		return nil, fail(path, err)
	}
	var mapped *files.Mapped
	if !opt.InMemory && !blob.BigEndian {
		mapped, err = files.Map(f, h.size)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	var s *Set
	if mapped != nil {
		s, err = h.set(mapped.Bytes(), mapped, opt)
	} else {
		var data []byte
		if data, err = readWhole(f, h.size, opt); err == nil {
			s, err = h.set(data, nil, opt)
		}
	}
	if mapped != nil && (err != nil || s.mapped == nil) {
		mapped.Close()
	}
	if err != nil {
		return nil, fail(path, err)
	}
	return s, nil
}

func readPGSMHeader(r io.ReaderAt, size int64, opt Options) (*pgsmFile, error) {
	if opt.MaxBytes > 0 && size > opt.MaxBytes {
		return nil, errMaxBytes(opt.MaxBytes)
	}
	head := make([]byte, min(pgsmHeader, size))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return nil, err
	}
	h, err := parsePGSMHeader(head, size)
	if err != nil {
		return nil, err
	}
	if opt.HashBits != 0 && opt.HashBits != h.hashBits {
		are := "not hashed"
		if h.hashBits > 0 {
			are = "hashed to " + plural.Count(h.hashBits, "bit")
		}
		return nil, fmt.Errorf("the features are %s, want features hashed to %s (-hash-bits)", are,
			plural.Count(opt.HashBits, "bit"))
	}
	values := h.nnz
	if h.layout == LayoutDense {
		values = h.rows * h.cols
	}
	if _, err := opt.columns(h.cols, values); err != nil {
		return nil, err
	}
	return h, nil
}

// readWhole reads a file into memory that is aligned for all numbers in the file.
func readWhole(r io.ReaderAt, size int64, opt Options) ([]byte, error) {
	m := newMeter(opt, size)
	data := bytesOf(matrices.Vectors(1, int(size+3)/4)[0])[:size]
	for at := 0; at < len(data); at += pgsmBlock {
		if err := opt.Context.Err(); err != nil {
			return nil, err
		}
		piece := data[at:min(at+pgsmBlock, len(data))]
		if n, err := r.ReadAt(piece, int64(at)); n < len(piece) {
			return nil, err
		}
		m.count(len(piece), at+len(piece) == len(data))
	}
	return data, nil
}

type pgsmData struct {
	*pgsmFile
	data []byte
	sum  []uint32 // checksums of each block, the labels and the names
}

// set returns the set of a file whose bytes are data. mapped is nil if data are in memory. If
// mapped is nil or opt requires a copy, set checks all features; otherwise they are checked when
// first used.
func (h *pgsmFile) set(data []byte, mapped *files.Mapped, opt Options) (*Set, error) {
	d := &pgsmData{pgsmFile: h, data: data}
	s, err := d.labelled()
	if err != nil {
		return nil, err
	}
	if blob.BigEndian {
		if err := d.toNative(); err != nil {
			return nil, err
		}
	}
	check := matrices.Check{Shift: h.shift, Verify: d.verify}
	if mapped != nil {
		check.WillNeed = d.willNeed(mapped)
		s.mapped = mapped
	}
	var checkAll func() error
	if h.layout == LayoutDense {
		m, err := matrices.LazyDense(h.rows, h.cols, d.dense(0, h.rows), check)
		if err != nil {
			return nil, err
		}
		s.Dense, checkAll = (*dense.Matrix)(m), m.CheckAll
	} else {
		cols := max(h.cols, opt.Features) // further columns of a sparse set take no memory
		m, err := matrices.Lazy(cols, view[int64](data, h.starts, h.rows+1),
			view[int32](data, h.columns, h.nnz), view[float32](data, h.values, h.nnz), check)
		if err != nil {
			return nil, err
		}
		s.Sparse, checkAll = (*sparse.Matrix)(m), m.CheckAll
	}
	if mapped == nil {
		if err := checkAll(); err != nil {
			return nil, err
		}
	}
	return s.fit(opt)
}

func (d *pgsmData) labelled() (s *Set, err error) {
	if err := d.readSums(); err != nil {
		return nil, err
	}
	s = &Set{IndexBase: d.base, HashBits: d.hashBits, Bytes: d.size}
	if s.Y, err = d.readLabels(); err != nil {
		return nil, err
	}
	if s.Names, err = d.readNames(); err != nil {
		return nil, err
	}
	if s.Names == nil {
		return s, nil
	}
	for i, y := range s.Y {
		if !(y >= 0 && y < float32(len(s.Names)) && y == float32(int(y))) {
			return nil, fmt.Errorf("row %d: the label %v is not the index of one of %s",
				i, y, plural.Count(len(s.Names), "class name"))
		}
	}
	return s, nil
}

func (d *pgsmData) readSums() error {
	n := d.blocks() + 2
	raw := d.data[d.sums:][:4*(n+1)]
	if checksum(raw[:4*n]) != binary.LittleEndian.Uint32(raw[4*n:]) {
		return fmt.Errorf("the checksum of the checksums is wrong: the file is damaged")
	}
	d.sum = make([]uint32, n)
	for i := range d.sum {
		d.sum[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return nil
}

func (d *pgsmData) readLabels() ([]float32, error) {
	y := make([]float32, d.rows)
	raw := bytesOf(y)
	copy(raw, d.data[d.labels:])
	if checksum(raw) != d.sum[d.blocks()] {
		return nil, fmt.Errorf("the labels' checksum is wrong: the file is damaged")
	}
	toNative(raw, 4)
	for i, v := range y {
		if !floats.IsFinite(v) {
			return nil, fmt.Errorf("row %d: the label is not finite", i)
		}
		y[i] = v + 0 // no -0
	}
	return y, nil
}

func (d *pgsmData) readNames() (names []string, err error) {
	raw := d.data[d.names:][:d.nameBytes]
	if checksum(raw) != d.sum[d.blocks()+1] {
		return nil, fmt.Errorf("the names' checksum is wrong: the file is damaged")
	}
	for len(raw) > 0 {
		n, k := binary.Uvarint(raw)
		switch {
		case k <= 0 || n > uint64(len(raw)-k):
			return nil, fmt.Errorf("the length of class name %d is wrong", len(names))
		case len(names) == maxNames:
			return nil, fmt.Errorf("more than %d class names", maxNames)
		}
		names = append(names, string(raw[k:][:n]))
		raw = raw[k+int(n):]
	}
	return names, ascending(names)
}

func (d *pgsmData) willNeed(mapped *files.Mapped) matrices.WillNeed {
	if d.layout == LayoutDense {
		row := 4 * d.stride()
		return func(first, end int) {
			mapped.WillNeed(d.values+row*int64(first), d.values+row*int64(end))
		}
	}
	starts := view[int64](d.data, d.starts, d.rows+1)
	return func(first, end int) {
		if mapped.Fits() {
			return
		}
		if first == end {
			mapped.WillNeed(0, 0)
			return
		}
		// The starts may not have been checked yet, but wrong starts only load wrong pages.
		from, to := starts[first], starts[end]
		if from >= 0 && from < to && to <= int64(d.nnz) {
			mapped.WillNeed(d.columns+4*from, d.columns+4*to)
			mapped.WillNeed(d.values+4*from, d.values+4*to)
		}
	}
}

// verify returns an error unless the block of rows first to end-1 has the right checksum and finite
// values, none of them 0 in a sparse block. On big-endian machines toNative has checked the
// checksum.
func (d *pgsmData) verify(first, end int) error {
	if !blob.BigEndian && !d.goodSum(first, end) {
		return badSum(first, end)
	}
	if d.layout == LayoutDense {
		rows, stride := d.dense(first, end), int(d.stride())
		for i := range end - first {
			row := rows[i*stride:][:d.cols]
			// If the sum of squares is finite, all numbers are finite.
			if !floats.IsFinite(dense.SumSquares(row)) && floats.FirstNotFinite(row) >= 0 {
				return fmt.Errorf("row %d, counted from 0, has a number that is not finite", first+i)
			}
		}
		return nil
	}
	starts := view[int64](d.data, d.starts+8*int64(first), end-first+1)
	at, n := starts[0], int(starts[end-first]-starts[0])
	values := view[float32](d.data, d.values+4*at, n)
	k := slices.IndexFunc(values, notStored)
	if k < 0 {
		return nil
	}
	i := 0
	for starts[i+1] <= at+int64(k) {
		i++
	}
	if values[k] == 0 {
		return fmt.Errorf("row %d, counted from 0, stores a zero, which the format does not allow",
			first+i)
	}
	return fmt.Errorf("row %d, counted from 0, has a number that is not finite", first+i)
}

// goodSum checks the checksum of the block of rows first to end-1, in the file's byte order.
func (d *pgsmData) goodSum(first, end int) bool {
	want := d.sum[first>>d.shift]
	if d.layout == LayoutDense {
		return checksum(bytesOf(d.dense(first, end))) == want
	}
	starts := d.data[d.starts+8*int64(first):][:8*(end-first+1)]
	from := binary.LittleEndian.Uint64(starts)
	to := binary.LittleEndian.Uint64(starts[len(starts)-8:])
	return from <= to && to <= uint64(d.nnz) && checksum(starts,
		d.data[d.columns:][4*from:4*to], d.data[d.values:][4*from:4*to]) == want
}

// toNative checks the checksums of all blocks and converts their numbers to the machine's byte
// order.
func (d *pgsmData) toNative() error {
	for b := range d.blocks() {
		if first, end := d.block(b); !d.goodSum(first, end) {
			return badSum(first, end)
		}
	}
	if d.layout == LayoutDense {
		toNative(bytesOf(d.dense(0, d.rows)), 4)
		return nil
	}
	toNative(d.data[d.starts:][:8*(d.rows+1)], 8)
	toNative(d.data[d.columns:][:4*d.nnz], 4)
	toNative(d.data[d.values:][:4*d.nnz], 4)
	return nil
}

func (d *pgsmData) dense(first, end int) []float32 {
	stride := int(d.stride())
	return view[float32](d.data, d.values+4*int64(first*stride), (end-first)*stride)
}

func view[T int32 | int64 | float32](data []byte, at int64, n int) []T {
	if n == 0 {
		return nil
	}
	return blob.Numbers[T](data[at:][:n*int(unsafe.Sizeof(*new(T)))])
}

func notStored(v float32) bool { return v == 0 || !floats.IsFinite(v) }

func badSum(first, end int) error {
	return fmt.Errorf("rows %d to %d: the checksum is wrong: the file is damaged", first, end-1)
}

// fit returns s, or a copy in memory if opt asks for another number of features or layout.
func (s *Set) fit(opt Options) (*Set, error) {
	features := opt.Features
	if features == 0 {
		features = s.Cols()
	}
	layout := opt.Layout
	if layout == LayoutAuto {
		layout = s.Layout()
	}
	t, err := s, error(nil)
	if features != s.Cols() {
		if t, err = s.withCols(features); err != nil {
			return nil, err
		}
		if s.Dense != nil {
			t.Lacking = max(0, features-s.Cols())
		}
	}
	if t, err = t.WithLayout(layout); err == nil && t != s {
		err = s.Err() // the copied rows may be damaged
	}
	return t, err
}
