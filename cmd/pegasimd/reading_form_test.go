package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The lines that f gets end in line feeds, except the last.
func edit(text string, f func(lines []string) []string) string {
	return strings.Join(f(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")), "") + "\n"
}

// at counts lines from 0, or from the end: -1 appends the lines.
func insert(text string, at int, further ...string) string {
	lines := strings.SplitAfter(text, "\n")
	if at < 0 {
		at += len(lines)
	}
	return strings.Join(lines[:at], "") + strings.Join(further, "\n") + "\n" +
		strings.Join(lines[at:], "")
}

func allQuoted(s sheet, separator string) string {
	var b strings.Builder
	for _, row := range append([][]string{s.names}, s.rows...) {
		b.WriteString(`"` + strings.Join(row, `"`+separator+`"`) + "\"\n")
	}
	return b.String()
}

func TestReadingDialects(t *testing.T) {
	s, p := houses(80), points(80)
	named := s.called("size", "Größe", "día", "label").change("Größe", func(_ int,
		cell string) string {
		return map[string]string{"a": "klein, alt", "b": "groß", "c": "mitten"}[cell]
	})
	semicolons := s.text(";")
	trailing := strings.ReplaceAll(s.csv(), "\n", ",\n")
	twins := map[string]twin{
		"semicolons":            {text: semicolons},
		"pipes":                 {text: s.text("|")},
		"tabs in .csv":          {text: s.text("\t")},
		"tabs in .tsv":          {name: "x.tsv", text: s.text("\t")},
		"commas in .tsv":        {name: "x.tsv", text: s.csv()},
		"semicolons, -sep":      {text: semicolons, flags: "-sep ;"},
		"pipes, -sep":           {text: s.text("|"), flags: "-sep |"},
		"all quoted":            {text: allQuoted(s, ",")},
		"all quoted semicolons": {text: allQuoted(s, ";")},
		"quoted header": {text: edit(semicolons, func(lines []string) []string {
			lines[0] = `"size";"kind";"day";"label"` + "\n"
			return lines
		})},
		"sep=;": {text: "sep=;\n" + semicolons},
		"sep=| in quotes": {text: "\"sep=|\"\r\n" + strings.ReplaceAll(s.text("|"), "\n",
			"\r\n"), doubt: anyDoubt},
		"CRLF":            {text: strings.ReplaceAll(s.csv(), "\n", "\r\n")},
		"CR":              {text: strings.ReplaceAll(s.csv(), "\n", "\r")},
		"no end of line":  {text: strings.TrimSuffix(s.csv(), "\n")},
		"blanks at cells": {text: strings.ReplaceAll(s.csv(), ",", " , ")},
		"byte order mark": {text: "\ufeff" + s.csv()},
		"# comments": {text: insert("# made by hand\n# unit: m2\n"+s.csv(), 30,
			"# pause")},
		"# comments with commas": {text: "# size in m2, the day in ISO form\n" + s.csv(),
			doubt: anyDoubt},
		"-comment":    {text: insert(s.csv(), 9, "% a remark"), flags: "-comment %"},
		"blank lines": {text: insert("\n"+s.csv(), 20, "", "")},
		"title above": {text: "Prices of houses in the valley\n\n" + s.csv(),
			doubt: anyDoubt},
		"lines above": {text: "Exported: today\nBy: the office\n\n" + semicolons,
			doubt: anyDoubt},
		"padded lines above": {text: "Report;;;\n2024;;;\n;;;\n" + semicolons, doubt: anyDoubt},
		"-skip-lines":        {text: "a,b,c,d\n1,2,3,4\n" + s.csv(), flags: "-skip-lines 2"},
		"a trailing separator in the header": {text: edit(s.csv(), func(lines []string) []string {
			lines[0] = "size,kind,day,label,\n"
			return lines
		}), doubt: anyDoubt},
		"UTF-16, little endian": {text: asUTF16(s.csv(), false, true)},
		"UTF-16, big endian":    {text: asUTF16(semicolons, true, true)},
		"UTF-16, tabs":          {text: asUTF16(s.text("\t"), false, true)},
		"UTF-16LE, no mark":     {text: asUTF16(s.csv(), false, false), doubt: anyDoubt},
		"UTF-16BE, no mark":     {text: asUTF16(s.csv(), true, false), doubt: anyDoubt},
		"-encoding utf-16":      {text: asUTF16(s.csv(), false, true), flags: "-encoding utf-16le"},
	}
	for name, c := range twins {
		c.plain, c.hash = s, true
		twins[name] = c
	}
	more := map[string]twin{
		"JSON lines":           {name: "x.jsonl", plain: s, text: s.jsonLines()},
		"JSON lines, .ndjson":  {name: "x.ndjson", plain: p, text: p.jsonLines()},
		"JSON lines, named":    {name: "x.jsonl", plain: named, text: named.jsonLines()},
		"numbers, semicolons":  {plain: p, text: p.text(";")},
		"numbers, UTF-16":      {plain: p, text: asUTF16(p.text("\t"), true, true)},
		"names, tabs":          {plain: named, text: named.text("\t")},
		"names, pipes, quoted": {plain: named, text: allQuoted(named, "|")},
		"names, UTF-16":        {plain: named, text: asUTF16(named.text(";"), false, true)},
		"names, Latin-1":       {plain: named, text: asLatin1(named.csv()), doubt: "-encoding"},
		"names, Latin-1, given": {plain: named, text: asLatin1(named.text(";")),
			flags: "-encoding windows-1252"},
	}
	for name, c := range more {
		c.hash = true
		twins[name] = c
	}
	commas := func(s sheet, columns ...string) sheet {
		for _, column := range columns {
			s = s.change(column, func(_ int, cell string) string {
				return strings.Replace(cell, ".", ",", 1)
			})
		}
		return s
	}
	mixed := p.with("kind", func(row int) string { return string("abc"[row%3]) })
	all := commas(mixed, "a", "b", "c", "y")
	twins["trailing separators"] = twin{plain: s, text: trailing, flags: "-label label"}
	twins["decimal commas"] = twin{plain: s, text: commas(s, "size").text(";")}
	twins["decimal commas, label too"] = twin{plain: mixed, text: all.text(";")}
	twins["decimal commas, tabs"] = twin{plain: mixed, text: all.text("\t")}
	twins["decimal commas, given"] = twin{plain: mixed, text: all.text("|"), flags: "-decimal ,"}
	checkTwins(t, twins)
}

func TestReadingOtherSeparatorsInCells(t *testing.T) {
	s := houses(120)
	day := s.days(func(day time.Time) string { return day.Format("January 2, 2006") })
	place := s.change("kind", func(_ int, cell string) string {
		return map[string]string{"a": "Lyon, FR", "b": "Graz, AT", "c": "Bern, CH"}[cell]
	})
	clock := s.change("kind", func(_ int, cell string) string { return cell + "; " + cell })
	checkTwins(t, map[string]twin{
		"dates, semicolons":  {plain: s, text: day.text(";")},
		"dates, tabs":        {plain: s, text: day.text("\t")},
		"places, semicolons": {plain: place, text: place.text(";"), hash: true},
		"places, pipes":      {plain: place, text: place.text("|"), hash: true},
		"semicolons in cells": {plain: clock, hash: true,
			text: strings.ReplaceAll(clock.csv(), `"`, "")},
	})
}

func TestReadingHeaders(t *testing.T) {
	words := func(rows int) sheet {
		r := rand.New(rand.NewPCG(3, 3))
		s := sheet{names: strings.Fields("town shade class")}
		for range rows {
			town := r.IntN(3)
			s.rows = append(s.rows, []string{strings.Fields("Graz Bern Lyon")[town],
				strings.Fields("teal ochre")[r.IntN(2)], []string{"in", "out"}[min(town, 1)]})
		}
		return s
	}
	s, p, w := houses(90), points(90), words(90)
	twins := map[string]twin{
		"an empty name and numbers": {plain: p, text: p.called("", "1001", "1002", "price").csv()},
		"years": {plain: s, text: s.called("2019", "kind", "2021",
			"class").csv()},
		"years over fractions": {plain: p, text: p.called("town", "2019", "2020",
			"2021").csv()},
		"one number":         {plain: s, text: s.called("7", "kind", "when", "label").csv()},
		"codes":              {plain: p, text: p.called("A1", "1e", "501", "y").csv()},
		"0 to 3, words":      {plain: s, text: s.called("0", "1", "2", "3").csv()},
		"0 to 3, numbers":    {plain: p, text: p.called("0", "1", "2", "3").csv()},
		"0 to 2 and a name":  {plain: p, text: p.called("0", "1", "2", "target").csv()},
		"empty names behind": {plain: p, text: p.called("u", "v", "", "").csv()},
		"spaces and signs":   {plain: p, text: p.called("Size (m2)", "%", "a/b", "#").csv()},
		"not English": {plain: s, text: s.called("размер", "вид", "день",
			"цена").csv()},
		"words alone": {plain: w, text: w.called("place", "color", "kind").csv(),
			hash: false},
		"no header: numbers":     {plain: p, text: p.body(",")},
		"no header: mixed":       {plain: s, text: s.body(",")},
		"no header: words alone": {plain: w, text: w.body(",")},
		"no header: semicolons":  {plain: s, text: s.body(";")},
		"no header, given":       {plain: w, text: w.body("\t"), flags: "-header no"},
		"header, given": {plain: p, text: p.called("1", "5", "2", "3").csv(),
			flags: "-header yes"},
		"a header of numbers in quotes": {plain: p,
			text: "\"2001\",\"2002\",\"2003\",\"profit\"\n" + p.body(",")},
		"a header one cell short": {plain: p, text: "b,c,y\n" + p.body(","), doubt: anyDoubt},
	}
	checkTwins(t, twins)
}

func TestReadingHeaderWithoutLabel(t *testing.T) {
	s := sheet{names: strings.Fields("name town pay")}
	for i := range 60 {
		s.rows = append(s.rows, []string{fmt.Sprintf("P%da", i*7),
			strings.Fields("Graz Bern Lyon")[i%3],
			fmt.Sprintf("%.1f", float64(i*i%97)/3)})
	}
	for header, text := range map[string]string{"yes": s.csv(), "no": s.body(",")} {
		for label := range 3 {
			of := inspected(t, file(t, "x.csv", text), "-label-column", fmt.Sprint(label))
			if of.rows != 60 {
				t.Errorf("header %s, label %d: %d rows, want 60\n%s", header, label, of.rows,
					brief(of.told))
			}
		}
		if of := inspected(t, file(t, "x.csv", text)); of.code != exitDone || of.rows != 60 {
			t.Errorf("header %s: exit code %d, %d rows, want 60\n%s", header, of.code, of.rows,
				brief(of.told))
		}
	}
}

func TestReadingRowsThatAreNoData(t *testing.T) {
	s, p := houses(300), points(300)
	header := strings.TrimSuffix(record(s.names, ","), "\n")
	twins := map[string]twin{
		"a header in the middle": {plain: s, text: insert(s.csv(), 150, header), doubt: "header"},
		"three glued files": {plain: s, text: insert(insert(s.csv(), 200, header), 100, header),
			doubt: "header"},
		"a header at the end": {plain: s, text: insert(s.csv(), -1, header), doubt: "header"},
		"a header, semicolons": {plain: p, text: insert(p.text(";"), 60, "a;b;c;y"),
			doubt: "header"},
		"units in brackets": {plain: p, text: insert(p.csv(), 1, "(m),(kg),(s),(EUR)"),
			doubt: anyDoubt},
		"units": {plain: p, text: insert(p.csv(), 1, "cm,kg,,USD"), doubt: anyDoubt},
		"types": {plain: s, text: insert(s.csv(), 1, "float,string,date,string"),
			doubt: anyDoubt},
		"descriptions": {plain: p, text: insert(p.csv(), 1,
			"Length of it,Weight of it,Age of it,Price"), doubt: anyDoubt},
		"a footer": {plain: s, text: s.csv() + "300 rows\n", doubt: "row"},
		"a source": {plain: s, text: s.csv() + "\nSource: the land registry\n",
			doubt: "row"},
		"a query's count": {plain: p, text: p.text("|") + "(300 rows)\n", doubt: "row"},
		"a total, short":  {plain: p, text: p.text(";") + "Summe;1234.5\n", doubt: "row"},
		"a row of two":    {plain: s, text: insert(s.csv(), 99, "17.25,a"), doubt: "row"},
		"a row of six": {plain: s, text: insert(s.csv(), 42,
			"17.25,a,2019-02-03,cheap,x,y"), doubt: "row"},
		"dots": {plain: s, text: s.csv() + "...\n", doubt: "row"},
	}
	for name, c := range twins {
		c.hash = true
		twins[name] = c
	}
	checkTwins(t, twins)
}

func TestReadingFooters(t *testing.T) {
	s, p := houses(80), points(80)
	for name, text := range map[string]string{
		"a total":           p.csv() + "Total,,,9999\n",
		"a sum, semicolons": p.text(";") + "Summe;-;-;812,5\n",
		"a mean":            s.csv() + "43210.9,Mean,,all\n",
		"a note":            s.csv() + "Note: prices of 2020,,,end\n",
	} {
		of := trainOn(t, file(t, "x.csv", text))
		if of.code == exitDone && len(of.doubts) == 0 || of.code == exitDone && of.rows > 81 {
			t.Errorf("%s: exit code %d, %d rows, %q, want an error, or a warning and at most 81 "+
				"rows\n%s", name, of.code, of.rows, of.doubts, brief(of.told))
		}
	}
}

func TestReadingClassesOfOneRow(t *testing.T) {
	for word, row := range map[string]int{"Gesamt": 89, "category": 0, "dear?": 40} {
		s := houses(90).change("label", func(i int, cell string) string {
			if i == row {
				return word
			}
			return cell
		})
		of := trainOn(t, file(t, "x.csv", s.csv()))
		if of.code == exitDone && !mention(of.doubts, word) {
			t.Errorf("%s: %d classes, %q\n%s", word, of.classes, of.doubts, brief(of.told))
		}
	}
	for name, cell := range map[string]func(i int) string{
		"names":  func(i int) string { return fmt.Sprintf("house %c%d", 'a'+i%26, i) },
		"emails": func(i int) string { return fmt.Sprintf("u%d@example.org", i*i) },
		"codes":  func(i int) string { return fmt.Sprintf("AT-%05d", i*77%1000) },
	} {
		s := houses(60).change("label", func(i int, _ string) string { return cell(i) })
		if of := trainOn(t, file(t, "x.csv", s.csv())); of.code != exitError {
			t.Errorf("%s: exit code %d, %d classes\n%s", name, of.code, of.classes, brief(of.told))
		}
	}
}

func TestReadingQuotes(t *testing.T) {
	for name, kinds := range map[string][3]string{
		"inches":     {`TV 27" wide`, `TV 40" wide`, `TV 55" wide`},
		"nicknames":  {`Ann "Bee" Cole`, `Dan "Eff" Gray`, `Hal Ives`},
		"minutes":    {`5' 11"`, `6' 2"`, `5' 4"`},
		"apostrophe": {`rock 'n' roll`, `drum'n'bass`, `soul`},
		"one only":   {`a"b`, `c`, `d`},
	} {
		s := houses(90).change("kind", func(_ int, cell string) string {
			return kinds[cell[0]-'a']
		})
		for _, separator := range []string{",", "\t", ";"} {
			var b strings.Builder
			for _, row := range append([][]string{s.names}, s.rows...) {
				b.WriteString(strings.Join(row, separator) + "\n")
			}
			proper, bare := trainOn(t, file(t, "x.csv", s.text(separator))), trainOn(t, file(t,
				"x.csv", b.String()))
			if bare.code != exitDone || bare.rows != 90 || bare.hash != proper.hash {
				t.Errorf("%s, %q: exit code %d, %d rows, want 90 and the model of escaped quotes\n%s",
					name, separator, bare.code, bare.rows, brief(bare.told))
			}
		}
	}
}

func TestReadingLabelledText(t *testing.T) {
	for name, c := range map[string]struct {
		labels [2]string
		texts  [2][]string
		first  string
	}{
		"Japanese": {[2]string{"良い", "悪い"}, [2][]string{{"とても美味しい", "また行きたい"},
			{"まずい", "二度と行かない"}}, ""},
		"Thai": {[2]string{"pos", "neg"}, [2][]string{{"อร่อยมาก", "บริการดี"}, {"ไม่อร่อย",
			"บริการแย่"}}, ""},
		"Korean": {[2]string{"1", "0"}, [2][]string{{"최고예요", "추천해요"}, {"별로예요", "실망했어요"}}, ""},
		"Russian": {[2]string{"да", "нет"}, [2][]string{{"очень хорошо", "лучший вечер"},
			{"плохо", "скучный вечер"}}, "да\tок\n"},
		"one word": {[2]string{"noun", "verb"}, [2][]string{{"house", "tree"}, {"goes", "sings"}},
			""},
		"titles": {[2]string{"fiction", "science"}, [2][]string{{"The Last Garden",
			"A Winter's Night"},
			{"Introduction to Optics", "On Growth"}}, "fiction\tIt\n"},
		"stars": {[2]string{"5", "1"}, [2][]string{{"would buy this again", "works well"},
			{"broke after a day", "do not buy"}}, "5\tgood\n"},
		"messages": {[2]string{"keep", "drop"}, [2][]string{{"lunch at one?", "call me back"},
			{"you have won a cruise", "cheap loans now"}}, "drop\tHi, you\n"},
	} {
		r := rand.New(rand.NewPCG(5, 5))
		text, rows := c.first, strings.Count(c.first, "\n")
		for i := range 200 {
			k := r.IntN(2)
			text += fmt.Sprintf("%s\t%s %d\n", c.labels[k], c.texts[k][r.IntN(2)], i*31)
			rows++
		}
		for _, form := range [][2]string{{"x.tsv", ""}, {"x.txt", "-format lines"}, {"x.tsv",
			"-format lines"}} {
			of := trainOn(t, file(t, form[0], text), strings.Fields(form[1])...)
			if of.code != exitDone || of.rows != rows || of.classes != 2 || of.fit < 97 ||
				len(of.doubts) > 0 {
				t.Errorf("%s, %q: exit code %d, %d rows, %d classes, accuracy %v %%, %q, want %d rows "+
					"and 2 classes\n%s", name, form, of.code, of.rows, of.classes, of.fit,
					of.doubts, rows,
					brief(of.told))
				break // the other forms would fail, too
			}
		}
	}
	for name, text := range map[string]string{
		"text and label": "text\tlabel\n" + strings.Repeat("the sea is calm\tp\nthe wind is up\tq\n", 40),
		"two numbers":    strings.Repeat("1.5\t2.25\n7.5\t1.75\n3.25\t2.5\n", 20),
	} {
		if of := inspected(t, file(t, "x.tsv", text)); of.code != exitDone || of.rows > 80 {
			t.Errorf("%s: exit code %d, %s", name, of.code, brief(of.told))
		}
	}
}

func TestReadingEncodings(t *testing.T) {
	for name, kinds := range map[string][3]string{
		"German": {"Köln", "Fürth", "Weißenfels"}, "French": {"Besançon", "Évry", "Nîmes"},
		"Spanish": {"León", "A Coruña", "Cádiz"}, "Danish": {"Århus", "Ærø", "Rønne"},
	} {
		s := houses(90).change("kind", func(_ int, cell string) string {
			return kinds[cell[0]-'a']
		})
		want := trainOn(t, file(t, "x.csv", s.csv()))
		data := file(t, "x.csv", asLatin1(s.csv()))
		guessed, given := trainOn(t, data), trainOn(t, data, "-encoding", "windows-1252")
		if guessed.hash != want.hash || given.hash != want.hash || want.hash == "" ||
			!mention(guessed.doubts, "-encoding") || len(given.doubts)+len(want.doubts) > 0 {
			t.Errorf("%s: models %s, %s, want %s; %q, %q\n%s", name, guessed.hash, given.hash,
				want.hash,
				guessed.doubts, given.doubts, brief(guessed.told))
		}
	}
	late := houses(9000).csv() + "5000.5,caf\xe9,2019-01-02,cheap\n"
	of := trainOn(t, file(t, "x.csv", late), "-epochs", "1")
	if of.code == exitDone && !mention(of.doubts, "-encoding") ||
		of.code != exitDone && !strings.Contains(of.told, "-encoding") {
		t.Errorf("one late byte: exit code %d\n%s", of.code, brief(of.told))
	}
}

func TestReadingForeignFiles(t *testing.T) {
	pad := strings.Repeat("\x00\x01\x02\x03", 200)
	for want, head := range map[string]string{
		"zip":     "PK\x03\x04\x14\x00\x00\x00\x08\x00" + pad + "data.csv",
		"parquet": "PAR1" + pad + "PAR1",
		"xlsx":    "PK\x03\x04\x14\x00\x06\x00\x08\x00" + pad + "xl/workbook.xml" + pad,
		"bzip2":   "BZh91AY&SY" + pad, "xz": "\xfd7zXZ\x00" + pad, "zst": "\x28\xb5\x2f\xfd" + pad,
		"sqlite": "SQLite format 3\x00" + pad, "pdf": "%PDF-1.7\n" + pad,
		"html": "<!DOCTYPE html>\n<html><body><table><tr><td>1</td></tr></table></body></html>\n",
	} {
		for _, command := range []string{"inspect", "train"} {
			args := []string{command, file(t, "x.csv", head)}
			if command == "train" {
				args = append(args, file(t, "model", "")+"2")
			}
			code, _, told := pegasimd(t, args...)
			if code != exitError || !strings.Contains(strings.ToLower(told), want) {
				t.Errorf("%s: %s: exit code %d, %s", want, command, code, told)
			}
		}
	}
}

func TestReadingWithoutDoubt(t *testing.T) {
	s, p := houses(80), points(80)
	clean := map[string]string{
		"commas": s.csv(), "semicolons": s.text(";"), "numbers": p.csv(), "tabs": p.text("\t"),
		"no header": p.body(","), "id": s.with("id", func(row int) string {
			return fmt.Sprint(row)
		}).csv(),
		"gaps": s.change("size", func(row int, cell string) string {
			return cell[:len(cell)*min(1, row%7)]
		}).csv(),
		"UTF-16": asUTF16(s.text("\t"), false, true), "people": people(300),
	}
	for name, text := range clean {
		for _, flags := range [][]string{nil, {"-strict"}} {
			of := inspected(t, file(t, "x.csv", text), flags...)
			if of.code != exitDone || len(of.doubts) > 0 {
				t.Errorf("%s, %q: exit code %d, %q", name, flags, of.code, of.doubts)
			}
		}
	}
}

func TestReadingDoubts(t *testing.T) {
	s := houses(120)
	for name, text := range map[string]string{
		"d/m/y to 12": s.days(func(day time.Time) string {
			return day.AddDate(0, 0, 1+day.Day()%12-day.Day()).Format("02/01/2006")
		}).csv(),
		"an odd cell": s.change("size", func(row int, cell string) string {
			return cell + "x?"[:2*min(1, max(0, 2-row))]
		}).csv(),
		"a glued header": insert(s.csv(), 60, "size,kind,day,label"),
	} {
		data := file(t, "x.csv", text)
		of, strict := trainOn(t, data), trainOn(t, data, "-strict")
		if of.code != exitDone || len(of.doubts) == 0 || strict.code != exitError {
			t.Errorf("%s: exit codes %d and with -strict %d, %q\n%s", name, of.code, strict.code,
				of.doubts, brief(of.told))
			continue
		}
		lines := strings.Split(strings.TrimSpace(of.told), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "warning:") {
			t.Errorf("%s: the last line is %q, want a warning", name, last)
		}
		numbers := file(t, "json", "")
		must(t, "inspect", "-json", numbers+"2", data)
		if all, _ := report(t, numbers+"2")["warnings"].([]any); len(all) == 0 {
			t.Errorf("%s: -json has no warnings", name)
		}
	}
	years := file(t, "x.csv", "2001,2002,2003,2004\n"+strings.Repeat(
		"1999,2000,2001,2002\n2003,2001,2002,2000\n2000,1999,2003,2001\n", 5))
	if of := trainOn(t, years); !strings.Contains(of.told, "-header") ||
		of.code == exitDone && len(of.doubts) == 0 {
		t.Errorf("years alone: exit code %d, %s", of.code, brief(of.told))
	}
	if of := inspected(t, years); of.code != exitDone {
		t.Errorf("years alone: inspect: exit code %d, %s", of.code, brief(of.told))
	}
}

// Memory must not grow with the number of lines times the number of fields.
func TestReadingNewFields(t *testing.T) {
	var b strings.Builder
	const rows = 5000
	for i := range rows {
		fmt.Fprintf(&b, "{\"x\": %d, \"field %d\": 1.5, \"label\": \"%c\"}\n", i%7, i, "pq"[i%2])
	}
	data, model := file(t, "x.jsonl", b.String()), file(t, "model", "")+"2"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, _, told := ran("train", "-epochs", "1", "-finish", "none", "-lambda", ".1", data, model)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 400<<20 {
		t.Errorf("%d MB for a file of %d kB", grown>>20, b.Len()>>10)
	}
	if (code == exitDone) != strings.Contains(told, " 5000 rows, ") {
		t.Errorf("exit code %d, %s", code, brief(told))
	}
}
