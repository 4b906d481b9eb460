package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// Write writes a set in the given format with [WriteSvmlight], [WriteCSV], [WriteNPY] or
// [WritePGSM]. For FormatPGSM, w must be an [io.WriterAt].
func Write(w io.Writer, format Format, s *Set) error {
	switch format {
	case FormatSvmlight:
		return WriteSvmlight(w, s)
	case FormatCSV:
		return WriteCSV(w, s)
	case FormatNPY:
		return WriteNPY(w, s)
	case FormatPGSM:
		if at, ok := w.(io.WriterAt); ok {
			return WritePGSM(at, s)
		}
		return fmt.Errorf("dataset: the pgsm format is written to an io.WriterAt, such as a file")
	}
	return fmt.Errorf("dataset: the format %q is not written: want svmlight, csv, npy or pgsm", format)
}

// WriteSvmlight writes the set as svmlight text with indices from 1 and without zeros. But the
// first line has the last column even if it is 0, so that the number of columns isn't lost. Numbers
// have the fewest digits that give the same float32 again. Reading the text, with an
// Options.MaxFeatures that allows the columns, gives the same features and labels, but not Names:
// labels are written as indices in Names. If a number is not finite, WriteSvmlight returns an error
// that names its row.
func WriteSvmlight(w io.Writer, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for i, y := range s.Y {
		ok := floats.IsFinite(y)
		line = strconv.AppendFloat(line[:0], float64(y+0), 'g', -1, 32)
		last := -1
		feature := func(j int, v float32) {
			last = j
			ok = ok && floats.IsFinite(v)
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			line = append(line, ':')
			line = strconv.AppendFloat(line, float64(v), 'g', -1, 32)
		}
		s.eachNonzero(i, feature)
		if !ok {
			return errNotFinite(i)
		}
		if n := s.Cols(); i == 0 && last < n-1 {
			feature(n-1, 0)
		}
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// WriteCSV writes the set as comma-separated values, one example per line, with its label in the
// last column. If the set has Names, labels are written by name. The first line is a header if
// Table has names that would be recognized as a header and read back unchanged. Numbers have the
// fewest digits that give the same float32 again, or .0 at the end in a first row that could be
// mistaken for a header.
//
// To read the same features again, set Separator, Quote, Comment, SkipLines, MaxFeatures and,
// without a header, Header of Options: names may contain other separators, and a first row may look
// like a header.
//
// WriteCSV returns an error if the set has no features, a number is not finite, a class name would
// not be read back unchanged, or a sparse set has too many zeros to write.
func WriteCSV(w io.Writer, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := s.fitsTable("csv"); err != nil {
		return err
	}
	names, err := csvNames(s)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	header := csvHeaderOf(s)
	if _, err := b.WriteString(header); err != nil {
		return err
	}
	row := make([]float32, s.Cols())
	var line []byte
	for i, y := range s.Y {
		s.copyRow(row, i)
		if floats.FirstNotFinite(row) >= 0 || !floats.IsFinite(y) {
			return errNotFinite(i)
		}
		line = line[:0]
		for _, v := range row {
			line = strconv.AppendFloat(line, float64(v+0), 'g', -1, 32)
			line = append(line, ',')
		}
		if names != nil {
			line = append(line, names[int(y)]...)
		} else {
			line = strconv.AppendFloat(line, float64(y+0), 'g', -1, 32)
		}
		if line = append(line, '\n'); i == 0 && header == "" {
			line = notHeader(line)
		}
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// notHeader returns the first line of a file without a header. If the line could be mistaken for a
// header of numbers, .0 is appended to the first two cells, unless they have a point or an
// exponent.
func notHeader(line []byte) []byte {
	cells := strings.Split(strings.TrimSuffix(string(line), "\n"), ",")
	if !form.LooksNumbered(cells) {
		return line
	}
	for i, c := range cells[:2] {
		if !strings.ContainsAny(c, ".e") {
			cells[i] += ".0"
		}
	}
	return []byte(strings.Join(cells, ",") + "\n")
}

// csvHeaderOf returns the header line, or "" if it would not be recognized as a header or the names
// would not be read back unchanged.
func csvHeaderOf(s *Set) string {
	if s.Table == nil || s.Table.Columns == nil || s.Table.Check(s.Cols()) != nil {
		return ""
	}
	cells := append(slices.Clone(s.Table.Columns), s.Table.Label)
	for _, name := range cells {
		if !staysInCSV(name) || strings.HasPrefix(name, string(byteOrderMark)) ||
			form.ColumnName(name) != name {
			return ""
		}
	}
	isWord := func(name string) bool { return cell.KindOf(name) == cell.WordCell }
	if at, _, err := ChooseLabel(cells); err != nil || at != len(cells)-1 ||
		slices.ContainsFunc(cells, func(name string) bool { return !isWord(name) }) {
		return ""
	}
	return csvLine(cells...)
}

// staysInCSV reports whether a name is UTF-8, and has no white space at its ends, no \r\n, which
// reading may change, and no NUL, which may make the file look binary.
func staysInCSV(name string) bool {
	return utf8.ValidString(name) && strings.TrimSpace(name) == name && !strings.Contains(name, "\r\n") &&
		!strings.Contains(name, "\x00")
}

func csvLine(cells ...string) string {
	var b strings.Builder
	c := csv.NewWriter(&b)
	c.Write(cells) // never fails, because b is in memory
	c.Flush()
	return b.String()
}

func csvNames(s *Set) (cells []string, err error) {
	read := map[string]bool{}
	for i, name := range s.Names {
		as := cmp.Or(cell.Truth(name), name) // reading takes True and TRUE for one class
		if cell.IsMissing(name) || !staysInCSV(name) || read[as] {
			return nil, fmt.Errorf("dataset: the class name %q might not be read back unchanged "+
				"from CSV", escape.Cut(name))
		}
		if _, reason := cell.Float32(name); reason != cell.NotNumber && len(s.Y) > 0 && int(s.Y[0]) == i {
			return nil, fmt.Errorf("dataset: the class name %q of the first row would not be read as "+
				"a name from CSV", escape.Cut(name))
		}
		read[as] = true
		cells = append(cells, strings.TrimSuffix(csvLine(name), "\n"))
	}
	return cells, nil
}

// WriteNPY writes the set as an array of float32 in NumPy's .npy format, version 1, one example per
// row with its label in the last column. Names are not written: labels are written as indices in
// Names. WriteNPY returns an error if the set has no features, a number is not finite, or a sparse
// set has too many zeros to write.
func WriteNPY(w io.Writer, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := s.fitsTable("npy"); err != nil {
		return err
	}
	cols := s.Cols() + 1
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }",
		s.Rows(), cols)
	size := (10+len(head)+1+63)/64*64 - 10 // padded, so that data start at a multiple of 64 bytes
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(size)))
	b.WriteString(head + strings.Repeat(" ", size-len(head)-1) + "\n")
	row := make([]float32, cols)
	for i, y := range s.Y {
		s.copyRow(row, i)
		row[cols-1] = y
		if floats.FirstNotFinite(row) >= 0 {
			return errNotFinite(i)
		}
		b.Grow(4 * cols)
		raw := b.AvailableBuffer()
		for _, v := range row {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		b.Write(raw)
		if b.Len() >= 1<<16 {
			if _, err := b.WriteTo(w); err != nil {
				return err
			}
		}
	}
	_, err := b.WriteTo(w)
	return err
}

func (s *Set) fitsTable(form string) error {
	if s.Cols() == 0 {
		return fmt.Errorf("dataset: a set without features can't be written as %s: use svmlight or "+
			"pgsm", form)
	}
	if s.Dense != nil {
		return nil
	}
	if _, err := LayoutDense.choose(s.NNZ(), s.Rows(), s.Cols()); err != nil {
		return fmt.Errorf("dataset: %d rows of %d features have too many zeros for %s: use "+
			"svmlight or pgsm", s.Rows(), s.Cols(), form)
	}
	return nil
}

func (s *Set) eachNonzero(i int, f func(j int, v float32)) {
	columns, values := s.row(i)
	for k, v := range values {
		if v == 0 {
			continue
		}
		if columns != nil {
			f(int(columns[k]), v)
		} else {
			f(k, v)
		}
	}
}

// copyRow copies the features of row i to the start of dst; -0 becomes 0.
func (s *Set) copyRow(dst []float32, i int) {
	clear(dst[:s.Cols()])
	s.eachNonzero(i, func(j int, v float32) { dst[j] = v })
}
