package form

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
)

func openText(t *testing.T, text string, g Given) (*Reader, [][]string, error) {
	t.Helper()
	r, err := Open(strings.NewReader(text), strings.NewReader(text), int64(len(text)), g)
	if err != nil {
		return nil, nil, err
	}
	var rows [][]string
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return r, rows, nil
		}
		if err != nil {
			return r, rows, err
		}
		rows = append(rows, append([]string(nil), cells...))
	}
}

func mustOpen(t *testing.T, text string, g Given) (*Reader, [][]string) {
	t.Helper()
	r, rows, err := openText(t, text, g)
	if err != nil {
		t.Fatalf("%v in\n%.300s", err, text)
	}
	return r, rows
}

func described(r *Reader, rows [][]string) string {
	f := r.Form()
	s := string(f.Separator)
	switch f.Separator {
	case '\t':
		s = "tab"
	case None:
		s = "none"
	}
	if f.Format == Lines {
		s = "lines"
	}
	if f.Header {
		s += " header"
	}
	return fmt.Sprintf("%s %dx%d", s, len(rows), f.Columns)
}

var (
	towns  = []string{"Graz", "Bern", "Lyon", "Porto"}
	colors = []string{"red", "green", "blue"}
)

func table(header string, n int, row func(i int) string) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

func number(i, salt int) string {
	h := uint32(i*7919+salt*104729+17) * 2654435761
	h = (h ^ h>>15) * 2246822519 >> 16
	return fmt.Sprintf("%d.%02d", 10+h%90, h/90%100)
}

func town(i int) string  { return towns[(i*i+i/3)%len(towns)] }
func color(i int) string { return colors[(i*i+i/2)%len(colors)] }

func plain(sep string) func(int) string {
	return func(i int) string { return town(i) + sep + number(i, 1) + sep + color(i) }
}

func TestForms(t *testing.T) {
	decimal := func(i int) string { return strings.ReplaceAll(number(i, 2), ".", ",") }
	three := func(i int) string { return number(i, 1) + "," + number(i, 2) + "," + number(i, 3) }
	words := func(i int) string { return town(i) + "," + color(i) + "," + town(i/3) }
	for name, c := range map[string]struct{ text, want string }{
		"commas":                  {table("town,size,sold", 30, plain(",")), ", header 30x3"},
		"semicolons":              {table("town;size;sold", 30, plain(";")), "; header 30x3"},
		"pipes":                   {table("town|size|sold", 30, plain("|")), "| header 30x3"},
		"tabs":                    {table("town\tsize\tsold", 30, plain("\t")), "tab header 30x3"},
		"semicolons, no header":   {table("", 30, plain(";")), "; 30x3"},
		"pipes, no header":        {table("", 12, plain("|")), "| 12x3"},
		"tabs, no header":         {table("", 12, plain("\t")), "tab 12x3"},
		"quoted semicolon header": {table(`"town";"size";"sold"`, 9, plain(";")), "; header 9x3"},
		"quoted header and words": {table(`"town";"a, b";"c;d"`, 9, func(i int) string {
			return `"` + town(i) + `";` + number(i, 1) + `;"` + color(i) + `, dark"`
		}), "; header 9x3"},
		"quoted pipes": {table(`"a"|"b"`, 9, func(i int) string {
			return `"` + town(i) + `|x"|` + number(i, 1)
		}), "| header 9x2"},
		"single quotes": {table(`a,b,c`, 9, func(i int) string {
			return number(i, 1) + `,'` + town(i) + `, it''s',` + color(i)
		}), ", header 9x3"},
		"words with apostrophes": {table("a,b,c", 9, func(i int) string {
			return number(i, 1) + ",'" + town(i) + ",'" + color(i)
		}), ", header 9x3"},
		"Markdown": {table("| a | b |\n|:---|---:|", 9, func(i int) string {
			return "| " + town(i) + " | " + number(i, 1) + " |"
		}), "| header 9x4"},
		"decimal commas": {table("a;b", 20, func(i int) string {
			return decimal(i) + ";" + decimal(i+9)
		}),
			"; header 20x2"},
		"decimal commas, no header": {table("", 20, func(i int) string {
			return decimal(i) + ";" + decimal(i+9) + ";" + decimal(i+5)
		}), "; 20x3"},
		"decimal commas in quotes": {table("a,b,c", 20, func(i int) string {
			return `"` + decimal(i) + `",` + color(i) + `,"` + decimal(i+9) + `"`
		}), ", header 20x3"},
		"commas in the header's names": {table("No;Smith, Ann;Lee, Kim;Poe, Jo", 20, func(i int) string {
			return fmt.Sprintf("%d;%d;%d;%d", i, i*i%37, i%7, i*3%11)
		}), "; header 20x4"},
		"commas in text": {table("", 20, func(i int) string {
			return number(i, 1) + ";" + town(i) + ", Main Road 3, Flat 1;" + color(i)
		}), "; 20x3"},
		"commas in text behind tabs": {table("size\taddress\tsold", 20, func(i int) string {
			return number(i, 1) + "\t" + town(i) + ", Main Road 3\t" + color(i)
		}), "tab header 20x3"},
		"a comma in each line": {table("", 60, func(i int) string {
			return fmt.Sprintf("May %d, 2023;%s;%s", 1+i%30, number(i, 1), color(i))
		}), "; 60x3"},
		"lists in cells": {table("id,genres,score", 40, func(i int) string {
			return fmt.Sprintf("%d,%s,%s", i*7, strings.Join(colors[:1+i%3], "|"), number(i, 1))
		}), ", header 40x3"},

		"numbers alone":        {table("", 20, three), ", 20x3"},
		"numbers and names":    {table("a,b,c", 20, three), ", header 20x3"},
		"words, no header":     {table("", 40, words), ", 40x3"},
		"a label's name":       {"0,Label\n5%,ja\n21%,ja\n19%,nein\n", ", header 3x2"},
		"a label's name below": {"5%,class\n21%,ja\n19%,class\n8%,nein\n", ", 4x2"},
		"words and header":     {table("place,colour,other", 40, words), ", header 40x3"},
		"words and label": {table("", 40, func(i int) string {
			return "a" + color(i) + "," + town(i) + "," + number(i, 1)
		}), ", 40x3"},
		"numeric names": {table("kind,1001,1002,price", 40, func(i int) string {
			return color(i) + "," + three(i)
		}), ", header 40x4"},
		"years as names": {table("kind,2019,2020,price", 40, func(i int) string {
			return color(i) + "," + three(i)
		}), ", header 40x4"},
		"years alone as names": {table("2018,2019,2020", 40, three), ", header 40x3"},
		"years as data": {table("", 40, func(i int) string {
			return fmt.Sprintf("%d,%d,%s", 2000+i*i%20, 1+i%4, number(i, 1))
		}), ", 40x3"},
		"numbers of the length of years": {"19.5,20.1\n31.5,42.5\n33.5,41.5\n38.5,47.5\n", ", 4x2"},
		"empty names": {table("v1,v2,,,", 40, func(i int) string {
			return color(i) + ",see you at home " + number(i, 1) + ",,,"
		}), ", header 40x5"},
		"first name empty": {table(",day,price,1001,1002", 40, func(i int) string {
			return color(i) + "," + three(i) + "," + number(i, 7)
		}), ", header 40x5"},
		"index without name": {table(",a,b", 40, func(i int) string {
			return fmt.Sprint(i) + "," + number(i, 1) + "," + color(i)
		}), ", header 40x3"},
		"0 to n-1": {table("0,1,2,3", 20, func(i int) string {
			return three(i) + "," + fmt.Sprint(i%5)
		}), ", header 20x4"},
		"0 to n-1 and label": {table("0,1,2,label", 20, func(i int) string {
			return three(i) + "," + color(i)
		}), ", header 20x4"},
		"0 to n-1 and index": {table(",0,1,2", 20, func(i int) string {
			return fmt.Sprint(i) + "," + three(i)
		}), ", header 20x4"},
		"wavelengths": {table("400,410,420,430,kind", 20, func(i int) string {
			return three(i) + "," + number(i, 8) + "," + color(i)
		}), ", header 20x5"},
		"header one short": {table("a,b,c", 20, func(i int) string {
			return "r" + fmt.Sprint(i) + "," + three(i)
		}), ", header 20x4"},
		"header one long": {table("a,b,c,", 20, three), ", header 20x3"},
		"header two long": {table("a;b;c;;", 20, plain(";")), "; header 20x3"},
		"short, trailing": {table("a,b,c", 20, func(i int) string {
			return three(i) + ","
		}), ", header 20x4"},
		"trailing": {table("a,b,c,", 20, func(i int) string {
			return plain(",")(i) + ","
		}), ", header 20x4"},
		"trailing, no names": {table("", 20, func(i int) string {
			return plain(";")(i) + ";"
		}), "; 20x4"},

		"lines above": {"Format: 4.0\nDevice: X1\n\n" + table("a,b,c", 20, three), ", header 20x3"},
		"one title":   {"Report of the year\n" + table("a;b;c", 20, plain(";")), "; header 20x3"},
		"title with a comma": {"Report, first part\nmade by hand\n" + table("a,b,c,d", 30, func(i int) string {
			return three(i) + "," + color(i)
		}), ", header 30x4"},
		"filled-up lines above": {"Report;;\nof 2019;;\n" + table("a;b;c", 20, plain(";")), "; header 20x3"},
		"a filled-up title":     {"Report,,\n,,\n" + table("a,b,c", 20, three), ", header 20x3"},
		"made-up names":         {"Column1;Column2;Column3\nReport;;\n;;\n" + table("a;b;c", 20, plain(";")), "; header 20x3"},
		"names that look so":    {table("Column1,Column2,Column3", 20, three), ", header 20x3"},
		"comments":              {"# made by hand\n# in 2020\n" + table("a,b,c", 20, three), ", header 20x3"},
		"comments, no header":   {"#a b c\n#\n" + table("", 20, plain("\t")), "tab 20x3"},
		"comments between rows": {table("a,b,c", 20, three) + "# part two\n#\n" + table("", 20, three), ", header 40x3"},
		"colors are no comments": {table("color,a,b", 20, func(i int) string {
			return "#ff0000," + number(i, 1) + "," + number(i, 2)
		}),
			", header 20x3"},
		"sep=":        {"sep=;\n" + table("a;b;c", 20, plain(";")), "; header 20x3"},
		"sep=,":       {"sep=,\r\n" + table("a,b,c", 20, three), ", header 20x3"},
		"sep= quoted": {"\"sep=|\"\n" + table("a|b|c", 20, plain("|")), "| header 20x3"},
		"units":       {"a,b,c\nkg,m,s\n" + table("", 20, three), ", header 20x3"},
		"types": {"a,b,c\nfloat,string,double\n" + table("", 20, func(i int) string {
			return number(i, 1) + "," + color(i) + "," + number(i, 2)
		}), ", header 20x3"},
		"descriptions": {"id,e1,m1\nArea,Estimate of households,Margin\n" + table("", 20, func(i int) string {
			return fmt.Sprintf("G%03d,%d,%d", i, 1000+i*37%900, i%9)
		}), ", header 20x3"},
		"glued":       {table("a,b,c", 20, three) + table("a,b,c", 20, three), ", header 40x3"},
		"glued words": {table("a;b;c", 20, plain(";")) + table("a;b;c", 20, plain(";")) + "a;b;c\n", "; header 40x3"},
		"footer":      {table("a,b,c", 20, three) + "...\n", ", header 20x3"},
		"long footer": {table("a,b,c", 20, three) + "\nSource: here\nNote, all\nby hand\nin 2020\nend\n", ", header 20x3"},
		"ragged":      {table("a,b,c", 40, three) + "1,2\n" + table("", 10, three), ", header 50x3"},
		"rows longer by empty cells": {table("a,b,c", 40, func(i int) string {
			return three(i) + strings.Repeat(",", i%2)
		}), ", header 40x3"},

		"one column": {table("x", 20, func(i int) string {
			return number(i, 1)
		}), "none header 20x1"},
		"one column, words":    {table("", 30, color), "none 30x1"},
		"one column of texts":  {"text\nHello, world\nyes\nno, thanks, really\nfine\nwell then\n", "none header 5x1 in doubt"},
		"one row":              {"1,2,red\n", ", 1x3"},
		"one row, no newline":  {"1;2;red", "; 1x3"},
		"a header alone":       {"a,b,y\n", ", header 0x3"},
		"a header alone, tabs": {"a\tb\ty", "tab header 0x3"},
		"empty":                {"", "none 0x0"},
		"blank lines":          {"\n\n \n", "none 0x0"},
		"blank lines between":  {"\na,b,c\n\n" + table("", 9, three) + "\n  \n", ", header 9x3"},

		"inches": {table("name,size,y", 30, func(i int) string {
			return fmt.Sprintf(`TV %d" wide,%d,%s`, 20+i, i, color(i))
		}), ", header 30x3"},
		"inches first": {table("name,size,y", 30, func(i int) string {
			return fmt.Sprintf(`%d" TV "wide",%d,%s`, 20+i, i, color(i))
		}), ", header 30x3"},
		"bare quotes": {table(`"t","n","y"`, 30, func(i int) string {
			return fmt.Sprintf(`"The "%s" of %d, again",%d,"%s"`, town(i), i, i, color(i))
		}), ", header 30x3"},
		"bare quotes at the end": {table(`"t","n"`, 30, func(i int) string {
			return fmt.Sprintf(`"He said "%s"",%d`, town(i), i)
		}), ", header 30x2"},
		"newlines in quotes": {table("a,b,c", 30, func(i int) string {
			return fmt.Sprintf("\"%s\nand %d, more\",%d,%s", town(i), i, i, color(i))
		}), ", header 30x3"},
		"an open quote": {table("a,b,c", 30, func(i int) string {
			return []string{`"`, ""}[min(i%7, 1)] + plain(",")(i)
		}), ", header 30x3"},
		"an open quote at the end": {table("a,b,c", 30, plain(",")) + "\"Graz,3.1,red\nBern,4.1,blue\n",
			", header 32x3"},

		"label and text": {table("", 60, func(i int) string {
			return color(i) + "\tsee you " + number(i, 1)
		}), "lines 60x2"},
		"label and one word": {table("", 60, func(i int) string {
			return color(i) + "\t" + town(i) + fmt.Sprint(i) + "x"
		}), "lines 60x2"},
		"label and Chinese": {table("", 60, func(i int) string {
			return color(i) + "\t这部电影很好看，" + number(i, 1)
		}), "lines 60x2"},
		"label and sentences": {"ham\tok see you\nspam\twin a big prize today\nham\tsee you at home later\n", "lines 3x2"},
		"header and text": {table("label\ttext", 60, func(i int) string {
			return color(i) + "\tsee you " + number(i, 1)
		}), "tab header 60x2"},
		"text and label": {table("", 60, func(i int) string {
			return "see you " + number(i, 1) + "\t" + color(i)
		}), "tab 60x2"},
		"two columns of words": {table("", 60, func(i int) string {
			return town(i) + "\t" + color(i)
		}), "tab 60x2"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ends := range []string{"\n", "\r\n", "\r"} {
				text := strings.ReplaceAll(strings.ReplaceAll(c.text, "\r\n", "\n"), "\n", ends)
				r, rows := mustOpen(t, text, Given{})
				got := described(r, rows)
				for _, d := range r.Doubts() {
					if d.About == "separator" || d.About == "header" {
						got += " in doubt"
					}
				}
				if got != c.want {
					t.Errorf("line ends %q: %s, want %s; doubts %q", ends, got, c.want, r.Doubts())
				}
			}
		})
	}
}

func utf16Text(text string, big, mark bool) string {
	if mark {
		text = "\ufeff" + text
	}
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(text)) {
		low, high := byte(u), byte(u>>8)
		if big {
			low, high = high, low
		}
		b.WriteByte(low)
		b.WriteByte(high)
	}
	return b.String()
}

func latin1(text string) string {
	var b bytes.Buffer
	for _, r := range text {
		b.WriteByte(byte(r))
	}
	return b.String()
}

func TestEncodings(t *testing.T) {
	accents := table("Região;Área;Tipo", 30, func(i int) string {
		return "Graçá;" + number(i, 1) + ";" + color(i)
	})
	chinese := table("城市;大小;颜色", 30, func(i int) string {
		return "北京;" + number(i, 1) + ";好看" + color(i)
	})
	for name, c := range map[string]struct{ text, given, encoding, first string }{
		"UTF-8":                 {accents, "", "utf-8", "Região"},
		"UTF-8 with mark":       {"\ufeff" + accents, "", "utf-8", "Região"},
		"ASCII":                 {table("a;b;c", 30, plain(";")), "", "utf-8", "a"},
		"UTF-16LE with mark":    {utf16Text(accents, false, true), "", "utf-16le", "Região"},
		"UTF-16BE with mark":    {utf16Text(accents, true, true), "", "utf-16be", "Região"},
		"UTF-16LE":              {utf16Text(accents, false, false), "", "utf-16le", "Região"},
		"UTF-16BE":              {utf16Text(accents, true, false), "", "utf-16be", "Região"},
		"UTF-16LE, Chinese":     {utf16Text(chinese, false, false), "", "utf-16le", "城市"},
		"UTF-16BE, Chinese":     {utf16Text(chinese, true, false), "", "utf-16be", "城市"},
		"UTF-16LE, one row":     {utf16Text("1;2;x", false, false), "", "utf-16le", ""},
		"UTF-16LE, given":       {utf16Text(accents, false, true), "utf-16", "utf-16le", "Região"},
		"UTF-16BE, given":       {utf16Text(accents, true, false), "UTF-16", "utf-16be", "Região"},
		"Latin-1":               {latin1(accents), "", "windows-1252", "Região"},
		"Latin-1, given":        {latin1(accents), "latin-1", "windows-1252", "Região"},
		"Windows-1252":          {strings.ReplaceAll(latin1(accents), "red", "\x93red\x94 \x80"), "", "windows-1252", "Região"},
		"UTF-8 with a bad byte": {strings.Replace(accents, "red", "r\xe9d", 1), "", "utf-8", "Região"},
	} {
		t.Run(name, func(t *testing.T) {
			r, rows := mustOpen(t, c.text, Given{Encoding: c.given})
			if f := r.Form(); f.Encoding != c.encoding || f.Separator != ';' {
				t.Errorf("%+v", f)
			}
			if c.first != "" && (r.Names()[0] != c.first || len(rows) != 30) {
				t.Errorf("%d rows, names %q", len(rows), r.Names())
			}
			told := len(r.Doubts()) > 0
			want := c.given == "" && c.encoding == "windows-1252" || strings.Contains(name, "bad")
			if told != want {
				t.Errorf("%q", r.Doubts())
			}
		})
	}
	const control = "a control character: this may be another kind of file, or text in another " +
		"encoding (-encoding)"
	for text, want := range map[string]string{
		"a,b\x00\n1,2\n":       "line 1: " + control,
		"a,b\n1,2\n3\x00,4\n":  "line 3: " + control,
		"\x1f\x8b\x08\xff\xfe": "line 1: " + control,
		table("a,b", 60000, plain(",")) + "\"4\n\nGr\xe1z\",1,2\n" +
			table("", 60000, plain(",")): "line 60004: " + errNotUTF8.Error(),
		table("a,b", 60000, plain(",")) + "Gr\xe1z,1,2\n" + table("", 60000, plain(",")): "line 60002: " +
			errNotUTF8.Error(),
	} {
		if _, _, err := openText(t, text, Given{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, _, err := openText(t, "a", Given{Encoding: "koi8"}); err == nil {
		t.Error("an encoding that is not known is accepted")
	}
	for _, name := range Encodings {
		if _, _, err := openText(t, "a,b\n", Given{Encoding: name}); err != nil {
			t.Error(err)
		}
	}
}

func TestGivenForm(t *testing.T) {
	for _, text := range []string{
		"Report\n\n" + table("a;b;c", 20, plain(";")),
		"# x\n# y\n" + table("a|b|c", 20, plain("|")),
		table("", 20, plain("\t")),
		"sep=;\n" + table("a;b;c", 20, plain(";")),
		table(`"a","b","c"`, 20, func(i int) string {
			return `"The "x" of` + town(i) + `",1,` + color(i)
		}),
	} {
		r, rows := mustOpen(t, text, Given{})
		f := r.Form()
		given := Given{Format: f.Format, Encoding: f.Encoding, Separator: f.Separator, Quote: f.Quote,
			Comment: f.Comment, SkipLines: f.SkipLines, Header: &f.Header}
		if f.SkipLines == 0 {
			given.SkipLines = -1
		}
		again, same := mustOpen(t, text, given)
		if fmt.Sprint(rows) != fmt.Sprint(same) || again.Form() != f {
			t.Errorf("%+v, then %+v", f, again.Form())
		}
	}
}

// With a model's names or number of columns, the last rows alone are read as in the whole file.
func TestSuffixes(t *testing.T) {
	decimal := func(i int) string { return strings.ReplaceAll(number(i, 2), ".", ",") }
	for name, c := range map[string]struct {
		header string
		row    func(i int) string
		names  []string
	}{
		"numbers": {"a,b,c", func(i int) string {
			return number(i, 1) + "," + number(i, 2) + "," + number(i, 3)
		}, []string{"a", "b"}},
		"words":      {"town,size,sold", plain(","), []string{"town", "size"}},
		"semicolons": {"town;size;sold", plain(";"), []string{"size"}},
		"decimal commas": {"x;y;z", func(i int) string {
			return decimal(i) + ";" + decimal(i+5) + ";" + decimal(i*3)
		}, []string{"x", "y"}},
		"addresses": {"size;address;sold", func(i int) string {
			return number(i, 1) + ";Main Road 3, " + town(i) + ", Flat;" + color(i)
		}, []string{"size", "address"}},
		"quoted": {`"t","n","y"`, func(i int) string {
			return `"` + town(i) + `, ""x"" and` + "\n" + `more",` + decimal2(i) + "," + color(i)
		}, []string{"t", "n"}},
		"no header":       {"", plain(","), nil},
		"no header, pipe": {"", plain("|"), nil},
		"odd cells": {"", func(i int) string {
			return []string{"broken,broken,red", number(i, 1) + "," + number(i, 3) + "," + color(i)}[min(1, i%5)]
		}, nil},
		"odd cells and names": {"a,b,c", func(i int) string {
			return []string{"broken,low,red", number(i, 1) + "," + number(i, 3) + "," + color(i)}[min(1, i%5)]
		}, []string{"a", "b"}},
		"sparse": {"a,b,c,d", func(i int) string {
			return []string{",,,red", "1,2,3,blue", ",x,,red"}[i%3]
		}, []string{"a", "b", "c"}},
		"dates": {"when,b,c", func(i int) string {
			return fmt.Sprintf("%d/%d/2019,%d,%s", 1+i%12, 1+i%9, i, color(i))
		}, []string{"when"}},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 30
			g := Given{Columns: 2, Names: c.names, Label: "c", Keep: true}
			if name == "sparse" {
				g.Columns = 3
			}
			r, whole := mustOpen(t, table(c.header, n, c.row), g)
			if len(whole) != n {
				t.Fatalf("%d rows", len(whole))
			}
			for from := range n {
				for _, header := range []string{c.header, ""} {
					text := table(header, n-from, func(i int) string { return c.row(from + i) })
					s, rows := mustOpen(t, text, g)
					if fmt.Sprint(rows) != fmt.Sprint(whole[from:]) || s.Form().Separator != r.Form().Separator ||
						s.Form().Header != (header != "") {
						t.Fatalf("from row %d, header %q: %+v\n%q\nwant\n%q", from, header, s.Form(), rows,
							whole[from:])
					}
				}
			}
		})
	}
}

func decimal2(i int) string { return number(i, 2) }

func TestMissingNames(t *testing.T) {
	g := Given{Columns: 3, Names: []string{"a", "b", "d"}, Label: "y", Keep: true}
	for text, want := range map[string]string{
		"a,b,c,y\n1,2,3,x\n": `line 1: no column is called "d" in the header`,
		"b,a,x\n":            `line 1: no column is called "d" in the header`,
		table("p,q,r,y", 20, func(i int) string {
			return number(i, 1) + "," + number(i, 2) + ",1,red"
		}): `line 1: no column is ` +
			`called "a" or "b" or "d" in the header`,
	} {
		if _, _, err := openText(t, text, g); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestNamesBelowManyLines(t *testing.T) {
	text := strings.Repeat("note\n", 120) + table("a,b,y", 400, plain(","))
	g := Given{Columns: 2, Names: []string{"a", "b"}, Label: "y"}
	r, rows := mustOpen(t, text, g)
	if f := r.Form(); !f.Header || f.SkipLines != 120 || len(rows) != 400 {
		t.Errorf("%+v, %d rows", f, len(rows))
	}
}

func TestRowsTold(t *testing.T) {
	text := table("a,b,c", 40, plain(",")) + "1,2\n" + table("a,b,c", 10, plain(",")) + "1,2,3,4\n,,\n" +
		table("", 5, plain(","))
	r, rows := mustOpen(t, text, Given{})
	if len(rows) != 55 || fmt.Sprint(r.Doubts()) != `[line 42: 2 rows have too few or too many `+
		`cells (not 3) and are left out, such as "1" line 55: a row of empty cells is left out `+
		`line 43: a header below the first row is left out, such as "a"]` {
		t.Error(len(rows), r.Doubts())
	}
	r, rows = mustOpen(t, text, Given{Keep: true, Columns: 2, Names: []string{"a"}})
	if len(rows) != 58 || strings.Join(rows[40], "|") != "1|2|" || strings.Join(rows[51], "|") != "1|2|3" ||
		len(r.Doubts()) != 2 {
		t.Error(len(rows), r.Doubts(), rows[40], rows[51])
	}
	if _, _, err := openText(t, table("a,b,c", 40, plain(","))+strings.Repeat("1,2\n", 5)+
		table("", 40, plain(",")), Given{}); err == nil || !strings.HasPrefix(err.Error(),
		`line 42: 2 cells where the table has 3 columns (and 4 more rows with too few or too many `+
			`cells): mend them`) {
		t.Error(err)
	}
}

func TestDoubtsNameLines(t *testing.T) {
	const comments = "# made by\n# a program\n\n"
	for text, want := range map[string]string{
		comments + table("a,b", 20, plain(",")): `[line 4: the header has one cell fewer than the ` +
			`rows: the first column is taken for the one without a name]`,
		strings.Repeat(strings.Repeat("x", 1000)+","+strings.Repeat("y", 1000)+"\n", 70) +
			table("", 9000, func(i int) string { return plain(",")(i) + ",1,2" }): `[line 1: 70 rows ` +
			`have too few or too many cells (not 5) and are left out, such as "` + strings.Repeat("x", 40) + `"]`,
		"# made by\n#town, size,sold\n" + table("", 20, plain(",")): `[line 2: a comment above the table ` +
			`may name the columns, and is left out, such as "#town" (if so, take its comment sign ` +
			`away and give -comment "#"; otherwise, -header no)]`,
		table("a,b,c", 40, plain(",")) + "\"Bern,1,red\nGraz,2,blue\nBonn,3,red\"\n" + table("", 9,
			plain(",")): `[line 42: a row has too few or too many cells (not 3) and is left out, such as ` +
			`"Bern,1,red\nGraz,2,blue\nBonn,3,red" line 42: a row with too few or too many cells goes on to ` +
			`line 44 (mend stray quotes, or say -quote none if no cell is quoted)]`,
		table("a,b", 20, func(i int) string { return color(i) + ",'" + number(i, 1) + "'" }): "[]",
		table("a,b", 20, func(i int) string { return color(i) + ",'" + number(i, 1) }):       "[]",
		table("", 20, func(i int) string { return "[" + plain(", ")(i) + "]" }): `[brackets around the ` +
			`rows are read as parts of the cells, such as "[` + town(1) + `" (cut them off)]`,
		table("", 20, func(i int) string { return fmt.Sprintf("(%d),%d,(%d)", i, i*i%7, i) }):       "[]",
		"# made by\n# a, b and c.\n" + table("", 20, plain(",")):                                    "[]",
		table("|a|b|\n|---|---|", 20, func(i int) string { return fmt.Sprintf("|%d|%d|", i, i%7) }): "[]",
		"# made by\n#1,2,3\n" + table("", 20, plain(",")):                                           "[]",
		"# made by\n#p,q,r\n" + table("a,b,c", 20, plain(",")):                                      "[]",
	} {
		r, _ := mustOpen(t, text, Given{})
		if have := fmt.Sprint(r.Doubts()); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}

func TestNamesInComment(t *testing.T) {
	no := false
	r, _ := mustOpen(t, "# made by\n#town,size,sold\n"+table("", 20, plain(",")), Given{Header: &no})
	if len(r.Doubts()) > 0 {
		t.Error(r.Doubts())
	}
}

func TestDamagedUTF8(t *testing.T) {
	text := "a,b\n" + strings.Repeat("caf\u00e9,1\n", 20)
	for _, c := range []struct{ more, encoding, want string }{
		{"caf\xe9,1\n", "", "[line 22: bytes that are not UTF-8 are read as the character U+FFFD " +
			"(if that is right, -encoding utf-8)]"},
		{"caf\xe9,1\n", "utf-8", "[]"}, {"", "utf-8", "[]"},
	} {
		r, rows := mustOpen(t, text+c.more, Given{Encoding: c.encoding})
		last := rows[len(rows)-1][0]
		if have := fmt.Sprint(r.Doubts()); have != c.want || c.more != "" && last != "caf\ufffd" {
			t.Errorf("%s, %q, want %s", have, last, c.want)
		}
	}
	long := strings.Repeat("Bern,1\n", headSize) // longer than the samples
	_, _, err := openText(t, long+"caf\xe9,1\n"+long, Given{})
	if !strings.Contains(fmt.Sprint(err), "a byte that is not UTF-8: name the file's encoding") {
		t.Error(err)
	}
}

func TestDamagedUTF16(t *testing.T) {
	const want = "[bytes that are not UTF-16 are read as the character U+FFFD: the file may be cut off or " +
		"damaged]"
	whole := utf16Text(table("a,b,c", 20, plain(",")), false, true)
	alone := whole[:len(whole)-4] + "\x00\xd8" + whole[len(whole)-2:] // a surrogate without its second half
	for text, want := range map[string]string{whole: "[]", whole[:len(whole)-3]: want, alone: want} {
		r, _ := mustOpen(t, text, Given{})
		if have := fmt.Sprint(r.Doubts()); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}

func TestTabsInTexts(t *testing.T) {
	r, _ := mustOpen(t, "a text\nanother\npos\tgood\nbye\nneg\tbad\n", Given{Format: Lines, Keep: true})
	if have, want := fmt.Sprint(r.Doubts()), "[line 3: 2 lines have a tab, perhaps after a label, and are "+
		`read as texts, such as "pos\tgood"]`; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}

func TestTotals(t *testing.T) {
	rows := table("a,b,c", 40, plain(","))
	for text, want := range map[string]string{
		rows + "Total,1,\n": `[line 42: a row at the end may be a total or a mean of the others, such as ` +
			`"Total" (if so, leave totals out of the file)]`,
		rows + "Sum,1,\n" + table("", 9, plain(",")) + "Total,1,\n": `[line 42: 2 rows may be totals or ` +
			`means of the others, such as "Sum" (if so, leave totals out of the file)]`,
		rows + "Total,1,\n" + table("", 9, plain(",")): "[]",
		rows + strings.Repeat("Total,1,\n", 4):         "[]",
	} {
		r, _ := mustOpen(t, text, Given{})
		if have := fmt.Sprint(r.Doubts()); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}

func TestKeepBlankLines(t *testing.T) {
	const text = "win a big prize\n\nsee you\n\n\nbye\n"
	for _, g := range []Given{{Format: Lines, Keep: true}, {Separator: None, Keep: true, Columns: 1}} {
		if _, rows := mustOpen(t, text, g); len(rows) != 6 || rows[1][0] != "" || rows[5][0] != "bye" {
			t.Errorf("%q", rows)
		}
		g.Keep = false
		if _, rows := mustOpen(t, text, g); len(rows) != 3 {
			t.Errorf("%q", rows)
		}
	}
}

func TestFieldPos(t *testing.T) {
	r, err := Open(strings.NewReader("\na,b,c\n1, 2,\"x\ny\"\r\n\"p\n\nq\",\"r\ns\", t\n"), nil, -1, Given{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[3 1] [3 4] [3 6]", "[5 1] [7 4] [8 5]"} {
		cells, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range cells {
			line, column := r.FieldPos(i)
			got = append(got, fmt.Sprint([]int{line, column}))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q at %s, want %s", cells, got, want)
		}
	}
}
