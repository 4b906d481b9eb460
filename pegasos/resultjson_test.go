package pegasos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestResultJSON(t *testing.T) {
	r := pegasos.Result{
		Steps: 10, Epochs: 5, R2: 2, Objective: 0.75, DualObjective: math.NaN(), Gap: math.NaN(),
		PerClass: []pegasos.ClassResult{{Objective: 0.5, DualObjective: math.NaN(), Steps: 10,
			Lambda: 0.1}},
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "gap") {
		t.Fatalf("%s, %v", text, err)
	}
	var have pegasos.Result
	if err := json.Unmarshal(text, &have); err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprintf("%+v", have), fmt.Sprintf("%+v", r); a != b {
		t.Errorf("%s, want %s", a, b)
	}
	for text, want := range map[string]string{
		"null":         "null is not allowed",
		`{"stops": 1}`: `unknown field "stops"`,
	} {
		if err := json.Unmarshal([]byte(text), &have); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestValidateModel(t *testing.T) {
	good := func() *pegasos.Model {
		return &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{1, 2}}, Lambda: 1}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(m *pegasos.Model){
		"pegasos: model: classes must be": func(m *pegasos.Model) { m.Classes[0] = 2 },
		"pegasos: model: 2 weight vectors": func(m *pegasos.Model) {
			m.Weights = append(m.Weights,
				m.Weights[0])
		},
		"pegasos: model: weight 1": func(m *pegasos.Model) {
			m.Weights[0][1] = float32(math.NaN())
		},
		"pegasos: Lambda: have 0":  func(m *pegasos.Model) { m.Lambda = 0 },
		"pegasos: Epochs: have -1": func(m *pegasos.Model) { m.Config.Epochs = -1 },
	} {
		m := good()
		change(m)
		if err := m.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestWorstGap(t *testing.T) {
	class := func(objective, bound float64) pegasos.ClassResult {
		return pegasos.ClassResult{Objective: objective, DualObjective: bound}
	}
	nan := math.NaN()
	for _, c := range []struct {
		all  []pegasos.ClassResult
		gap  float64
		k    int
		name string
	}{
		{nil, nan, -1, "none"}, {[]pegasos.ClassResult{class(nan, nan)}, nan, -1, "unknown"},
		{[]pegasos.ClassResult{class(nan, nan), class(3, 2), class(4, 2), class(5, 5)}, 1, 2, "some"},
	} {
		gap, k := pegasos.Result{PerClass: c.all}.WorstGap()
		if k != c.k || gap != c.gap && !(math.IsNaN(gap) && math.IsNaN(c.gap)) {
			t.Errorf("%s: gap %v at index %d, want %v at %d", c.name, gap, k, c.gap, c.k)
		}
	}
}

// A difference of objectives is a contradiction if float32 rounding can't explain it.
func TestCompare(t *testing.T) {
	model := func(p, d float64) *pegasos.Model {
		return &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1}}, Lambda: 0.5,
			Result: pegasos.Result{Objective: p, DualObjective: d, PerClass: []pegasos.ClassResult{
				{Objective: p, DualObjective: d, Lambda: 0.5}}}}
	}
	found := pegasos.Result{Objective: 2, DualObjective: 1.9, PerClass: []pegasos.ClassResult{
		{Objective: 2, DualObjective: 1.9, Lambda: 0.5}}}
	for _, c := range []struct {
		p, d    float64
		verdict pegasos.Verdict
	}{
		{2, 1.9, pegasos.Confirmed}, {2, 1.8, pegasos.Confirmed}, {2, 1.95, pegasos.NotConfirmed},
		{2, 2.1, pegasos.Contradicted}, {2, 0.9, pegasos.ClaimsNothing},
		{2 * (1 + 0.9e-5), 1.8, pegasos.Confirmed}, {2 * (1 + 1.1e-5), 1.8, pegasos.Contradicted},
		{2 * (1 - 0.9e-11), 1.8, pegasos.Confirmed}, {2 * (1 - 0.9e-5), 1.8, pegasos.NotConfirmed},
		{2 * (1 - 1.1e-5), 1.8, pegasos.Contradicted},
		{math.NaN(), math.NaN(), pegasos.ClaimsNothing},
	} {
		v := model(c.p, c.d).Compare(found)
		if v.Verdict != c.verdict || (c.verdict == pegasos.Contradicted) != (len(v.Reasons) > 0) {
			t.Errorf("objective %v and bound %v: %s, want %s: %v", c.p, c.d, v.Verdict, c.verdict,
				v.Reasons)
		}
	}
	lambda := model(2, 1.9)
	lambda.Result.PerClass[0].Lambda = 0.25
	none := model(2, 1.9)
	none.Result.PerClass = nil
	if v := lambda.Compare(found); v.Verdict != pegasos.Contradicted {
		t.Errorf("another lambda: %+v", v)
	}
	if v := none.Compare(found); v.Verdict != pegasos.Contradicted || v.Gap != found.Gap ||
		v.Objective != 2 || v.Bound != 1.9 {
		t.Errorf("without PerClass: %+v", v)
	}
}
