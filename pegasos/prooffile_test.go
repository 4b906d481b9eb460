package pegasos_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func proven(t *testing.T) (*pegasos.Model, pair) {
	data := random(81, 40, 4, 3, 1)
	tr := pegasos.Trainer{Config: pegasos.Config{Lambda: 0.1}.Plain(), KeepProof: true}
	return train(t, data.dense, data.y, tr), data
}

func TestProofFile(t *testing.T) {
	m, data := proven(t)
	var file bytes.Buffer
	if err := m.Proof.Write(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	path := filepath.Join(t.TempDir(), "proof")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := pegasos.ReadProofFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := p.Write(&again); err != nil || again.String() != text || p.Data() != m.Data {
		t.Errorf("the read proof is written as %q, want %q, %v; data %q", again.String(), text, err,
			p.Data())
	}
	verify := func(m *pegasos.Model, data pair) (*pegasos.Verification, error) {
		return new(pegasos.Trainer).Verify(t.Context(), m, data.dense, data.y,
			pegasos.VerifyOptions{Proof: p})
	}
	v, err := verify(m, data)
	if err != nil || v.Verdict != pegasos.Confirmed || !v.Proven || !v.Known ||
		v.Bound < m.Result.DualObjective || v.Gap > m.Result.Gap || len(v.Unconfirmed) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
	other := *m
	other.Weights = [][]float32{m.Weights[1], m.Weights[0], m.Weights[2]}
	if _, err := verify(&other, data); err == nil || !strings.Contains(err.Error(), "another model") {
		t.Errorf("another model: %v", err)
	}
	if _, err := verify(m, random(82, 40, 4, 3, 1)); err == nil ||
		!strings.Contains(err.Error(), "other rows") {
		t.Errorf("other data: %v", err)
	}
	claims := *m
	claims.Result.DualObjective *= 1 + 1e-9
	claims.Result.PerClass = append([]pegasos.ClassResult(nil), m.Result.PerClass...)
	claims.Result.PerClass[0].DualObjective *= 1 + 3e-9
	if v, err := verify(&claims, data); err != nil || v.Verdict != pegasos.Contradicted {
		t.Errorf("a bound above the proven one: %+v, %v", v, err)
	}
	if err := p.Write(&failingWriter{Left: 20}); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

func TestProofErrors(t *testing.T) {
	header := func(vectors string) string {
		return "pegasimd proof 1\nmodel_hash: \"\"\ndata: \"\"\nvectors: " + vectors + "\n\n"
	}
	const one = `{"shares":1,"signed":false,"scale":0.5}`
	for _, c := range []struct{ text, want string }{
		{seal(header("["+one+"]"), "\x01\x00"), ""},
		{seal(header("["+one+","+one+"]"), "\x01\x00\x02\x00"), ""},
		{seal(header("["+one+"]"), ""), "cut short"},
		{seal(header("["+one+"]"), "\x01\x00\x01\x00"), "checksum"},
		{seal(header(`[{"shares":-1,"signed":false,"scale":1}]`), ""), "vector 0 has -1 shares"},
		{seal(header(`[{"shares":0,"signed":false,"scale":1}]`), ""), ""},
		{seal(header(`[{"shares":1,"signed":false,"scale":0}]`), "\x01\x00"), "the scale 0"},
		{seal(header(`[{"shares":1,"signed":false,"scale":3e38}]`), "\x01\x00"), ""},
		{seal(header(`[{"shares":1,"signed":false,"scale":4e38}]`), "\x01\x00"), "the scale 4e+38"},
		{seal(header(`[{"shares":1000000000,"signed":true,"scale":1}]`), "\x01\x00"), "cut short"},
		{seal("pegasimd model 1\n", ""), "not a proof"},
	} {
		_, err := pegasos.ReadProof(strings.NewReader(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
