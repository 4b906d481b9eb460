package dual

import (
	"slices"
	"testing"
)

func TestAscentPasses(t *testing.T) {
	var all []int
	for pass := range 50 {
		if Full(pass) {
			all = append(all, pass)
		}
	}
	if want := []int{0, 3, 9, 18, 30, 45}; !slices.Equal(all, want) {
		t.Errorf("passes over all rows: %v, want %v", all, want)
	}
}
