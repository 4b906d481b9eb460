package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// in languages that time.Format can't write, by language code
var monthsOf = map[string][]string{
	"de": strings.Fields(`Januar Februar März April Mai Juni Juli
		August September Oktober November Dezember`),
	"fr": strings.Fields(`janvier février mars avril mai juin juillet
		août septembre octobre novembre décembre`),
	"es": strings.Fields(`enero febrero marzo abril mayo junio julio
		agosto septiembre octubre noviembre diciembre`),
	"pt": strings.Fields(`janeiro fevereiro março abril maio junho julho
		agosto setembro outubro novembro dezembro`),
	"it": strings.Fields(`gennaio febbraio marzo aprile maggio giugno luglio
		agosto settembre ottobre novembre dicembre`),
	"nl": strings.Fields(`januari februari maart april mei juni juli
		augustus september oktober november december`),
}

func formatted(format string) func(v float64) string {
	return func(v float64) string { return fmt.Sprintf(format, v) }
}

// indian separates groups of digits as in 12,34,567.
func indian(v float64) string {
	whole := strconv.FormatFloat(v, 'f', 0, 64)
	end := ""
	if len(whole) > 3 {
		whole, end = whole[:len(whole)-3], whole[len(whole)-3:]
		for len(whole) > 2 {
			whole, end = whole[:len(whole)-2], whole[len(whole)-2:]+","+end
		}
		return whole + "," + end
	}
	return whole
}

func TestReadingNumbers(t *testing.T) {
	cents := houses(120)
	whole := cents.numbers("size", formatted("%.0f"))
	tenths := cents.numbers("size", func(v float64) string { return fmt.Sprintf("%.1f", v/100) })
	signed := cents.numbers("size", func(v float64) string { return fmt.Sprintf("%.2f", v-45000) })
	millions := cents.numbers("size", func(v float64) string {
		return fmt.Sprintf("%.0f", math.Round(v*100))
	})
	hundreds := cents.numbers("size", func(v float64) string {
		return fmt.Sprint(100 * math.Round(v/100))
	})
	twins := map[string]twin{}
	for name, c := range map[string]struct {
		plain sheet
		dress func(v float64) string
	}{
		"euros behind": {cents, func(v float64) string {
			return grouped(v, 2, ".", ",") + " €"
		}},
		"pounds": {cents, func(v float64) string {
			return "£" + grouped(v, 2, ",", ".")
		}},
		"pounds, blank": {cents, func(v float64) string {
			return "£ " + grouped(v, 2, "", ".")
		}},
		"francs": {cents, func(v float64) string {
			return "CHF " + grouped(v, 2, "'", ".")
		}},
		"francs, curly": {cents, func(v float64) string {
			return grouped(v, 2, "’", ".") + " CHF"
		}},
		"zloty": {cents, func(v float64) string {
			return grouped(v, 2, " ", ",") + " zł"
		}},
		"roubles": {cents, func(v float64) string {
			return grouped(v, 2, "\u00a0", ",") + " руб"
		}},
		"narrow blanks": {cents, func(v float64) string {
			return grouped(v, 2, "\u202f", ",")
		}},
		"real": {cents, func(v float64) string {
			return "R$ " + grouped(v, 2, ".", ",")
		}},
		"dollars, code": {cents, func(v float64) string {
			return "USD " + grouped(v, 2, ",", ".")
		}},
		"dollars, code behind": {cents, func(v float64) string {
			return grouped(v, 2, "", ".") + " USD"
		}},
		"yen": {whole, func(v float64) string {
			return "¥" + grouped(v, 0, "", ".")
		}},
		"won": {millions, func(v float64) string {
			return "₩" + grouped(v, 0, ",", ".")
		}},
		"rupees":      {millions, func(v float64) string { return "₹" + indian(v) }},
		"rupees, Rs.": {millions, func(v float64) string { return "Rs. " + indian(v) }},
		"points in groups": {millions, func(v float64) string {
			return grouped(v, 0, ".", ",")
		}},
		"underscores": {millions, func(v float64) string {
			return grouped(v, 0, "_", ".")
		}},
		"quoted decimal comma": {cents, func(v float64) string { return grouped(v, 2, "", ",") }},
		"minus before dollar":  {signed, func(v float64) string { return money("-$", "", v) }},
		"minus behind dollar":  {signed, func(v float64) string { return money("$-", "", v) }},
		"brackets":             {signed, func(v float64) string { return money("(", ")", v) }},
		"dollars in brackets":  {signed, func(v float64) string { return money("($", ")", v) }},
		"minus sign U+2212":    {signed, func(v float64) string { return money("\u2212", "", v) }},
		"plus":                 {signed, formatted("%+.2f")},
		"percent":              {tenths, formatted("%.1f%%")},
		"percent, blank": {tenths, func(v float64) string {
			return strings.Replace(fmt.Sprintf("%.1f %%", v), ".", ",", 1)
		}},
		"centimeters": {tenths, formatted("%.1fcm")},
		"kilometers":  {tenths, formatted("%.1f km")},
		"speed":       {tenths, formatted("%.1f km/h")},
		"Celsius":     {tenths, formatted("%.1f °C")},
		"area":        {tenths, formatted("%.1f m²")},
		"pieces":      {whole, formatted("%.0f pieces")},
		"liters, comma": {tenths, func(v float64) string {
			return grouped(v, 1, "", ",") + " l"
		}},
		"thousands, K": {hundreds, func(v float64) string {
			return fmt.Sprintf("%.1fK", v/1000)
		}},
		"thousands, dollar": {hundreds, func(v float64) string {
			return fmt.Sprintf("$%.1fK", v/1000)
		}},
	} {
		twins[name] = twin{plain: c.plain, text: c.plain.numbers("size", c.dress).csv()}
	}
	sparseUnits := tenths.change("size", func(row int, cell string) string {
		return cell + " kg"[:3*min(row%20, 1)]
	})
	twins["a unit in most cells"] = twin{plain: tenths, text: sparseUnits.csv()}
	points := whole.numbers("size", func(v float64) string { return grouped(v, 0, ".", ",") })
	twins["-decimal"] = twin{plain: whole, text: points.csv(), flags: "-decimal ,"}
	commas := whole.numbers("size", func(v float64) string { return grouped(v, 0, ",", ".") })
	twins["groups that prove nothing"] = twin{plain: whole, text: commas.csv(), doubt: "size"}
	checkTwins(t, twins)
}

func money(before, behind string, v float64) string {
	amount := grouped(math.Abs(v), 2, ",", ".")
	if v < 0 {
		return before + amount + behind
	}
	if strings.Contains(before, "$") {
		return "$" + amount
	}
	return amount
}

func TestReadingNumbersInDoubt(t *testing.T) {
	whole := houses(120).numbers("size", formatted("%.0f"))
	for name, text := range map[string]string{
		"points that prove nothing": whole.numbers("size", func(v float64) string {
			return grouped(v, 0, ".", ",")
		}).text(";"),
		"two units": whole.change("size", func(row int, cell string) string {
			return cell + []string{" kg", " lb"}[row%2]
		}).csv(),
		"two currencies": whole.change("size", func(row int, cell string) string {
			return []string{"$", "€"}[row%2] + cell
		}).csv(),
		"one cell of another kind": whole.change("size", func(row int, cell string) string {
			if row == 70 {
				return "see remark"
			}
			return cell
		}).csv(),
		"a decimal comma among points": houses(120).change("size", func(row int,
			cell string) string {
			if row == 33 {
				return strings.Replace(cell, ".", ",", 1)
			}
			return cell
		}).csv(),
	} {
		of := trainOn(t, file(t, "x.csv", text))
		if of.code != exitDone || of.rows != 120 || !mention(of.doubts, "size") {
			t.Errorf("%s: exit code %d, %d rows, %q, want a warning that names size\n%s", name,
				of.code, of.rows, of.doubts, brief(of.told))
		}
	}
}

func TestReadingDates(t *testing.T) {
	iso := houses(150)
	twins := map[string]twin{}
	for name, layout := range map[string]string{
		"d/m/y": "02/01/2006", "m/d/y": "1/2/2006", "d.m.y": "2.1.2006", "d-m-y": "02-01-2006",
		"d/m/yy": "02/01/06", "m/d/yy": "1/2/06", "y/m/d": "2006/01/02", "y.m.d": "2006.01.02",
		"d-Mon-y": "2-Jan-2006", "d Mon y": "02 Jan 2006", "Mon d, y": "Jan 2, 2006",
		"month d, y": "January 2, 2006", "d month y": "2 January 2006", "d-Mon-yy": "02-Jan-06",
		"y Mon d": "2006 Jan 02", "weekday": "Monday, January 2, 2006", "wkd": "Mon 2 Jan 2006",
		"compact with a time": "20060102T150405", "with a time": "2006-01-02 15:04:05",
		"with T and Z": "2006-01-02T15:04:05Z", "m/d/y with a time": "1/2/2006 15:04",
		"d.m.y with a time": "02.01.2006 15:04:05", "with am": "01/02/2006 3:04 PM",
	} {
		twins[name] = twin{plain: iso, text: iso.days(func(day time.Time) string {
			return day.Format(layout)
		}).csv()}
	}
	for language, months := range monthsOf {
		form := map[string]string{"de": "%d. %s %d", "es": "%d de %s de %d",
			"pt": "%d de %s de %d"}[language]
		if form == "" {
			form = "%d %s %d"
		}
		twins["months "+language] = twin{plain: iso, text: iso.days(func(day time.Time) string {
			return fmt.Sprintf(form, day.Day(), months[day.Month()-1], day.Year())
		}).csv()}
	}
	ordinals := iso.days(func(day time.Time) string {
		end := map[int]string{1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd",
			31: "st"}[day.Day()]
		if end == "" {
			end = "th"
		}
		return fmt.Sprintf("%d%s %s", day.Day(), end, day.Format("January 2006"))
	})
	twins["ordinals"] = twin{plain: iso, text: ordinals.csv()}
	early := iso.days(func(day time.Time) string {
		return day.AddDate(0, 0, 1+day.Day()%12-day.Day()).Format(time.DateOnly)
	})
	for order, layout := range map[string]string{"dmy": "02/01/2006", "mdy": "01/02/2006"} {
		text := early.days(func(day time.Time) string { return day.Format(layout) }).csv()
		twins["-dates day="+order] = twin{plain: early, text: text, flags: "-dates day=" + order}
	}
	for word, doubt := range map[string]string{"unknown": "", "n/a": "", "0000-00-00": "", "-": "",
		"not available": "", "": "", "soon": "day", "2018-13-45": "day", "7": "day"} {
		odd := func(with string, form string) string {
			return iso.change("day", func(row int, cell string) string {
				if row == 77 {
					return with
				}
				day, _ := time.Parse(time.DateOnly, cell)
				return day.Format(form)
			}).csv()
		}
		gap := iso.change("day", func(row int, cell string) string {
			return cell[:10*min(1, max(row-77, 77-row))]
		})
		twins["one "+word] = twin{plain: gap, text: odd(word, time.DateOnly), doubt: doubt}
		twins["one "+word+" in d.m.y"] = twin{plain: gap, text: odd(word, "02.01.2006"),
			doubt: doubt}
	}
	checkTwins(t, twins)
}

func TestReadingDatesInDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		layout string
		most   int    // largest day of the month
		mixed  string // layout of every second date; empty for none
	}{
		"d/m/y to 12": {"02/01/2006", 12, ""}, "m-d-y to 12": {"01-02-2006", 12, ""},
		"d.m.yy to 9": {"2.1.06", 9, ""}, "both orders": {"02/01/2006", 31, "01/02/2006"},
		"eight digits": {"20060102", 31, ""},
	} {
		i := 0
		s := houses(150).days(func(day time.Time) string {
			i++
			day = day.AddDate(0, 0, 1+day.Day()%c.most-day.Day())
			if c.mixed != "" && i%2 == 0 {
				return day.Format(c.mixed)
			}
			return day.Format(c.layout)
		})
		of := trainOn(t, file(t, "x.csv", s.csv()))
		if of.code != exitDone || !mention(of.doubts, "day") || !mention(of.doubts, "-dates") {
			t.Errorf("%s: exit code %d, %q, want a warning that names day and -dates\n%s", name,
				of.code, of.doubts, brief(of.told))
		}
	}
}

func TestReadingPartsOfDates(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for name, cell := range map[string]func(k int) string{
		"m/y": func(k int) string { return fmt.Sprintf("%02d/%d", k%12+1, 2000+k/12) },
		"y-m": func(k int) string { return fmt.Sprintf("%d-%02d", 2000+k/12, k%12+1) },
		"Mon y": func(k int) string {
			return fmt.Sprint(time.Month(k%12 + 1).String()[:3], " ", 2000+k/12)
		},
		"H:M":   func(k int) string { return fmt.Sprintf("%d:%02d", k/10, k%10*6) },
		"H:M:S": func(k int) string { return fmt.Sprintf("%02d:%02d:30", k/10, k%10*6) },
		"am or pm": func(k int) string {
			return time.Unix(int64(360*k), 0).UTC().Format("3:04 PM")
		},
		"years": func(k int) string { return fmt.Sprint(1790 + k) },
	} {
		s := sheet{names: []string{"when", "z", "sort"}}
		for range 200 {
			k, sort := r.IntN(240), "early"
			if float64(k)+15*r.NormFloat64() > 120 {
				sort = "late"
			}
			s.rows = append(s.rows, []string{cell(k), fmt.Sprintf("%.2f", r.NormFloat64()), sort})
		}
		data := file(t, "x.csv", s.csv())
		of := trainOn(t, data)
		kind := inspected(t, data, "-label-column", "sort").kinds["when"]
		if of.fit < 85 || len(of.doubts) > 0 || kind != "date" && (name != "years" ||
			kind != "number") {
			t.Errorf("%s: kind %q, accuracy %v %%, want a date and 85 %%; %q\n%s", name, kind,
				of.fit,
				of.doubts, brief(of.told))
		}
	}
}

func TestReadingGapWords(t *testing.T) {
	twins := map[string]twin{}
	for _, share := range []int{3, 8, 20} { // one cell in share is a gap
		for words, doubt := range map[string]string{
			"--": "", "...": "", "nil": "", "n.d.": "", "undefined": "", "#REF!": "", "#DIV/0!": "",
			"not available": "", "no data": "", "MISSING": "", "None": "", "#N/A": "", `\N`: "",
			"withheld": anyDoubt, "k.A.": anyDoubt, "offen|entfällt": anyDoubt,
			"нет данных": anyDoubt, "sold out|on request|?": anyDoubt,
		} {
			with := func(words ...string) sheet {
				return houses(160).change("size", func(row int, cell string) string {
					if row%share == 1 {
						return words[row/share%len(words)]
					}
					return cell
				})
			}
			twins[fmt.Sprintf("%s in 1 of %d", words, share)] = twin{plain: with(""),
				text: with(strings.Split(words, "|")...).csv(), doubt: doubt}
		}
	}
	checkTwins(t, twins)
}

func TestReadingCodes(t *testing.T) {
	for name, codes := range map[string]string{
		"zip":     "01067 20095 50667 04109 80331 99084",
		"fips":    "06 36 48 01 12 17",
		"account": "000417 000023 000318 000777 000905 000111",
		"prefix":  "0049 0033 0044 0039 0351 0001",
	} {
		r := rand.New(rand.NewPCG(14, 1))
		s := sheet{names: []string{name, "age", "answer"}}
		all := strings.Fields(codes)
		for range 240 {
			k, answer := r.IntN(len(all)), "no"
			if (k%2 == 0) != (r.IntN(10) == 0) {
				answer = "yes"
			}
			s.rows = append(s.rows, []string{all[k], fmt.Sprint(18 + r.IntN(70)), answer})
		}
		data := file(t, "x.csv", s.csv())
		of, given := trainOn(t, data), trainOn(t, data, "-categories", name)
		kind := inspected(t, data, "-label-column", "answer").kinds[name]
		if kind != "category" || of.fit < 80 || of.hash != given.hash {
			t.Errorf("%s: a %s, accuracy %v %%, want a category as with -categories, %v %%\n%s",
				name, kind, of.fit, given.fit, brief(of.told))
		}
	}
}

func TestReadingIDs(t *testing.T) {
	counter := func(from, step int) func(row int) string {
		return func(row int) string { return fmt.Sprint(from + step*row) }
	}
	long := func(row int) string {
		return fmt.Sprintf("9%017d", int64(row+3)*7_777_777_777%99_999_999_977)
	}
	for _, c := range []struct {
		name  string
		cell  func(row int) string
		kind  string
		doubt bool
	}{
		{"id", counter(1, 1), "left out", false}, {"", counter(0, 1), "left out", false},
		{"Unnamed: 0", counter(0, 1), "left out", false}, {"user_id", long, "left out", false},
		{"ROWID", counter(500, 3), "left out", false}, {"index", counter(7, 1), "left out", false},
		{"position", counter(1, 1), "left out", true}, {"reading", long, "left out", true},
		{"age", func(row int) string { return fmt.Sprint(20 + row*row%37) }, "number", false},
		{"year", func(row int) string { return fmt.Sprint(1950 + row/2) }, "number", false},
	} {
		for form, s := range map[string]sheet{"numbers": points(100), "words": houses(100)} {
			s = s.with(c.name, c.cell)
			last := s.names[len(s.names)-1]
			of := inspected(t, file(t, "x.csv", s.csv()), "-label-column", last)
			kind := of.kinds[c.name]
			if c.name == "" {
				kind = strings.Join([]string{of.kinds["0"], of.kinds[""], of.kinds[`""`]}, "")
			}
			if kind != c.kind || c.doubt != mention(of.doubts, "-numbers") {
				t.Errorf("%q in a table of %s: %q, %q, want %q, doubt %t\n%s", c.name, form, kind,
					of.doubts, c.kind, c.doubt, brief(of.told))
			}
		}
	}
}

func TestReadingOverrules(t *testing.T) {
	s := houses(120).change("size", func(row int, cell string) string {
		if row%4 == 0 {
			return fmt.Sprint("about ", row)
		}
		return cell
	}).with("floor, level", func(row int) string { return fmt.Sprint(row % 3) })
	data := file(t, "x.csv", s.csv())
	for _, c := range []struct{ flag, list, column, kind, told string }{
		{"-numbers", "size", "size", "number", "30"},
		{"-dates", "size", "size", "date", "120"},
		{"-categories", `"floor, level"`, "floor, level", "category", ""},
		{"-categories", "0", "floor, level", "category", ""},
		{"-text", "day", "day", "text", ""}, {"-text", "kind,size", "kind", "text", ""},
		{"-ignore", "kind,1", "kind", "left out", ""}, {"-categories", "*", "day", "category", ""},
		{"-dates", "day=dmy", "day", "date", ""}, {"-numbers", "kind", "kind", "number", "120"},
	} {
		of := inspected(t, data, c.flag, c.list, "-label-column", "label")
		kind := of.kinds[c.column]
		if quoted := of.kinds[strconv.Quote(c.column)]; kind == "" {
			kind = quoted
		}
		if of.code != exitDone || kind != c.kind || !strings.Contains(of.told, c.told) {
			t.Errorf("%s %s: exit code %d, a %s, want a %s and %q\n%s", c.flag, c.list, of.code,
				kind,
				c.kind, c.told, brief(of.told))
		}
	}
	nameless := houses(60).with("", func(row int) string { return fmt.Sprint(row * row % 7) })
	data = file(t, "y.csv", nameless.csv())
	without, numbered := trainOn(t, data, "-ignore", ""), trainOn(t, data, "-ignore", "0")
	if without.hash == "" || without.hash != numbered.hash || without.hash == trainOn(t,
		data).hash {
		t.Errorf("-ignore '': exit code %d, %s, and model %s, want the model of -ignore 0, %s, and "+
			"another model without -ignore", without.code, without.told, without.hash, numbered.hash)
	}
}

func TestReadingScripts(t *testing.T) {
	for language, sides := range map[string][2]string{
		"Japanese": {"この本はとても面白くて感動しました", "この本はひどく退屈で時間の無駄でした"},
		"Chinese":  {"这家餐厅的菜味道很好服务周到", "这家餐厅的菜太咸服务员态度恶劣"},
		"Thai":     {"หนังเรื่องนี้สนุกมากชอบที่สุด", "หนังเรื่องนี้น่าเบื่อเสียเวลามาก"},
		"Russian":  {"отличная книга, читал всю ночь", "скучная книга, бросил на второй главе"},
		"Greek":    {"πολύ ωραία ταινία, τη συνιστώ", "κακή ταινία, μην τη δείτε ποτέ"},
		"Arabic":   {"فيلم رائع أنصح الجميع بمشاهدته", "فيلم سيئ جدا لا يستحق المشاهدة"},
		"Korean":   {"정말 재미있는 영화 추천합니다 꼭 보세요", "정말 지루한 영화 시간이 아까웠어요 실망"},
	} {
		s := sheet{names: []string{"stars", "review", "verdict"}}
		for i := range 160 {
			k := i * 7 % 13 % 2
			s.rows = append(s.rows, []string{fmt.Sprint(i % 5), fmt.Sprint(sides[k], " ",
				1000+i*37),
				[]string{"good", "bad"}[k]})
		}
		data := file(t, "x.csv", s.csv())
		of, kind := trainOn(t, data), inspected(t, data, "-label-column", "verdict").kinds["review"]
		if kind != "text" || of.fit < 99 || of.classes != 2 {
			t.Errorf("%s: a %s, %d classes, accuracy %v %%, want text\n%s", language, kind,
				of.classes, of.fit, brief(of.told))
		}
	}
}
