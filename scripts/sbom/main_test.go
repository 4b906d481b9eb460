package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

func TestWrite(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := write(b, name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two bills of one program differ")
	}
	var have bom
	if err := json.Unmarshal(first.Bytes(), &have); err != nil {
		t.Fatal(err)
	}
	if c := have.Metadata.Component; c.Name != "github.com/pegasimd/pegasimd" || len(c.Hashes) != 1 {
		t.Errorf("the program is %+v", c)
	}
	if len(have.Components) == 0 || have.Components[0].Name != "std" {
		t.Errorf("the modules are %+v", have.Components)
	}
	if write(&first, "main.go") == nil {
		t.Error("a source file has a bill of materials")
	}
}
