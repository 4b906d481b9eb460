package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestConfusionPicture(t *testing.T) {
	for _, n := range []int{2, mostShares, mostCounts, mostCounts + 1, mostClasses} {
		var names []string
		counts := make([][]float64, n)
		for i := range counts {
			names, counts[i] = append(names, fmt.Sprint("class ", i)), make([]float64, n)
			counts[i][i], counts[i][0] = float64(1000+i), 0
		}
		counts[0][0] = 0 // and so no shares
		var b bytes.Buffer
		if err := writeConfusion(&b, "title", names, counts); err != nil {
			t.Fatal(err)
		}
		svg := b.String()
		if !pictureKind.is([]byte(svg[:min(headBytes, len(svg))])) || strings.Contains(svg, "NaN") {
			t.Errorf("%d classes: %.200s", n, svg)
		}
		for text, there := range map[string]bool{">class 1<": true, ">1001<": n <= mostCounts,
			">100.0 %<": n <= mostShares, ">0<": false} {
			if strings.Contains(svg, text) != there {
				t.Errorf("%d classes: the picture has %s: %v", n, text, !there)
			}
		}
	}
	n := mostClasses + 1
	if err := writeConfusion(io.Discard, "", make([]string, n), make([][]float64, n)); err == nil {
		t.Error("too many classes are drawn")
	}
}

func TestPictureNames(t *testing.T) {
	for name, good := range map[string]bool{"": true, "a.svg": true, "b.SVG": true, "c.svg.gz": true,
		"a": false, "a.png": false, "a.pdf": false, ".svg/a": false} {
		if err := checkPicture(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPanels(t *testing.T) {
	nan, steps := math.NaN(), []float64{100, 1000, 1e6}
	var b bytes.Buffer
	err := writePanels(&b, "the title", "steps", steps, []panel{
		{"objective", false, []panelLine{{"upper", []float64{5, 4, 3}},
			{"lower", []float64{nan, nan, nan}}}},
		{"gap", true, []panelLine{{"", []float64{nan, 0, -1}}}},
		{"accuracy", false, []panelLine{{"one", []float64{70, 80, nan}}, {"two", []float64{69, 71, 72}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, there := range map[string]bool{"the title": true, "objective": true, "upper": true,
		"lower": false, "gap": false, "accuracy": true, "one": true, "two": true, "steps": true} {
		if strings.Contains(b.String(), ">"+text+"<") != there {
			t.Errorf("the picture has %s: %v", text, !there)
		}
	}
	if err := writePanels(io.Discard, "", "", steps,
		[]panel{{"", false, []panelLine{{"a", []float64{nan, nan, nan}}}}}); err == nil {
		t.Error("panels without a point are drawn")
	}
}
