//go:build race

package asm_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

func TestRaceIsSeen(t *testing.T) {
	if os.Getenv("PEGASIMD_RACE") != "" {
		x, y := make([]float32, 1000), make([]float32, 1000)
		done := make(chan bool)
		for range 2 {
			go func() {
				for range 100 {
					asm.Axpy(1, x, y)
				}
				done <- true
			}()
		}
		<-done
		<-done
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestRaceIsSeen")
	cmd.Env = append(os.Environ(), "PEGASIMD_RACE=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "DATA RACE") {
		t.Errorf("no data race was reported: %v\n%s", err, out)
	}
}
