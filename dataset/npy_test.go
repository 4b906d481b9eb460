package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

func npy(version int, header string, data []byte) []byte {
	b := append([]byte("\x93NUMPY"), byte(version), 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func npyHeader(descr string, fortran bool, shape string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
}

func readNPYBytes(x, y []byte, opt Options) (*Set, error) {
	if y == nil {
		return ReadFrom(bytes.NewReader(x), "a.npy", opt)
	}
	return readPair(x, y, "x.npy", "y.npy", FormatNPY, opt)
}

func encode(descr string, values ...float64) (b []byte) {
	order := binary.AppendByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	for _, v := range values {
		switch descr[1:] {
		case "f2":
			b = order.AppendUint16(b, toHalf(v))
		case "f4":
			b = order.AppendUint32(b, math.Float32bits(float32(v)))
		case "f8":
			b = order.AppendUint64(b, math.Float64bits(v))
		case "i1", "u1", "b1":
			b = append(b, byte(int64(v)))
		case "i2", "u2":
			b = order.AppendUint16(b, uint16(int64(v)))
		case "i4", "u4":
			b = order.AppendUint32(b, uint32(int64(v)))
		case "i8", "u8":
			b = order.AppendUint64(b, uint64(int64(v)))
		default:
			panic(descr)
		}
	}
	return b
}

func toHalf(v float64) uint16 {
	for h := range 1 << 16 {
		if refHalf(uint16(h)) == v && math.Signbit(v) == (h>>15 == 1) {
			return uint16(h)
		}
	}
	panic("not a float16")
}

func refHalf(h uint16) float64 {
	sign := 1 - 2*float64(h>>15)
	exp, frac := int(h>>10&31), float64(h&1023)
	switch {
	case exp == 31 && frac == 0:
		return sign * math.Inf(1)
	case exp == 31:
		return math.NaN()
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1+frac/1024, exp-15)
}

func TestNPY(t *testing.T) {
	for _, kind := range strings.Fields("f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8") {
		for _, order := range []string{"<", ">", "|"} {
			for _, fortran := range []bool{false, true} {
				for version := 1; version <= 3; version++ {
					descr := order + kind
					name := fmt.Sprintf("%s/fortran=%v/version=%d", descr, fortran, version)
					t.Run(name, func(t *testing.T) { checkNPY(t, descr, fortran, version) })
				}
			}
		}
	}
}

func checkNPY(t *testing.T, descr string, fortran bool, version int) {
	rows := [][]float64{{1, 0, 2, 3}, {0, 1, 0, 1}, {1, 1, 1, 2}}
	want := mustText(t, "3 1:1 3:2\n1 2:1\n2 1:1 2:1 3:1\n", Options{})
	array := func(shape string, from, to int) []byte { // file with the columns from to to-1
		var v []float64
		if fortran {
			for j := from; j < to; j++ {
				for _, r := range rows {
					v = append(v, r[j])
				}
			}
		} else {
			for _, r := range rows {
				v = append(v, r[from:to]...)
			}
		}
		return npy(version, npyHeader(descr, fortran, shape), encode(descr, v...))
	}
	got, err := readNPYBytes(array("(3, 4)", 0, 4), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	for _, shape := range []string{"(3,)", "(3, 1)", "(3L,)"} {
		got, err = readNPYBytes(array("(3, 3)", 0, 3), array(shape, 3, 4), Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	}
}

func TestNPYAccepts(t *testing.T) {
	f4 := func(shape string, v ...float64) []byte {
		return npy(1, npyHeader("<f4", false, shape), encode("<f4", v...))
	}
	for _, c := range []struct {
		name string
		x, y []byte
		opt  Options
		want string // as svmlight
	}{
		{"label first", f4("(2, 3)", 7, 1, 2, 8, 3, 4), nil, Options{LabelColumn: "0"},
			"7 1:1 2:2\n8 1:3 2:4\n"},
		{"label within", f4("(2, 3)", 1, 7, 2, 3, 8, 4), nil, Options{LabelColumn: "1"},
			"7 1:1 2:2\n8 1:3 2:4\n"},
		{"images", f4("(2, 2, 2)", 1, 2, 3, 4, 5, 6, 7, 8), f4("(2,)", 1, 2), Options{},
			"1 1:1 2:2 3:3 4:4\n2 1:5 2:6 3:7 4:8\n"},
		{"one feature a row", f4("(2,)", 5, 6), f4("(2,)", 1, 2), Options{}, "1 1:5\n2 1:6\n"},
		{"no rows", f4("(0, 3)"), nil, Options{}, ""},
		{"no rows, no columns", f4("(0, 0)"), f4("(0,)"), Options{}, ""},
		{"no columns", f4("(2, 0)"), f4("(2,)", 1, 2), Options{}, "1\n2\n"},
		{"minus zero", f4("(1, 2)", math.Copysign(0, -1), math.Copysign(0, -1)), nil,
			Options{Layout: LayoutDense}, "0\n"},
		{"booleans", npy(1, npyHeader("|b1", false, "(2, 2)"), []byte{0, 1, 1, 255}), nil,
			Options{}, "1\n1 1:1\n"},
		{"keys in another order", npy(1, `{"shape":(1,2),"fortran_order":False,"descr":"<f4"}`,
			encode("<f4", 1, 2)), nil, Options{}, "2 1:1\n"},
		{"features fixed", f4("(1, 2)", 1, 2), nil, Options{Features: 1}, "2 1:1\n"},
		{"float64 is rounded once", npy(1, npyHeader("<f8", false, "(1, 2)"),
			encode("<f8", 1+0x1p-24+0x1p-52, 0.1)), nil, Options{}, "0.1 1:1.0000001\n"},
		{"labels of 2^24 and 3*2^40", npy(1, npyHeader("<i8", false, "(2, 2)"),
			encode("<i8", 1, 1<<24, 2, -3<<40)), nil, Options{},
			"16777216 1:1\n-3298534883328 1:2\n"},
		{"a feature of 2^24+1", npy(1, npyHeader("<i8", false, "(1, 2)"),
			encode("<i8", 1<<24+3, 1)), nil, Options{}, "1 1:16777220\n"},
		{"the smallest int64", npy(1, npyHeader("<i8", false, "(1, 2)"),
			encode("<i8", math.MinInt64, 1)), nil, Options{}, "1 1:-9223372036854775808\n"},
		{"the largest uint64", npy(1, npyHeader("<u8", false, "(1, 2)"),
			append(bytes.Repeat([]byte{255}, 8), encode("<u8", 1)...)), nil, Options{},
			"1 1:18446744073709551615\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readNPYBytes(c.x, c.y, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			want := mustText(t, c.want, Options{})
			if !equal(examples(got), examples(want)) {
				t.Errorf("%v, want %v", examples(got), examples(want))
			}
			if c.opt.Features > 0 && got.Cols() != c.opt.Features {
				t.Errorf("%d columns", got.Cols())
			}
		})
	}
}

func TestNPYErrors(t *testing.T) {
	const ok = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n"
	data := encode("<f4", 1, 2, 3, 4)
	good := npy(1, ok, data)
	y := npy(1, npyHeader("<f4", false, "(2,)"), encode("<f4", 1, 2))
	header := func(old, new string) []byte { return npy(1, strings.Replace(ok, old, new, 1), data) }
	const form = ": want a valid descr, fortran_order and shape, and nothing else"
	nan := math.NaN()
	const badForm = `a.npy: header "{'descr': '<f4', 'fortran_order': False,..."` + form
	array := func(descr, shape string, values ...float64) []byte {
		return npy(1, npyHeader(descr, false, shape), encode(descr, values...))
	}
	for _, c := range []struct {
		name string
		x, y []byte
		opt  Options
		want string
	}{
		{"empty", nil, nil, Options{}, "a.npy: header cut off"},
		{"magic", []byte("\x93NUMPX\x01\x00\x00\x00"), nil, Options{},
			"a.npy: starts with 93 4e 55 4d 50 58: not an .npy file"},
		{"version 0", npy(0, ok, data), nil, Options{},
			"a.npy: version 0.0 of the format: want 1.0, 2.0 or 3.0"},
		{"version 4", npy(4, ok, data), nil, Options{},
			"a.npy: version 4.0 of the format: want 1.0, 2.0 or 3.0"},
		{"header cut off", good[:20], nil, Options{}, "a.npy: header cut off"},
		{"header of 4 GB", append([]byte("\x93NUMPY\x02\x00"), 255, 255, 255, 255), nil, Options{},
			"a.npy: a header of 4294967295 bytes: want at most 65536"},
		{"header of nothing", npy(1, "", data), nil, Options{}, `a.npy: header ""` + form},
		{"header without shape", header("'shape': (2, 2), ", ""), nil, Options{}, badForm},
		{"header with more", header("}", "'x': 1}"), nil, Options{}, badForm},
		{"header with text after it", header("\n", "x\n"), nil, Options{}, badForm},
		{"key twice", header("'fortran_order'", "'descr'"), nil, Options{},
			`a.npy: header has "descr" twice`},
		{"fewer features than are wanted", good, nil, Options{Features: 5},
			"a.npy: 2 columns, want 6 with the label column"},
		{"more features than are wanted, two files", good, y, Options{Features: 1},
			"x.npy: 2 features a row, want 1"},
		{"objects", header("<f4", "|O"), nil, Options{},
			"a.npy: elements are Python objects, which are not read: save an array of numbers"},
		{"records", header("'<f4'", "[('a', '<f4')]"), nil, Options{},
			"a.npy: elements are records: want an array of numbers"},
		{"strings", header("<f4", "<U5"), nil, Options{},
			`a.npy: elements of type "<U5": want f2, f4, f8, integers or b1`},
		{"complex", header("<f4", "<c8"), nil, Options{},
			`a.npy: elements of type "<c8": want f2, f4, f8, integers or b1`},
		{"dates", header("<f4", "<M8[ns]"), nil, Options{},
			`a.npy: elements of type "<M8[ns]": want f2, f4, f8, integers or b1`},
		{"no type", header("<f4", ""), nil, Options{},
			`a.npy: elements of type "": want f2, f4, f8, integers or b1`},
		{"shape negative", header("(2, 2)", "(-2, 2)"), nil, Options{}, badForm},
		{"shape a number", header("(2, 2)", "(4)"), nil, Options{}, badForm},
		{"shape of 33 dimensions", header("(2, 2)", "("+strings.Repeat("1,", 33)+")"), nil,
			Options{}, badForm},
		{"shape of no dimensions", header("(2, 2)", "()"), nil, Options{},
			"a.npy: an array without dimensions: want one or more"},
		{"shape overflows", header("(2, 2)", "(4294967296, 4294967296)"), nil, Options{},
			"a.npy: shape [4294967296 4294967296]: too large"},
		{"shape overflows behind a 0", header("(2, 2)", "(0, 4294967296, 4294967296)"), nil,
			Options{}, "a.npy: shape [0 4294967296 4294967296]: too large"},
		{"one column", npy(1, npyHeader("<f4", false, "(4,)"), data), nil, Options{},
			"a.npy: one column only: want features and a label, or the labels in a second file " +
				"(X.npy,y.npy)"},
		{"no columns", array("<f4", "(3, 0)"), nil, Options{Labels: LabelsAuto, LabelColumn: "last"},
			"a.npy: no columns: want features and a label"},
		{"no such label", good, nil, Options{LabelColumn: "y"},
			`a.npy: no column is called "y": want a number from 0 to 1, or last`},
		{"label number", good, nil, Options{LabelColumn: "2"},
			"a.npy: there is no column 2 for the label: want 0 to 1"},
		{"too many features", npy(1, npyHeader("<f4", false, "(1, 200000000)"), data), nil,
			Options{},
			"a.npy: 199999999 features are beyond the limit of 134217728 (-max-features)"},
		{"short data", good[:len(good)-1], nil, Options{},
			"a.npy: 15 bytes of data where the header says 16"},
		{"extra data", append(bytes.Clone(good), 0), nil, Options{},
			"a.npy: more than the 16 bytes of data that the header says"},
		{"NaN", array("<f4", "(2, 2)", 1, 2, nan, 4), nil, Options{},
			"a.npy: row 1, column 0, counted from 0: not finite"},
		{"label infinite", npy(1, ok, encode("<f4", 1, 2, 3, math.Inf(-1))), nil, Options{},
			"a.npy: row 1, label column 1, counted from 0: not finite"},
		{"Fortran NaN", npy(1, npyHeader("<f4", true, "(2, 2)"), encode("<f4", 1, 2, nan, 4)), nil,
			Options{}, "a.npy: row 0, label column 1, counted from 0: not finite"},
		{"1e39", array(">f8", "(2, 2)", 1, 2, -1e39, 4), nil, Options{},
			"a.npy: row 1, column 0, counted from 0: beyond the range of float32"},
		{"half infinite", array("<f2", "(2, 2)", 0, 0, math.Inf(1), 0), nil, Options{},
			"a.npy: row 1, column 0, counted from 0: not finite"},
		{"label 2^24+1", array("<i4", "(2, 2)", 1, 2, 3, 1<<24+1), nil, Options{},
			"a.npy: row 1, label column 1, counted from 0: an integer that float32 can't hold exactly"},
		{"label 2^24+1 in float64", npy(1, npyHeader("<f8", true, "(2, 2)"),
			encode("<f8", 1, 2, 3, 1<<24+1)), nil, Options{},
			"a.npy: row 1, label column 1, counted from 0: an integer that float32 can't hold exactly"},
		{"labels of two columns", good, good, Options{}, "y.npy: 2 labels a row: want 1"},
		{"labels of another count", good, array("<f4", "(3,)", 1, 2, 3), Options{},
			"y.npy: the number of labels is 3, but the number of rows in x.npy is 2"},
		{"labels cut off", good, y[:len(y)-1], Options{},
			"y.npy: 7 bytes of data where the header says 8"},
		{"labels of strings", good, header("<f4", "<U5"), Options{},
			`y.npy: elements of type "<U5": want f2, f4, f8, integers or b1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readNPYBytes(c.x, c.y, c.opt)
			if s != nil || err == nil || err.Error() != c.want {
				t.Errorf("%v, want\n%v", err, c.want)
			}
			if c.y != nil {
				return
			}
			// For a regular file, whose size is known, the message may differ.
			path := file(t, "a.npy", c.x)
			_, err = Read(path, c.opt)
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") {
				t.Error(err)
			}
		})
	}
}

func TestNPYLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const rows, cols = 1237, 61
	values := make([]float64, rows*cols)
	for i := range values {
		values[i] = float64(float32(r.NormFloat64()))
	}
	byColumn := make([]float64, 0, len(values))
	for j := range cols {
		for i := range rows {
			byColumn = append(byColumn, values[i*cols+j])
		}
	}
	for _, descr := range []string{"<f4", ">f8"} {
		for _, c := range []struct {
			fortran bool
			values  []float64
		}{{false, values}, {true, byColumn}} {
			x := npy(1, npyHeader(descr, c.fortran, fmt.Sprintf("(%d, %d)", rows, cols)),
				encode(descr, c.values...))
			path, zip := file(t, "a.npy", x), file(t, "a.npy.gz", zipped(t, string(x)))
			for _, label := range []int{0, 17, cols - 1} {
				opt := Options{LabelColumn: fmt.Sprint(label)}
				for _, name := range []string{path, zip} {
					s, err := Read(name, opt)
					if err != nil {
						t.Fatal(err)
					}
					for i := range rows {
						for j := range cols {
							got := s.Y[i]
							if j < label {
								got = s.Dense.Row(i)[j]
							} else if j > label {
								got = s.Dense.Row(i)[j-1]
							}
							if got != float32(values[i*cols+j]) {
								t.Fatalf("%s, label %d: row %d, column %d: %v", descr, label,
									i, j, got)
							}
						}
					}
				}
				if descr == ">f8" { // float32 can't hold 2^24+1
					bad := bytes.Clone(x)
					row := r.IntN(rows)
					k := row*cols + label
					if c.fortran {
						k = label*rows + row
					}
					copy(bad[len(bad)-8*len(values)+8*k:], encode(descr, 1<<24+1))
					_, err := readNPYBytes(bad, nil, opt)
					want := fmt.Sprintf("a.npy: row %d, label column %d, counted from 0: %s",
						row, label, cell.NotExact)
					if err == nil || err.Error() != want {
						t.Errorf("%v, want %s", err, want)
					}
				}
			}
		}
	}
}

func TestNPYMemory(t *testing.T) {
	x := npy(1, npyHeader("|u1", false, "(16777216, 8)"), make([]byte, 1000))
	path := file(t, "a.npy", x)
	allocated(t, 1<<20, func() {
		for _, r := range []io.Reader{bytes.NewReader(x), io.MultiReader(bytes.NewReader(x))} {
			if _, err := ReadFrom(r, "a.npy", Options{}); err == nil {
				t.Error("no error")
			}
		}
		_, err := Read(path, Options{})
		if !says(err, "1000 bytes of data where the header says 134217728") {
			t.Error(err)
		}
	})
}

func allocated(t testing.TB, limit uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > limit {
		t.Errorf("%d bytes allocated, want at most %d", got, limit)
	}
}

func TestWriteNPY(t *testing.T) {
	s, err := readText("3 1:1 3:2\n1 2:1e-45\n2 4:0\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteNPY(&b, s); err != nil {
		t.Fatal(err)
	}
	want := append([]byte("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, "+
		"'shape': (3, 5), }"+strings.Repeat(" ", 58)+"\n"),
		encode("<f4", 1, 0, 2, 0, 3, 0, 1e-45, 0, 0, 1, 0, 0, 0, 0, 2)...)
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%q\nwant\n%q", b.Bytes(), want)
	}
}

func TestTablesNeedFeatures(t *testing.T) {
	s := &Set{Dense: dense.New(2, 0), Y: make([]float32, 2)}
	for _, format := range []Format{FormatNPY, FormatCSV} {
		err := Write(io.Discard, format, s)
		if err == nil || !strings.Contains(err.Error(), "a set without features can't be written") {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func FuzzNPY(f *testing.F) {
	header := npyHeader("<f4", false, "(2, 2)")
	f.Add(npy(1, header, encode("<f4", 1, 2, 3, 4)), []byte(nil), uint8(0))
	f.Add(npy(2, npyHeader(">i8", true, "(2, 2)"), encode(">i8", 1, 2, 3, 4)),
		npy(1, npyHeader("|b1", false, "(2,)"), []byte{0, 1}), uint8(3))
	f.Add(npy(3, npyHeader("|O", false, "(2, 2)"), nil), []byte(nil), uint8(0))
	f.Add(npy(1, npyHeader("<f2", true, "(2, 1, 2)"), []byte("abcdefgh")),
		npy(1, npyHeader("|u1", true, "(2, 1)"), []byte("ab")), uint8(0))
	f.Fuzz(func(t *testing.T, x, y []byte, features uint8) {
		opt := Options{Features: int(features)}
		if len(y) == 0 {
			y = nil
		}
		s, err := readNPYBytes(x, y, opt)
		if err == nil {
			checkSet(t, s)
		} else if !strings.Contains(err.Error(), ".npy: ") {
			t.Fatalf("%v: no file named", err)
		}
		want, ok := referenceNPY(x, features)
		if y == nil && (ok != (err == nil) || ok && !equal(examples(s), want)) {
			t.Fatalf("%v, %v; want %v, %v", s, err, want, ok)
		}
	})
}

// referenceNPY decodes an array with labels in the last column.
func referenceNPY(file []byte, features uint8) (rows []example, ok bool) {
	r := bytes.NewReader(file)
	a, err := readNPYHeader(openFile{r: r, size: -1})
	if err != nil || a.cols < 2 || features == 0 && a.cols-1 > defaultMaxFeatures ||
		features != 0 && a.cols-1 != int(features) || r.Len() != a.rows*a.cols*a.width {
		return nil, false
	}
	rows = make([]example, a.rows)
	raw := file[len(file)-r.Len():]
	for i := range rows {
		for j := range a.cols {
			k := i*a.cols + j
			if a.fortran {
				k = j*a.rows + i
			}
			text, isNumber := plainElement(a, raw[k*a.width:][:a.width])
			exact, _ := new(big.Rat).SetString(text)
			v, ok := refFloat(text)
			if !isNumber || !ok {
				return nil, false
			}
			switch {
			case j == a.cols-1:
				if exact.IsInt() && exact.Cmp(new(big.Rat).SetFloat64(float64(v))) != 0 {
					return nil, false
				}
				rows[i].y = v + 0
			case v != 0 && (features == 0 || j < int(features)):
				rows[i].idx = append(rows[i].idx, int32(j))
				rows[i].val = append(rows[i].val, v)
			}
		}
	}
	return rows, true
}

func plainElement(a *npyArray, raw []byte) (text string, ok bool) {
	read := func(v any) {
		if err := binary.Read(bytes.NewReader(raw), a.order, v); err != nil {
			panic(err)
		}
	}
	decimal := func(f float64) (string, bool) {
		digits := -1
		if f == math.Trunc(f) {
			digits = 0 // the shortest text of a large integer may be another integer
		}
		return strconv.FormatFloat(f, 'f', digits, 64), f-f == 0
	}
	switch fmt.Sprint(string(a.kind), a.width) {
	case "f2":
		var h uint16
		read(&h)
		return decimal(refHalf(h))
	case "f4":
		var f float32
		read(&f)
		return decimal(float64(f))
	case "f8":
		var f float64
		read(&f)
		return decimal(f)
	case "b1":
		return fmt.Sprint(min(raw[0], 1)), true
	}
	v := map[string]any{
		"i1": new(int8), "i2": new(int16), "i4": new(int32), "i8": new(int64),
		"u1": new(uint8), "u2": new(uint16), "u4": new(uint32), "u8": new(uint64),
	}[fmt.Sprint(string(a.kind), a.width)]
	read(v)
	return fmt.Sprint(reflect.ValueOf(v).Elem()), true
}
