package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// maxNPYHeader is the longest header that is read. NumPy writes some 100 bytes and itself refuses more than 10,000.
const maxNPYHeader = 1 << 16

// npyChunk is how many elements are decoded at a time.
const npyChunk = 1 << 15

// ReadNPY reads NumPy's array file, .npy in its versions 1 to 3: an array of rows and columns, in C or Fortran order, of
// floating-point numbers of 2, 4 or 8 bytes, integers or booleans of either byte order. Elements become the nearest
// float32; one that is not finite is an error, named by its row and column, counted from 0. Arrays of objects are not
// read: they are programs in Python's pickle form.
//
// If labels is nil a column of the array holds the labels, the last or the one that opt.LabelColumn has the number of.
// Else labels is a second file, with one number a row, and every column of the first is a feature; of an array of more
// than two dimensions all but the first are taken as one. An integer label that float32 can't hold exactly is an error.
// name, which is "values,labels" or one word for both, stands for the files in errors.
func ReadNPY(values, labels io.Reader, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	m := newMeter(opt, 0)
	x := npyFile{r: limit(m.reader(values), opt.MaxBytes), name: name, size: -1}
	if labels == nil {
		return readNPY(x, nil, opt)
	}
	y := npyFile{r: limit(m.reader(labels), opt.MaxBytes), name: name + " labels", size: -1}
	if a, b, ok := strings.Cut(name, ","); ok {
		x.name, y.name = a, b
	}
	return readNPY(x, &y, opt)
}

// An npyFile is where an array comes from.
type npyFile struct {
	r    io.Reader
	name string
	size int64 // bytes, or -1 if that isn't known
}

func readNPY(x npyFile, y *npyFile, opt Options) (*Set, error) {
	if err := opt.noHash(x.name); err != nil {
		return nil, err
	}
	a, err := x.header()
	if err != nil {
		return nil, fail(x.name, err)
	}
	var labels *npyArray
	if y != nil {
		if labels, err = y.header(); err == nil && labels.cols != 1 {
			err = fmt.Errorf("%d labels a row: want 1", labels.cols)
		}
		if err == nil && labels.rows != a.rows {
			err = fmt.Errorf("%d labels for the %d rows of %s", labels.rows, a.rows, x.name)
		}
		if err != nil {
			return nil, fail(y.name, err)
		}
		labels.label = 0
	} else if err := a.chooseLabel(opt.LabelColumn); err != nil {
		return nil, fail(x.name, err)
	}
	size := a.cols
	if y == nil {
		size--
	}
	cols := size
	if opt.Features > 0 {
		cols = opt.Features
	} else if cols > opt.MaxFeatures {
		return nil, fmt.Errorf("%s: %d columns are beyond the limit of %d features (-max-features)", x.name, cols, opt.MaxFeatures)
	}
	s := &Set{IndexBase: 1}
	if labels != nil {
		if s.Y, err = labels.data(*y); err != nil {
			return nil, fail(y.name, err)
		}
	}
	flat, err := a.data(x)
	if err != nil {
		return nil, fail(x.name, err)
	}
	if labels == nil {
		s.Y = a.takeLabels(flat)
		flat = flat[:a.rows*size]
	}
	if err := s.fill(flat, a.rows, size, cols, opt.Layout); err != nil {
		return nil, fail(x.name, err)
	}
	return s, nil
}

// fill gives the set the features in flat, row by row with size a row, of which the first cols count.
func (s *Set) fill(flat []float32, rows, size, cols int, layout Layout) error {
	used := min(size, cols)
	nnz := 0
	for i := range rows {
		row := flat[i*size:][:size]
		n := countNonzeros(row[:used])
		nnz += n
		s.Ignored += int64(countNonzeros(row[used:]))
	}
	layout, err := layout.choose(nnz, rows, cols)
	if err != nil {
		return err
	}
	if layout == LayoutDense {
		s.Dense = dense.New(rows, cols)
		for i := range rows {
			copy(s.Dense.Row(i), flat[i*size:][:used])
		}
		return nil
	}
	starts := make([]int64, 1, rows+1)
	indices := make([]int32, 0, nnz)
	values := make([]float32, 0, nnz)
	for i := range rows {
		for j, v := range flat[i*size:][:used] {
			if v != 0 {
				indices = append(indices, int32(j))
				values = append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	s.Sparse, err = sparse.New(cols, starts, indices, values)
	return err
}

func countNonzeros(x []float32) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

// An npyArray is an array as its header describes it.
type npyArray struct {
	kind       byte // NumPy's: f, i, u or b
	width      int  // bytes of an element
	order      binary.ByteOrder
	fortran    bool
	rows, cols int // all dimensions but the first are columns
	label      int // column whose integers have to be exact; -1 for none
}

// header reads the header and holds it against the file's size.
func (f npyFile) header() (*npyArray, error) {
	var head [12]byte
	if _, err := io.ReadFull(f.r, head[:10]); err != nil {
		return nil, short(err)
	}
	if string(head[:6]) != "\x93NUMPY" {
		return nil, fmt.Errorf("starts with % x: not an .npy file", head[:6])
	}
	if head[6] < 1 || head[6] > 3 || head[7] != 0 {
		return nil, fmt.Errorf("version %d.%d of the format: want 1.0, 2.0 or 3.0", head[6], head[7])
	}
	length, start := int64(binary.LittleEndian.Uint16(head[8:])), int64(10)
	if head[6] > 1 {
		if _, err := io.ReadFull(f.r, head[10:]); err != nil {
			return nil, short(err)
		}
		length, start = int64(binary.LittleEndian.Uint32(head[8:])), 12
	}
	if length > maxNPYHeader {
		return nil, fmt.Errorf("a header of %d bytes: want at most %d", length, maxNPYHeader)
	}
	if f.size >= 0 && length > f.size-start {
		return nil, short(io.ErrUnexpectedEOF)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(f.r, text); err != nil {
		return nil, short(err)
	}
	a, err := parseNPYHeader(string(text))
	if err != nil {
		return nil, err
	}
	if want := int64(a.rows) * int64(a.cols) * int64(a.width); f.size >= 0 && want != f.size-start-length {
		return nil, fmt.Errorf("%d bytes of data where the header says %d", f.size-start-length, want)
	}
	return a, nil
}

// parseNPYHeader parses a header, a Python dictionary such as
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// followed by blanks and a newline.
func parseNPYHeader(text string) (*npyArray, error) {
	p := literal{rest: text}
	a := &npyArray{label: -1}
	seen := map[string]bool{}
	p.want("{")
	for !p.bad && !p.has("}") {
		key := p.string()
		p.want(":")
		if seen[key] {
			return nil, fmt.Errorf("header has %q twice", cut(key))
		}
		seen[key] = true
		switch key {
		case "descr":
			if p.peek("[") {
				return nil, fmt.Errorf("elements are records: want an array of numbers")
			}
			if err := a.parseType(p.string()); err != nil && !p.bad {
				return nil, err
			}
		case "fortran_order":
			a.fortran = p.has("True")
			if !a.fortran {
				p.want("False")
			}
		case "shape":
			if err := a.parseShape(p.tuple()); err != nil && !p.bad {
				return nil, err
			}
		default:
			p.bad = true
		}
		if !p.has(",") {
			p.want("}")
			break
		}
	}
	if p.bad || len(seen) != 3 || strings.Trim(p.rest, " \n") != "" {
		return nil, fmt.Errorf("header %q: want descr, fortran_order and shape", cut(strings.TrimRight(text, " \n")))
	}
	return a, nil
}

// parseType takes in a type such as "<f4": byte order, kind, bytes.
func (a *npyArray) parseType(s string) error {
	a.order = binary.LittleEndian
	rest := s
	if s != "" {
		switch s[0] {
		case '>':
			a.order = binary.BigEndian
			rest = s[1:]
		case '<', '|':
			rest = s[1:]
		}
	}
	switch rest {
	case "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		a.kind, a.width = rest[0], int(rest[1]-'0')
		return nil
	}
	if strings.HasPrefix(rest, "O") {
		return fmt.Errorf("elements are Python objects, which are not read: save an array of numbers")
	}
	return fmt.Errorf("elements of type %q: want f2, f4, f8, integers or b1", cut(s))
}

func (a *npyArray) parseShape(dims []uint64) error {
	if len(dims) == 0 {
		return fmt.Errorf("an array without dimensions: want rows and columns")
	}
	// Each product is checked, with zeros as ones, so that no order of dimensions hides an overflow. An element takes at
	// most 8 bytes here.
	product, cols := uint64(1), uint64(1)
	for i, d := range dims {
		over, p := bits.Mul64(product, max(d, 1))
		if over != 0 || p > math.MaxInt/8 {
			return fmt.Errorf("shape %v: the product is too large", dims)
		}
		product = p
		if i > 0 {
			cols *= d
		}
	}
	a.rows, a.cols = int(dims[0]), int(cols)
	return nil
}

// chooseLabel settles which column has the labels.
func (a *npyArray) chooseLabel(want string) error {
	if a.cols < 2 {
		return fmt.Errorf("one column only: want features and a label, or the labels in a second file (X.npy,y.npy)")
	}
	a.label = a.cols - 1
	if want == "last" {
		return nil
	}
	n, err := strconv.Atoi(want)
	if err != nil {
		return fmt.Errorf("no column is called %q: the columns of an .npy file have numbers", want)
	}
	if n < 0 || n >= a.cols {
		return fmt.Errorf("label column %d of %d, counted from 0", n, a.cols)
	}
	a.label = n
	return nil
}

// data reads the elements and makes sure that they are the last of the file. They come row by row, whatever the file's
// order.
func (a *npyArray) data(f npyFile) ([]float32, error) {
	n := a.rows * a.cols
	// If the file's size has confirmed what the header says, there is room for all at once; else n is but a promise, and
	// pieces are allocated as the data come.
	var all []float32
	var pieces [][]float32
	if f.size >= 0 {
		all = make([]float32, n)
	}
	buf := make([]byte, min(n, npyChunk)*a.width)
	for done := 0; done < n; {
		k := min(n-done, npyChunk)
		raw := buf[:k*a.width]
		if m, err := io.ReadFull(f.r, raw); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, fmt.Errorf("%d bytes of data where the header says %d", done*a.width+m, n*a.width)
		} else if err != nil {
			return nil, err
		}
		var piece []float32
		if all != nil {
			piece = all[done:][:k]
		} else {
			piece = make([]float32, k)
			pieces = append(pieces, piece)
		}
		a.decode(piece, raw)
		if err := a.check(piece, raw, done); err != nil {
			return nil, err
		}
		done += k
	}
	var extra [1]byte
	if _, err := io.ReadFull(f.r, extra[:]); err == nil {
		return nil, fmt.Errorf("more than the %d bytes of data that the header says", n*a.width)
	} else if err != io.EOF {
		return nil, err
	}
	if all == nil {
		all = slices.Concat(pieces...)
	}
	if !a.fortran || a.rows <= 1 || a.cols == 1 {
		return all, nil
	}
	byRow := make([]float32, n)
	const tile = 16 // a cache line of either
	for i := 0; i < a.rows; i += tile {
		for j := range a.cols {
			for r, v := range all[j*a.rows:][i:min(i+tile, a.rows)] {
				byRow[(i+r)*a.cols+j] = v
			}
		}
	}
	return byRow, nil
}

// decode turns elements into the nearest float32; -0 becomes 0, as in the other formats.
func (a *npyArray) decode(dst []float32, raw []byte) {
	switch {
	case a.kind == 'f' && a.width == 4 && a.order == binary.LittleEndian:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case a.kind == 'f' && a.width == 4:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.BigEndian.Uint32(raw[4*i:]))
		}
	case a.kind == 'f' && a.width == 8:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(a.order.Uint64(raw[8*i:])))
		}
	case a.kind == 'f':
		for i := range dst {
			dst[i] = half(a.order.Uint16(raw[2*i:]))
		}
	case a.kind == 'b':
		for i := range dst {
			dst[i] = 0
			if raw[i] != 0 {
				dst[i] = 1
			}
		}
	case a.width == 1 && a.kind == 'u':
		for i := range dst {
			dst[i] = float32(raw[i])
		}
	default:
		for i := range dst {
			m, negative := a.integer(raw[i*a.width:])
			if dst[i] = float32(m); negative {
				dst[i] = -dst[i]
			}
		}
	}
	if a.kind == 'f' {
		for i, v := range dst {
			if v == 0 {
				dst[i] = 0
			}
		}
	}
}

// integer returns an element's magnitude and sign.
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

// half returns the number that a float16 is.
func half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0: // subnormal: a multiple of 2^-24
		return math.Float32frombits(math.Float32bits(float32(frac)*0x1p-24) | sign)
	case 31:
		exp = 255 - 112
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// check looks for numbers that can't be used among the elements from number first on.
func (a *npyArray) check(v []float32, raw []byte, first int) error {
	fault := func(i int, reason string) error {
		row, col := a.place(first + i)
		what := "column"
		if col == a.label {
			what = "label, column"
		}
		return fmt.Errorf("row %d, %s %d: %s", row, what, col, reason)
	}
	if a.kind == 'f' {
		for i, x := range v {
			if isFinite(x) {
				continue
			}
			if a.width == 8 {
				if f := math.Float64frombits(a.order.Uint64(raw[8*i:])); f-f == 0 {
					return fault(i, overflows)
				}
			}
			return fault(i, notFinite)
		}
	}
	if a.label < 0 || a.width < 4 || a.kind == 'f' && a.width == 4 {
		return nil // there are no labels, or all are exact
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
			return fault(i, "is "+notExact)
		}
	}
	return nil
}

// place returns the row and column of element k of the file.
func (a *npyArray) place(k int) (row, col int) {
	if a.fortran {
		return k % a.rows, k / a.rows
	}
	return k / a.cols, k % a.cols
}

// exact tells whether an element is a fraction or an integer that float32 holds exactly.
func (a *npyArray) exact(raw []byte) bool {
	if a.kind == 'f' {
		f := math.Float64frombits(a.order.Uint64(raw))
		return f != math.Trunc(f) || float64(float32(f)) == f
	}
	m, _ := a.integer(raw)
	return m == 0 || bits.Len64(m)-bits.TrailingZeros64(m) <= 24
}

// takeLabels returns the column of labels, and takes it out of flat.
func (a *npyArray) takeLabels(flat []float32) []float32 {
	y := make([]float32, a.rows)
	to := 0
	for i := range y {
		row := flat[i*a.cols:][:a.cols]
		y[i] = row[a.label]
		to += copy(flat[to:], row[:a.label])
		to += copy(flat[to:], row[a.label+1:])
	}
	return y
}

// A literal is a piece of Python text being parsed. Once it is bad it stays so, and gives nothing more.
type literal struct {
	rest string
	bad  bool
}

func (p *literal) skip() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *literal) peek(token string) bool {
	p.skip()
	return !p.bad && strings.HasPrefix(p.rest, token)
}

func (p *literal) has(token string) bool {
	if !p.peek(token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *literal) want(token string) {
	if !p.has(token) {
		p.bad = true
	}
}

func (p *literal) string() string {
	for _, quote := range []string{"'", `"`} {
		if p.has(quote) {
			s, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.Contains(s, `\`) {
				break
			}
			p.rest = rest
			return s
		}
	}
	p.bad = true
	return ""
}

// tuple parses whole numbers in parentheses. Python 2 wrote an L after them.
func (p *literal) tuple() (dims []uint64) {
	p.want("(")
	for !p.bad && !p.has(")") {
		p.skip()
		end := 0
		for end < len(p.rest) && p.rest[end]-'0' < 10 {
			end++
		}
		d, err := strconv.ParseUint(p.rest[:end], 10, 64)
		if err != nil || len(dims) == 32 {
			p.bad = true
			return nil
		}
		dims = append(dims, d)
		p.rest = strings.TrimPrefix(p.rest[end:], "L")
		if !p.has(",") {
			if p.want(")"); len(dims) == 1 {
				p.bad = true // a number in parentheses is no tuple
			}
			break
		}
	}
	return dims
}

// WriteNPY writes the set as an array of float32 in NumPy's .npy form, version 1: a row an example, its label in the
// last column. Names are lost: their indices are written. It fails, naming the row, if a number is not finite.
func WriteNPY(w io.Writer, s *Set) error {
	if err := s.fitsText("npy"); err != nil {
		return err
	}
	cols := s.Cols() + 1
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", s.Rows(), cols)
	size := (10+len(head)+1+63)/64*64 - 10 // the data begin at a multiple of 64 bytes
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(size)))
	b.WriteString(head + strings.Repeat(" ", size-len(head)-1) + "\n")
	row := make([]float32, cols)
	for i, y := range s.Y {
		s.copyRow(row, i)
		row[cols-1] = y
		if !slices.ContainsFunc(row, notFinite32) {
			b.Grow(4 * cols)
			raw := b.AvailableBuffer()
			for _, v := range row {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
			}
			b.Write(raw)
		} else {
			return errNotFinite(i)
		}
		if b.Len() >= 1<<16 {
			if _, err := b.WriteTo(w); err != nil {
				return err
			}
		}
	}
	_, err := b.WriteTo(w)
	return err
}
