package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
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
	const noText = "a.csv:1: no text: another kind of file, or characters of two bytes, which " +
		"iconv makes UTF-8 of for instance"
	const words = ": feature is not a number: encode words as numbers, one-hot for instance"
	const missing = ": missing value: fill it in or leave the row out"
	const header = "; if this row names the columns, say so (-header yes)"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		{"word", "1,2,3\n1,red,3\n", Options{}, `a.csv:2:3: token "red"` + words},
		{"word in the first row", "1,red,3\n", Options{},
			`a.csv:1:3: token "red"` + words + header},
		{"word in the first row, no header", "red,2,3\n", Options{Header: HeaderNo},
			`a.csv:1:1: token "red"` + words},
		{"words only", "red,green,3\nred,green,3\n", Options{}, `a.csv:1:1: token "red"` + words + header},
		{"missing cell", "1,2,3\n4,,6\n", Options{}, `a.csv:2:3` + missing},
		{"missing cell of blanks", "1,2,3\n4, ,6\n", Options{}, `a.csv:2:4` + missing},
		{"NA", "1,2,3\n4,NA,6\n", Options{}, `a.csv:2:3: token "NA"` + missing},
		{"nan", "nan,2,3\n4,5,6\n", Options{}, `a.csv:1:1: token "nan"` + missing + header},
		{"?", "1,?,3\n4,5,6\n", Options{Header: HeaderNo}, `a.csv:1:3: token "?"` + missing},
		{"missing cell, tsv", "1\t2\t3\n4\t\t6\n", Options{Format: FormatTSV},
			`a.csv:2:3` + missing},
		{"missing label", "1,2,3\n4,5,\n", Options{}, `a.csv:2:5: missing label`},
		{"inf", "1,inf,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "inf": feature is not finite`},
		{"1e39", "1,1e39,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "1e39": feature is too large for float32`},
		{"two numbers in a cell", "1,2 3,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "2 3"` + words},
		{"a number and a comment sign", "1,2#,3\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "2#"` + words},
		{"label inf", "1,2,3\n1,2,inf", Options{}, `a.csv:2:5: token "inf": label is not finite`},
		{"label inf first", "1,2,inf\n", Options{},
			`a.csv:1:5: token "inf": label is not finite` + header},
		{"label 2^24+1", "1,16777217\n", Options{Header: HeaderNo},
			`a.csv:1:3: token "16777217": label is an integer that float32 can't hold exactly`},
		{"name among numbers", "1,2,3\n1,2,x\n", Options{},
			`a.csv:2:5: token "x": label is not a decimal number, as the first label is`},
		{"ragged, short", "1,2,3\n4,5\n", Options{}, `a.csv:2: 2 cells where the first row has 3`},
		{"ragged, long", "1,2,3\n\n4,5,6,7\n", Options{},
			`a.csv:3: 4 cells where the first row has 3`},
		{"bare quote", "1,2,3\n4,5\"6,7\n", Options{}, `a.csv:2:4: bare " in non-quoted-field`},
		{"open quote", "1,2,3\n4,\"5,6\n7,8,9\n", Options{},
			`a.csv:3:7: extraneous or missing " in quoted-field`},
		{"newline in quotes", "1,2,3\n4,\"5\n6\",7\n", Options{},
			`a.csv:2:3: token "5\n6"` + words},
		{"one column", "1\n2\n", Options{}, `a.csv:1: one column only: want features and a label`},
		{"semicolons", "a;b;y\n1;2;3\n", Options{},
			`a.csv:1: one column only: want features and a label; commas separate cells here, ` +
				`not semicolons: replace them (and decimal commas by points), such as by ` +
				`tr ',;' '.,'`},
		{"tabs", "a\tb\ty\n", Options{}, `a.csv:1: one column only: want features and a label; ` +
			`commas separate cells here, tabs do with the format tsv`},
		{"bytes", "\x1f\x9d\x90a\xff\"", Options{}, noText},
		{"UTF-16", "\xff\xfea\x00,\x00", Options{}, noText},
		{"no such label", "a,b\n1,2\n", Options{LabelColumn: "y"},
			`a.csv: no column is called "y" in the header`},
		{"label by name without header", "y,b\n1,2\n", Options{LabelColumn: "y", Header: HeaderNo},
			`a.csv: no column is called "y" in the header`},
		{"label name twice", "y,b,y\n1,2,3\n", Options{LabelColumn: "y"},
			`a.csv: two columns are called "y"`},
		{"label number", "1,2\n", Options{LabelColumn: "2"},
			`a.csv: label column 2 of 2, counted from 0`},
		{"label number below 0", "1,2\n", Options{LabelColumn: "-1"},
			`a.csv: label column -1 of 2, counted from 0`},
		{"more features than are wanted", "1,2,3\n", Options{Features: 1},
			`a.csv:1: 3 columns, want 2 with the label's`},
		{"fewer features than are wanted", "a,b,c\n1,2,3\n", Options{Features: 5},
			`a.csv:1: 3 columns, want 6 with the label's`},
		{"class name that is not UTF-8", "1,caf\xe9\n", Options{}, `a.csv:1:3: token "caf\xe9": ` +
			`label is not UTF-8: convert the file, with iconv for instance` + header},
		{"too many columns", "1,2,3,4\n", Options{MaxFeatures: 2},
			`a.csv:1: 4 columns are beyond the limit of 2 features (-max-features)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readCSVText(c.text, c.opt)
			if s != nil || err == nil || err.Error() != c.want {
				t.Errorf("%q:\n%v, want\n%v", c.text, err, c.want)
			}
		})
	}
}

// Text may have control characters, and another code of a byte a character.
func TestCSVCodes(t *testing.T) {
	long := strings.Repeat("é", 255) // the first 512 bytes end in a character
	for _, header := range []string{"\x1b[2J", "caf\xe9", "é", "a" + long + "\x1b" + long} {
		s, err := readCSVText(header+",b,y\n1,2,3\n", Options{})
		if err != nil || s.Cols() != 2 {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// A set may have more columns than any CSV file may ask for unasked: it is written, and read with
// MaxFeatures.
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

// More rows than a block has.
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
			if errors.As(err, &place) && (place.Line < 1 || place.Line > 1+strings.Count(s, "\n")) {
				t.Fatalf("%v: no such line", err)
			}
			return
		}
		checkSet(t, set)
	})
}
