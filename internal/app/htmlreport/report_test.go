package htmlreport

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/app/chart"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The label is a class, or a number if classes is 0. Most texts contain name.
func sample(rows, classes int, name string) *Input {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(classes)))
	m := &pegasos.Model{Lambda: .1, Result: pegasos.Result{Objective: .5, DualObjective: .4, Gap: .25}}
	in := &Input{Model: "m" + name, Data: "d" + name, Label: name, Predictor: m,
		Verify: "pegasimd verify " + name, FileRows: rows, Features: 3, Origin: Training, Form: "commas",
		Columns: []Column{{"a" + name, "number", "numbers", name, "3 (1 %)"},
			{"b", "left out", name, "", ""}},
		Warnings: []string{"odd " + name}, Ranked: "by size", Details: [][2]string{{"flags", name}},
		Vectors: []Vector{{For: "x" + name, Against: "y" + name, Nonzero: 2000,
			Weights: []Weight{{"f" + name, 2}, {"g", -1}}}}}
	scores := make([][]float64, max(classes, 1))
	for k := range scores {
		scores[k] = make([]float64, rows)
	}
	for i := range rows {
		if classes == 0 {
			y := r.NormFloat64()
			in.Y, in.Scores = append(in.Y, float32(y)), append(in.Scores, .8*y+.3*r.NormFloat64())
			continue
		}
		truth, best := i%classes, 0
		for k := range classes {
			scores[k][i] = r.NormFloat64()
			if k == truth {
				scores[k][i] += 2
			}
			if scores[k][i] > scores[best][i] {
				best = k
			}
		}
		in.Truth, in.Predicted = append(in.Truth, truth), append(in.Predicted, best)
	}
	f := &in.Measures
	if classes == 0 {
		f.R2, f.RMSE, f.MAE = metrics.R2(in.Y, in.Scores, nil), metrics.RMSE(in.Y, in.Scores, nil),
			metrics.MAE(in.Y, in.Scores, nil)
		return in
	}
	f.Accuracy, f.ROCAUC = metrics.Accuracy(in.Truth, in.Predicted, nil), .9
	area := .9
	if rows == 1 {
		area, f.ROCAUC = math.NaN(), math.NaN()
	}
	in.Known = classes
	in.ClassScores = func(k int) []float64 { return scores[k] }
	in.Probability = func(row int, dst []float64) []float64 {
		sum := 0.0
		for k := range dst {
			dst[k] = math.Exp(scores[k][row])
			sum += dst[k]
		}
		for k := range dst {
			dst[k] /= sum
		}
		return dst
	}
	for k, c := range metrics.ByClass(in.Truth, in.Predicted, nil, classes) {
		in.Classes = append(in.Classes, fmt.Sprint("c", k, name))
		f.Classes = append(f.Classes, Class{c.Precision, c.Recall, c.F1, area, .8, c.Support})
	}
	return in
}

func written(t *testing.T, in *Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The test fails if an element has no end tag but HTML requires one.
func elements(t *testing.T, page string) (names, attributes map[string]int, text string) {
	t.Helper()
	names, attributes = map[string]int{}, map[string]int{}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				t.Errorf("elements are open at the end: %v", open)
			}
			return names, attributes, text
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			names[e.Name.Local]++
			open = append(open, e.Name.Local)
			for _, a := range e.Attr {
				attributes[e.Name.Local+" "+a.Name.Local]++
			}
		case xml.EndElement:
			if last := len(open) - 1; last < 0 || open[last] != e.Name.Local {
				t.Fatalf("element %s ends while %v are open", e.Name.Local, open)
			} else {
				open = open[:last]
			}
		case xml.CharData:
			text += string(e)
		}
	}
}

func TestPages(t *testing.T) {
	for what, c := range map[string]struct {
		in      *Input
		figures int
		texts   []string
	}{
		"two": {sample(400, 2, ""), 3, []string{"ROC curve", "Calibration", "the predicted class",
			"the heaviest 2 of 2,000", "3 (1 %)", "at most 25 % above"}},
		"ten":   {sample(1000, 10, ""), 3, []string{"The most frequent mistakes", "c9", "the 3 with"}},
		"fifty": {sample(1000, 50, ""), 3, []string{"The 40 of 50 classes with the smallest F1"}},
		"numbers": {sample(1000, 0, ""), 3, []string{"exact. The chart shows 600 of 1,000 rows",
			"misses. The chart shows 600 of 1,000 rows", "Largest absolute", "R²"}},
		"one row": {sample(1, 2, ""), 1, nil},
	} {
		page := written(t, c.in)
		names, attributes, text := elements(t, page)
		if !strings.HasPrefix(page, Mark+"<html lang=\"en\">") || names["h1"] != 1 || names["h2"] != 5 ||
			names["figure"] != c.figures || names["svg"] != c.figures ||
			attributes["svg aria-label"] != c.figures || names["caption"] != names["table"] ||
			names["title"] != 1 || attributes["meta name"] != 2 {
			t.Errorf("%s: elements %v, attributes %v", what, names, attributes)
		}
		for _, loads := range []string{"script", "link", "img", "iframe", "object", "image", "use", "a"} {
			if names[loads] > 0 {
				t.Errorf("%s: the page has %d elements %s", what, names[loads], loads)
			}
		}
		for _, loads := range []string{"url(", "@import", "src=", "href="} {
			if strings.Contains(page, loads) {
				t.Errorf("%s: the page has %s", what, loads)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: the page has NaN or Inf", what)
		}
		for _, want := range c.texts {
			if !strings.Contains(text, want) && !strings.Contains(page, want) {
				t.Errorf("%s: the page has no %q", what, want)
			}
		}
	}
}

func TestHostileNames(t *testing.T) {
	for _, classes := range []int{0, 2, 5} {
		want, attributes, _ := elements(t, written(t, sample(200, classes, "name")))
		for _, name := range []string{`"><script>alert(1)</script>`, `' onload='x`, "</style><b>",
			"</svg><img src=x>", "<!--", "]]>", "{{.}}", "\x00", "javascript:x", "}*{display:none"} {
			page := written(t, sample(200, classes, name))
			have, with, text := elements(t, page)
			for _, a := range []string{"text textLength", "text lengthAdjust"} { // not with U+FFFD
				with[a] = attributes[a]
			}
			if fmt.Sprint(have) != fmt.Sprint(want) || fmt.Sprint(with) != fmt.Sprint(attributes) {
				t.Errorf("%d classes, name %q: elements %v, attributes %v; want %v, %v", classes, name, have,
					with, want, attributes)
			}
			if name == "{{.}}" && !strings.Contains(text, "f{{.}}") {
				t.Errorf("%q is not shown", name)
			}
		}
	}
}

func TestOrigin(t *testing.T) {
	for origin, want := range map[Origin]string{Training: "was trained on the 100 rows of d: the",
		HeldOut: "100 rows that training held out of the 500 rows of d", Other: "does not have the fingerprint of",
		Unknown: "It is not known whether the model was trained on the 100 rows of d: because. If"} {
		in := sample(100, 2, "")
		in.Origin, in.Reason, in.FileRows = origin, "because", 500
		in.Predictor.(*pegasos.Model).Result.HeldOut = &pegasos.Estimate{Metric: "accuracy",
			Value: in.Measures.Accuracy, StdErr: .03, Rows: 100, Share: .2}
		_, _, text := elements(t, written(t, in))
		if !strings.Contains(text, want) {
			t.Errorf("origin %v: the page has no %q", origin, want)
		}
		apart := strings.Contains(text, "claimed by the model's file for 100 rows held out")
		if apart == (origin == HeldOut) || !strings.Contains(text, "± 3.0 %") {
			t.Errorf("origin %v: the claim about held-out rows has a tile of its own: %v, want %v, and "+
				"± 3.0 %% in the page", origin, apart, origin != HeldOut)
		}
	}
}

// curves leaves points out.
func TestCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for try := range 40 {
		n := 2 + r.IntN(200)
		positive, scores, weights := make([]bool, n), make([]float64, n), make([]float32, n)
		for i := range positive {
			positive[i] = i == 0 || i != 1 && r.IntN(3) == 0
			scores[i] = float64(r.IntN(1 + try))
			weights[i] = float32(r.IntN(3))
		}
		weights[0], weights[1] = 1, 1
		roc, recall := curves(positive, scores, weights)
		area, precision := 0., 0.
		for i, p := range roc[1:] {
			area += (p.X - roc[i].X) * (p.Y + roc[i].Y) / 2
		}
		last := 0.
		for _, p := range recall {
			precision += (p.X - last) * p.Y
			last = p.X
		}
		wantArea, wantPrecision := metrics.Ranking(positive, scores, weights)
		if math.Abs(area-wantArea) > .01 || math.Abs(precision-wantPrecision) > .01 {
			t.Errorf("%d rows: areas %v, %v, want %v, %v", n, area, precision, wantArea, wantPrecision)
		}
		if end := roc[len(roc)-1]; end != (chart.Point{X: 1, Y: 1}) || last != 1 {
			t.Errorf("the curves end at %v, %v", end, last)
		}
	}
	if roc, recall := curves([]bool{true}, []float64{1}, nil); roc != nil || recall != nil {
		t.Error("there are curves without negative rows")
	}
}

func TestManyRows(t *testing.T) {
	rows := 1_000_000
	if testing.Short() {
		rows = 50_000
	}
	for _, classes := range []int{0, 2} {
		small := len(written(t, sample(1000, classes, "")))
		large := len(written(t, sample(rows, classes, "")))
		if large > 3*small || large > 120_000 {
			t.Errorf("%d classes: %d bytes of %d rows, %d of 1,000", classes, large, rows, small)
		}
	}
	in := sample(1200, 300, "")
	for range 5000 {
		in.Warnings = append(in.Warnings, "w")
		in.Columns = append(in.Columns, in.Columns[0])
		in.Vectors = append(in.Vectors, in.Vectors[0])
	}
	page := written(t, in)
	if len(page) > 200_000 {
		t.Errorf("the page has %d bytes, want up to 200,000", len(page))
	}
	for _, cut := range []string{"4,951 more are not shown", "4,902 more columns",
		"4,989 more classes", "more kinds of mistakes", "10 of 300 classes are drawn",
		"40 of 300 classes"} {
		if !strings.Contains(page, cut) {
			t.Errorf("the page has no %q", cut)
		}
	}
}

func TestRunOfAnotherProgram(t *testing.T) {
	for steps, want := range map[int64]bool{0: false, 7: true} {
		in := sample(100, 2, "")
		in.Predictor.(*pegasos.Model).Result.Steps = steps
		if page := written(t, in); strings.Contains(page, "7 steps, passes: ") != want ||
			strings.Contains(page, ">Lambda<") != want || strings.Contains(page, ">Classes<") {
			t.Errorf("%d steps: the page tells of a run: %v, want %v", steps, !want, want)
		}
	}
}

// With C the pairs of one-vs-one have different lambdas.
func TestSettingsOfPairs(t *testing.T) {
	in := sample(100, 3, "")
	m := in.Predictor.(*pegasos.Model)
	m.Result.Steps, m.Config.Multiclass, m.Config.C = 7, pegasos.OneVsOne, 2
	page := written(t, in)
	if !strings.Contains(page, "2 in each pair") || strings.Contains(page, ">Lambda<") ||
		!strings.Contains(page, "up to 7 steps a problem") {
		t.Error(page)
	}
}

func TestRowWeights(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		in := sample(100, 2, "")
		if weighted {
			in.Weights = slices.Repeat([]float32{2}, 100)
		}
		if strings.Contains(written(t, in), "count each row by its weight") != weighted {
			t.Errorf("row weights %v: the page does not say how rows count", weighted)
		}
	}
}

func TestAllWeightsZero(t *testing.T) {
	in := sample(100, 2, "")
	in.Vectors = []Vector{{For: "x", Against: "y"}}
	if page := written(t, in); !strings.Contains(page, "For x: no weight other than 0") {
		t.Error("the page does not say that all weights are 0")
	}
}

func TestBarTitles(t *testing.T) {
	for _, classes := range []int{0, 2} {
		in := sample(100, classes, "")
		in.Vectors[0].Weights[1].Value = 1
		if page := written(t, in); strings.Contains(page, "(right)") {
			t.Errorf("%d classes: bars of one side have a title of two", classes)
		}
	}
}

func TestScaling(t *testing.T) {
	const column = `{"name":"a","kind":"number","number":{"factor":1}}`
	const words = `{"name":"a","kind":"category","levels":{"names":["b","c"],"counts":[4,5]}}`
	for table, want := range map[string]string{"": "features are not scaled",
		`{"columns":["a"],"label_at":-1}`:                                 "features are not scaled",
		`{"encoder":5,"rows":9,"label_at":-1,"columns":[` + column + `]}`: "columns of numbers and dates",
		`{"encoder":5,"rows":9,"label_at":-1,"columns":[` + words + `]}`:  "",
		`{"encoder":5,"rows":9,"label_at":-1,"raw":true,"columns":[` + column + `]}`: "features are " +
			"not scaled"} {
		in := sample(100, 2, "")
		m := in.Predictor.(*pegasos.Model)
		m.Config.Scale, m.Table = pegasos.ScaleNone, []byte(table)
		if table == "" {
			m.Table = nil
		}
		page := written(t, in)
		if !strings.Contains(page, want) || strings.Contains(page, ">Scaling<") != (want != "") {
			t.Errorf("table %s: the page has no %q", table, want)
		}
	}
}

func TestCalibration(t *testing.T) {
	var p []float64
	var hit []bool
	for i := range 1000 {
		share := float64(i%10) / 10
		p, hit = append(p, share), append(hit, i/10%10 < i%10)
	}
	bins, distance := calibration(p, hit, nil)
	if len(bins) != 10 || distance > 1e-9 {
		t.Errorf("bins %v, distance %v", bins, distance)
	}
	for i, b := range bins {
		if math.Abs(b.X-float64(i)/10) > 1e-9 || math.Abs(b.Y-b.X) > 1e-9 {
			t.Errorf("bin %d is %v", i, b)
		}
	}
	bins, distance = calibration([]float64{.9, .9, .9, .9}, []bool{true, false, false, false},
		[]float32{3, 1, 0, 2})
	if len(bins) != 1 || math.Abs(bins[0].X-.9) > 1e-9 || bins[0].Y != .5 ||
		math.Abs(distance-.4) > 1e-9 {
		t.Errorf("bins %v, distance %v", bins, distance)
	}
}

func TestHistogram(t *testing.T) {
	at := histogram([]float64{-9, 0, .5, 1.5, 9}, []float32{1, 1, 1, 1, 4}, 0, 2, 2)
	if !slices.Equal(at, []chart.Point{{X: 0, Y: 37.5}, {X: 1, Y: 62.5}}) {
		t.Errorf("histogram %v", at)
	}
	q := quantiles([]float64{3, 1, 2, 4}, []float32{1, 1, 0, 2}, 0, .25, .5, .9, 1)
	if !slices.Equal(q, []float64{1, 1, 3, 4, 4}) {
		t.Errorf("quantiles %v", q)
	}
}

func TestFormat(t *testing.T) {
	for want, have := range map[string]string{"1,234,567": thousands(1234567),
		"-1,000": thousands(-1000), "999": thousands(999), "1 row": count(1, "row"), "2,000 rows": count(2000, "row"),
		"99.9 %": percent(.999), "99.99 %": percent(.9999), "100.0 %": percent(1),
		"0.01 %": percent(1e-4), none: percent(math.NaN()), "12.5": digits(12.5, 4),
		"12,346": digits(12345.6, 4),
		"−0.5":   signed(-.5), "+2": signed(2), "0.500": share(.5), "2.5": amount(2.5)} {
		if have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}
