package pegasos

import (
	"strings"
	"testing"
)

// A file has both the hash and the data's fingerprint, or neither.
func TestHashWithoutData(t *testing.T) {
	m := &Model{Weights: [][]float32{{1}}, Classes: []float32{0, 1}, Lambda: 1}
	for hash, data := range map[string]string{m.Hash(): "", "": "dense:" + strings.Repeat("0", 64)} {
		m.Data = data
		err := (&header{hash: hash}).check(m)
		if err == nil || !strings.Contains(err.Error(), "hash and data") {
			t.Errorf("hash %q, data %q: %v", hash, data, err)
		}
	}
}
