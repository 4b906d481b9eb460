package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadingOddCells(t *testing.T) {
	s := houses(100)
	dressed := s.numbers("size", func(v float64) string { return "£" + grouped(v, 2, ",", ".") }).
		days(func(day time.Time) string { return day.Format("02/01/2006") })
	for _, c := range []struct {
		plain  sheet
		column string
		cells  []string
	}{
		{s, "size", []string{"abroad", "12 kg", "$5", "--", "1.2.3", "unknown", "3*"}},
		{dressed, "size", []string{"sold", "€100", "12 kg", "£", "1,2,3", "tbd"}},
		{s, "day", []string{"soon", "2019-13-45", "7", "n/a", "2019", "99/99/9999"}},
		{dressed, "day", []string{"later", "12/31/2018", "5", "tomorrow", "31/31/2018"}},
		{s, "kind", []string{"z", "A kind", "7", "unknown", "Ü"}},
	} {
		data := file(t, "x.csv", c.plain.csv())
		of := trainOn(t, data)
		for _, gaps := range []bool{false, true} {
			plain := c.plain
			if gaps {
				plain = plain.change(c.column, func(row int, cell string) string {
					return cell[:len(cell)*min(1, row%9)]
				})
				of = trainOn(t, file(t, "x.csv", plain.csv()))
			}
			with := func(cells ...string) string {
				return file(t, "new.csv", c.plain.change(c.column, func(row int,
					cell string) string {
					if row < len(cells) {
						return cells[row]
					}
					return cell
				}).csv())
			}
			want := tableScores(t, with(make([]string, len(c.cells))...), of)
			odd := with(c.cells...)
			level := c.column == "kind" && gaps // an unknown level then differs from a gap
			if have := tableScores(t, odd, of); !level && !slices.Equal(have, want) {
				t.Errorf("%s, gaps %t: scores of %q are not those of empty cells", c.column, gaps,
					c.cells)
			}
			code, out, told := pegasimd(t, "predict", odd, of.model)
			if code != exitDone || strings.Count(out, "\n") != 100 ||
				!regexp.MustCompile(c.column+`.*\b\d+ cells?`).MatchString(told) {
				t.Errorf("%s, gaps %t, %q: exit code %d, printed %s", c.column, gaps, c.cells, code,
					told)
			}
			if c.column != "kind" {
				fails(t, exitError, c.column, "predict", "-missing", "error", odd, of.model)
			}
		}
	}
}

func oneFeature(s sheet) sheet {
	of := sheet{names: []string{s.names[0], s.names[len(s.names)-1]}}
	for _, row := range s.rows {
		of.rows = append(of.rows, []string{row[0], row[len(row)-1]})
	}
	return of
}

func TestReadingInStep(t *testing.T) {
	lines := file(t, "x.tsv", reviews(200))
	text := trainOn(t, lines)
	s := houses(80)
	table := trainOn(t, file(t, "x.csv", s.csv()))
	single := trainOn(t, file(t, "x.csv", oneFeature(s).csv()))
	for name, c := range map[string]struct {
		of    trained
		file  string
		text  string
		flags string
		rows  int
		told  string
	}{
		"blank lines": {text, "new.txt", "good film\n\n\nbad song\n\n", "-format lines", 5,
			""},
		"blanks alone":  {text, "new.txt", "  \ngood film\n \t\n", "-format lines", 3, ""},
		"a blank first": {text, "new.txt", "\ngood film\n", "-format lines", 2, ""},
		"CRLF": {text, "new.txt", "good film\r\n\r\nbad song\r\n", "-format lines", 3,
			""},
		"no end": {text, "new.txt", "good film\n\nbad song", "-format lines", 3, ""},
		"labels, no text": {text, "new.tsv", "up\tgood film\ndown\t\nup\tfine\n",
			"-format lines", 3, ""},
		"a short row": {table, "new.csv",
			"size,kind,day\n5,a,2019-01-01\n7,b\n9,c,2019-02-01\n", "", 3, "row"},
		"a long row": {table, "new.csv",
			"size,kind,day\n5,a,2019-01-01\n7,b,2019-02-02,x,y\n", "", 2, "row"},
		"an empty row": {table, "new.csv",
			"size,kind,day\n5,a,2019-01-01\n,,\n9,c,2019-02-01\n", "", 3, ""},
		"all rows empty":   {table, "new.csv", "size,kind,day\n,,\n,,\n", "", 2, ""},
		"a column, blanks": {single, "new.csv", "size\n5\n\n7\n\n9\n", "", 5, ""},
		"JSON, no fields": {table, "new.jsonl",
			"{\"size\": 5}\n{}\n{\"kind\": \"a\", \"day\": null}\n", "", 3, ""},
		"no row": {table, "new.csv", "size,kind,day\n", "", 0, ""},
		"columns moved": {table, "new.csv",
			"day;x;kind;size\n2019-01-01;q;a;5\n2019-01-02;q;b;6\n", "", 2, ""},
	} {
		args := slices.Concat([]string{"predict"}, strings.Fields(c.flags),
			[]string{file(t, c.file, c.text), c.of.model})
		code, out, told := pegasimd(t, args...)
		if code != exitDone || strings.Count(out, "\n") != c.rows || !strings.Contains(told,
			c.told) {
			t.Errorf("%s: exit code %d, %d predictions, want %d\n%s", name, code,
				strings.Count(out, "\n"), c.rows, told)
		}
	}
	for name, text := range map[string]string{
		"a header without a column": "size,kind\n5,a\n", "too few columns": "5\n7\n",
		"another table": "name,town,age,sex,pay\nAnn,Graz,7,f,3\n",
	} {
		code, out, told := pegasimd(t, "predict", file(t, "new.csv", text), table.model)
		if code != exitError || out != "" || told == "" {
			t.Errorf("%s: exit code %d, %q, %s", name, code, out, told)
		}
	}
}

// The suffixes of a suffixed training file must get the scores that their rows get inside the
// whole file.
type suffixed struct {
	name    string // x.csv if empty
	header  string
	records []string
	encode  func(text string) string // nil for UTF-8
	flags   string
}

func asSuffixed(s sheet, separator string) suffixed {
	of := suffixed{header: record(s.names, separator)}
	for _, row := range s.rows {
		of.records = append(of.records, record(row, separator))
	}
	return of
}

// predict reads a suffix in the form that the model stores, whatever form the suffix alone
// suggests.
func TestReadingSuffixes(t *testing.T) {
	const rows = 40
	s, p := houses(rows), points(rows)
	late := func(row int) bool { return row >= rows/2 } // no cells of late rows show the form
	days := func(layout string) sheet {
		i := -1
		return s.days(func(day time.Time) string {
			if i++; late(i) {
				day = day.AddDate(0, 0, 1+day.Day()%12-day.Day())
			} else {
				day = day.AddDate(0, 0, 13+day.Day()%15-day.Day())
			}
			return day.Format(layout)
		})
	}
	thousands := func(mark, decimal string) sheet {
		i := -1
		return s.numbers("size", func(v float64) string {
			if i++; late(i) {
				return grouped(v, 0, mark, decimal)
			}
			return grouped(v, 2, mark, decimal)
		})
	}
	lateCells := func(name, cell string) sheet {
		return s.change(name, func(row int, old string) string {
			if late(row) && row%3 > 0 {
				return cell
			}
			return old
		})
	}
	commas := p
	for _, name := range p.names {
		commas = commas.change(name, func(_ int, cell string) string {
			return strings.Replace(cell, ".", ",", 1)
		})
	}
	codes := s.with("code", func(row int) string {
		if late(row) {
			return []string{"80331", "20095"}[row%2]
		}
		return []string{"01067", "04109", "80331", "20095"}[row%4]
	})
	notes := s.with("note", func(row int) string {
		return []string{"fine; quiet, near", "said \"no\"", "two\nlines", "plain", "a,b;c|d"}[row%5]
	})
	words := sheet{names: []string{"town", "shade", "class"}}
	for i := range rows {
		words.rows = append(words.rows, []string{[]string{"Graz", "Bern", "Lyon"}[i%3],
			[]string{"teal", "ochre"}[i/3%2], []string{"in", "out"}[i%3/2]})
	}
	units := s.numbers("size", func(v float64) string { return grouped(v, 1, "", ".") + " kg" })
	bare := units.change("size", func(row int, cell string) string {
		if row > rows-5 {
			return strings.TrimSuffix(cell, " kg")
		}
		return cell
	})
	lines := suffixed{name: "x.tsv", records: strings.SplitAfter(strings.TrimSpace(reviews(rows)),
		"\n")}
	objects := suffixed{name: "x.jsonl",
		records: strings.SplitAfter(strings.TrimSpace(s.jsonLines()), "\n")}
	all := map[string]suffixed{
		"commas": asSuffixed(s, ","), "numbers": asSuffixed(p, ","),
		"d/m/y": asSuffixed(days("02/01/2006"), ","), "m/d/y": asSuffixed(days("1/2/2006"), ";"),
		"d.m.yy":            asSuffixed(days("02.01.06"), "\t"),
		"decimal commas":    asSuffixed(commas, ";"),
		"thousands, points": asSuffixed(thousands(".", ","), ";"),
		"thousands, commas": asSuffixed(thousands(",", "."), ","),
		"thousands, tabs":   asSuffixed(thousands(",", "."), "\t"),
		"semicolons":        asSuffixed(s, ";"),
		"pipes":             asSuffixed(notes, "|"),
		"quotes and lines":  asSuffixed(notes, ","),
		"units":             asSuffixed(bare, ","),
		"codes":             asSuffixed(codes, ","),
		"words":             asSuffixed(words, ","),
		"words, semicolons": asSuffixed(words, ";"),
		"0 to 3":            asSuffixed(p.called("0", "1", "2", "3"), ","),
		"years for names":   asSuffixed(p.called("2019", "2020", "2021", "y"), ","),
		"late gaps":         asSuffixed(lateCells("size", ""), ","),
		"late gap words":    asSuffixed(lateCells("size", "unknown"), ","),
		"late dashes":       asSuffixed(lateCells("day", "-"), ";"),
		"late single kind":  asSuffixed(lateCells("kind", "7"), ","),
		"a label in front":  asSuffixed(choices("target", "b", "c", "d"), ","),
		"a label in between": {flags: "-label-column c", header: "a,b,c,d\n",
			records: asSuffixed(choices("a", "b", "c", "d"), ",").records},
		"one feature":        asSuffixed(oneFeature(s), ","),
		"one feature, lines": asSuffixed(oneFeature(s), ";"),
		"objects":            objects, "lines": lines,
		"percent": asSuffixed(s.numbers("size", func(v float64) string {
			return grouped(v/1000, 1, "", ",") + "%"
		}), ";"),
		"brackets": asSuffixed(s.numbers("size", func(v float64) string {
			return money("(", ")", v-45000)
		}), ","),
		"ids": asSuffixed(s.with("id", func(row int) string {
			return fmt.Sprint(100 + row)
		}), ","),
		"no header": {records: asSuffixed(s, ",").records},
		"no header, years": {records: asSuffixed(p.numbers("b", func(v float64) string {
			return fmt.Sprint(1990 + int(3*v))
		}), "\t").records},
	}
	of := asSuffixed(s, "\t")
	of.encode = func(text string) string { return asUTF16(text, false, true) }
	all["UTF-16"] = of
	of = asSuffixed(s.change("kind", func(row int, cell string) string {
		if late(row) {
			return cell
		}
		return map[string]string{"a": "Köln", "b": "b", "c": "é"}[cell]
	}), ";")
	of.encode = asLatin1
	all["Latin-1"] = of
	of = asSuffixed(s, ",")
	of.encode = func(text string) string {
		return "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")
	}
	all["CRLF and a mark"] = of
	for _, name := range sorted(all) {
		t.Run(name, func(t *testing.T) { checkSuffixes(t, all[name]) })
	}
}

func checkSuffixes(t *testing.T, c suffixed) {
	t.Helper()
	if c.name == "" {
		c.name = "x.csv"
	}
	if c.encode == nil {
		c.encode = func(text string) string { return text }
	}
	whole := file(t, c.name, c.encode(c.header+strings.Join(c.records, "")))
	of := trainOn(t, whole, strings.Fields(c.flags)...)
	if of.code != exitDone || of.rows != len(c.records) {
		t.Fatalf("exit code %d, %d rows, want %d\n%s", of.code, of.rows, len(c.records),
			brief(of.told))
	}
	want := tableScores(t, whole, of)
	headers := []string{c.header, ""}
	if c.header == "" {
		headers = headers[:1]
	}
	for _, header := range headers {
		wrong := []string{}
		for from := range c.records {
			if left := len(c.records) - from; left > 8 && left%4 != 0 {
				continue
			}
			text := header + strings.Join(c.records[from:], "")
			have := tableScores(t, file(t, c.name, c.encode(text)), of)
			if !slices.Equal(have, want[from:]) {
				wrong = append(wrong, fmt.Sprint(len(c.records)-from))
			}
		}
		if len(wrong) > 0 {
			t.Errorf("header %t: suffixes of %s rows have other scores\nlast row %q", header != "",
				strings.Join(wrong, ", "), c.records[len(c.records)-1])
		}
	}
}
