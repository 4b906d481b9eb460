package misuse

import (
	"context"
	"testing"
)

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestMessages(t *testing.T) {
	for want, f := range map[string]func(){
		"pegasimd: row 3 of 2":              func() { panic(Of("row %d of %d", 3, 2)) },
		"pegasimd: len(x) = 3, len(y) = 4":  func() { CheckEqual("len(x)", 3, "len(y)", 4) },
		"pegasimd: len(x) = 4, rows(m) = 3": func() { CheckEqual("len(x)", 4, "rows(m)", 3) },
		"pegasimd: the context is nil: use context.Background()": func() {
			var none context.Context
			Context(none)
		},
	} {
		if have := panicOf(f); have != want {
			t.Errorf("%v, want %s", have, want)
		}
	}
	if have := panicOf(func() {
		CheckEqual("len(x)", 4, "len(y)", 4)
		Context(t.Context())
	}); have != nil {
		t.Errorf("right calls panic: %v", have)
	}
}
