package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/mmap"
	"github.com/pegasimd/pegasimd/sparse"
)

// ReadPGSM reads the binary form that [WritePGSM] writes into memory, and checks all of it:
// checksums, row starts, columns, and that numbers are finite. r has size bytes; errors
// call it name. [Read] maps a file instead.
func ReadPGSM(r io.ReaderAt, size int64, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	return readPGSM(r, size, nil, name, opt)
}

// openPGSM reads a file: it maps it if that can be done and opt does not say otherwise.
func openPGSM(path string, opt Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: the pgsm form is read from regular files only", path)
	}
	var mapped *mmap.File
	if !opt.InMemory && !bigEndian {
		mapped, err = mmap.Open(f, info.Size())
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	s, err := readPGSM(f, info.Size(), mapped, path, opt)
	if err != nil || s.mapped == nil {
		if mapped != nil {
			mapped.Close()
		}
	}
	return s, err
}

// readPGSM makes a set of a file. mapped has it in memory, or is nil; the set keeps mapped only if
// its mapped field is not nil.
func readPGSM(
	r io.ReaderAt, size int64, mapped *mmap.File, name string, opt Options,
) (*Set, error) {
	s, err := loadPGSM(r, size, mapped, opt)
	if err == nil {
		s, err = s.fit(opt)
	}
	if err != nil {
		return nil, fail(name, err)
	}
	return s, nil
}

func loadPGSM(r io.ReaderAt, size int64, mapped *mmap.File, opt Options) (*Set, error) {
	h, err := readPGSMHeader(r, size, opt)
	if err != nil {
		return nil, err
	}
	// No more is allocated from here on than the file has.
	d := &pgsmData{pgsmFile: *h, r: r}
	s, err := d.labelled()
	if err != nil {
		return nil, err
	}
	cols := max(h.cols, opt.Features) // of a sparse matrix, which has them for nothing
	switch {
	case mapped != nil:
		if err = d.mapInto(s, mapped, cols); err == nil && opt.Verify {
			err = s.Verify(opt)
		}
	case d.layout == LayoutDense:
		err = d.loadDense(s, opt)
	default:
		err = d.loadSparse(s, cols, opt)
	}
	return s, err
}

// readPGSMHeader reads the header of a file of so many bytes, and holds it against the options.
func readPGSMHeader(r io.ReaderAt, size int64, opt Options) (*pgsmFile, error) {
	if opt.MaxBytes > 0 && size > opt.MaxBytes {
		return nil, fmt.Errorf("more than %d bytes (MaxBytes)", opt.MaxBytes)
	}
	head := make([]byte, min(pgsmHeader, max(size, 0)))
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	h, err := parsePGSMHeader(head, size)
	if err != nil {
		return nil, err
	}
	if opt.HashBits != 0 && opt.HashBits != h.hashBits {
		return nil, fmt.Errorf("features hashed to %d bits, want %d", h.hashBits, opt.HashBits)
	}
	values := h.nnz
	if h.layout == LayoutDense {
		values = h.rows * h.cols // which the file has, and are fewer than its bytes
	}
	if _, err := opt.columns(h.cols, values); err != nil {
		return nil, err
	}
	return h, nil
}

// pgsmData is a file and its checksums.
type pgsmData struct {
	pgsmFile
	r      io.ReaderAt
	sum    []uint32 // of each block, the labels, the names
	mapped *mmap.File
}

// readAt fills b, or else fails.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// readAt is the function of that name, metered.
func (m *meter) readAt(r io.ReaderAt, b []byte, at int64) error {
	if err := m.opt.Context.Err(); err != nil {
		return err
	}
	m.count(len(b), false)
	return readAt(r, b, at)
}

// labelled reads the checksums and returns a set with the labels and their names, without features.
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
			return nil, fmt.Errorf("row %d: the label %v is not the index of one of %d names",
				i, y, len(s.Names))
		}
	}
	return s, nil
}

func (d *pgsmData) readSums() error {
	n := d.blocks() + 2
	raw := make([]byte, 4*(n+1))
	if err := readAt(d.r, raw, d.sums); err != nil {
		return err
	}
	if crc32.Checksum(raw[:4*n], castagnoli) != binary.LittleEndian.Uint32(raw[4*n:]) {
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
	if err := readAt(d.r, raw, d.labels); err != nil {
		return nil, err
	}
	if crc32.Checksum(raw, castagnoli) != d.sum[d.blocks()] {
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
	raw := make([]byte, d.nameBytes)
	if err := readAt(d.r, raw, d.names); err != nil {
		return nil, err
	}
	if crc32.Checksum(raw, castagnoli) != d.sum[d.blocks()+1] {
		return nil, fmt.Errorf("the names' checksum is wrong: the file is damaged")
	}
	for len(raw) > 0 {
		n, k := binary.Uvarint(raw)
		if k <= 0 || n > uint64(len(raw)-k) || len(names) == maxNames {
			return nil, fmt.Errorf("the class names do not make sense")
		}
		names = append(names, string(raw[k:][:n]))
		raw = raw[k+int(n):]
	}
	return names, ascending(names)
}

// loadDense reads the features into memory, block by block, and checks them.
func (d *pgsmData) loadDense(s *Set, opt Options) error {
	meter := newMeter(opt, d.size)
	s.Dense = dense.New(d.rows, d.cols)
	stride := int(d.stride())
	buf := make([]float32, min(d.rows, 1<<d.shift)*stride)
	for b := range d.blocks() {
		first, end := d.block(b)
		rows := buf[:(end-first)*stride]
		at := d.values + 4*int64(first*stride)
		if err := meter.readAt(d.r, bytesOf(rows), at); err != nil {
			return err
		}
		if err := d.verifyDense(first, end, rows); err != nil {
			return err
		}
		for i := first; i < end; i++ {
			copy(s.Dense.Row(i), rows[(i-first)*stride:])
		}
	}
	return nil
}

// loadSparse reads the features into memory, section by section, and checks them. The matrix gets
// cols columns.
func (d *pgsmData) loadSparse(s *Set, cols int, opt Options) (err error) {
	meter := newMeter(opt, d.size)
	starts, columns := make([]int64, d.rows+1), make([]int32, d.nnz)
	values := make([]float32, d.nnz)
	sections := []struct {
		raw   []byte
		at    int64
		width int
	}{
		{bytesOf(starts), d.starts, 8},
		{bytesOf(columns), d.columns, 4},
		{bytesOf(values), d.values, 4},
	}
	for _, sec := range sections {
		for from := 0; from < len(sec.raw); from += pgsmBlock {
			piece := sec.raw[from:min(from+pgsmBlock, len(sec.raw))]
			if err := meter.readAt(d.r, piece, sec.at+int64(from)); err != nil {
				return err
			}
		}
	}
	if err := d.checkSums(starts, columns, values); err != nil {
		return err
	}
	for _, sec := range sections {
		toNative(sec.raw, sec.width)
	}
	if s.Sparse, err = sparse.NewShared(cols, starts, columns, values); err != nil {
		return err
	}
	for i := range d.rows {
		if _, val := sparseRow(s.Sparse, i); slices.ContainsFunc(val, notStored) {
			return badValueAt(i)
		}
	}
	return nil
}

// checkSums checks the sums of all blocks of a sparse matrix, whose numbers are as in the file.
func (d *pgsmData) checkSums(starts []int64, columns []int32, values []float32) error {
	native := func(i int) int64 {
		return int64(binary.LittleEndian.Uint64(bytesOf(starts[i:])))
	}
	for b := range d.blocks() {
		first, end := d.block(b)
		from, to := native(first), native(end)
		if from < 0 || to < from || to > int64(d.nnz) ||
			blockSum(starts[first:end+1], columns[from:to], values[from:to]) != d.sum[b] {
			return badSum(first, end)
		}
	}
	return nil
}

// verifyDense checks the sum of a dense block, and that its values are finite. rows has them with
// their padding.
func (d *pgsmData) verifyDense(first, end int, rows []float32) error {
	if crc32.Checksum(bytesOf(rows), castagnoli) != d.sum[first>>d.shift] {
		return badSum(first, end)
	}
	toNative(bytesOf(rows), 4)
	stride := int(d.stride())
	for i := range end - first {
		row := rows[i*stride:][:d.cols]
		// A finite sum of squares, which is found several times as fast, has finite numbers only.
		if !floats.IsFinite(dense.SumSquares(row)) && floats.FirstNotFinite(row) >= 0 {
			return fmt.Errorf("row %d has a number that is not finite", first+i)
		}
	}
	return nil
}

// notStored tells whether a value has no place in a sparse set.
func notStored(v float32) bool { return v == 0 || !floats.IsFinite(v) }

func badValueAt(row int) error {
	return fmt.Errorf("row %d has a number that is not finite, or a zero that is stored", row)
}

func badSum(first, end int) error {
	return fmt.Errorf("rows %d to %d: the checksum is wrong: the file is damaged", first, end-1)
}

// fit gives the set the features and the layout that opt asks for. If it has others, the result is
// a set in memory.
func (s *Set) fit(opt Options) (*Set, error) {
	features := opt.Features
	if features == 0 {
		features = s.Cols()
	}
	layout := opt.Layout
	if layout == LayoutAuto {
		layout = s.Layout() // the choice was made when the file was written
	}
	if features == s.Cols() && layout == s.Layout() {
		return s, nil
	}
	if s.mapped != nil && !opt.Verify {
		if err := s.Verify(opt); err != nil {
			return nil, err
		}
	}
	if features != s.Cols() {
		var err error
		lacking := 0
		if s.Dense != nil {
			lacking = max(0, features-s.Cols())
		}
		if s, err = s.withCols(features); err != nil {
			return nil, err
		}
		s.Lacking = lacking
	}
	return s.WithLayout(layout)
}
