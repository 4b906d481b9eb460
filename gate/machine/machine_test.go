package machine

import (
	"strings"
	"testing"
)

func TestCPU(t *testing.T) {
	cpu := CPU()
	t.Logf("%s; %v; file name %s", cpu, Sizes(), Slug(cpu))
	if cpu == "" || strings.ContainsAny(cpu, "\n\t") {
		t.Errorf("CPU is %q", cpu)
	}
	want := "amd-epyc-9b14-family-25-model-17"
	if got := Slug("AMD EPYC 9B14, family 25, model 17"); got != want {
		t.Errorf("Slug: %q, want %q", got, want)
	}
}

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
