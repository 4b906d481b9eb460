package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

func readCSVText(text string, opt Options) (*Set, error) {
	return readCSVFrom(strings.NewReader(text), "a.csv", opt)
}

func TestCSV(t *testing.T) {
	tsv := Options{Format: FormatTSV}
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string // as svmlight
		names      string
	}{
		{"empty file", "", Options{}, "", ""},
		{"no header", "1,2,3\n4,5,6\n", Options{}, "3 1:1 2:2\n6 1:4 2:5\n", ""},
		{"header", "a,b,y\n1,2,3\n4,5,6\n", Options{}, "3 1:1 2:2\n6 1:4 2:5\n", ""},
		{"header only", "a,b,y\n", Options{}, "", ""},
		{"header with index column", ",b,y\n0,2,3\n1,5,6\n", Options{}, "3 2:2\n6 1:1 2:5\n", ""},
		{"header of numbers", "0,1,2\n1,2,3\n", Options{Header: HeaderYes}, "3 1:1 2:2\n", ""},
		{"no final newline, CRLF", "1,2,3\r\n4,5,6", Options{}, "3 1:1 2:2\n6 1:4 2:5\n", ""},
		{"byte order mark", "\ufeff1,2,3\n", Options{}, "3 1:1 2:2\n", ""},
		{"byte order mark and header", "\ufeffy,b\n1,2\n", Options{LabelColumn: "y"},
			"1 1:2\n", ""},
		{"blank lines", "\n1,2\n\n3,4\n\n", Options{}, "2 1:1\n4 1:3\n", ""},
		{"blanks", " 1 , 2 ,3 \n", Options{}, "3 1:1 2:2\n", ""},
		{"quotes", "\"1\", \"2\",3\n", Options{}, "3 1:1 2:2\n", ""},
		{"label first", "9,1,2\n", Options{LabelColumn: "0"}, "9 1:1 2:2\n", ""},
		{"label within", "1,9,2\n", Options{LabelColumn: "1"}, "9 1:1 2:2\n", ""},
		{"label by name", "a,y,b\n1,9,2\n", Options{LabelColumn: "y"}, "9 1:1 2:2\n", ""},
		{"label last", "1,9,2\n", Options{LabelColumn: "last"}, "2 1:1 2:9\n", ""},
		{"class names", "1,pear\n2,apple\n3,pear\n", Options{}, "1 1:1\n0 1:2\n1 1:3\n",
			"apple pear"},
		{"class names and header", "x,fruit\n1,pear\n2,2\n", Options{}, "1 1:1\n0 1:2\n", "2 pear"},
		{"class names of two words", "1,red apple\n", Options{}, "0 1:1\n", "red apple"},
		{"labels compared as numbers", "1,-0\n1,+1\n1,1.0\n", Options{},
			"0 1:1\n1 1:1\n1 1:1\n", ""},
		{"tsv", "1\t2\t3\n", tsv, "3 1:1 2:2\n", ""},
		{"tsv with blanks", "1 \t 2\t3\n", tsv, "3 1:1 2:2\n", ""},
		{"features fixed", "1,2,3\n", Options{Features: 2}, "3 1:1 2:2\n", ""},
		{"zeros", "0,-0,1e-50,5,1\n", Options{Layout: LayoutSparse}, "1 4:5\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readCSVText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			want := mustText(t, c.want, Options{})
			if !equal(examples(got), examples(want)) || strings.Join(got.Names, " ") != c.names {
				t.Errorf("%v %v, want %v %v", examples(got), got.Names, examples(want), c.names)
			}
			if c.opt.Features > 0 && got.Cols() != c.opt.Features {
				t.Errorf("%d columns", got.Cols())
			}
		})
	}
	s, err := readCSVText("1,2,0,3\n0,5,6,4\n", Options{})
	if err != nil || s.Ignored != 0 || s.IndexBase != 1 {
		t.Error(s, err)
	}
}

func TestCSVErrors(t *testing.T) {
	const words = ": feature is not a decimal number: to encode words, use Train or Fit of " +
		"package github.com/pegasimd/pegasimd/pegasos/table"
	const missing = ": missing value: fill it in or leave the row out"
	const noLabel = ": missing label: fill it in, or leave such rows out (-missing drop)"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		{"word", "1,2,3\n1,red,3\n", Options{}, `a.csv:2:3: token "red"` + words},
		{"word in the first row", "1,red,3\n", Options{},
			`a.csv:1:3: token "red"` + words},
		{"word in the first row, no header", "red,2,3\n", Options{Header: HeaderNo},
			`a.csv:1:1: token "red"` + words},
		{"words only", "red,green,3\nred,green,3\n", Options{}, `a.csv:1:1: token "red"` + words},
		{"missing cell", "1,2,3\n4,,6\n", Options{}, `a.csv:2:3` + missing},
		{"missing cell of blanks", "1,2,3\n4, ,6\n", Options{}, `a.csv:2:4` + missing},
		{"NA", "1,2,3\n4,NA,6\n", Options{}, `a.csv:2:3: token "NA"` + missing},
		{"nan", "nan,2,3\n4,5,6\n", Options{}, `a.csv:1:1: token "nan"` + missing},
		{"?", "1,?,3\n4,5,6\n", Options{Header: HeaderNo}, `a.csv:1:3: token "?"` + missing},
		{"missing cell, tsv", "1\t2\t3\n4\t\t6\n", Options{Format: FormatTSV},
			`a.csv:2:3` + missing},
		{"missing label", "1,2,3\n4,5,\n", Options{}, `a.csv:2:5` + noLabel +
			"; if another column has the labels, name it (-label-column)"},
		{"inf", "1,inf,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "inf": feature is not finite`},
		{"1e39", "1,1e39,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "1e39": feature is beyond the range of float32`},
		{"two numbers in a cell", "1,2 3,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "2 3"` + words},
		{"a number and a comment sign", "1,2#,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "2#"` + words},
		{"label inf", "1,2,3\n1,2,inf", Options{}, `a.csv:2:5: token "inf": label is not finite`},
		{"label inf first", "1,2,inf\n", Options{},
			`a.csv:1:5: token "inf": label is not finite`},
		{"label 2^24+1", "1,16777217\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "16777217": label is an integer that float32 can't hold exactly`},
		{"name among numbers", "1,2,3\n1,2,x\n", Options{},
			`a.csv:2:5: token "x": label is not a decimal number, unlike the first label of the data`},
		{"ragged, short", "1,2,3\n4,5\n", Options{}, `a.csv:2: 2 cells where the table has 3 columns`},
		{"ragged, long", "1,2,3\n1,2,3\n\n4,5,6,7\n", Options{},
			`a.csv:4: 4 cells where the table has 3 columns`},
		{"two ragged", "1,2,3\n1,2\n1,2,3\n1,2,3\n1,2\n", Options{},
			"a.csv:2: 2 cells where the table has 3 columns (and 1 more row with too few or too many " +
				"cells): mend them, or say what separates cells (-sep) and what quotes them (-quote)"},
		{"bare quote", "1,2,3\n4,5\"6,7\n", Options{}, `a.csv:2:3: token "5\"6"` + words},
		{"open quote", "1,2,3\n4,\"5,6\n7,8,9\n", Options{}, `a.csv:2:3: token "\"5"` + words},
		{"newline in quotes", "1,2,3\n4,\"5\n6\",7\n", Options{},
			`a.csv:2:3: token "5\n6"` + words},
		{"one column", "1\n2\n", Options{}, `a.csv:1: one column only: want features and a label; no ` +
			"separator was found: if one character separates the cells, name it (-sep)"},
		{"comments above the header", "# by hand\n# in May\n\na,b\n1,2\n", Options{LabelColumn: "y"},
			`a.csv:4: no column is called "y" in the header: a, b`},
		{"cells between blanks", "1 2\n3 4\n", Options{}, `a.csv:1: one column only: want features and a ` +
			"label; the rows look like cells between blanks, and are read as one column (if they are, awk " +
			`-v OFS='\t' '{$1=$1} 1' puts tabs in place of the blanks)`},
		{"empty object", "{}\n", Options{Format: FormatJSONL, LabelColumn: "last"},
			`a.csv:1: no columns: want features and a label`},
		{"bytes", "\x1f\x9d\x90a\xff\"", Options{},
			`a.csv: this is compressed by compress (.Z): unpack it: gzip -d < FILE > NEWFILE`},
		{"no such label", "a,b\n1,2\n", Options{LabelColumn: "y"},
			`a.csv:1: no column is called "y" in the header: a, b`},
		{"label by name without header", "y,b\n1,2\n", Options{LabelColumn: "y", Header: HeaderNo},
			`a.csv:1: no column is called "y": the table is read without a header`},
		{"no such label, in a later line", "a title\n\na,b\n1,2\n3,4\n",
			Options{LabelColumn: "y", SkipLines: 2},
			`a.csv:3: no column is called "y" in the header: a, b`},
		{"no such label among many", "a,b,c,d,e,f,g,h,i\n1,2,3,4,5,6,7,8,9\n", Options{LabelColumn: "y"},
			`a.csv:1: no column is called "y" in the header: a, b, c, d, e, f, g, h, i`},
		{"lines without labels", "one text\ntwo\n", Options{Format: FormatLines},
			"a.csv:1: the lines have no labels: want lines of a label, a tab and a text"},
		{"lines for a model", "one text\ntwo\n", Options{Format: FormatLines, Features: 1,
			Table: &Table{Columns: []string{"text"}, Label: "label"}},
			"a.csv:1: the lines have no labels: want lines of a label, a tab and a text"},
		{"no such label in lines", "p\tone text\n", Options{LabelColumn: "y", Format: FormatLines},
			`a.csv:1: no column is called "y": label, text`},
		{"no such label in JSON", `{"a":1,"b":2}`, Options{LabelColumn: "y", Format: FormatJSONL},
			`a.csv:1: no column is called "y" in the first lines: a, b`},
		{"no such number after a comment", "# a comment\n1,2\n3,4\n",
			Options{LabelColumn: "2", Comment: "#"},
			`a.csv:2: there is no column 2 for the label: want 0 to 1`},
		{"label name twice", "y,b,y\n1,2,3\n", Options{LabelColumn: "y"},
			`a.csv:1: two columns are called "y": give the label column's number, from 0`},
		{"label number", "1,2\n", Options{LabelColumn: "2"},
			`a.csv:1: there is no column 2 for the label: want 0 to 1`},
		{"label number below 0", "1,2\n", Options{LabelColumn: "-1"},
			`a.csv:1: there is no column -1 for the label: want 0 to 1`},
		{"more features than are wanted", "1,2,3\n", Options{Features: 1},
			`a.csv:1: 3 columns, want 2 with the label column`},
		{"fewer features than are wanted", "a,b,c\n1,2,3\n", Options{Features: 5},
			`a.csv:1: 3 columns, want 6 with the label column`},
		{"too many columns", "1,2,3,4\n", Options{MaxFeatures: 2},
			`a.csv:1: 3 feature columns are beyond the limit of 2 (-max-features)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readCSVText(c.text, c.opt)
			if s != nil || err == nil || err.Error() != c.want {
				t.Errorf("%q:\n%v, want\n%v", c.text, err, c.want)
			}
		})
	}
}

func TestCSVCodes(t *testing.T) {
	long := strings.Repeat("é", 255)
	for _, header := range []string{"\x1b[2J", "caf\xe9", "é", "a" + long + "\x1b" + long} {
		s, err := readCSVText(header+",b,y\n1,2,3\n", Options{})
		if err != nil || s.Cols() != 2 {
			t.Errorf("%q: %v", header, err)
		}
	}
}

func TestCSVOfManyColumns(t *testing.T) {
	const cols = csvFeatures + 2*moreColumns
	s := mustText(t, fmt.Sprintf("1 %d:2\n", cols), Options{})
	roundTrip(t, s, FormatCSV)
	var b bytes.Buffer
	if err := WriteCSV(&b, s); err != nil {
		t.Fatal(err)
	}
	if _, err := readCSVFrom(&b, "csv", Options{}); !says(err, "(-max-features)") {
		t.Errorf("%v, want an error that names the flag", err)
	}
}

func TestCSVBlocks(t *testing.T) {
	for _, row := range []string{"1,0,2,c\n", "0,0,0,c\n"} {
		text := strings.Repeat(row, blockSize+10) + strings.Replace(row, "c", "b", 1)
		s, err := readCSVText(text, Options{})
		if err != nil || s.Rows() != blockSize+11 || !slices.Equal(s.Names, []string{"b", "c"}) ||
			s.Y[0] != 1 || s.Y[blockSize+10] != 0 {
			t.Fatal(s.Rows(), s.Names, err)
		}
	}
}

// lengths is an encoder whose features are the lengths of cells. It refuses the cell "bad", and
// does not use the columns whose numbers are in leaves.
type lengths struct {
	columns int
	leaves  string
	table   *Table
}

func (l lengths) Reads() (t *Table, uses []bool) {
	for i := range l.columns {
		uses = append(uses, !strings.Contains(l.leaves, fmt.Sprint(i)))
	}
	return l.table, uses
}

func (l lengths) Begin(form.Source) {}

func (l lengths) Cols() int { return len(l.Features()) }

func (l lengths) Features() (names []string) {
	for i := range l.columns {
		names = append(names, fmt.Sprintf("length %d", i))
	}
	return names
}

func (l lengths) Label(label string) (form.Label, string) {
	if cell.IsMissing(label) {
		return form.Label{Missing: true}, ""
	}
	v, ok := cell.ParsePlain(label)
	return form.Label{Value: float32(v), Word: !ok}, ""
}

func (l lengths) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	for i, cell := range cells {
		if cell == "bad" {
			return columns, values, i, "want another cell"
		}
		if i < l.columns && !strings.Contains(l.leaves, fmt.Sprint(i)) && cell != "" {
			columns, values = append(columns, int32(i)), append(values, float32(len(cell)))
		}
	}
	return columns, values, 0, ""
}

func TestCSVHeader(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        Options
		header     string // names of the features
		rows       int    // -1 if reading is an error
	}{
		{"words", "red,round,yes\nblue,round,no\nred,flat,yes\n", Options{}, "", 3},
		{"words and names", "colour,shape,ok\nred,round,yes\nblue,flat,no\n", Options{},
			"colour shape", 2},
		{"one row of words", "colour,shape,ok\n", Options{}, "colour shape", 0},
		{"words, no header as is said", "colour,ok\nred,yes\n", Options{Header: HeaderNo}, "", 2},
		{"words, a header as is said", "red,yes\nred,no\n", Options{Header: HeaderYes}, "red", 1},
		{"two names of five that are values", "red,ok,a,b,y\nred,ok,1,2,p\n1,2,3,4,q\n", Options{},
			"red ok a b", 2},
		{"two names of four that are values", "red,ok,a,y\nred,ok,b,p\n1,2,3,q\n", Options{}, "", 3},
		{"values of other columns", "red,round,yes\nround,yes,red\nyes,red,round\n", Options{},
			"red round", 2},
		{"blanks and quotes", "red , round,yes\n\" red\",round ,yes\n", Options{}, "", 2},
		{"again in a row that is not whole", "red,round,yes\nred,rou", Options{}, "", -1},
		{"tabs", "red\tround\tyes\nred\tround\tyes\n", Options{Format: FormatTSV}, "", 2},
		{"byte order mark", "\ufeffred,round,yes\nred,round,yes\n", Options{}, "", 2},
		{"words and a gap", "red,,yes\nblue,round,no\n", Options{}, "red ", 1},
		{"words and NA", "red,NA,yes\nblue,round,no\n", Options{}, "", 2},
		{"words and a number", "red,2,yes\nblue,3,no\n", Options{}, "", 2},
		{"label by name", "red,yes\nred,no\n", Options{LabelColumn: "red"}, "yes", 1},

		{"0, 1, 2 and a word", "0,1,2,target\n5,6,7,a\n8,9,9,b\n", Options{}, "0 1 2", 2},
		{"0, 1, 2 after a word", "target,0,1,2\na,6,7,5\nb,9,9,8\n", Options{LabelColumn: "0"},
			"0 1 2", 2},
		{"0, 1, 2 and a class", "0,1,2,a\n5,6,7,a\n8,9,9,b\n", Options{}, "", 3},
		{"0, 1, 2 and a number", "0,1,2,3\n5,6,7,8\n", Options{}, "0 1 2", 1},
		{"0, 1, 2 and a gap", "0,1,2,?\n5,6,7,a\n", Options{Header: HeaderYes}, "0 1 2", 1},
		{"0, 1 and a word", "0,1,a\n5,6,b\n", Options{}, "", 2},
		{"1, 2, 3 and a word", "1,2,3,a\n5,6,7,b\n", Options{}, "", 2},
		{"0, 2, 1 and a word", "0,2,1,a\n5,6,7,b\n", Options{}, "", 2},
		{"0, 1, 2.0 and a word", "0,1,2.0,a\n5,6,7,b\n", Options{}, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Encoder = lengths{}
			s, err := readCSVText(c.text, c.opt)
			if c.rows < 0 {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			header := ""
			if s.Table != nil {
				header = strings.Join(s.Table.Columns, " ")
			}
			if header != c.header || s.Rows() != c.rows {
				t.Errorf("header %q, %d rows, want %q, %d", header, s.Rows(), c.header, c.rows)
			}
		})
	}
}

// A first row is data if some of its cells occur again, even after 2,000 rows.
func TestCSVHeaderOfLongFile(t *testing.T) {
	rest := strings.Repeat("blue,flat,no\n", blockSize)
	for text, header := range map[string]bool{
		"colour,shape,ok\n" + rest:                                   true,
		"red,round,yes\n" + rest[:13*2000] + "red,round,no\n" + rest: false,
	} {
		s, err := readCSVText(text, Options{Encoder: lengths{}})
		if err != nil || (s.Table != nil) != header {
			t.Errorf("%.20q: %v, %v", text, s, err)
		}
	}
}

func TestWriteCSVNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"pear": true, "0x1p4": true, "5": false, "1e999": false, "inf": false, "NA": false, " a": false,
		"caf\xe9": false, "True|true": false, "pear|pear": false, "True|Pear": true,
	} {
		s := mustText(t, "0 1:1\n", Options{})
		s.Names = strings.Split(name, "|")
		var b bytes.Buffer
		err := WriteCSV(&b, s)
		if ok == says(err, "the class name") {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil {
			continue
		}
		if back, err := readCSVText(b.String(), Options{Header: HeaderNo}); err != nil ||
			!slices.Equal(back.Names, s.Names[:1]) {
			t.Errorf("%q: %v, %v", name, back, err)
		}
	}
}

func TestWriteCSVFirstRow(t *testing.T) {
	for _, text := range []string{
		"0,1,2,target\n5,6,7,b\n", "0,1,2,3,target\n5,6,7,8,b\n", "0,1,2,target\n", "0,1,2,7\n5,6,7,8\n",
		"pear,fruit\n1,fruit\n2,apple\n", "pear,fruit\n1,kiwi\n2,apple\n", "a,b,y\n0,1,y\n1,1,y\n",
		"a,b,c,y\n0,1,2,p\n5,6,7,q\n", "0,a,y\n1,2,y\n3,4,p\n",
	} {
		opt := Options{Header: HeaderNo}
		if text[0] > '9' || strings.HasPrefix(text, "0,a") {
			opt.Header = HeaderYes
		}
		for _, layout := range []Layout{LayoutDense, LayoutSparse} {
			opt.Layout = layout
			s, err := readCSVText(text, opt)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := WriteCSV(&b, s); err != nil {
				t.Fatal(err)
			}
			back, err := readCSVText(b.String(), Options{})
			if err != nil {
				t.Errorf("%q: %v", b.String(), err)
				continue
			}
			same(t, back, s)
		}
	}
}

func TestCSVCarriageReturns(t *testing.T) {
	for _, text := range []string{"a,b,y\r1,2,3\r4,5,6\r", "1,2,3\r4,5,6", "1,2,3\r4,5,6\n",
		"a,b,y\r\n1,2,3\r\n4,5,6\r\n", "1,2,3\n4,5,6\r\n"} {
		s, err := readCSVText(text, Options{})
		if err != nil || !equal(examples(s), examples(mustText(t, "3 1:1 2:2\n6 1:4 2:5\n", Options{}))) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCSVEncoder(t *testing.T) {
	named := &Table{Columns: []string{"a", "b", "c"}, Label: "y", LabelAt: -1}
	first := &Table{LabelAt: 0}
	const want = "7 1:1 2:2 3:3\n8 1:4 3:1\n"
	const without = "0 1:1 2:2 3:3\n0 1:4 3:1\n"
	for _, c := range []struct {
		name, text string
		opt        Options
		leaves     string
		want       string // as svmlight, or an error
		others     string
	}{
		{"as it was", "a,b,c,y\nx,xx,xxx,7\nxxxx,,x,8\n", Options{Table: named}, "", want, ""},
		{"another order", "c,y,b,a\nxxx,7,xx,x\nx,8,,xxxx\n", Options{Table: named}, "", want, ""},
		{"more columns", "c,y,z,b,a\nxxx,7,bad,xx,x\nx,8,9,,xxxx\n", Options{Table: named}, "", want,
			"z"},
		{"no header", "1,xx,xxx,7\nxxxx,,x,8\n", Options{Table: named}, "", want, ""},
		{"label first, no header", "7,1,xx,xxx\n8,xxxx,,x\n", Options{Table: first}, "", want, ""},
		{"no label", "c,b,a\nxxx,xx,x\nx,,xxxx\n", Options{Table: named, Labels: LabelsAuto}, "",
			without, ""},
		{"no label, no header", "x,2,xxx\nxxxx,,x\n", Options{Table: named, Labels: LabelsAuto}, "",
			strings.Replace(without, "2:2", "2:1", 1), ""},
		{"a column that isn't used is there", "a,b,c,y\nx,xx,xxx,7\nxxxx,,x,8\n",
			Options{Table: named}, "1", strings.Replace(want, " 2:2", "", 1), ""},
		{"a column that isn't used is missing", "c,y,a\nxxx,7,x\nx,8,xxxx\n", Options{Table: named},
			"1", strings.Replace(want, " 2:2", "", 1), ""},
		{"a column that is used is missing", "c,y,a\nxxx,7,x\n", Options{Table: named}, "0",
			`a.csv:1: no column is called "b" in the header`, ""},
		{"a column that isn't used is missing, no header", "xxx,7,8\n", Options{Table: named}, "1",
			"a.csv:1: 3 columns, want 4 with the label column", ""},
		{"refused", "a,b,c,y\nx,xx,bad,7\nbad,bad,x,8\n,,,9\nbad,,,9\n", Options{Table: named}, "",
			`a.csv:2:6: column "c": token "bad": want another cell (and cells in 2 more rows)`, ""},
		{"refused in another order", "c,y,b,a\nx,7,bad,x\n", Options{Table: named}, "",
			`a.csv:2:5: column "b": token "bad": want another cell`, ""},
		{"words alone, no header", "x,xx,xxx,7\n", Options{Table: named}, "",
			"7 1:1 2:2 3:3\n", ""},
		{"words alone that come again, no header", "x,xx,xxx,7\nx,xx,xxx,7\n", Options{Table: named},
			"", "7 1:1 2:2 3:3\n7 1:1 2:2 3:3\n", ""},
		{"refused, no header", "1,x,bad,7\n", Options{Table: named}, "",
			`a.csv:1:5: token "bad": want another cell`, ""},
		{"refused, and a row is ragged", "a,b,c,y\nx,xx,bad,7\n1,2\n", Options{Table: named}, "",
			"a.csv:3: 2 cells where the table has 4 columns", ""},
		{"label", "a,b,c,y\nx,xx,bad,7\n1,2,3,\n", Options{Table: named}, "",
			`a.csv:3:7: column "y": missing label: fill it in, or leave such rows out (-missing drop)`,
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Encoder = lengths{3, c.leaves, c.opt.Table}
			got, err := readCSVText(c.text, c.opt)
			if err != nil {
				if err.Error() != c.want {
					t.Errorf("%v, want\n%s", err, c.want)
				}
				return
			}
			if !equal(examples(got), examples(mustText(t, c.want, Options{}))) {
				t.Errorf("%v, want %s", examples(got), c.want)
			}
			if others := strings.Join(got.Others, " "); others != c.others || got.Cols() != 3 {
				t.Errorf("others %q, %d columns", others, got.Cols())
			}
			if !slices.Equal(got.Table.Columns, c.opt.Encoder.Features()) {
				t.Errorf("%+v", got.Table)
			}
		})
	}
}

func TestSyntaxErrorOfCSV(t *testing.T) {
	long := strings.Repeat("n", 50)
	for _, c := range []struct {
		text, name, token string
		cell              bool
	}{
		{"a,b,y\n1,red,2\n", "b", "red", true},
		{"a," + long + ",y\n1,,2\n", long[:40] + "...", "", true},
		{"a,b,y\n1,2,3\n1,2,x\n", "y", "x", false},
		{"1,2,3\n1,red,2\n", "", "red", true},
		{"a,b,y\n1,2\n", "", "", false},
	} {
		_, err := readCSVText(c.text, Options{})
		var at *SyntaxError
		if !errors.As(err, &at) || at.Name != c.name || at.Token != c.token || at.Cell != c.cell {
			t.Errorf("%q: %+v", c.text, at)
		}
	}
	e := &SyntaxError{File: "a", Line: 3, Column: 8, Name: "age", Token: "old", Reason: "no", more: 12}
	if e.Error() != `a:3:8: column "age": token "old": no (and cells in 12 more rows)` {
		t.Error(e)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"a,b,y\n1,2,3\n", "1,2,x\n3,4,y\n", "\"1\"\t2\n", "1,,2\n",
		"1,2\n1\n", "\ufeff1,2\r\n", "nan,1\n", "1,\"2\n3\",4",
	} {
		f.Add(s, false, "", uint8(0))
		f.Add(s, true, "1", uint8(2))
	}
	f.Fuzz(func(t *testing.T, s string, tsv bool, label string, features uint8) {
		opt := Options{LabelColumn: label, Features: int(features)}
		if tsv {
			opt.Format = FormatTSV
		}
		set, err := readCSVText(s, opt)
		if err != nil {
			var place *SyntaxError
			ends := strings.Count(s, "\n") + strings.Count(s, "\r")
			if errors.As(err, &place) && (place.Line < 1 || place.Line > 1+ends) {
				t.Fatalf("%v: no such line", err)
			}
			return
		}
		checkSet(t, set)
	})
}

type endless byte

func (c endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

func TestEndlessRow(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads three rows of a quarter of a gigabyte each")
	}
	for _, c := range []struct {
		format Format
		head   string
	}{{FormatCSV, "a,y\n1,p\n"}, {FormatCSV, "a,y\n\"\n\n"}, {FormatLines, "p\t"}} {
		text := io.MultiReader(strings.NewReader(c.head), endless('x'))
		_, err := ReadFrom(text, "a", Options{Format: c.format})
		if err == nil || !strings.Contains(err.Error(), "is longer than 268435456 bytes") {
			t.Errorf("%s %q: %v", c.format, c.head, err)
		}
	}
}

func TestMissingFirstLabel(t *testing.T) {
	for _, c := range []struct {
		text  string
		names []string
		want  []float32
	}{
		{"1,2,\n3,4,b\n5,6,a\n7,8,b\n", []string{"a", "b"}, []float32{1, 0, 1}},
		{"1,2,\n3,4,7\n5,6,8\n7,8,7\n", nil, []float32{7, 8, 7}},
	} {
		s, err := ReadFrom(strings.NewReader(c.text), "a.csv",
			Options{MissingLabels: MissingKeep, Labels: LabelsYes})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(s.Names, c.names) || s.Y[0] == s.Y[0] || !slices.Equal(s.Y[1:], c.want) {
			t.Errorf("%q: names %q, labels %v", c.text, s.Names, s.Y)
		}
	}
}

// Rows that are left out determine the columns, too: a field that first appears after them is an
// error.
func TestFieldAfterRowsLeftOut(t *testing.T) {
	text := strings.Repeat("{\"y\":null,\"a\":3}\n", 20_000) +
		"{\"y\":1,\"a\":1,\"c\":2}\n{\"y\":0,\"a\":1,\"c\":2}\n"
	for _, layout := range []Layout{LayoutAuto, LayoutDense, LayoutSparse} {
		_, err := Read(file(t, "x.jsonl", []byte(text)), Options{MissingLabels: MissingDrop, Layout: layout})
		var bad *SyntaxError
		if !errors.As(err, &bad) || bad.Line != 20_001 {
			t.Errorf("%s layout: %v", layout, err)
		}
	}
}
