package modelio

import (
	"errors"
	"fmt"
	"io"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// A Predictor is a model of either kind: a *[pegasos.Model] or a *[kernelsvm.Model].
type Predictor interface {
	// Head describes the rows and labels that the model was trained on.
	Head() pegasos.Head
	Cols() int    // number of features
	Outputs() int // number of scores of a row
	// DecisionAll returns the scores of all rows of x: those of row i start at i*Outputs().
	DecisionAll(x pegasos.Examples) []float64
	// PredictAll returns the labels or targets of all rows of x, NaN where a score is not finite or
	// a target exceeds float32.
	PredictAll(x pegasos.Examples) []float32
	// Class returns the index of the class that the scores of a row predict, or -1 if a score is
	// not finite. It panics for a regression.
	Class(scores []float64) int
	// ClassScores returns a score for each class, in dst or, if dst is too short, in a new slice.
	ClassScores(scores, dst []float64) []float64
	// ClassName returns the name of a class, or the label if classes have no names.
	ClassName(class int) string
	// Hash returns the SHA-256 of the fields that determine predictions, in hexadecimal.
	Hash() string
	// Write writes the model in the native form; WriteFile writes that form to a file.
	Write(w io.Writer) error
	WriteFile(name string) error
}

// Read reads a model of either kind in the native form, up to the end of r.
func Read(r io.Reader) (Predictor, error) {
	buffered, kind, ok := modelfile.Peek(r, modelfile.Linear, modelfile.Kernel, modelfile.Proof)
	if !ok {
		if _, err := buffered.Peek(1); err != nil && err != io.EOF {
			return nil, fmt.Errorf("pegasos: model file: %w", err)
		}
		return nil, errors.New("pegasos: not a model file of pegasimd")
	}
	switch kind {
	case modelfile.Kernel:
		return predictor(kernelsvm.Read(buffered))
	case modelfile.Proof:
		return nil, errors.New("pegasos: model file: a proof, not a model")
	}
	return predictor(pegasos.Read(buffered))
}

// ReadFile reads a model of either kind from a file, which may be compressed with gzip.
func ReadFile(name string) (Predictor, error) { return modelfile.ReadFile(name, Read) }

// predictor returns a nil interface, not an interface with a nil pointer, if err is not nil.
func predictor[M Predictor](m M, err error) (Predictor, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
