package machine

import (
	"strings"
	"testing"
)

func TestCPU(t *testing.T) {
	cpu := CPU()
	t.Log(cpu)
	if cpu == "" || strings.ContainsAny(cpu, "\n\t") {
		t.Errorf("CPU is %q", cpu)
	}
}
