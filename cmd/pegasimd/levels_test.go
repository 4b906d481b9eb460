package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func sexes(share float64, first, second string) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("sex,z,y\n")
	for range 400 {
		level, label := second, "lived"
		is := r.Float64() < share
		if is {
			level = first
		}
		if is != (r.Float64() < .15) {
			label = "died"
		}
		fmt.Fprintf(&b, "%s,%.3f,%s\n", level, r.NormFloat64(), label)
	}
	return b.String()
}

func probabilities(t *testing.T, data, model string) (all []float64) {
	t.Helper()
	out, _ := must(t, "predict", "-quiet", "-proba", data, model)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		fields := strings.Split(line, "\t")
		p, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// An unknown cell in a column of two levels has a score between the scores of the levels, halfway
// unless rows are scaled to unit length.
func TestUnknownOfTwoLevels(t *testing.T) {
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, flags := range []string{
		"-loss log", "-proba", "-loss log -scale standard", "-loss log -scale max-abs",
		"-loss log -scale unit", "-loss log -bias none", "-loss log -layout sparse",
	} {
		for i, share := range []float64{.5, .1, .3} {
			gaps := i == 2
			var had []float64
			for _, names := range [][2]string{{"male", "female"}, {"M", "W"}, {"True", "false"}} {
				model := filepath.Join(t.TempDir(), "model")
				text := sexes(share, names[0], names[1])
				if gaps {
					text = regexp.MustCompile(`(?m)^\w+,0`).ReplaceAllString(text, ",0")
				}
				must(t, slices.Concat([]string{"train", "-quiet"}, strings.Fields(flags),
					[]string{file(t, "x.csv", text), model})...)
				p := probabilities(t, file(t, "q.csv", fmt.Sprintf(
					"sex,z\nnot known,0\n,0\nNA,0\n%s,0\n%s,0\n", names[0], names[1])), model)
				if had == nil {
					had = p
				}
				half := (logit(p[3]) + logit(p[4])) / 2
				if !(p[3]+.1 < p[0] && p[0] < p[4]-.1) || p[1] != p[2] || !gaps && p[1] != p[0] ||
					!strings.HasSuffix(flags, "unit") && math.Abs(logit(p[0])-half) > 1e-5 ||
					!slices.Equal(p, had) {
					t.Errorf("%s, share %v, gaps %t, levels %v: probabilities %v, want %v, and the first "+
						"between the last two", flags, share, gaps, names, p, had)
				}
			}
		}
	}
}

func TestTwoLevelsAreSigns(t *testing.T) {
	words, signs := "sex,y\n", "sex,y\n"
	for _, line := range strings.Split(sexes(.1, "male", "female"), "\n")[1:401] {
		cells := strings.Split(line, ",")
		words += cells[0] + "," + cells[2] + "\n"
		signs += map[string]string{"female": "-1,", "male": "1,"}[cells[0]] + cells[2] + "\n"
	}
	predicted := func(data, rows string) []float64 {
		model := filepath.Join(t.TempDir(), "model")
		must(t, "train", "-quiet", "-loss", "log", "-scale", "none", file(t, "x.csv", data), model)
		return probabilities(t, file(t, "q.csv", rows), model)
	}
	have := predicted(words, "sex\nmale\nfemale\nother\n")
	want := predicted(signs, "sex\n1\n-1\n0\n")
	if len(have) != 3 || !slices.Equal(have, want) {
		t.Errorf("probabilities %v, want %v", have, want)
	}
}

func spelled(mixed bool) string {
	lines := strings.SplitAfter(sexes(.3, "True", "False"), "\n")
	for i := range lines {
		if mixed && i%3 == 1 {
			lines[i] = strings.NewReplacer("True", "TRUE", "False", "FALSE").Replace(lines[i])
		} else if mixed && i%3 == 2 {
			lines[i] = strings.NewReplacer("True", "true", "False", "false").Replace(lines[i])
		}
	}
	return strings.Join(lines, "")
}

func asJSONLines(table string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		cells := strings.Split(line, ",")
		fmt.Fprintf(&b, `{"sex": %s, "z": %s, "y": %q}`+"\n", strings.ToLower(cells[0]), cells[1],
			cells[2])
	}
	return b.String()
}

// The scores of the spellings do not depend on which spellings training saw.
func TestBooleanLevels(t *testing.T) {
	const rows = "sex,z\nTrue,0\nTRUE,0\ntrue,0\nFalse,0\nFALSE,0\nfalse,0\ntRUE,0\n"
	for name, cases := range map[string]struct{ plain, mixed string }{
		"x.csv":   {spelled(false), spelled(true)},
		"x.jsonl": {asJSONLines(spelled(false)), asJSONLines(spelled(true))},
		"gaps.csv": {strings.ReplaceAll(spelled(false), "False,0", ",0"),
			strings.NewReplacer("False,0", ",0", "FALSE,0", ",0", "false,0", ",0").
				Replace(spelled(true))},
		"third.csv": {strings.ReplaceAll(spelled(false), "False,0", "n.a.,0"),
			strings.NewReplacer("False,0", "n.a.,0", "FALSE,0", "n.a.,0", "false,0", "n.a.,0").
				Replace(spelled(true))},
	} {
		var want []float64
		for _, text := range []string{cases.plain, cases.mixed} {
			for _, flags := range []string{"-loss log", "-loss log -categories sex"} {
				model := filepath.Join(t.TempDir(), "model")
				must(t, slices.Concat([]string{"train", "-quiet"}, strings.Fields(flags),
					[]string{file(t, name, text), model})...)
				p := probabilities(t, file(t, "q.csv", rows), model)
				if want == nil {
					want = p
				}
				if p[0] != p[1] || p[0] != p[2] || p[3] != p[4] || p[3] != p[5] ||
					!(p[0] < p[6] && p[6] < p[3]) || !slices.Equal(p, want) {
					t.Errorf("%s, %s: probabilities %v, want %v", name, flags, p, want)
				}
			}
		}
	}
}

func TestLevelsKeepTheirCase(t *testing.T) {
	for what, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"both": {cycle("True", "true", "false", "FALSE"), "2 different words: false 12, true 12\n"},
		"both, and more": {cycle("True", "TRUE", "false", "False", "Bob", "bob"),
			"4 different words: Bob 4, bob 4, false 8, true 8\n"},
		"true alone": {cycle("True", "true", "TRUE"), "left out all rows have the same value; such as \"True\"\n"},
		"true or a gap": {cycle("True", "true", "", "TRUE"),
			"one value, or a gap: true 18; 6 gaps\n"},
		"true and another word": {cycle("TRUE", "true", "no"), "2 different words: no 8, true 16\n"},
		"yes and no":            {cycle("yes", "Yes", "NO", "no"), "NO 6, Yes 6, no 6, yes 6\n"},
		"parts of words":        {cycle("T", "t", "tRUE", "true "), "T 6, t 6, tRUE 6, true 6\n"},
	} {
		printed, _ := must(t, "inspect", file(t, "x.csv", tableOf(c.cell)))
		if _, line, _ := strings.Cut(single(printed), "\n c "); !strings.Contains(line, c.want) {
			t.Errorf("%s: %s, want %q", what, printed, c.want)
		}
	}
}

func TestBooleanLabels(t *testing.T) {
	labels := cycle("True", "FALSE", "TRUE", "false", "true", "False")
	table := func(header string, label func(i int) string) string {
		for i := range tableRows {
			header += fmt.Sprintf("%d,%d,%s\n", i%2*10+i%3, i%5, label(i))
		}
		return header
	}
	data := file(t, "x.csv", table("a,b,y\n", labels))
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	model := at("model")
	_, told := must(t, "train", "-lambda", ".01", "-class-weight", "true=2", data, model)
	if want := "2 classes: FALSE (12 rows), True (12 rows)"; !strings.Contains(told, want) {
		t.Errorf("printed %s, want %s", told, want)
	}
	out, _ := must(t, "predict", "-quiet", data, model)
	if out != strings.Repeat("True\nFALSE\n", tableRows/2) {
		t.Errorf("predicted %q", out)
	}
	for _, labels := range []func(i int) string{
		labels, cycle("true", "false"), cycle("TRUE", "False"),
	} {
		other := file(t, "y.csv", table("a,b,y\n", labels))
		if out, _ := must(t, "eval", other, model); !strings.Contains(out, "accuracy 100.0000 %") {
			t.Errorf("eval printed %s", out)
		}
		must(t, "verify", model, other)
		_, told := must(t, "train", "-lambda", ".01", "-valid", other, data, at("valid"))
		if !strings.Contains(told, "validation accuracy 100.0000 %") {
			t.Errorf("-valid: printed %s", told)
		}
	}
	a, b := at("a.pgsm"), at("b.pgsm")
	must(t, "convert", data, a)
	must(t, "convert", "-stream", data, b)
	if read(t, a) != read(t, b) {
		t.Error("convert -stream writes another file")
	}
	told, _ = must(t, "inspect", "-label", "y", file(t, "z.csv", table("a,b,y\n", cycle("True", "true", "no"))))
	if !strings.Contains(told, "label True: 16 rows\nlabel no: 8 rows\n") {
		t.Errorf("true and another word: %s", told)
	}
}
