// Package onnx writes models in the Open Neural Network Exchange format, for runtimes of other
// languages.
//
//	err := onnx.Write(file, model)
//
// The main operator is a LinearClassifier, or a LinearRegressor for regressions and for one-vs-one
// of more than two classes, of the operator set ai.onnx.ml: https://onnx.ai/onnx/operators/.
// [docs/models.md] describes the inputs and outputs.
//
// [docs/models.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/models.md
package onnx

import (
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/pegasos"
)

const (
	mlDomain  = "ai.onnx.ml"
	mlVersion = 1  // version of mlDomain for graphs with the input "features"
	version   = 11 // version of the default operator set
	irVersion = 6

	tableVersion = 2 // version of mlDomain for graphs with an input for each column

	// maxBytes bounds the size of the weights: the largest protocol buffer, less 64 MiB for the
	// rest.
	maxBytes = math.MaxInt32 - 1<<26
)

// Write writes the model as a graph. The input "features" has a row for each example; column j is
// feature j, counted from 0. The graph of a model of a table instead has an input for each column
// with features, unless the features are the numbers in the cells. Such an input is float32 with
// NaN for gaps, or strings without surrounding blanks. Its name is the column's, after underscores
// if the graph uses that name otherwise. Write returns an error if a column with features has
// dates, text or hashed words, or is marked weak.
//
// A classifier has the output "label": an integer, or a string if classes have names or a label is
// not an int64. A second output has a column for each class:
//
//   - "scores": -z and z for two classes with one score z
//   - after training with the log loss, "probabilities" instead: the softmax of a multinomial
//     model's scores, or else the logistic function of each score, scaled to the sum 1
//   - in a calibrated model both, as two outputs
//   - with one-vs-one for more than two classes only "scores", equal to Model.ClassScores
//
// A regression has the output "prediction". Scaling that is not folded into the weights adds a
// Scaler or a Normalizer, and nodes that append the terms of the Expansion.
func Write(w io.Writer, m *pegasos.Model) error {
	n := len(m.Weights)
	width := m.Cols()
	if m.Scaling != nil {
		width += m.Scaling.Expansion.Len()
	}
	if vectors := int64(max(n, len(m.Classes))); vectors*int64(width) > maxBytes/4 {
		return fmt.Errorf("onnx: the file would have %d weights, want at most %d",
			vectors*int64(width), maxBytes/4)
	}
	for k := range n {
		if len(m.Weights[k]) != width {
			return fmt.Errorf("onnx: the weights of vector %d: have %d, want %d: one for each feature "+
				"and curve", k, len(m.Weights[k]), width)
		}
		for j, v := range m.Weights[k] {
			if !floats.IsFinite(v) {
				return fmt.Errorf("onnx: weight %d of vector %d is %v, want a finite number", j, k, v)
			}
		}
	}
	intercepts := make([]float32, n)
	for k, b := range m.Bias {
		intercepts[k] = float32(b)
		if v := intercepts[k]; !floats.IsFinite(v) {
			return fmt.Errorf("onnx: the bias %v is not finite in float32", b)
		}
	}
	var graph message
	needs, err := inputs(&graph, m)
	if err != nil {
		return err
	}
	rows, err := scaled(&graph, m)
	if err != nil {
		return err
	}
	if m.Classes == nil {
		graph.message(1, mlNode("LinearRegressor", []string{rows}, "prediction",
			floatsAttribute("coefficients", m.Weights...),
			floatsAttribute("intercepts", intercepts), intAttribute("targets", int64(n))))
		graph.message(12, value("prediction", elementFloat, int64(n), ""))
	} else if m.Config.Multiclass == pegasos.OneVsOne && len(m.Classes) > 2 {
		err = pairs(&graph, m, rows, intercepts)
	} else {
		err = classifier(&graph, m, rows, intercepts)
	}
	if err != nil {
		return err
	}
	graph.text(2, "pegasimd")

	var all, main, ml message
	all.integer(1, irVersion)
	all.text(2, "pegasimd")
	main.text(1, "")
	main.integer(2, version)
	ml.text(1, mlDomain)
	ml.integer(2, needs)
	all.message(8, main)
	all.message(8, ml)
	all.message(14, property("pegasimd.hash", m.Hash()))
	all.message(7, graph)
	if len(all) > math.MaxInt32 {
		return fmt.Errorf("onnx: the file would have %d bytes, want at most %d", len(all),
			math.MaxInt32)
	}
	_, err = w.Write(all)
	return err
}

// scaled returns the name of the scaled and expanded rows, or the input's if the graph does
// neither.
func scaled(graph *message, m *pegasos.Model) (rows string, err error) {
	const input, rescaled = "features", "rescaled"
	s := m.Scaling
	switch {
	case s == nil || s.Folded || s.Kind == pegasos.ScaleNone && s.Expansion == nil:
		return input, nil
	case s.Kind == pegasos.ScaleUnit && s.Expansion == nil:
		graph.message(1, mlNode("Normalizer", []string{input}, rescaled,
			stringAttribute("norm", "L2")))
		return rescaled, nil
	case s.Kind == pegasos.ScaleNone:
		return expanded(graph, s.Expansion, input, m.Cols())
	case len(s.Factor) != m.Cols() || s.Shift != nil && len(s.Shift) != m.Cols():
		return "", fmt.Errorf("onnx: the scaling %q (factors: %d, shifts: %d) does not fit %s and %s",
			s.Kind, len(s.Factor), len(s.Shift), plural.Count(m.Cols(), "feature"),
			plural.Count(s.Expansion.Len(), "curve"))
	}
	shift := s.Shift
	if shift == nil {
		shift = make([]float32, m.Cols())
	}
	graph.message(1, mlNode("Scaler", []string{input}, rescaled,
		floatsAttribute("offset", shift), floatsAttribute("scale", s.Factor)))
	if s.Expansion != nil {
		return expanded(graph, s.Expansion, rescaled, m.Cols())
	}
	return rescaled, nil
}

// expanded adds the nodes that append the terms of e to rows with cols columns, and returns the
// expanded rows' name. A term is the product of two clipped columns, or max(0, v - knot) for a
// clipped column v. The terms are then scaled.
func expanded(graph *message, e *pegasos.Expansion, rows string, cols int) (string, error) {
	if err := e.Check(cols); err != nil {
		return "", fmt.Errorf("onnx: %w", err)
	}
	var first, second []int64
	for _, t := range e.Terms {
		first, second = append(first, int64(t[0])), append(second, int64(t[1]))
	}
	graph.message(5, tensor("least", []float32{-curves.Clip}))
	graph.message(5, tensor("most", []float32{curves.Clip}))
	graph.message(5, intTensor("first", first))
	axis := intAttribute("axis", 1)
	graph.message(1, node("Clip", "", []string{rows, "least", "most"}, []string{"clipped"}))
	graph.message(1, node("Gather", "", []string{"clipped", "first"}, []string{"left"}, axis))
	if e.Kind == pegasos.CurvesPieces {
		graph.message(5, tensor("knots", e.Knots, len(e.Knots)))
		graph.message(1, node("Sub", "", []string{"left", "knots"}, []string{"above"}))
		graph.message(1, node("Relu", "", []string{"above"}, []string{"functions"}))
	} else {
		graph.message(5, intTensor("second", second))
		graph.message(1, node("Gather", "", []string{"clipped", "second"}, []string{"right"}, axis))
		graph.message(1, node("Mul", "", []string{"left", "right"}, []string{"functions"}))
	}
	graph.message(1, mlNode("Scaler", []string{"functions"}, "curves",
		floatsAttribute("offset", e.Shift), floatsAttribute("scale", e.Factor)))
	graph.message(1, node("Concat", "", []string{rows, "curves"}, []string{"expanded"}, axis))
	return "expanded", nil
}

func classifier(graph *message, m *pegasos.Model, rows string, intercepts []float32) error {
	weights, classes := m.Weights, len(m.Classes)
	if classes == 2 && len(weights) == 1 {
		// Runtimes derive two columns from one vector differently, so write two vectors.
		weights = [][]float32{negative(m.Weights[0]), m.Weights[0]}
		intercepts = []float32{-intercepts[0], intercepts[0]}
	}
	if len(weights) != classes {
		return fmt.Errorf("onnx: weight vectors: have %d, want %d: one for each class", len(weights),
			classes)
	}
	element := labelElement(m)
	labels := attribute("classlabels_ints", typeInts)
	if element == elementString {
		labels = attribute("classlabels_strings", typeStrings)
	}
	for i, c := range m.Classes {
		if element == elementString {
			labels.text(attributeStrings, m.ClassName(i))
		} else {
			labels.integer(attributeInts, int64(c))
		}
	}
	transform, scores := "NONE", "scores"
	linear := scores
	if m.HasProbabilities() && m.Calibration == nil {
		transform, scores, linear = "LOGISTIC", "probabilities", "probabilities"
		if m.Config.Multiclass == pegasos.Multinomial {
			transform = "SOFTMAX"
		} else if classes > 2 {
			linear = "odds"
		}
	}
	graph.message(1, node("LinearClassifier", mlDomain, []string{rows},
		[]string{"label", linear},
		floatsAttribute("coefficients", weights...),
		floatsAttribute("intercepts", intercepts), labels,
		intAttribute("multi_class", 0), stringAttribute("post_transform", transform)))
	if linear != scores {
		graph.message(1, mlNode("Normalizer", []string{linear}, scores,
			stringAttribute("norm", "L1")))
	}
	graph.message(12, value("label", element, -1, ""))
	graph.message(12, value(scores, elementFloat, int64(classes), ""))
	if m.Calibration != nil {
		return calibrate(graph, m)
	}
	return nil
}

// calibrate adds the nodes of Platt's sigmoids, 1/(1 + e^(A*z+B)), to the graph. With a single
// sigmoid p of two classes, whose scores are -z and z, the probabilities are 1-p and p.
func calibrate(graph *message, m *pegasos.Model) error {
	classes := len(m.Classes)
	factors, terms := make([]float32, classes), make([]float32, classes)
	for k := range classes {
		c := m.Calibration[min(k, len(m.Calibration)-1)]
		if len(m.Calibration) == 1 {
			factors[k], terms[k] = float32(-c.A), float32(c.B)
			if k == 1 {
				terms[k] = -terms[k]
			}
		} else {
			factors[k], terms[k] = float32(-c.A), float32(-c.B)
		}
		if !floats.IsFinite(factors[k]) || !floats.IsFinite(terms[k]) {
			return fmt.Errorf("onnx: the calibration A %v, B %v is not finite in float32", c.A, c.B)
		}
	}
	graph.message(5, tensor("factors", factors, classes))
	graph.message(5, tensor("terms", terms, classes))
	graph.message(1, node("Mul", "", []string{"scores", "factors"}, []string{"scaled"}))
	graph.message(1, node("Add", "", []string{"scaled", "terms"}, []string{"shifted"}))
	last := "probabilities"
	if len(m.Calibration) > 1 {
		last = "each"
	}
	graph.message(1, node("Sigmoid", "", []string{"shifted"}, []string{last}))
	if last != "probabilities" {
		graph.message(1, mlNode("Normalizer", []string{last}, "probabilities",
			stringAttribute("norm", "L1")))
	}
	graph.message(12, value("probabilities", elementFloat, int64(classes), ""))
	return nil
}

func negative(w []float32) []float32 {
	n := make([]float32, len(w))
	for j, v := range w {
		n[j] = -v
	}
	return n
}

// labelElement returns elementString if classes have names, a label is not a whole number, or its
// magnitude is 2^63 or more; else elementInt64.
func labelElement(m *pegasos.Model) int64 {
	if m.Names != nil {
		return elementString
	}
	for _, c := range m.Classes {
		if float64(c) != math.Trunc(float64(c)) || math.Abs(float64(c)) >= 1<<63 {
			return elementString
		}
	}
	return elementInt64
}

// pairs adds the nodes of one-vs-one to the graph. From the scores z of the pairs, and v = 1 where
// z > 0 and else 0, the nodes compute the votes v*sides + firsts, the sums s = z*sides, and the
// scores of the classes, votes + s/(3|s| + 3). sides is -1 for the first class of each pair and 1
// for the second. firsts counts the pairs in which each class is first.
func pairs(graph *message, m *pegasos.Model, rows string, intercepts []float32) error {
	classes, n := len(m.Classes), len(m.Weights)
	if want := classes * (classes - 1) / 2; n != want {
		return fmt.Errorf("onnx: weight vectors: have %d, want %d: one for each pair of classes", n,
			want)
	}
	if int64(n)*int64(classes) > maxBytes/8 {
		return fmt.Errorf("onnx: the matrix of votes of %d classes would have %d numbers, want at "+
			"most %d", classes, int64(n)*int64(classes), maxBytes/8)
	}
	sides, firsts := make([]float32, n*classes), make([]float32, classes)
	for k := range n {
		first, second := m.Pair(k)
		sides[k*classes+first], sides[k*classes+second] = -1, 1
		firsts[first]++
	}
	graph.message(5, tensor("zero", []float32{0}, 1))
	graph.message(5, tensor("three", []float32{3}, 1))
	graph.message(5, tensor("sides", sides, n, classes))
	graph.message(5, tensor("firsts", firsts, classes))
	element := labelElement(m)
	graph.message(5, labelTensor("labels", m, element))
	for _, nd := range []message{
		mlNode("LinearRegressor", []string{rows}, "pairs",
			floatsAttribute("coefficients", m.Weights...),
			floatsAttribute("intercepts", intercepts), intAttribute("targets", int64(n))),
		node("Greater", "", []string{"pairs", "zero"}, []string{"positive"}),
		node("Cast", "", []string{"positive"}, []string{"won"}, intAttribute("to", elementFloat)),
		node("MatMul", "", []string{"won", "sides"}, []string{"moved"}),
		node("Add", "", []string{"moved", "firsts"}, []string{"votes"}),
		node("MatMul", "", []string{"pairs", "sides"}, []string{"sums"}),
		node("Abs", "", []string{"sums"}, []string{"sizes"}),
		node("Mul", "", []string{"sizes", "three"}, []string{"thrice"}),
		node("Add", "", []string{"thrice", "three"}, []string{"scale"}),
		node("Div", "", []string{"sums", "scale"}, []string{"parts"}),
		node("Add", "", []string{"votes", "parts"}, []string{"scores"}),
		node("ArgMax", "", []string{"scores"}, []string{"class"}, intAttribute("axis", 1),
			intAttribute("keepdims", 0)),
		node("Gather", "", []string{"labels", "class"}, []string{"label"}),
	} {
		graph.message(1, nd)
	}
	graph.message(12, value("label", element, -1, ""))
	graph.message(12, value("scores", elementFloat, int64(classes), ""))
	return nil
}
