package cpu

import "testing"

func TestLevel(t *testing.T) {
	c := Sizes()
	if c.L1 < 8<<10 || c.L2 < c.L1 || c.L3 < c.L2 {
		t.Errorf("caches do not grow: %v", c)
	}
	c = Caches{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}
	for bytes, want := range map[int]string{
		0: "L1", 24 << 10: "L1", 24<<10 + 1: "L2", 1 << 20: "L3", 32 << 20: "DRAM",
	} {
		if got := c.Level(bytes); got != want {
			t.Errorf("%d bytes: %s, want %s", bytes, got, want)
		}
	}
}

func TestString(t *testing.T) {
	for want, c := range map[string]Caches{
		"L1 32 KiB, L2 1024 KiB": {L1: 32 << 10, L2: 1 << 20, L3: 1 << 20, Known: true},
		"L1 32 KiB, L3 1024 KiB (assumed: no sizes were found)": {L1: 32 << 10, L2: 32 << 10,
			L3: 1 << 20},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
