package certificate_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
)

func TestProofFile(t *testing.T) {
	write := func(scale float64) (*certificate.Proof, []byte) {
		t.Helper()
		p := &certificate.Proof{Model: "m", Data: "d", Vectors: []certificate.Packed{
			{Signed: true, Scale: 1.5, Duals: []uint16{7, 0, 65535}}, {Scale: scale, Duals: []uint16{9}}}}
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		return p, b.Bytes()
	}
	read := func(text []byte) (*certificate.Proof, error) {
		return modelfile.Read(bytes.NewReader(text), modelfile.Proof, certificate.ReadProof)
	}
	want, text := write(3e38)
	if have, err := read(text); err != nil || !reflect.DeepEqual(have, want) {
		t.Errorf("the proof is read as %+v; error %v", have, err)
	}
	for n := range text {
		if _, err := read(text[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are read as a proof", n, len(text))
		}
	}
	if _, err := read(bytes.Replace(text, []byte(`"d"`), []byte(`"e"`), 1)); err == nil {
		t.Error("a changed file is read as a proof")
	}
	for _, scale := range []float64{0, -1, 4e38} {
		_, text := write(scale)
		if _, err := read(text); err == nil ||
			!strings.Contains(err.Error(), "vector 1 has 1 share and") {
			t.Errorf("scale %v: error %v", scale, err)
		}
	}
}
