package onnx

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func tableOf(columns string, features int) *pegasos.Model {
	m := &pegasos.Model{Classes: []float32{0, 1, 2}, Lambda: 1,
		Config: pegasos.Config{Lambda: 1}.Plain(),
		Table: []byte(`{"encoder":5,"columns":[` + columns + `],"rows":10,"header":true,` +
			`"label":{"name":"y","kind":"number"},"label_at":-1}`)}
	for range m.Classes {
		m.Weights = append(m.Weights, make([]float32, features))
	}
	return m
}

const numberColumn = `{"name":%q,"kind":"number","gaps":2,"gap_feature":true,` +
	`"number":{"mean":3,"shift":1,"factor":0.5}}`

// scripts/onnx.sh compares scores.
func TestWriteTable(t *testing.T) {
	have := describe(t, tableOf(`{"name":"id","kind":"left out"},`+
		`{"name":"city","kind":"category","levels":{"names":["a","true"],"counts":[3,2]}},`+
		fmt.Sprintf(numberColumn, "age")+
		`,{"name":"sex","kind":"category","gaps":6,"gap_feature":true,"levels":`+
		`{"names":["f","m"],"counts":[1,3]}}`, 6))
	for _, want := range []string{
		"LabelEncoder encoder/level0: keys_strings=[\"TRUE\" \"True\" \"a\" \"true\"] " +
			"values_int64s=[1 1 0 1] default_int64=-1\n" +
			"OneHotEncoder encoder/levels0: cats_int64s=[0 1] zeros=1\n",
		"LabelEncoder encoder/word4: keys_strings=[\"f\" \"m\"] values_floats=[1 -1] " +
			"default_float=0\nLabelEncoder encoder/gap4: keys_strings=[\"\" \"?\" ",
		" default_float=1\n", // 6 gaps in 10 rows: the feature is 1 for values
		"Where encoder/values:\nWhere encoder/gaps:\n",
		"encoder/filled[1]=[1]\n", "encoder/shift[1]=[1]\n", "encoder/factor[1]=[0.5]\n",
		// The pool's columns: city (2), sex, the gaps of sex, age, the gaps of age.
		"encoder/places[6]=[0 1 4 5 2 3]\n",
	} {
		if !strings.Contains(have, want) {
			t.Errorf("%s\nlacks %s", have, want)
		}
	}
}

func TestWriteTableNames(t *testing.T) {
	names := append(strings.Fields(reserved), "", "_", "a", "a", prefix+"numbers")
	var columns []string
	for _, name := range names {
		columns = append(columns, fmt.Sprintf(numberColumn, name))
	}
	base := tableOf(strings.Join(columns, ","), 2*len(names))
	calibrated, pairs := *base, *base
	calibrated.Calibration = []pegasos.Sigmoid{{A: -1}, {A: -1}, {A: -1}}
	pairs.Config.Multiclass = pegasos.OneVsOne
	log, number := *base, *base
	log.Config.Loss = pegasos.Log
	number.Classes, number.Weights = nil, base.Weights[:1]
	curved := func(kind pegasos.Curves) *pegasos.Model {
		m, e := *base, square(1)
		if e.Kind = kind; kind == pegasos.CurvesPieces {
			e.Knots = []float32{0}
		}
		shift := make([]float32, m.Cols())
		m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleStandard, Shift: shift, Factor: shift,
			Expansion: &e}
		m.Weights = nil
		for range m.Classes {
			m.Weights = append(m.Weights, make([]float32, len(shift)+1))
		}
		return &m
	}
	for _, m := range []*pegasos.Model{base, &calibrated, &pairs, &log, &number,
		curved(pegasos.CurvesProducts), curved(pegasos.CurvesPieces)} {
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			t.Fatal(err)
		}
		graph, seen, read := fields(t, fields(t, b.Bytes())[7][0].([]byte)), map[string]bool{}, 0
		define := func(name any) {
			if s := string(name.([]byte)); s == "" || seen[s] {
				t.Errorf("the name %q of a value is empty or defined twice", s)
			} else {
				seen[s] = true
			}
		}
		for _, input := range graph[11] {
			define(fields(t, input.([]byte))[1][0])
		}
		for _, tensor := range graph[5] {
			define(fields(t, tensor.([]byte))[8][0])
		}
		for _, n := range graph[1] {
			for _, name := range asBytes(fields(t, n.([]byte))[1]) {
				if read++; !seen[string(name)] {
					t.Errorf("%q is read before it is defined", name)
				}
			}
			for _, output := range fields(t, n.([]byte))[2] {
				define(output)
			}
		}
		if len(graph[11]) != len(names) || read < len(names) {
			t.Errorf("%d inputs for %d columns; nodes read %d values", len(graph[11]), len(names), read)
		}
	}
}

func TestWriteTableErrors(t *testing.T) {
	for want, c := range map[string]struct {
		column   string
		features int
	}{
		"column city has hashed words": {`{"name":"city","kind":"category","levels":{"hash_bits":2}}`, 4},
		"column born has dates": {`{"name":"born","kind":"date","number":{"factor":1},"date":{}}`,
			1},
		"column a seems to have": {`{"name":"a","kind":"number","weak":true,"number":{"factor":1}}`,
			1},
		"uses no column": {`{"name":"id","kind":"left out"}`, 0},
		"encoder has 0 features, but the model has 1": {`{"name":"id","kind":"left out"}`, 1},
		"unknown kind": {`{"name":"id","kind":"bad"}`, 1},
	} {
		if err := Write(io.Discard, tableOf(c.column, c.features)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
