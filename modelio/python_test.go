package modelio_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPythonSnippet(t *testing.T) {
	tools(t, "python3")
	page, err := os.ReadFile(filepath.FromSlash("../docs/using.md"))
	if err != nil {
		t.Skip("not in a clone: NOT TESTED")
	}
	_, code, _ := strings.Cut(string(page), "\n```python\n")
	code, _, found := strings.Cut(code, "\n```\n")
	if !found {
		t.Fatal("docs/using.md has no Python code")
	}
	for _, c := range []struct {
		name, model string
		want        map[string]float64 // scores of the row (1, 2) by class
	}{
		{"two classes", "coef_=[[1.5, -2]], intercept_=[0.25], classes_=[3, 7]",
			map[string]float64{"3": 2.25, "7": -2.25}},
		{"three classes", "coef_=[[1, 0], [0, 1], [2, 2]], intercept_=[0.5, 0, -1], " +
			"classes_=[1, 2, 4]", map[string]float64{"1": 1.5, "2": 2, "4": 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			tool(t, "python3", "-c", "from types import SimpleNamespace\nmodel = SimpleNamespace("+
				c.model+")\n"+code)
			m := readModel(t, "sklearn.liblinear")
			scores := map[string]float64{}
			for k, score := range m.ClassScores(m.Score([]float32{1, 2}, nil), nil) {
				scores[m.ClassName(k)] = score
			}
			if !maps.Equal(scores, c.want) {
				t.Errorf("scores %v, want %v", scores, c.want)
			}
		})
	}
}
