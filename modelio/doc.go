// Package modelio reads and writes linear models as JSON and in liblinear's format, and reads
// native files of linear models and kernel machines.
//
//	p, err := modelio.ReadFile("any.model")    // linear or with a kernel, to predict with
//	err = modelio.WriteLiblinear(file, model)
//
// Package modelio/onnx, in a separate module, writes ONNX graphs.
// [docs/models.md] describes each format.
//
// [docs/models.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/models.md
package modelio

import "fmt"

// A SyntaxError is a fault in the text of a liblinear model.
type SyntaxError struct {
	Line   int // from 1
	Column int // byte in the line, from 1
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("modelio: line %d, column %d: %s", e.Line, e.Column, e.Reason)
}
