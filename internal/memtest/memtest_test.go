package memtest

import (
	"errors"
	"os"
	"testing"
)

// The measured memory grows with the memory used, and the reader's error comes through.
func TestPeak(t *testing.T) {
	Test(t, map[string]Case{
		"good": {File: func() []byte { return []byte("ab") }, Read: func(name string) error {
			if text, err := os.ReadFile(name); err != nil || string(text) != "ab" {
				return errors.New("another file")
			}
			return nil
		}},
		"bad": {
			File:  func() []byte { return nil },
			Error: "bad",
			Read:  func(string) error { return errors.New("it is bad") },
		},
	})
	before := Self()
	much := make([]byte, 256<<20)
	for i := 0; i < len(much); i += 4096 {
		much[i] = 1
	}
	if have := Self(); have < 256<<20 || have-before < 128<<20 {
		t.Errorf("%d bytes before, %d after 2^28 more", before, have)
	}
}
