package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/half"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

const npyChunk = 1 << 15 // elements decoded at a time

// readNPY reads NumPy's array format. The first dimension counts rows; the others become columns.
// Without y, a column of x holds the labels unless opt says that there are none. Otherwise y has
// one label per row, and every column of x is a feature.
func readNPY(x openFile, y *openFile, opt Options) (*Set, error) {
	if err := opt.noHash(x.name); err != nil {
		return nil, err
	}
	a, err := readNPYHeader(x)
	if err != nil {
		return nil, fail(x.name, err)
	}
	s := &Set{IndexBase: 1}
	var labels *npyArray
	size := a.cols
	if y == nil {
		size, err = a.chooseLabel(s, opt)
	} else if err = opt.checkWidth(size); err == nil {
		if labels, err = npyLabels(*y, a, x.name); err != nil {
			return nil, fail(y.name, err)
		}
	}
	if err == nil {
		_, err = opt.columns(size, a.rows*size*a.width/4)
	}
	if err != nil {
		return nil, fail(x.name, err)
	}
	if labels != nil {
		if _, s.Y, err = labels.read(*y); err != nil {
			return nil, fail(y.name, err)
		}
	}
	m, values, err := a.read(x)
	if err != nil {
		return nil, fail(x.name, err)
	}
	switch {
	case s.Unlabelled:
		s.Y = make([]float32, a.rows)
	case labels == nil:
		s.Y = values
	}
	s.Dense, s.Bytes = m, *opt.bytes
	layout, err := opt.Layout.choose(s.NNZ(), a.rows, size)
	if err == nil && layout == LayoutSparse {
		s, err = s.copied(a.rows, func(i int) int { return i }, size, layout)
	}
	if err != nil {
		return nil, fail(x.name, err)
	}
	return s, nil
}

func npyLabels(y openFile, a *npyArray, name string) (*npyArray, error) {
	labels, err := readNPYHeader(y)
	switch {
	case err != nil:
		return nil, err
	case labels.cols != 1:
		return nil, fmt.Errorf("%d labels a row: want 1", labels.cols)
	case labels.rows != a.rows:
		return nil, fmt.Errorf("the number of labels is %d, but the number of rows in %s is %d",
			labels.rows, name, a.rows)
	}
	labels.label = 0
	return labels, nil
}

func (a *npyArray) chooseLabel(s *Set, opt Options) (features int, err error) {
	if a.cols == 1 && opt.Labels == LabelsYes {
		return 0, fmt.Errorf("one column only: want features and a label, " +
			"or the labels in a second file (X.npy,y.npy)")
	}
	s.Unlabelled, features, err = opt.unlabelled(a.cols)
	if err != nil || s.Unlabelled {
		return features, err
	}
	want := opt.LabelColumn
	if _, err := strconv.Atoi(want); err != nil && want != "" && want != "last" {
		return 0, fmt.Errorf("no column is called %q: want a number from 0 to %d, or last",
			escape.Cut(want), a.cols-1)
	}
	c := columns{opt: &opt, cells: a.cols}
	a.label, err = c.labelColumn(nil)
	s.Table = form.NewTable(nil, a.label, a.cols)
	return features, err
}

func (a *npyArray) read(f openFile) (x *dense.Matrix, y []float32, err error) {
	byColumn := a.fortran && a.rows > 1 && a.cols > 1
	// readNPYHeader has compared the file's size, if known, with the header. Otherwise the header
	// may be wrong, and memory is allocated as data arrive.
	n := a.rows * a.cols
	var all []float32
	var pieces [][]float32
	var rows *npyRows
	switch {
	case f.size >= 0 && byColumn:
		all = make([]float32, n)
	case f.size >= 0:
		rows = a.newRows()
	}
	err = a.elements(f, func(first int, piece []float32) {
		switch {
		case rows != nil:
			rows.add(first, piece)
		case all != nil:
			copy(all[first:], piece)
		default:
			pieces = append(pieces, slices.Clone(piece))
		}
	})
	if err == nil {
		err = checkEnd(f.r, n*a.width)
	}
	if err != nil {
		return nil, nil, err
	}
	if rows == nil {
		if all == nil {
			all = slices.Concat(pieces...)
		}
		if rows = a.newRows(); byColumn {
			rows.addColumns(all)
		} else {
			rows.add(0, all)
		}
	}
	return rows.x, rows.y, nil
}

// elements calls take with consecutive pieces of the elements in the file's order. first is the
// index of the piece's first element. The piece is valid until take returns.
func (a *npyArray) elements(f openFile, take func(first int, piece []float32)) error {
	n := a.rows * a.cols
	buf := make([]byte, min(n, npyChunk)*a.width)
	values := make([]float32, min(n, npyChunk))
	for done := 0; done < n; {
		k := min(n-done, npyChunk)
		raw, piece := buf[:k*a.width], values[:k]
		m, err := io.ReadFull(f.r, raw)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return errCutOff(done*a.width+m, n*a.width)
		} else if err != nil {
			return err
		}
		a.decode(piece, raw)
		if err := a.check(piece, raw, done); err != nil {
			return err
		}
		take(done, piece)
		done += k
	}
	return nil
}

type npyRows struct {
	*npyArray
	x *dense.Matrix
	y []float32 // nil if no column has labels
}

func (a *npyArray) newRows() *npyRows {
	if a.label < 0 {
		return &npyRows{a, dense.New(a.rows, a.cols), nil}
	}
	return &npyRows{a, dense.New(a.rows, a.cols-1), make([]float32, a.rows)}
}

// add stores elements in C order, from element number first of the array on.
func (r *npyRows) add(first int, values []float32) {
	for len(values) > 0 {
		i, j := first/r.cols, first%r.cols
		part := values[:min(r.cols-j, len(values))]
		first, values = first+len(part), values[len(part):]
		row := r.x.Row(i)
		switch k := r.label - j; {
		case r.label < 0 || k >= len(part):
			copy(row[j:], part)
		case k < 0:
			copy(row[j-1:], part)
		default:
			r.y[i] = part[k]
			copy(row[j:], part[:k])
			copy(row[r.label:], part[k+1:])
		}
	}
}

func (r *npyRows) addColumns(all []float32) {
	const tile = 16 // float32 in a cache line of 64 bytes
	if r.label >= 0 {
		copy(r.y, all[r.label*r.rows:])
	}
	for i := 0; i < r.rows; i += tile {
		to := 0
		for j := range r.cols {
			if j == r.label {
				continue
			}
			for k, v := range all[j*r.rows:][i:min(i+tile, r.rows)] {
				r.x.Row(i + k)[to] = v
			}
			to++
		}
	}
}

func (a *npyArray) decode(dst []float32, raw []byte) {
	switch a.kind {
	case 'f':
		a.decodeFloats(dst, raw)
	case 'b':
		for i, v := range raw {
			dst[i] = 0
			if v != 0 {
				dst[i] = 1
			}
		}
	default:
		a.decodeIntegers(dst, raw)
	}
}

func (a *npyArray) decodeFloats(dst []float32, raw []byte) {
	switch {
	case a.width == 4 && a.order == binary.LittleEndian:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case a.width == 4:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.BigEndian.Uint32(raw[4*i:]))
		}
	case a.width == 8:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(a.order.Uint64(raw[8*i:])))
		}
	default:
		h := make([]half.Float16, len(dst))
		for i := range h {
			h[i] = half.Float16(a.order.Uint16(raw[2*i:]))
		}
		half.Dequantize(dst, h)
	}
	for i, v := range dst {
		if v == 0 {
			dst[i] = 0
		}
	}
}

func (a *npyArray) decodeIntegers(dst []float32, raw []byte) {
	if a.kind == 'u' && a.width == 1 {
		for i := range dst {
			dst[i] = float32(raw[i])
		}
		return
	}
	for i := range dst {
		m, negative := a.integer(raw[i*a.width:])
		if dst[i] = float32(m); negative {
			dst[i] = -dst[i]
		}
	}
}

func (a *npyArray) integer(raw []byte) (m uint64, negative bool) {
	switch a.width {
	case 1:
		m = uint64(raw[0])
	case 2:
		m = uint64(a.order.Uint16(raw))
	case 4:
		m = uint64(a.order.Uint32(raw))
	case 8:
		m = a.order.Uint64(raw)
	}
	if a.kind == 'i' {
		shift := 64 - 8*a.width
		if v := int64(m<<shift) >> shift; v < 0 {
			return -uint64(v), true
		}
	}
	return m, false
}

// check returns an error if an element is not finite as float32, or if a label is a whole number
// that float32 can't hold exactly. v are the elements of raw as float32; first is the index of v[0]
// in the file.
func (a *npyArray) check(v []float32, raw []byte, first int) error {
	fault := func(i int, reason string) error {
		row, col := a.place(first + i)
		what := "column"
		if col == a.label {
			what = "label column"
		}
		return fmt.Errorf("row %d, %s %d, counted from 0: %s", row, what, col, reason)
	}
	if a.kind == 'f' {
		for i, x := range v {
			if floats.IsFinite(x) {
				continue
			}
			if a.width == 8 {
				if f := math.Float64frombits(a.order.Uint64(raw[8*i:])); floats.IsFinite(f) {
					return fault(i, cell.Overflows)
				}
			}
			return fault(i, cell.NotFinite)
		}
	}
	if a.label < 0 || a.width < 4 || a.kind == 'f' && a.width == 4 {
		return nil // no labels, or float32 holds all exactly
	}
	i, step := a.label-first%a.cols, a.cols
	if i < 0 {
		i += a.cols
	}
	end := len(v)
	if a.fortran {
		i, step, end = max(0, a.label*a.rows-first), 1, min(end, (a.label+1)*a.rows-first)
	}
	for ; i < end; i += step {
		if !a.exact(raw[i*a.width:]) {
			return fault(i, cell.NotExact)
		}
	}
	return nil
}

func (a *npyArray) place(k int) (row, col int) {
	if a.fortran {
		return k % a.rows, k / a.rows
	}
	return k / a.cols, k % a.cols
}

func (a *npyArray) exact(raw []byte) bool {
	if a.kind == 'f' {
		f := math.Float64frombits(a.order.Uint64(raw))
		return f != math.Trunc(f) || float64(float32(f)) == f
	}
	m, _ := a.integer(raw)
	return m == 0 || bits.Len64(m)-bits.TrailingZeros64(m) <= 24
}
