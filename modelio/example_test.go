package modelio_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

func ExampleReadLiblinear() {
	const text = `solver_type L2R_L2LOSS_SVC
nr_class 2
label 1 -1
nr_feature 2
bias -1
w
0.5
-2
`
	m, err := modelio.ReadLiblinear(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Classes, m.Weights, m.Config.Loss)
	// Output: [-1 1] [[0.5 -2]] squared-hinge
}

func ExampleWriteLiblinear() {
	m := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.5, -2}}, Lambda: 1}
	var text strings.Builder
	if err := modelio.WriteLiblinear(&text, m); err != nil {
		panic(err)
	}
	fmt.Println(strings.Fields(text.String()))
	// Output: [solver_type L2R_L1LOSS_SVC_DUAL nr_class 2 label 1 -1 nr_feature 2 bias -1 w 0.5 -2]
}

func ExampleRead() {
	m := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.5, -2}}, Lambda: 1}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		panic(err)
	}
	p, err := modelio.Read(&file)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Cols(), p.Outputs(), p.Hash() == m.Hash())
	// Output: 2 1 true
}
