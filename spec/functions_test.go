package spec

import (
	"bytes"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Some arguments are where the functions change their method.
func functions(files map[string][]byte) {
	arguments := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, 2, 0.5, 0.41,
		-0.29, 40, -40, 40.5, -40.5, 709, 709.7827128933841, 710, -708, -708.5, -720, -744.5, -745,
		-746, -800, math.MaxFloat64, 0x1p-1022, 0x1p-1074, 0x1.8p-1060, math.Sqrt2, math.Sqrt2 / 2,
		1 + 0x1p-52, 1 - 0x1p-53, -1 + 0x1p-53, 0x1p-60, -0x1p-61, 0x1p60, 0x1p70}
	for i := range 160 {
		v := float64(value(7, i))
		arguments = append(arguments, v/float64(value(8, i)), 3*v)
	}
	for name, f := range map[string]func(float64) float64{"exp": floats.Exp,
		"log": floats.Log, "sigmoid": floats.Sigmoid, "log1pexp": floats.Log1pExp} {
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s: x, and the result, as float64 bits: docs/spec.md\n", name)
		for _, x := range arguments {
			if v := f(x); v == v {
				fmt.Fprintf(&b, "%016x %016x\n", math.Float64bits(x), math.Float64bits(v))
			}
		}
		files["function-"+name+".txt"] = b.Bytes()
	}
}
