package memtest

import (
	"errors"
	"os"
	"testing"
)

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
	// The peak never falls, so the test allocates more than the present peak.
	const more = 64 << 20
	before := Self()
	much := make([]byte, before+more)
	for i := 0; i < len(much); i += 4096 {
		much[i] = 1
	}
	if have := Self(); have < before+more {
		t.Errorf("the peak was %d bytes before %d bytes were allocated and written, and is %d", before,
			len(much), have)
	}
}
