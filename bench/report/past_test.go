package main

import (
	"testing"

	"github.com/pegasimd/pegasimd/gate/history"
)

func TestTrends(t *testing.T) {
	runOf := func(unit string, values map[string]float64) *history.Run {
		r := &history.Run{}
		for name, v := range values {
			r.Set(name, unit, v)
		}
		return r
	}
	runs := []*history.Run{runOf("insn/call", map[string]float64{"op=dot/isa=avx512": 100}),
		runOf("insn/call", map[string]float64{"op=dot/isa=avx512": 90, "op=exp/isa=avx512": 7})}
	got := trends(runs)
	if len(got) != 1 || got[0].Name != "instructions, avx512" || len(got[0].Points) != 2 ||
		got[0].Points[1].Y < 89.9 || got[0].Points[1].Y > 90.1 {
		t.Errorf("series %+v, want instructions on avx512 that fall from 100 to 90", got)
	}
	got = trends([]*history.Run{runOf("insn/op", map[string]float64{"Search": 1})})
	if len(got) != 1 || got[0].Name != "instructions" {
		t.Errorf("series %+v, want instructions", got)
	}
}
