package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// choices returns columns with 2, 3, 4 and 5 words, so that the number of classes tells which
// column is the label.
func choices(names ...string) sheet {
	s := sheet{names: names}
	for i := range 120 {
		row := make([]string, 4)
		for k := range row {
			row[k] = fmt.Sprintf("%c%d", 'p'+k, (i+i/7*k)%(k+2))
		}
		s.rows = append(s.rows, row)
	}
	return s
}

var commandLine = regexp.MustCompile(`(?m)pegasimd train .*$`)

func TestReadingLabelRule(t *testing.T) {
	for _, c := range []struct {
		names string
		label int    // index of the label column; -1 if the run stops
		doubt string // as in twin: word of the warning, empty for no warning, or anyDoubt
	}{
		{"a b c d", 3, ""}, {"a b c label", 3, ""}, {"a b c Y", 3, ""}, {"a b c TARGET", 3, ""},
		{"class b c d", 0, ""}, {"Target b c d", 0, ""}, {"y b c d", 0, ""}, {"LABEL b c d", 0, ""},
		{"a label c d", -1, ""}, {"a b y d", -1, ""}, {"a Class c d", -1, ""},
		{"label b c class", -1, ""}, {"y target c d", -1, ""}, {"a b class y", -1, ""},
		{"survived b class d", -1, ""}, {"target b c label", -1, ""},
		{"diagnosis b c d", 3, "diagnosis"}, {"a outcome c d", 3, "outcome"},
		{"Survived b c d", 3, "Survived"}, {"a b species d", 3, "species"},
		{"is_fraud b c d", 3, "is_fraud"}, {"Price b c d", 3, "Price"},
		{"a b c diagnosis", 3, ""}, {"a b c Outcome", 3, ""},
		{"labels b c d", 3, anyDoubt}, {"a class_id c d", 3, ""}, {"y1 b y2 d", 3, ""},
		{"label b c species", 0, anyDoubt},
	} {
		s := choices(strings.Fields(c.names)...)
		for _, f := range [][2]string{{"x.csv", s.csv()}, {"x.csv", s.text(";")}, {"x.jsonl",
			s.jsonLines()}} {
			data := file(t, f[0], f[1])
			of := trainOn(t, data)
			if c.label < 0 {
				checkStopped(t, c.names, data, of, s)
				continue
			}
			if of.code != exitDone || of.classes != c.label+2 ||
				!strings.Contains(of.told, s.names[c.label]) {
				t.Errorf("%s as %s: exit code %d, %d classes, want label %s\n%s", c.names, f[0],
					of.code,
					of.classes, s.names[c.label], brief(of.told))
			}
			if c.doubt == "" && len(of.doubts) > 0 ||
				c.doubt != "" && c.doubt != anyDoubt && !mention(of.doubts, c.doubt) {
				t.Errorf("%s as %s: %q, want a warning for %q", c.names, f[0], of.doubts, c.doubt)
			}
			for _, flag := range []string{"-label-column", "-label"} {
				of := trainOn(t, data, flag, s.names[1])
				if of.classes != 3 || len(of.doubts) > 0 {
					t.Errorf("%s %s of %s: %d classes, want 3; %q\n%s", flag, s.names[1], c.names,
						of.classes, of.doubts, brief(of.told))
				}
			}
		}
	}
}

func checkStopped(t *testing.T, names, data string, of trained, s sheet) {
	t.Helper()
	commands := commandLine.FindAllString(of.told, -1)
	if of.code != exitUsage || len(commands) < 2 {
		t.Errorf("%s: exit code %d, commands %q, want exit code 2 and two or more\n%s", names,
			of.code,
			commands, brief(of.told))
	}
	var labels []int
	for i, command := range commands {
		args := shellSplit(t, command)[1:]
		if at := slices.Index(args, data); at < 0 {
			t.Errorf("%s: no %s in %s", names, data, command)
			continue
		} else if at == len(args)-2 { // the model's name is the last argument
			args[at+1] = filepath.Join(t.TempDir(), fmt.Sprint(i))
		} else {
			args = append(args, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		}
		args = slices.DeleteFunc(args, func(arg string) bool {
			return arg == "-json" ||
				strings.HasSuffix(arg, "/json")
		})
		_, told := must(t, args...)
		classes := regexp.MustCompile(`(\d+) classes`).FindStringSubmatch(told)
		if classes == nil || slices.Contains(labels, int(classes[1][0]-'2')) {
			t.Errorf("%s: %s: %s", names, command, told)
			continue
		}
		labels = append(labels, int(classes[1][0]-'2'))
	}
	for k, name := range s.names {
		decides := slices.Contains(strings.Fields("label target class y"), strings.ToLower(name))
		if decides && !slices.Contains(labels, k) {
			t.Errorf("%s: no command for %s: %q", names, name, commands)
		}
	}
}

func TestReadingLabelOfModel(t *testing.T) {
	s := choices("target", "b", "c", "d")
	data := file(t, "x.csv", s.csv())
	of := trainOn(t, data)
	moved := sheet{names: []string{"label", "d", "target", "c", "b"}}
	for _, row := range s.rows {
		moved.rows = append(moved.rows, []string{"new", row[3], row[0], row[2], row[1]})
	}
	other := file(t, "x.jsonl", moved.jsonLines())
	want, have := tableScores(t, data, of), tableScores(t, other, of)
	_, first := must(t, "eval", data, of.model)
	_, second := must(t, "eval", other, of.model)
	accuracy := regexp.MustCompile(`accuracy [\d.]+`)
	if !slices.Equal(want, have) || accuracy.FindString(first) != accuracy.FindString(second) {
		t.Errorf("permuted columns change the scores; eval printed %s, want %s", second, first)
	}
	if printed, _ := must(t, "verify", of.model, data); !strings.HasSuffix(printed, "confirmed\n") {
		t.Errorf("verify: %s", printed)
	}
}

func TestReadingTasks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for name, c := range map[string]struct {
		rows   int
		label  func(x float64, row int) string // 0 <= x < 1
		number bool
		doubt  bool
	}{
		"grades 0 to 100": {120, func(x float64, _ int) string {
			return fmt.Sprint(int(100 * x))
		}, true, false},
		"temperatures": {150, func(x float64, _ int) string {
			return fmt.Sprint(int(60*x) - 20)
		}, true, false},
		"years": {90, func(x float64, _ int) string {
			return fmt.Sprint(1980 + int(40*x))
		}, true, false},
		"prices": {80, func(x float64, _ int) string {
			return fmt.Sprint(int(900000 * x))
		}, true, false},
		"prices in euros": {80, func(x float64, _ int) string {
			return "€" + grouped(1e6*x, 0, ",", ".")
		}, true, false},
		"beyond 2^24": {80, func(x float64, _ int) string {
			return fmt.Sprint(33_333_333 + int(9e8*x))
		}, true, false},
		"fractions": {60, func(x float64, _ int) string {
			return fmt.Sprintf("%.3f", x)
		}, true, false},
		"decimal commas": {60, func(x float64, _ int) string {
			return grouped(x, 3, "", ",")
		}, true, false},
		"percent": {90, func(x float64, _ int) string {
			return fmt.Sprintf("%.1f %%", 100*x)
		}, true, false},
		"minutes": {90, func(x float64, _ int) string {
			return fmt.Sprintf("%.1f min", 10*x)
		}, true, false},
		"ratings 1 to 5": {200, func(x float64, _ int) string {
			return fmt.Sprint(1 + int(5*x))
		}, false, false},
		"20 classes": {400, func(_ float64, row int) string {
			return fmt.Sprint(row % 20)
		}, false, false},
		"25 large classes": {500, func(_ float64, row int) string {
			return fmt.Sprint(row % 25)
		}, false, true},
		"40 large classes": {400, func(_ float64, row int) string {
			return fmt.Sprint(7 * (row % 40))
		}, false, true},
		"0 and 1": {50, func(x float64, _ int) string {
			return fmt.Sprint(int(2 * x))
		}, false, false},
		"-1 and 1": {50, func(x float64, _ int) string {
			return fmt.Sprint(2*int(2*x) - 1)
		}, false, false},
		"words with digits": {90, func(x float64, _ int) string {
			return fmt.Sprintf("3%c", 'a'+int(3*x))
		}, false, false},
	} {
		s := sheet{names: []string{"height", "shade", "result"}}
		for i := range c.rows {
			x := r.Float64()
			s.rows = append(s.rows, []string{fmt.Sprintf("%.2f", 50*x), string("xyz"[i%3]),
				c.label(x, i)})
		}
		of := trainOn(t, file(t, "x.csv", s.csv()))
		if of.code != exitDone || (of.classes == 0) != c.number || c.number && of.fit < 95 ||
			c.doubt != mention(of.doubts, "-loss squared") {
			t.Errorf("%s: exit code %d, %d classes, fit %v %%, %q, want regression targets: %t, a "+
				"warning: %t\n%s", name, of.code, of.classes, of.fit, of.doubts, c.number,
				c.doubt, brief(of.told))
		}
	}
}

func TestReadingLabelNumbers(t *testing.T) {
	p := points(100)
	cents := p.numbers("y", func(v float64) string {
		return fmt.Sprintf("%.2f", 1000*math.Abs(v)+2000)
	})
	twins := map[string]twin{}
	for name, dress := range map[string]func(v float64) string{
		"dollars": func(v float64) string { return "$" + grouped(v, 2, ",", ".") },
		"euros":   func(v float64) string { return grouped(v, 2, ".", ",") + " €" },
		"blanks":  func(v float64) string { return grouped(v, 2, " ", ".") },
		"kg":      formatted("%.2f kg"),
	} {
		twins[name] = twin{plain: cents, text: cents.numbers("y", dress).csv()}
	}
	checkTwins(t, twins)
}

func TestReadingMissingLabels(t *testing.T) {
	for _, word := range []string{"NA", "null", "NaN"} {
		s := houses(150).change("label", func(row int, cell string) string {
			return []string{word, "ZA", "US"}[row%3]
		})
		of := trainOn(t, file(t, "x.csv", s.csv()))
		if of.code != exitDone || of.classes != 3 || !mention(of.doubts, "-missing") {
			t.Errorf("%s: exit code %d, %d classes, %q, want 3 and a warning\n%s", word, of.code,
				of.classes, of.doubts, brief(of.told))
		}
		dropped := trainOn(t, file(t, "x.csv", s.csv()), "-missing", "drop")
		if dropped.code != exitDone || dropped.classes != 2 || dropped.rows != 100 {
			t.Errorf("%s, -missing drop: exit code %d, %d classes of %d rows\n%s", word,
				dropped.code,
				dropped.classes, dropped.rows, brief(dropped.told))
		}
	}
	gaps := func(s sheet, name, gap string) sheet {
		return s.change(name, func(row int, cell string) string {
			if row%10 == 3 {
				return gap
			}
			return cell
		})
	}
	for name, s := range map[string]sheet{"words": gaps(houses(100), "label", ""),
		"numbers": gaps(points(100), "y", ""), "numbers, NA": gaps(points(100), "y", "NA"),
		"numbers, dash": gaps(points(100), "y", "-"), "words, ?": gaps(houses(100), "label", "?")} {
		label := s.names[3]
		without := s.part(func(row []string) bool {
			return !strings.Contains(" - NA ? ", " "+row[3]+" ") && row[3] != ""
		})
		want := trainOn(t, file(t, "x.csv", without.csv()))
		for file2, text := range map[string]string{"x.csv": s.csv(), "x.jsonl": s.jsonLines()} {
			data := file(t, file2, text)
			of := trainOn(t, data, "-missing", "drop")
			if of.code != exitDone || of.rows != 90 || of.classes != want.classes ||
				want.code != exitDone {
				t.Errorf("%s, %s: exit code %d, %d rows, %d classes, want 90 rows, %d classes\n%s",
					name, file2, of.code, of.rows, of.classes, want.classes, brief(of.told))
			}
			if of := trainOn(t, data); of.code != exitError || !strings.Contains(of.told,
				"-missing drop") {
				t.Errorf("%s, %s: exit code %d, want an error that names -missing drop\n%s", name,
					file2,
					of.code, brief(of.told))
			}
			if of := inspected(t, data); of.code != exitDone || of.rows != 100 {
				t.Errorf("%s, %s: inspect: exit code %d, %d rows\n%s", name, file2, of.code,
					of.rows, brief(of.told))
			}
			if lines := tableScores(t, data, of); of.code == exitDone && len(lines) != 100 {
				t.Errorf("%s, %s: %d predictions of %s for 100 rows", name, file2, len(lines),
					label)
			}
		}
	}
	nan := strings.ReplaceAll(gaps(points(100), "a", "").jsonLines(), "null", "NaN")
	null := trainOn(t, file(t, "x.jsonl", gaps(points(100), "a", "").jsonLines()))
	if of := trainOn(t, file(t, "x.jsonl", nan)); of.code != exitDone || of.hash != null.hash {
		t.Errorf("NaN in JSON: exit code %d, model %s, want the model of null, %s\n%s", of.code,
			of.hash, null.hash, brief(of.told))
	}
}

func TestReadingInspectAnyTable(t *testing.T) {
	s := houses(60)
	for name, text := range map[string]string{
		"a last column of names": s.with("x", func(int) string { return "q" }).
			change("label", func(row int, _ string) string {
				return fmt.Sprint("Person ", row)
			}).csv(),
		"a last column of gaps": s.change("label", func(int, string) string { return "" }).csv(),
		"a last column of dates": s.called("size", "kind", "day", "x").change("x", func(int,
			string) string {
			return "2020-01-02"
		}).csv(),
		"one column":           "size\n" + strings.Repeat("1.5\n2.5\n", 30),
		"words, all different": "who,where\n" + namesAndPlaces(60),
		"gaps in the last": s.change("label", func(row int, cell string) string {
			return cell[:4*(row%2)]
		}).csv(),
	} {
		of := inspected(t, file(t, "x.csv", text))
		if of.code != exitDone || of.rows != 60 {
			t.Errorf("%s: exit code %d, %d rows, want 60\n%s", name, of.code, of.rows,
				brief(of.told))
		}
	}
}

func namesAndPlaces(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "Ann%c%c Poe,House %d\n", 'a'+i%26, 'a'+i/26, i)
	}
	return b.String()
}

func TestReadingResolved(t *testing.T) {
	s, p := houses(80), points(80)
	day := s.days(func(day time.Time) string { return day.Format("02/01/2006") })
	euros := s.numbers("size", func(v float64) string { return grouped(v, 2, ".", ",") + " €" })
	spaced := s.called("floor size", "it's", "a,b", "class").with("", func(row int) string {
		return fmt.Sprint(row * row % 11)
	})
	for name, c := range map[string]struct{ file, text, flags string }{
		"plain": {"x.csv", s.csv(), ""}, "numbers": {"x.csv", p.csv(), ""},
		"no header": {"x.csv", p.body(";"), ""}, "pipes": {"x.csv", s.text("|"), ""},
		"tabs": {"x.tsv", s.text("\t"), ""}, "JSON lines": {"x.jsonl", s.jsonLines(), ""},
		"UTF-16":  {"x.csv", asUTF16(s.text("\t"), false, true), ""},
		"Latin-1": {"x.csv", asLatin1(strings.ReplaceAll(s.csv(), ",a,", ",Köln,")), ""},
		"d/m/y":   {"x.csv", day.csv(), ""},
		"euros":   {"x.csv", euros.csv(), ""},
		"title":   {"x.csv", "Title\n\n" + s.csv(), ""},
		"names":   {"x.csv", spaced.csv(), ""},
		"label":   {"x.csv", choices("y", "b", "c", "d").csv(), ""},
		"flags":   {"x.csv", s.csv(), "-ignore day -loss log -seed 3"},
		"units":   {"x.csv", insert(p.csv(), 1, "cm,kg,s,EUR"), ""},
		"gaps":    {"x.csv", strings.ReplaceAll(s.csv(), ",a,", ",,"), ""},
		"gap words": {"x.csv", p.change("a", func(row int, cell string) string {
			if row%7 == 0 {
				return "n/k"
			}
			return cell
		}).csv(), ""},
		"text":       {"x.tsv", reviews(100), ""},
		"only lines": {"x.txt", reviews(100), "-format lines"},
		"counter": {"x.csv", s.with("step", func(row int) string { return fmt.Sprint(row) }).csv(),
			""},
		"classes": {"x.csv", p.change("y", func(row int, _ string) string {
			return fmt.Sprint(row % 4)
		}).csv(), ""},
		"a blank in the file's name": {"my data.csv", s.text(";"), ""},
	} {
		data := file(t, c.file, c.text)
		of := trainOn(t, data, strings.Fields(c.flags)...)
		have := resolvedLine.FindStringSubmatch(of.told)
		if of.code != exitDone || have == nil {
			t.Errorf("%s: exit code %d, no resolved command\n%s", name, of.code, brief(of.told))
			continue
		}
		args := shellSplit(t, have[1])[1:]
		args = slices.DeleteFunc(args, func(arg string) bool {
			return arg == "-json" ||
				strings.HasSuffix(arg, "/json")
		})
		at := slices.Index(args, data)
		if at < 0 || at < len(args)-2 {
			t.Errorf("%s: %s does not end in %s MODEL", name, have[1], data)
			continue
		}
		again := trainOn(t, data, args[1:at]...)
		if again.code != exitDone || again.hash != of.hash {
			t.Errorf("%s: %s: exit code %d, model %s, want %s\n%s", name, have[1], again.code,
				again.hash,
				of.hash, brief(again.told))
		}
		if next := resolvedLine.FindStringSubmatch(again.told); again.code == exitDone &&
			(next == nil ||
				!slices.Equal(shellSplit(t, next[1])[1:][:at], args[:at])) {
			t.Errorf("%s: the resolved command of %q is %q", name, have, next)
		}
		if kept, err := os.ReadFile(of.model); err != nil || !strings.Contains(string(kept),
			"command") {
			t.Errorf("%s: the model has no command, %v", name, err)
		}
	}
}

var resolvedLine = regexp.MustCompile(`(?m)^resolved: (pegasimd train .*)$`)
