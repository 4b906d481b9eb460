package pegasos_test

import (
	"encoding/json"
	"fmt"
	"github.com/pegasimd/pegasimd/pegasos"
	"math"
	"strings"
	"testing"
)

// A value that was not measured is left out of JSON, and is NaN again when it is read.
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
		"null":         "null is no value",
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
