package misuse

import "testing"

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		full, pkg, function string
		public, exported    bool
	}{
		{module() + "dense.Dot", "dense", "Dot", true, true},
		{module() + "dense.(*Matrix).Dot", "dense", "Matrix.Dot", true, true},
		{module() + "pegasos/kernelsvm.(*Model).Predict.func1", "kernelsvm", "Model.Predict", true,
			true},
		{module() + "pegasos.(*Model).Each-range1", "pegasos", "Model.Each", true, true},
		{module() + "pegasos.(*run).Step", "pegasos", "run.Step", true, false},
		{module() + "sparse.inRange", "sparse", "inRange", true, false},
		{module() + "internal/asm.Dot", "asm", "Dot", false, true},
		{module() + "cmd/pegasimd/internal/chart.Of[...]", "chart", "Of", false, true},
		{"main.main", "main", "main", false, false},
	} {
		pkg, function, public := split(c.full)
		if pkg != c.pkg || function != c.function || public != c.public ||
			exported(function) != c.exported {
			t.Errorf("%s: %s, %s, %t, %t", c.full, pkg, function, public, exported(function))
		}
	}
}

// Without a public function on the stack, the message starts with the module's name.
func TestOf(t *testing.T) {
	if have := Lengths("len(x)", 1, "len(y)", 2); have != "pegasimd: len(x) = 1, len(y) = 2" {
		t.Error(have)
	}
}
