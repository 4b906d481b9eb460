package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// WritePGSM writes the set to w, from offset 0 on, in the binary format that Read can map into
// memory. The header is written last: a new file has no header until all else is written. Reading
// the file gives the same features, labels, Names, IndexBase and HashBits; the other fields of Set
// are not stored. If a number is not finite, WritePGSM returns an error that names its row.
func WritePGSM(w io.WriterAt, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	p, err := NewPGSMWriter(w, PGSMShape{
		Layout: s.Layout(), Rows: s.Rows(), Cols: s.Cols(), NNZ: s.nonzeros(),
		IndexBase: s.IndexBase, Names: s.Names, HashBits: s.HashBits,
	})
	if err != nil {
		return err
	}
	for i, y := range s.Y {
		idx, val := s.row(i)
		if err := p.Append(y, idx, val); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	return p.Close()
}

// A PGSMShape describes a set whose rows are written one by one.
type PGSMShape struct {
	Layout    Layout // dense or sparse
	Rows      int
	Cols      int
	NNZ       int      // number of nonzeros
	IndexBase int      // Set.IndexBase, 0 or 1
	Names     []string // Set.Names, sorted by byte; nil if the labels are numbers
	HashBits  int      // Set.HashBits; 0 if the features aren't hashed
}

func (s PGSMShape) check() error {
	if s.Layout != LayoutDense && s.Layout != LayoutSparse {
		return fmt.Errorf("layout %q: want dense or sparse", s.Layout)
	}
	if s.Rows < 0 || s.Cols < 0 || s.Cols > math.MaxInt32 || s.NNZ < 0 ||
		s.IndexBase < 0 || s.IndexBase > 1 || len(s.Names) > maxNames ||
		s.HashBits < 0 || s.HashBits > maxHashBits {
		return fmt.Errorf(
			"rows %d, features %d, nonzeros %d, base %d, hash bits %d, names %d: out of range",
			s.Rows, s.Cols, s.NNZ, s.IndexBase, s.HashBits, len(s.Names))
	}
	if s.HashBits > 0 && s.Cols != 1<<s.HashBits {
		return fmt.Errorf("%s, but hash bits for %d", plural.Count(s.Cols, "column"), 1<<s.HashBits)
	}
	return ascending(s.Names)
}

// A PGSMWriter writes the binary format row by row, for sets larger than memory. It keeps the
// labels and one block of rows in memory. A block has one row, or at most about 256 KiB if all rows
// have equally many nonzeros.
type PGSMWriter struct {
	pgsmFile
	w     io.WriterAt
	y     []float32
	found int      // number of nonzeros appended
	sum   []uint32 // as in pgsmData
	err   error    // first error

	// The block being filled.
	idx []int32
	val []float32
	// sparse layout: nonzeros before the block's first row, then up to the end of each row
	ends []int64
}

// NewPGSMWriter returns a writer that writes a set of the given shape to w.
func NewPGSMWriter(w io.WriterAt, shape PGSMShape) (*PGSMWriter, error) {
	if err := shape.check(); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p := &PGSMWriter{w: w, ends: []int64{0}, pgsmFile: pgsmFile{
		layout: shape.Layout, rows: shape.Rows, cols: shape.Cols, nnz: shape.NNZ,
		base: shape.IndexBase, hashBits: shape.HashBits,
	}}
	var names []byte
	for _, name := range shape.Names {
		names = append(binary.AppendUvarint(names, uint64(len(name))), name...)
	}
	p.nameBytes = int64(len(names))
	p.chooseShift()
	if err := p.place(); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p.sum = make([]uint32, p.blocks()+2)
	p.sum[p.blocks()+1] = checksum(names)
	p.write(names, p.names)
	if p.layout == LayoutSparse {
		p.write(make([]byte, 8), p.starts)
	}
	return p, p.err
}

func (p *PGSMWriter) write(raw []byte, at int64) {
	if p.err == nil && len(raw) > 0 {
		_, p.err = p.w.WriteAt(raw, at)
	}
}

// Append appends a row with label y and the given values in the given columns, which must strictly
// ascend. If columns is nil, values has one value for each column, or none for a row of zeros.
// Append keeps neither slice. After an error all calls return this error.
func (p *PGSMWriter) Append(y float32, columns []int32, values []float32) error {
	if p.err = p.check(y, columns, values); p.err != nil {
		return p.err
	}
	p.found += floats.CountNonzeros(values)
	if p.layout == LayoutDense {
		row := p.denseRow()
		if columns == nil {
			copy(row, values)
		}
		for k, j := range columns {
			row[j] = values[k]
		}
		return p.endRow(y)
	}
	for k, v := range values {
		if v == 0 {
			continue
		}
		j := int32(k)
		if columns != nil {
			j = columns[k]
		}
		p.idx = append(p.idx, j)
		p.val = append(p.val, v)
	}
	return p.endRow(y)
}

func (p *PGSMWriter) check(y float32, columns []int32, values []float32) error {
	i, want := len(p.y), len(columns)
	if columns == nil && len(values) > 0 {
		want = p.cols
	}
	switch {
	case p.err != nil:
		return p.err
	case i == p.rows:
		return fmt.Errorf("dataset: more than the %s announced", plural.Count(p.rows, "row"))
	case !floats.IsFinite(y) || floats.FirstNotFinite(values) >= 0:
		return errNotFinite(i)
	case len(values) != want:
		return fmt.Errorf("dataset: row %d has %s, want %d", i, plural.Count(len(values), "value"), want)
	}
	last := int32(-1)
	for _, j := range columns {
		if j < 0 || int(j) >= p.cols {
			return fmt.Errorf("dataset: row %d: column %d: want 0 or more, and less than %d", i, j, p.cols)
		}
		if j <= last {
			return fmt.Errorf("dataset: row %d: column %d after %d: want strictly ascending columns", i, j,
				last)
		}
		last = j
	}
	return nil
}

func (p *PGSMWriter) denseRow() []float32 {
	n, stride := len(p.val), int(p.stride())
	p.val = slices.Grow(p.val, stride)[:n+stride]
	clear(p.val[n:])
	return p.val[n:][:p.cols]
}

func (p *PGSMWriter) endRow(y float32) error {
	p.y = append(p.y, y+0)
	if p.layout == LayoutSparse {
		p.ends = append(p.ends, int64(p.found))
	}
	if n := len(p.y); n == p.rows || n&(1<<p.shift-1) == 0 {
		p.flush((n - 1) >> p.shift)
	}
	return p.err
}

func (p *PGSMWriter) flush(b int) {
	if p.found > p.nnz {
		p.err = fmt.Errorf("dataset: more than the %s announced", plural.Count(p.nnz, "nonzero"))
		return
	}
	first, _ := p.block(b)
	if p.layout == LayoutDense {
		raw := bytesOf(p.val)
		toNative(raw, 4)
		p.sum[b] = checksum(raw)
		p.write(raw, p.values+4*int64(first)*p.stride())
	} else {
		at, end := p.ends[0], p.ends[len(p.ends)-1]
		starts, columns, values := bytesOf(p.ends), bytesOf(p.idx), bytesOf(p.val)
		toNative(starts, 8)
		toNative(columns, 4)
		toNative(values, 4)
		p.sum[b] = checksum(starts, columns, values)
		p.write(starts[8:], p.starts+8*int64(first+1))
		p.write(columns, p.columns+4*at)
		p.write(values, p.values+4*at)
		p.ends = append(p.ends[:0], end)
	}
	p.idx, p.val = p.idx[:0], p.val[:0]
}

// Close writes the labels, the checksums and, last, the header. It returns the error of an earlier
// call, if there was one, and an error if fewer rows or nonzeros were appended than the shape says.
// It does not close w.
func (p *PGSMWriter) Close() error {
	if p.err != nil {
		return p.err
	}
	if len(p.y) != p.rows || p.found != p.nnz {
		p.err = fmt.Errorf("dataset: appended %s and %s, want %d and %d", plural.Count(len(p.y), "row"),
			plural.Count(p.found, "nonzero"), p.rows, p.nnz)
		return p.err
	}
	labels := bytesOf(p.y)
	toNative(labels, 4)
	p.sum[p.blocks()] = checksum(labels)
	var sums []byte
	for _, sum := range p.sum {
		sums = binary.LittleEndian.AppendUint32(sums, sum)
	}
	sums = binary.LittleEndian.AppendUint32(sums, checksum(sums))
	p.write(labels, p.labels)
	p.write(sums, p.sums)
	p.write(p.header(), 0)
	if p.err != nil {
		return p.err
	}
	p.err = errors.New("dataset: the PGSMWriter is closed")
	return nil
}
