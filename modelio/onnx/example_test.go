package onnx_test

import (
	"bytes"
	"fmt"

	"github.com/pegasimd/pegasimd/modelio/onnx"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Write writes a graph for any ONNX runtime, such as onnxruntime.InferenceSession in Python.
func ExampleWrite() {
	m := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.5, -2}}, Lambda: 1}
	var graph bytes.Buffer // or a file
	if err := onnx.Write(&graph, m); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Contains(graph.Bytes(), []byte("LinearClassifier")))
	// Output: true
}
