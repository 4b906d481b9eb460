package parts

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"testing"
)

func TestVectors(t *testing.T) {
	want := [][]float32{{1, -0.1, 3e-40}, {0, 2, 1e30}}
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range want {
		if err := binary.Write(z, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	have := vectors(3, base64.StdEncoding.EncodeToString(packed.Bytes()))
	if !slices.EqualFunc(have, want, slices.Equal[[]float32]) {
		t.Errorf("%v, want %v", have, want)
	}
}

func TestUnpackNumbers(t *testing.T) {
	columns := []tableColumn{{Name: "a", Kind: number, Number: &numberScale{Factor: 2}}}
	codings := unpack(columns, 3, false)
	var r row
	if len(codings) != 1 || codings[0].encode(&r, "1.5", false) != fits ||
		!slices.Equal(r.values, []float32{3}) {
		t.Errorf("codings %v, values %v", codings, r.values)
	}
}
