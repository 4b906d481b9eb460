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

// sexes returns a table in which 85 % of the rows of the first level died and 15 % of the others,
// and the share of the first level is given. The same share makes the same rows.
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

// probabilities returns the probability of the second class for each row.
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

// An unknown or missing cell of a column of two levels counts as neither: its score is halfway
// between theirs, and has the same bits whatever their names, however the features are scaled, and
// also where training had gaps.
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
					t.Errorf("%s, share %v, gaps %t, levels %v: lived %v, want halfway between the last "+
						"two, and all %v", flags, share, gaps, names, p, had)
				}
			}
		}
	}
}

// A column of two levels predicts what numbers do that are -1 and 1, to the bit, and an unknown level
// what 0 does.
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
		t.Errorf("lived %v, want %v", have, want)
	}
}
