package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/mmap"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/sparse"
)

// The binary form, .pgsm. All numbers are little-endian, on every machine.
//
//	byte
//	 0   8  "PGSM\r\n\x1a\n": what a transfer as text or a cut at 7 bits would damage
//	 8   4  version, 1
//	12   4  layout: 0 dense, 1 sparse
//	16   8  rows
//	24   8  cols
//	32   8  nonzeros
//	40   4  a block has 2^this rows
//	44   4  index base of the text that it comes from, 0 or 1
//	48   8  bytes of class names
//	56   4  hash bits of the features, 0 if they aren't hashed
//	60   4  CRC-32C of bytes 0 to 59
//
// Then, each from the next multiple of 64 on, with zeros between:
//
//	labels    rows float32
//	starts    rows+1 int64         sparse only: row i has the nonzeros from starts[i] to starts[i+1]-1
//	columns   nonzeros int32       sparse only: from 0, ascending within a row
//	values    nonzeros float32, or rows times dense.Stride(cols) of them if the layout is dense
//	names     each preceded by its length, a uvarint
//	sums      a CRC-32C, uint32, of each block, of the labels, of the names, and of the sums before it
//
// after which the file ends. The sum of a block is that of its rows' starts, with the end of the last, their columns, and
// their values, of a dense block that of the values alone, in each case the bytes in the file.
const (
	pgsmMagic   = "PGSM\r\n\x1a\n"
	pgsmVersion = 1
	pgsmHeader  = 64
	pgsmAlign   = 64

	// pgsmBlock is about how many bytes a block has: enough for a disk to be read at its speed, few enough to be checked
	// for the sake of one row.
	pgsmBlock = 1 << 18
	// pgsmMaxShift is the largest block's logarithm.
	pgsmMaxShift = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var bigEndian = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// A pgsmFile says what a file has, and where.
type pgsmFile struct {
	layout    Layout
	rows      int
	cols      int
	nnz       int
	shift     uint
	base      int
	nameBytes int64
	hashBits  int

	// Where the sections begin, and the file's end.
	labels, starts, columns, values, names, sums, size int64
}

func (h *pgsmFile) blocks() int {
	if h.rows == 0 {
		return 0
	}
	return (h.rows-1)>>h.shift + 1
}

// block returns the rows of block b.
func (h *pgsmFile) block(b int) (first, end int) {
	return b << h.shift, min(h.rows, (b+1)<<h.shift)
}

// place lays the sections out. It fails if they don't fit an int64, or the memory of any machine of this kind.
func (h *pgsmFile) place() error {
	at, ok := uint64(pgsmHeader), true
	section := func(count, width uint64) int64 {
		at = (at + pgsmAlign - 1) / pgsmAlign * pgsmAlign
		start := at
		over, size := bits.Mul64(count, width)
		end, carry := bits.Add64(start, size, 0)
		if ok = ok && over == 0 && carry == 0 && end < math.MaxInt64-pgsmAlign; ok {
			at = end
		}
		return int64(start)
	}
	rows, nnz := uint64(h.rows), uint64(h.nnz)
	h.labels = section(rows, 4)
	if h.layout == LayoutSparse {
		h.starts = section(rows+1, 8)
		h.columns = section(nnz, 4)
		h.values = section(nnz, 4)
	} else {
		over, n := bits.Mul64(rows, uint64(pgsmStride(h.cols)))
		ok = ok && over == 0
		h.values = section(n, 4)
	}
	h.names = section(uint64(h.nameBytes), 1)
	h.sums = section(uint64(h.blocks())+3, 4)
	h.size = int64(at)
	if !ok {
		return fmt.Errorf("%d rows of %d features and %d nonzeros are too many", h.rows, h.cols, h.nnz)
	}
	return nil
}

// pgsmStride is dense.Stride for any int32, also where an int has no more bits.
func pgsmStride(cols int) int64 {
	return (int64(cols) + pgsmAlign/4 - 1) / (pgsmAlign / 4) * (pgsmAlign / 4)
}

// chooseShift sets the blocks' size.
func (h *pgsmFile) chooseShift() {
	row := 4 * pgsmStride(h.cols)
	if h.layout == LayoutSparse {
		row = 8
		if h.rows > 0 {
			row += 8 * int64(h.nnz/h.rows)
		}
	}
	h.shift = uint(min(max(bits.Len64(uint64(pgsmBlock/max(row, 1)))-1, 0), pgsmMaxShift))
}

// header returns the file's first bytes.
func (h *pgsmFile) header() []byte {
	b := append(make([]byte, 0, pgsmHeader), pgsmMagic...)
	le := binary.LittleEndian
	b = le.AppendUint32(b, pgsmVersion)
	layout := uint32(0)
	if h.layout == LayoutSparse {
		layout = 1
	}
	b = le.AppendUint32(b, layout)
	b = le.AppendUint64(b, uint64(h.rows))
	b = le.AppendUint64(b, uint64(h.cols))
	b = le.AppendUint64(b, uint64(h.nnz))
	b = le.AppendUint32(b, uint32(h.shift))
	b = le.AppendUint32(b, uint32(h.base))
	b = le.AppendUint64(b, uint64(h.nameBytes))
	b = le.AppendUint32(b, uint32(h.hashBits))
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parsePGSMHeader is header's inverse. It makes sure that the file has the size that follows from the header.
func parsePGSMHeader(b []byte, size int64) (*pgsmFile, error) {
	le := binary.LittleEndian
	if len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b {
		return nil, fmt.Errorf("compressed: the pgsm form is mapped, unpack it first")
	}
	if len(b) < len(pgsmMagic) || string(b[:len(pgsmMagic)]) != pgsmMagic {
		return nil, fmt.Errorf("starts with % x: not a .pgsm file, or changed on its way here", b[:min(len(b), len(pgsmMagic))])
	}
	if len(b) < pgsmHeader {
		return nil, short(io.EOF)
	}
	if v := le.Uint32(b[8:]); v != pgsmVersion {
		return nil, fmt.Errorf("version %d of the format: this program knows version %d", v, pgsmVersion)
	}
	if crc32.Checksum(b[:60], castagnoli) != le.Uint32(b[60:]) {
		return nil, fmt.Errorf("the header's checksum is wrong: the file is damaged")
	}
	layout, rows, cols, nnz := le.Uint32(b[12:]), le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:])
	shift, base, nameBytes, hashBits := le.Uint32(b[40:]), le.Uint32(b[44:]), le.Uint64(b[48:]), le.Uint32(b[56:])
	switch {
	case layout > 1 || base > 1 || shift > pgsmMaxShift || hashBits > maxHashBits || nameBytes > math.MaxInt64:
		return nil, fmt.Errorf("the header does not make sense")
	case cols > math.MaxInt32 || hashBits > 0 && cols != 1<<hashBits:
		return nil, fmt.Errorf("%d columns: want at most %d", cols, math.MaxInt32)
	case rows >= math.MaxInt/8 || nnz > math.MaxInt/8:
		return nil, fmt.Errorf("%d rows and %d nonzeros are too many for this machine", rows, nnz)
	}
	h := &pgsmFile{
		layout: LayoutDense, rows: int(rows), cols: int(cols), nnz: int(nnz),
		shift: uint(shift), base: int(base), nameBytes: int64(nameBytes), hashBits: int(hashBits),
	}
	if layout == 1 {
		h.layout = LayoutSparse
	}
	if err := h.place(); err != nil {
		return nil, err
	}
	if h.size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are too many for this machine", h.size)
	}
	if h.size != size {
		return nil, fmt.Errorf("%d bytes where the header says %d: the file is cut off or damaged", size, h.size)
	}
	return h, nil
}

// ReadPGSM reads the binary form that [WritePGSM] writes into memory, and checks all of it: checksums, row starts,
// columns, and that numbers are finite. r has size bytes; name stands for it in errors. [Read] maps a file instead.
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
		if mapped, err = mmap.Open(f, info.Size()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
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

// readPGSM makes a set of a file, which the mapping has in memory or else is nil. The set keeps the mapping or not.
func readPGSM(r io.ReaderAt, size int64, mapped *mmap.File, name string, opt Options) (*Set, error) {
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
	if opt.Features == 0 && h.cols > opt.MaxFeatures {
		return nil, fmt.Errorf("%d columns are beyond the limit of %d features (-max-features)", h.cols, opt.MaxFeatures)
	}
	// No more is allocated from here on than the file has.
	d := &pgsmData{pgsmFile: *h, r: r}
	if err := d.readSums(); err != nil {
		return nil, err
	}
	s := &Set{IndexBase: h.base, HashBits: h.hashBits}
	if s.Y, err = d.readLabels(); err != nil {
		return nil, err
	}
	if s.Names, err = d.readNames(); err != nil {
		return nil, err
	}
	for i, y := range s.Y {
		if s.Names != nil && !(y >= 0 && y < float32(len(s.Names)) && y == float32(int(y))) {
			return nil, fmt.Errorf("row %d: the label %v is not the index of one of %d names", i, y, len(s.Names))
		}
	}
	cols := max(h.cols, opt.Features) // of a sparse matrix, which has them for nothing
	if mapped == nil {
		err = d.load(s, cols, opt)
	} else {
		err = d.point(s, mapped, cols)
	}
	if err == nil && mapped != nil && opt.Verify {
		err = s.Verify(opt)
	}
	return s, err
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
		if !isFinite(v) {
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
	return names, inOrder(names)
}

// inOrder makes sure that class names ascend, as Set promises: of two that are equal or out of order, the text formats
// would make other labels.
func inOrder(names []string) error {
	for i := 1; i < len(names); i++ {
		if names[i] <= names[i-1] {
			return fmt.Errorf("class name %q after %q: want them sorted, each once", cut(names[i]), cut(names[i-1]))
		}
	}
	return nil
}

// point gives the set a matrix in the mapping, with cols columns if it is sparse.
func (d *pgsmData) point(s *Set, mapped *mmap.File, cols int) (err error) {
	d.mapped, s.mapped = mapped, d
	data := mapped.Bytes()
	if d.layout == LayoutDense {
		stride := dense.Stride(d.cols)
		if s.Dense, err = dense.FromPadded(d.rows, d.cols, view[float32](data, d.values, d.rows*stride)); err == nil {
			s.Dense.OnWillNeed(func(first, end int) {
				mapped.WillNeed(d.values+4*int64(first*stride), d.values+4*int64(end*stride))
			})
		}
		return err
	}
	starts := view[int64](data, d.starts, d.rows+1)
	s.Sparse, err = sparse.Lazy(cols, starts, view[int32](data, d.columns, d.nnz), view[float32](data, d.values, d.nnz),
		d.shift, d.verifySparse)
	if err != nil {
		return err
	}
	s.Sparse.OnWillNeed(func(first, end int) {
		// The starts are small, and mostly in memory. They may be anything here: they are a hint, no more.
		from, to := starts[first], starts[end]
		if from >= 0 && from < to && to <= int64(d.nnz) {
			mapped.WillNeed(d.columns+4*from, d.columns+4*to)
			mapped.WillNeed(d.values+4*from, d.values+4*to)
		}
	})
	return nil
}

// verifySparse checks the sum of a sparse block, whose starts are in order, and that its values are finite.
func (d *pgsmData) verifySparse(first, end int) error {
	data := d.mapped.Bytes()
	starts := view[int64](data, d.starts+8*int64(first), end-first+1)
	at, n := starts[0], int(starts[end-first]-starts[0])
	columns, values := view[int32](data, d.columns+4*at, n), view[float32](data, d.values+4*at, n)
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

// notStored tells whether a value has no place in a sparse set.
func notStored(v float32) bool { return v == 0 || !isFinite(v) }

func badValueAt(row int) error {
	return fmt.Errorf("row %d has a number that is not finite, or a zero that is stored", row)
}

// verifyDense checks the sum of a dense block, and that its values are finite. rows has them with their padding.
func (d *pgsmData) verifyDense(first, end int, rows []float32) error {
	if crc32.Checksum(bytesOf(rows), castagnoli) != d.sum[first>>d.shift] {
		return badSum(first, end)
	}
	toNative(bytesOf(rows), 4)
	stride := dense.Stride(d.cols)
	for i := range end - first {
		if slices.ContainsFunc(rows[i*stride:][:d.cols], notFinite32) {
			return fmt.Errorf("row %d has a number that is not finite", first+i)
		}
	}
	return nil
}

func badSum(first, end int) error {
	return fmt.Errorf("rows %d to %d: the checksum is wrong: the file is damaged", first, end-1)
}

// blockSum returns the sum of a sparse block as it is in the file.
func blockSum(starts []int64, columns []int32, values []float32) uint32 {
	sum := crc32.Update(0, castagnoli, bytesOf(starts))
	sum = crc32.Update(sum, castagnoli, bytesOf(columns))
	return crc32.Update(sum, castagnoli, bytesOf(values))
}

// load reads the features into memory and checks them. A sparse matrix gets cols columns.
func (d *pgsmData) load(s *Set, cols int, opt Options) (err error) {
	meter := newMeter(opt, d.size)
	if d.layout == LayoutDense {
		s.Dense = dense.New(d.rows, d.cols)
		stride := dense.Stride(d.cols)
		buf := make([]float32, min(d.rows, 1<<d.shift)*stride)
		for b := range d.blocks() {
			first, end := d.block(b)
			rows := buf[:(end-first)*stride]
			if err := meter.readAt(d.r, bytesOf(rows), d.values+4*int64(first*stride)); err != nil {
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
	starts, columns, values := make([]int64, d.rows+1), make([]int32, d.nnz), make([]float32, d.nnz)
	sections := []struct {
		raw   []byte
		at    int64
		width int
	}{{bytesOf(starts), d.starts, 8}, {bytesOf(columns), d.columns, 4}, {bytesOf(values), d.values, 4}}
	for _, sec := range sections {
		for from := 0; from < len(sec.raw); from += pgsmBlock {
			piece := sec.raw[from:min(from+pgsmBlock, len(sec.raw))]
			if err := meter.readAt(d.r, piece, sec.at+int64(from)); err != nil {
				return err
			}
		}
	}
	native := func(i int64) int64 { // a start as it is in the file
		return int64(binary.LittleEndian.Uint64(bytesOf(starts[i:])))
	}
	for b := range d.blocks() {
		first, end := d.block(b)
		from, to := native(int64(first)), native(int64(end))
		if from < 0 || to < from || to > int64(d.nnz) || blockSum(starts[first:end+1], columns[from:to], values[from:to]) != d.sum[b] {
			return badSum(first, end)
		}
	}
	for _, sec := range sections {
		toNative(sec.raw, sec.width)
	}
	if s.Sparse, err = sparse.New(cols, starts, columns, values); err != nil {
		return err
	}
	for i := range d.rows {
		if _, val := s.Sparse.Row(i); slices.ContainsFunc(val, notStored) {
			return badValueAt(i)
		}
	}
	return nil
}

// readAt is the function of that name, metered.
func (m *meter) readAt(r io.ReaderAt, b []byte, at int64) error {
	if err := m.opt.Context.Err(); err != nil {
		return err
	}
	m.count(len(b), false)
	return readAt(r, b, at)
}

// fit gives the set the features and the layout that opt wants. A set that is not as wanted becomes one in memory.
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
		if s, err = s.withCols(features); err != nil {
			return nil, err
		}
	}
	return s.WithLayout(layout)
}

// withCols returns a set of so many features, in memory: further ones are left out and counted, missing ones are 0.
func (s *Set) withCols(cols int) (*Set, error) {
	t := *s
	t.Dense, t.Sparse, t.mapped = nil, nil, nil
	if s.Dense != nil {
		t.Dense = dense.New(s.Rows(), cols)
		for i := range s.Rows() {
			row := s.Dense.Row(i)
			n := copy(t.Dense.Row(i), row)
			t.Ignored += int64(countNonzeros(row[n:]))
		}
		return &t, nil
	}
	starts := make([]int64, 1, s.Rows()+1)
	var indices []int32
	var values []float32
	for i := range s.Rows() {
		idx, val := s.Sparse.Row(i)
		n, _ := slices.BinarySearch(idx, int32(min(cols, math.MaxInt32)))
		t.Ignored += int64(countNonzeros(val[n:]))
		indices = append(indices, idx[:n]...)
		values = append(values, val[:n]...)
		starts = append(starts, int64(len(values)))
	}
	var err error
	t.Sparse, err = sparse.New(cols, starts, indices, values)
	return &t, err
}

// Mapped tells whether the set's features are in a mapped file. Then they are read from there when they are met, can't be
// written to, and are gone after Close.
func (s *Set) Mapped() bool { return s.mapped != nil }

// Close takes a mapped file out of memory. The set, and whatever has its matrix or rows of it, must not be used any more.
// It does nothing to a set in memory. A set that is never closed stays mapped until the program ends.
func (s *Set) Close() error {
	if s.mapped == nil {
		return nil
	}
	s.Dense, s.Sparse = nil, nil
	return s.mapped.mapped.Close()
}

// Err returns the first fault that was met in a mapped file so far, and nil for a set in memory. Rows of a mapped sparse
// set are checked when they are met, in blocks, and those of a damaged block are empty: a result is to be trusted only
// if Err is nil after it. Training looks at it. Of a dense set nothing is checked but by Verify.
func (s *Set) Err() error {
	if s.Sparse == nil {
		return nil
	}
	return s.Sparse.Err()
}

// Verify reads all of a mapped file and checks it: checksums, row starts, columns, and that numbers are finite. Of opt it
// uses Threads, Progress and Context. The error is that of the first bad rows. A set in memory has been checked before.
func (s *Set) Verify(opt Options) error {
	if s.mapped == nil {
		return nil
	}
	opt, err := opt.filled()
	if err != nil {
		return err
	}
	d := s.mapped
	m := newMeter(opt, d.size)
	var mu sync.Mutex
	var next, stop atomic.Int64
	errs := make([]error, opt.Threads)
	blocks := d.blocks()
	stop.Store(int64(blocks)) // a block from which on nobody need look
	var wg parallel.Group
	for t := range errs {
		wg.Go(func() {
			for {
				b := int(next.Add(1) - 1)
				if int64(b) >= stop.Load() {
					return
				}
				first, end := d.block(b)
				bytes := 0
				if errs[t] = opt.Context.Err(); errs[t] == nil {
					bytes, errs[t] = s.verifyBlock(first, end)
				}
				if errs[t] != nil {
					for now := stop.Load(); int64(b) < now && !stop.CompareAndSwap(now, int64(b)); now = stop.Load() {
					}
					errs[t] = &blockError{b, errs[t]}
					return
				}
				mu.Lock()
				m.count(bytes, b == blocks-1)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var worst *blockError
	for _, err := range errs {
		if e, ok := err.(*blockError); ok && (worst == nil || e.block < worst.block) {
			worst = e
		}
	}
	if worst != nil {
		return worst.error
	}
	return nil
}

type blockError struct {
	block int
	error
}

// verifyBlock checks the rows of a block of a mapped file, and returns how many bytes these are.
func (s *Set) verifyBlock(first, end int) (size int, err error) {
	d := s.mapped
	if s.Dense != nil {
		stride := dense.Stride(d.cols)
		rows := view[float32](d.mapped.Bytes(), d.values+4*int64(first*stride), (end-first)*stride)
		return 4 * len(rows), d.verifyDense(first, end, rows)
	}
	// The matrix does it when the first row is met.
	for i := first; i < end; i++ {
		idx, _ := s.Sparse.Row(i)
		size += 8 + 8*len(idx)
	}
	return size, s.Sparse.Check(first)
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

// bytesOf returns the memory of a slice.
func bytesOf[T int32 | int64 | float32](s []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(one)))
}

// toNative turns little-endian numbers of so many bytes into the machine's, and back.
func toNative(raw []byte, width int) {
	if !bigEndian {
		return
	}
	for i := 0; i < len(raw); i += width {
		slices.Reverse(raw[i : i+width])
	}
}

// WritePGSM writes the set in the binary form that Read maps into memory, from the start of w on. That is to be a file, or
// a part of one: the header is written last, so that what was cut short is not taken for whole. Reading it gives the same
// set, but for Ignored. It fails, naming the row, if a number is not finite.
func WritePGSM(w io.WriterAt, s *Set) error {
	p, err := NewPGSMWriter(w, PGSMShape{
		Layout: s.Layout(), Rows: s.Rows(), Cols: s.Cols(), NNZ: s.nonzeros(),
		IndexBase: s.IndexBase, Names: s.Names, HashBits: s.HashBits,
	})
	if err != nil {
		return err
	}
	row := []float32(nil)
	for i, y := range s.Y {
		if s.Dense != nil {
			row = s.Dense.Row(i)
			err = p.AppendDense(y, row)
		} else {
			idx, val := s.Sparse.Row(i)
			err = p.Append(y, idx, val)
		}
		if err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	return p.Close()
}

// A PGSMShape is what has to be known of a set before its first row is written.
type PGSMShape struct {
	Layout    Layout // dense or sparse
	Rows      int
	Cols      int
	NNZ       int      // nonzeros
	IndexBase int      // 0 or 1, as in Set
	Names     []string // sorted, as in Set
	HashBits  int      // as in Options
}

// A PGSMWriter writes the binary form row by row, for sets that don't fit the memory. It keeps the labels in memory, and
// about 256 KiB of the rest, or a row.
type PGSMWriter struct {
	pgsmFile
	w     io.WriterAt
	y     []float32
	found int // nonzeros appended
	sum   []uint32
	err   error

	// The block being filled: starts with the end of the last row, columns, values.
	ends []int64
	idx  []int32
	val  []float32
}

// NewPGSMWriter begins a file.
func NewPGSMWriter(w io.WriterAt, shape PGSMShape) (*PGSMWriter, error) {
	s := shape
	if s.Layout != LayoutDense && s.Layout != LayoutSparse {
		return nil, fmt.Errorf("dataset: layout %q: want dense or sparse", s.Layout)
	}
	if s.Rows < 0 || s.Cols < 0 || s.Cols > math.MaxInt32 || s.NNZ < 0 || s.IndexBase < 0 || s.IndexBase > 1 ||
		s.HashBits < 0 || s.HashBits > maxHashBits || s.HashBits > 0 && s.Cols != 1<<s.HashBits || len(s.Names) > maxNames {
		return nil, fmt.Errorf("dataset: %d rows of %d features, %d nonzeros, base %d, %d hash bits, %d names: out of range",
			s.Rows, s.Cols, s.NNZ, s.IndexBase, s.HashBits, len(s.Names))
	}
	if err := inOrder(s.Names); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p := &PGSMWriter{w: w, pgsmFile: pgsmFile{
		layout: s.Layout, rows: s.Rows, cols: s.Cols, nnz: s.NNZ, base: s.IndexBase, hashBits: s.HashBits,
	}}
	var names []byte
	for _, name := range s.Names {
		names = append(binary.AppendUvarint(names, uint64(len(name))), name...)
	}
	p.nameBytes = int64(len(names))
	p.chooseShift()
	if err := p.place(); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p.ends = []int64{0}
	if len(names) > 0 {
		_, p.err = w.WriteAt(names, p.names)
	}
	p.sum = make([]uint32, p.blocks()+2)
	p.sum[p.blocks()+1] = crc32.Checksum(names, castagnoli)
	if p.layout == LayoutSparse && p.err == nil {
		// The first start is written here; each block writes its rows' ends.
		_, p.err = w.WriteAt(make([]byte, 8), p.starts)
	}
	return p, p.err
}

// Append adds a row that has a label y and the given values in the given columns, which ascend. It keeps neither slice.
func (p *PGSMWriter) Append(y float32, columns []int32, values []float32) error {
	i := len(p.y)
	if p.err = p.admit(i, y, values); p.err != nil {
		return p.err
	}
	if len(columns) != len(values) {
		p.err = fmt.Errorf("dataset: row %d: %d columns and %d values", i, len(columns), len(values))
		return p.err
	}
	last := int32(-1)
	for _, j := range columns {
		if j <= last || int(j) >= p.cols {
			p.err = fmt.Errorf("dataset: row %d: column %d after %d: want strictly ascending columns below %d", i, j, last, p.cols)
			return p.err
		}
		last = j
	}
	p.found += countNonzeros(values)
	if p.layout == LayoutDense {
		row := p.denseRow()
		for k, j := range columns {
			row[j] = values[k]
		}
		return p.appended(y)
	}
	for k, v := range values {
		if v != 0 {
			p.idx = append(p.idx, columns[k])
			p.val = append(p.val, v)
		}
	}
	p.ends = append(p.ends, int64(p.found))
	return p.appended(y)
}

// AppendDense adds a row that has a label y and a value in each column. It does not keep the slice.
func (p *PGSMWriter) AppendDense(y float32, values []float32) error {
	i := len(p.y)
	if p.err = p.admit(i, y, values); p.err != nil {
		return p.err
	}
	if len(values) != p.cols {
		p.err = fmt.Errorf("dataset: row %d has %d values, want %d", i, len(values), p.cols)
		return p.err
	}
	n := countNonzeros(values)
	p.found += n
	if p.layout == LayoutDense {
		copy(p.denseRow(), values)
		return p.appended(y)
	}
	for j, v := range values {
		if v != 0 {
			p.idx = append(p.idx, int32(j))
			p.val = append(p.val, v)
		}
	}
	p.ends = append(p.ends, int64(p.found))
	return p.appended(y)
}

func (p *PGSMWriter) admit(i int, y float32, values []float32) error {
	switch {
	case p.err != nil:
		return p.err
	case i == p.rows:
		return fmt.Errorf("dataset: more than the %d rows that were said", p.rows)
	case !isFinite(y) || slices.ContainsFunc(values, notFinite32):
		return errNotFinite(i)
	}
	return nil
}

// denseRow makes room for a row and returns it.
func (p *PGSMWriter) denseRow() []float32 {
	n, stride := len(p.val), dense.Stride(p.cols)
	p.val = slices.Grow(p.val, stride)[:n+stride]
	clear(p.val[n:])
	return p.val[n:][:p.cols]
}

// appended ends a row, and the block if it is the block's last.
func (p *PGSMWriter) appended(y float32) error {
	p.y = append(p.y, y+0)
	if n := len(p.y); n == p.rows || n&(1<<p.shift-1) == 0 {
		p.flush((n - 1) >> p.shift)
	}
	return p.err
}

// flush writes block b.
func (p *PGSMWriter) flush(b int) {
	if p.found > p.nnz {
		p.err = fmt.Errorf("dataset: more than the %d nonzeros that were said", p.nnz)
		return
	}
	first, _ := p.block(b)
	write := func(raw []byte, at int64) {
		if p.err == nil && len(raw) > 0 {
			_, p.err = p.w.WriteAt(raw, at)
		}
	}
	if p.layout == LayoutDense {
		raw := bytesOf(p.val)
		toNative(raw, 4)
		p.sum[b] = crc32.Checksum(raw, castagnoli)
		write(raw, p.values+4*int64(first)*int64(dense.Stride(p.cols)))
	} else {
		at, end := p.ends[0], p.ends[len(p.ends)-1]
		starts, columns, values := bytesOf(p.ends), bytesOf(p.idx), bytesOf(p.val)
		toNative(starts, 8)
		toNative(columns, 4)
		toNative(values, 4)
		p.sum[b] = blockSum(p.ends, p.idx, p.val)
		write(starts[8:], p.starts+8*int64(first+1))
		write(columns, p.pgsmFile.columns+4*at)
		write(values, p.values+4*at)
		p.ends = append(p.ends[:0], end)
	}
	p.idx, p.val = p.idx[:0], p.val[:0]
}

// Close writes what is left, the header last. It fails if there are fewer rows or nonzeros than were said. It does not
// close the file.
func (p *PGSMWriter) Close() error {
	if p.err != nil {
		return p.err
	}
	if len(p.y) != p.rows || p.found != p.nnz {
		p.err = fmt.Errorf("dataset: %d rows and %d nonzeros, where %d and %d were said", len(p.y), p.found, p.rows, p.nnz)
		return p.err
	}
	labels := bytesOf(p.y)
	toNative(labels, 4)
	p.sum[p.blocks()] = crc32.Checksum(labels, castagnoli)
	var sums []byte
	for _, sum := range p.sum {
		sums = binary.LittleEndian.AppendUint32(sums, sum)
	}
	sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(sums, castagnoli))
	for _, part := range []struct {
		raw []byte
		at  int64
	}{{labels, p.labels}, {sums, p.sums}, {p.header(), 0}} {
		if _, err := p.w.WriteAt(part.raw, part.at); err != nil {
			p.err = err
			return err
		}
	}
	p.err = errors.New("dataset: the file is closed")
	return nil
}
