package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// inputs adds the inputs to the graph, and returns the version of [mlDomain] that they need.
// Without an encoder, or with a raw one, the input is "features". Otherwise each column with
// features has an input, and nodes compute "features".
func inputs(graph *message, m *pegasos.Model) (version int64, err error) {
	e, err := tables.Decode(m.Table)
	switch {
	case err != nil:
		return 0, fmt.Errorf("onnx: %w", err)
	case e == nil || e.Raw:
		column := fmt.Sprintf("feature %d of the data that the model was trained on", m.IndexBase)
		if m.HashBits > 0 {
			column = fmt.Sprintf("the first of 2^%d hashed features", m.HashBits)
		}
		graph.message(11, value("features", elementFloat, int64(m.Cols()), "Column 0 is "+column+"."))
		return mlVersion, nil
	case e.Cols() != m.Cols():
		return 0, fmt.Errorf("onnx: the model's encoder has %s, but the model has %d",
			plural.Count(e.Cols(), "feature"), m.Cols())
	}
	return tableVersion, encode(graph, e)
}

// prefix begins the name of each value between the inputs and "features".
const prefix = "encoder/"

func encode(graph *message, e *tables.Encoder) error {
	g := columnGraph{graph: graph, places: make([]int64, e.Cols())}
	taken := map[string]bool{"": true}
	for _, name := range strings.Fields(reserved) {
		taken[name] = true
	}
	var numbers []tables.Rule
	var names []string
	for i, r := range e.Rules() {
		n := int32(e.FeaturesOf(i))
		if n == 0 {
			continue
		}
		if err := refusal(r); err != nil {
			return err
		}
		name := r.Name
		for taken[name] || strings.HasPrefix(name, prefix) {
			name = "_" + name
		}
		taken[name] = true
		if r.Kind == tables.Number {
			numbers, names = append(numbers, r), append(names, name)
			graph.message(11, value(name, elementFloat, 1, "a number, or NaN if it is missing"))
			continue
		}
		graph.message(11, value(name, elementString, 1, "a word without blanks around it, or an empty "+
			"string if it is missing"))
		if r.Gap >= 0 {
			n--
		}
		g.words(r, name, n)
	}
	if numbers != nil {
		g.numbers(numbers, names)
	}
	if g.pool == nil {
		return fmt.Errorf("onnx: the model uses no column of its table")
	}
	graph.message(5, intTensor(prefix+"places", g.places))
	graph.message(1, node("Gather", "", []string{g.add("Concat", "pool", g.pool, axis),
		prefix + "places"}, []string{"features"}, axis))
	return nil
}

// reserved lists the graph's values whose names lack prefix.
const reserved = `features rescaled least most first second clipped left right knots above functions
curves expanded label odds scores probabilities prediction factors terms scaled shifted each zero
three sides firsts labels pairs positive won moved votes sums sizes thrice scale parts class`

func refusal(r tables.Rule) error {
	what := ""
	switch {
	case r.Kind == tables.Date:
		what = "has dates"
	case r.Kind == tables.Text:
		what = "has text"
	case r.Levels != nil && r.Levels.HashBits > 0:
		what = "has hashed words"
	case r.Weak:
		what = "seems to have no linear relation to the label"
	default:
		return nil
	}
	return fmt.Errorf("onnx: column %s %s: such columns can be converted to Go "+
		"(convert -to go), but not to ONNX", escape.Name(escape.Cut(r.Name)), what)
}

type columnGraph struct {
	graph  *message
	pool   []string // names of the values that contain features
	width  int64    // number of columns of the values in pool
	places []int64  // column of each feature, counted over all values in pool
}

var axis = intAttribute("axis", 1)

func (g *columnGraph) add(operator, output string, inputs []string, attributes ...message) string {
	domain := ""
	if operator == "LabelEncoder" || operator == "OneHotEncoder" {
		domain = mlDomain
	}
	output = prefix + output
	g.graph.message(1, node(operator, domain, inputs, []string{output}, attributes...))
	return output
}

// put appends the named value to the pool. Its column k is feature features[k], or no feature if
// that is -1.
func (g *columnGraph) put(name string, features ...int32) {
	for k, j := range features {
		if j >= 0 {
			g.places[j] = g.width + int64(k)
		}
	}
	g.pool, g.width = append(g.pool, name), g.width+int64(len(features))
}

// words adds the nodes of a category with n features besides the gap feature. If n is 1, a
// LabelEncoder maps each word to the feature's value. If n is larger, the LabelEncoder maps each
// word to the number of the feature that is 1, and a OneHotEncoder sets the features.
func (g *columnGraph) words(r tables.Rule, input string, n int32) {
	id := fmt.Sprint(r.First)
	if n > 0 {
		words := slices.Sorted(maps.Keys(r.Words))
		var numbers []int64
		var values []float32
		for _, word := range words {
			numbers = append(numbers, int64(r.Words[word].Feature-r.First))
			values = append(values, r.Words[word].Value)
		}
		keys := stringsAttribute("keys_strings", words)
		features := []int32{r.First}
		var out string
		if n == 1 {
			out = g.add("LabelEncoder", "word"+id, []string{input}, keys,
				floatsAttribute("values_floats", values), floatAttribute("default_float", 0))
		} else {
			all := []int64{0}
			for j := int32(1); j < n; j++ {
				features, all = append(features, r.First+j), append(all, int64(j))
			}
			out = g.add("LabelEncoder", "level"+id, []string{input}, keys,
				intsAttribute("values_int64s", numbers), intAttribute("default_int64", -1))
			out = g.add("OneHotEncoder", "levels"+id, []string{out}, intsAttribute("cats_int64s", all),
				intAttribute("zeros", 1))
			out = g.add("Flatten", "words"+id, []string{out}, axis)
		}
		g.put(out, features...)
	}
	if r.Gap >= 0 {
		gaps := cell.Missing()
		missing, present := indicators(r)
		values := make([]float32, len(gaps))
		for k := range values {
			values[k] = missing
		}
		g.put(g.add("LabelEncoder", "gap"+id, []string{input}, stringsAttribute("keys_strings", gaps),
			floatsAttribute("values_floats", values), floatAttribute("default_float", present)), r.Gap)
	}
}

// Like the encoder, the nodes scale values in float64, round them to float32, and treat results
// that are not finite as gaps.
func (g *columnGraph) numbers(rules []tables.Rule, inputs []string) {
	n := len(rules)
	shift, factor := make([]float64, n), make([]float64, n)
	filled, missing, present := make([]float32, n), make([]float32, n), make([]float32, n)
	first, gap := make([]int32, n), make([]int32, n)
	for k, r := range rules {
		shift[k], factor[k], filled[k] = r.Number.Shift, r.Number.Factor, r.Filled
		missing[k], present[k] = indicators(r)
		first[k], gap[k] = r.First, r.Gap
	}
	g.graph.message(5, doubleTensor(prefix+"shift", shift))
	g.graph.message(5, doubleTensor(prefix+"factor", factor))
	g.graph.message(5, tensor(prefix+"filled", filled, n))
	g.graph.message(5, tensor(prefix+"zero", []float32{0}, 1))
	out := g.add("Concat", "numbers", inputs, axis)
	out = g.add("Cast", "wide", []string{out}, intAttribute("to", elementDouble))
	out = g.add("Sub", "centered", []string{out, prefix + "shift"})
	out = g.add("Mul", "scaledWide", []string{out, prefix + "factor"})
	out = g.add("Cast", "scaled", []string{out}, intAttribute("to", elementFloat))
	gaps := g.add("IsNaN", "isGap", []string{g.add("Mul", "zeros", []string{out, prefix + "zero"})})
	g.put(g.add("Where", "values", []string{gaps, prefix + "filled", out}), first...)
	if slices.Max(gap) >= 0 {
		g.graph.message(5, tensor(prefix+"missing", missing, n))
		g.graph.message(5, tensor(prefix+"present", present, n))
		g.put(g.add("Where", "gaps", []string{gaps, prefix + "missing", prefix + "present"}), gap...)
	}
}

func indicators(r tables.Rule) (missing, present float32) {
	if r.Marks {
		return 0, 1
	}
	return 1, 0
}
