package main

import (
	"reflect"
	"testing"

	"github.com/pegasimd/pegasimd/gate/history"
)

// A history has a line for each path that it names, whatever its name is, and one for benchmarks
// of other projects, which have none.
func TestKinds(t *testing.T) {
	names := func(names ...string) (got []string) {
		r := &history.Run{}
		for _, name := range names {
			unit := "insn/call"
			if name == "Search" {
				unit = "insn/op"
			}
			r.Set(name, unit, 1)
		}
		for _, k := range kinds([]*history.Run{r}) {
			got = append(got, k.name)
		}
		return got
	}
	if got, want := names("op=dot/isa=generic", "op=dot/isa=rvv", "op=exp/isa=rvv"),
		[]string{"instructions, generic", "instructions, rvv", "time", "bytes of code"}; !reflect.
		DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := names("Search"), []string{"instructions", "time",
		"bytes of code"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
