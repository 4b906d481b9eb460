package modelio

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
)

type solver struct {
	name string
	loss pegasos.Loss
}

// solvers lists liblinear's classifiers and regressions in the order of their solver numbers.
// WriteLiblinear writes the first solver with the model's loss, unless it writes crammerSinger.
var solvers = []solver{
	{"L2R_LR", pegasos.Log},
	{"L2R_L2LOSS_SVC_DUAL", pegasos.SquaredHinge},
	{"L2R_L2LOSS_SVC", pegasos.SquaredHinge},
	{"L2R_L1LOSS_SVC_DUAL", pegasos.Hinge},
	{crammerSinger, pegasos.Hinge},
	{"L1R_L2LOSS_SVC", pegasos.SquaredHinge},
	{"L1R_LR", pegasos.Log},
	{"L2R_LR_DUAL", pegasos.Log},
	{"L2R_L2LOSS_SVR", pegasos.Squared}, // number 11; the file does not contain epsilon
	{"L2R_L2LOSS_SVR_DUAL", pegasos.Squared},
	{"L2R_L1LOSS_SVR_DUAL", pegasos.EpsInsensitive},
}

const crammerSinger = "MCSVM_CS"

// ReadLiblinear reads a model that liblinear's train wrote, up to the end of r. The model predicts
// the same labels as liblinear's predict, except for rows so near a tie that the rounding of
// weights and sums to float32 decides. Exact ties are broken as in liblinear if the model has two
// classes or the row has none of the features. Predictions of a regression differ by rounding.
//
// The file does not contain the settings of the training: Lambda is [pegasos.DefaultLambda], and
// Config has only the loss, the bias and, for MCSVM_CS of more than two classes, the multi-class
// scheme. IndexBase is 1. The error for a fault in the text is a *[SyntaxError]. ReadLiblinear
// allocates at most some MiB and a small multiple of the bytes that r holds.
func ReadLiblinear(r io.Reader) (*pegasos.Model, error) {
	t := &tokens{r: modelfile.NewSource(r), line: 1}
	h, err := readLiblinearHeader(t)
	if err != nil {
		return nil, err
	}
	vectors := h.vectors()
	if h.features > math.MaxInt/8/vectors {
		return nil, t.fail("nr_feature %d with nr_class %d is too large for a 32-bit program",
			h.features, h.classes)
	}
	// The file lists the weights feature by feature; the bias is the last feature.
	var flat []float32
	for i := range h.features * vectors {
		v, err := t.number("weight")
		if err != nil {
			return nil, err
		}
		w := float32(v)
		if !floats.IsFinite(w) {
			return nil, t.fail("weight %d is %v, which float32 can't hold", i+1, v)
		}
		if err := t.r.Numbers(4); err != nil {
			return nil, t.fail("%v", err)
		}
		flat = append(flat, w)
	}
	var bias []float64
	for h.bias >= 0 && len(bias) < vectors {
		v, err := t.number("the bias's weight")
		if err != nil {
			return nil, err
		}
		b := float64(v * h.bias)
		if !floats.IsFinite(b) {
			return nil, t.fail("the weight %v times the bias %v is beyond float64", v, h.bias)
		}
		bias = append(bias, b)
	}
	// The end of the last number may be missing if no white space follows.
	if t.unended {
		return nil, t.fail("the last line does not end in a newline: the file may be cut short")
	}
	if err := t.next(); err != io.EOF {
		if err == nil {
			err = t.fail("%q: want the end of the text after the weights", t.text)
		}
		return nil, err
	}
	return h.model(flat, bias), nil
}

// flat has the weights of all vectors for feature 0, then for feature 1, and so on. bias has the
// bias of each vector, or is nil.
func (h *liblinearHeader) model(flat []float32, bias []float64) *pegasos.Model {
	m := &pegasos.Model{
		Lambda: pegasos.DefaultLambda, Config: pegasos.Config{Loss: h.solver.loss}, IndexBase: 1,
		Result: pegasos.Result{Objective: math.NaN(), DualObjective: math.NaN(), Gap: math.NaN()},
	}
	if h.bias > 0 {
		m.Config.Bias, m.Config.BiasScale = pegasos.BiasAugmented, h.bias
	} else {
		bias = nil // the bias feature has the value 0 or does not exist
	}
	stride := h.vectors()
	var order []int // position in the file of each vector of the model
	sign := float32(1)
	switch {
	case h.solver.loss.Regression():
		order = []int{0}
	case h.classes == 2:
		// In the file a score above 0 means the first label, even if there are two vectors; in the
		// model, the larger label.
		order = []int{0}
		m.Classes = slices.Clone(h.labels)
		slices.Sort(m.Classes)
		if bias != nil {
			bias = bias[:1]
		}
		if h.labels[0] < h.labels[1] {
			sign = -1
			if bias == nil {
				bias = []float64{0}
			}
			// For a score of 0 liblinear predicts the second label, which is the larger label here.
			// The model's score must then be positive: its bias is the next float64 above the
			// negated bias of the file.
			bias[0] = math.Nextafter(-bias[0], math.Inf(1))
		}
	default:
		if h.solver.name == crammerSinger {
			m.Config.Multiclass = pegasos.CrammerSinger
		}
		for k := range h.labels {
			order = append(order, k)
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(h.labels[a], h.labels[b]) })
		bias = breakTies(bias, order)
		for _, k := range order {
			m.Classes = append(m.Classes, h.labels[k])
		}
	}
	m.Weights = matrices.Vectors(len(order), h.features)
	for k, from := range order {
		for j := range m.Weights[k] {
			m.Weights[k][j] = sign * flat[j*stride+from]
		}
		if bias != nil {
			m.Bias = append(m.Bias, bias[from])
		}
	}
	return m
}

// breakTies increases equal biases by their last bits, so that of classes with equal biases the
// first in the file wins a tie. order has the position in the file of each class of the model.
func breakTies(bias []float64, order []int) []float64 {
	if slices.IsSorted(order) {
		return bias
	}
	if bias == nil {
		bias = make([]float64, len(order))
	}
	byBias := slices.Clone(order)
	slices.SortFunc(byBias,
		func(a, b int) int { return cmp.Or(cmp.Compare(bias[a], bias[b]), b-a) })
	broken := slices.Clone(bias)
	for i, k := range byBias {
		if i > 0 && bias[k] == bias[byBias[i-1]] {
			broken[k] = math.Nextafter(broken[byBias[i-1]], math.Inf(1))
		}
	}
	return broken
}

type liblinearHeader struct {
	solver   *solver
	classes  int // 2 for a regression
	labels   []float32
	features int
	bias     float64 // value of the bias feature; negative if there is none
}

// vectors returns the number of weights that the file has for each feature.
func (h *liblinearHeader) vectors() int {
	if h.classes == 2 && h.solver.name != crammerSinger {
		return 1
	}
	return h.classes
}

// readLiblinearHeader reads the file through the line w. The lines before w may come in any order,
// as in liblinear, but label must follow nr_class.
func readLiblinearHeader(t *tokens) (*liblinearHeader, error) {
	h := new(liblinearHeader)
	seen := map[string]bool{}
	for {
		if err := t.next(); err != nil {
			return nil, t.ended(err)
		}
		key := t.text
		if seen[key] {
			return nil, t.fail("%q is there twice", key)
		}
		seen[key] = true
		if key == "w" {
			return h, h.check(t, seen)
		}
		if key == "label" && !seen["nr_class"] {
			return nil, t.fail("label: want nr_class before it")
		}
		if err := h.readValue(t, key); err != nil {
			return nil, err
		}
	}
}

func (h *liblinearHeader) readValue(t *tokens, key string) (err error) {
	switch key {
	case "solver_type":
		return h.readSolver(t)
	case "nr_class":
		h.classes, err = t.integer("nr_class")
		if err == nil && (h.classes < 2 || h.classes > labels.MaxClasses) {
			err = t.fail("nr_class %d: want 2 to %d", h.classes, labels.MaxClasses)
		}
	case "label":
		return h.readLabels(t)
	case "nr_feature":
		if h.features, err = t.integer("nr_feature"); err == nil && h.features < 0 {
			err = t.fail("%d features, want 0 or more", h.features)
		}
	case "bias":
		if h.bias, err = t.number("bias"); err == nil && h.bias > math.MaxFloat32 {
			err = t.fail("the bias %v is beyond float32", h.bias)
		}
	default:
		return t.fail("%q: want solver_type, nr_class, label, nr_feature, bias or w", key)
	}
	return err
}

func (h *liblinearHeader) check(t *tokens, seen map[string]bool) error {
	for _, name := range []string{"solver_type", "nr_class", "nr_feature", "bias", "label"} {
		if !seen[name] && !(name == "label" && h.solver.loss.Regression()) {
			return t.fail("%s is missing", name)
		}
	}
	if h.solver.loss.Regression() && (seen["label"] || h.classes != 2) {
		return t.fail("want nr_class 2, and no label, for the regression %s", h.solver.name)
	}
	return nil
}

func (h *liblinearHeader) readSolver(t *tokens) error {
	if err := t.next(); err != nil {
		return t.ended(err)
	}
	at := slices.IndexFunc(solvers, func(s solver) bool { return s.name == t.text })
	if at < 0 {
		return t.fail("the solver %q is not one of liblinear's classifiers and regressions", t.text)
	}
	h.solver = &solvers[at]
	return nil
}

func (h *liblinearHeader) readLabels(t *tokens) error {
	known := map[float32]bool{}
	for range h.classes {
		v, err := t.integer("label")
		if err != nil {
			return err
		}
		label := float32(v)
		if float64(label) != float64(v) {
			return t.fail("the label %d is not exact in float32", v)
		}
		if known[label] {
			return t.fail("the label %d is there twice", v)
		}
		known[label] = true
		h.labels = append(h.labels, label)
	}
	return nil
}

// WriteLiblinear writes the model as a file for liblinear's predict. The predicted labels are the
// model's, except for rows so near a tie that the model's rounding of sums to float32 decides.
// Exact ties have the same label. Predictions of a regression differ by rounding.
//
// The file's solver is MCSVM_CS for joint models of more than two classes. For other models it is
// L2R_LR for the log loss, L2R_L2LOSS_SVC_DUAL for the squared hinge, L2R_L1LOSS_SVC_DUAL for the
// hinge, L2R_L1LOSS_SVR_DUAL for the epsilon-insensitive loss, and L2R_L2LOSS_SVR for the squared
// loss. For a joint model of two classes the file has the difference of the two vectors.
//
// WriteLiblinear returns an error for invalid models, one-vs-one models of more than two classes,
// models with curves or a scaling that is not folded into the weights, models of 2^31-1 features or
// more, and labels that are not whole numbers of 32 bits. The file has no class names, and counts
// features from 1.
func WriteLiblinear(w io.Writer, m *pegasos.Model) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("modelio: model can't be written: %w", err)
	}
	if s := m.Scaling; s != nil && s.Expansion != nil {
		return fmt.Errorf("modelio: the model has %s, which liblinear's files can't hold: "+
			"train with the Curves %q", plural.Count(s.Expansion.Len(), "curve"), pegasos.CurvesNone)
	}
	if s := m.Scaling; s != nil && !s.Folded && s.Kind != pegasos.ScaleNone {
		return fmt.Errorf("modelio: the model's scaling (%s) is not folded into its weights, as "+
			"liblinear's files require: scale the values in the data and train with the Scale %q", s.Kind,
			pegasos.ScaleNone)
	}
	f, err := liblinearForm(m)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := f.writeHeader(b, m); err != nil {
		return err
	}
	vectors := len(m.Weights)
	for j := range m.Cols() {
		f.writeLine(b, vectors, func(k int) float64 { return float64(m.Weights[k][j]) })
	}
	if m.Bias != nil {
		f.writeLine(b, vectors, func(k int) float64 { return m.Bias[k] })
	}
	return b.Flush()
}

type liblinearModel struct {
	solver     string
	regression bool
	binary     bool // the file has one vector for two classes; scores above 0 mean the second
	line       []byte
}

func liblinearForm(m *pegasos.Model) (*liblinearModel, error) {
	classes, vectors, multiclass := len(m.Classes), len(m.Weights), m.Config.Multiclass
	loss := m.Config.Plain().Loss
	at := slices.IndexFunc(solvers, func(s solver) bool { return s.loss == loss })
	if at < 0 {
		return nil, fmt.Errorf("modelio: liblinear has no solver for the loss %s", loss)
	}
	f := &liblinearModel{solver: solvers[at].name, regression: loss.Regression()}
	f.binary = classes == 2 && (vectors == 1 || vectors == 2 && multiclass.Joint())
	several := classes > 2 && vectors == classes && multiclass != pegasos.OneVsOne
	if !f.binary && !several && !(f.regression && vectors == 1) {
		return nil, fmt.Errorf("modelio: liblinear has no form for one-vs-one models of %d classes: "+
			"train with the Multiclass %q", classes, pegasos.OneVsRest)
	}
	if m.Cols() > math.MaxInt32-1 {
		return nil, fmt.Errorf("modelio: %d features are too many for liblinear, which takes up to %d",
			m.Cols(), math.MaxInt32-1)
	}
	if multiclass.Joint() && !f.binary {
		f.solver = crammerSinger
	}
	return f, nil
}

func (f *liblinearModel) writeHeader(b *bufio.Writer, m *pegasos.Model) error {
	fmt.Fprintf(b, "solver_type %s\n", f.solver)
	if f.regression {
		b.WriteString("nr_class 2\n")
	} else {
		fmt.Fprintf(b, "nr_class %d\nlabel", len(m.Classes))
		labels := m.Classes
		if f.binary {
			labels = []float32{labels[1], labels[0]} // a score above 0 means the first label
		}
		for _, l := range labels {
			if float64(l) != math.Trunc(float64(l)) || l < math.MinInt32 || l >= -math.MinInt32 {
				return fmt.Errorf(
					"modelio: the label %s is not a whole number of 32 bits, as liblinear requires",
					pegasos.FormatLabel(l))
			}
			fmt.Fprintf(b, " %d", int64(l))
		}
		b.WriteByte('\n')
	}
	bias := -1
	if m.Bias != nil {
		bias = 1
	}
	fmt.Fprintf(b, "nr_feature %d\nbias %d\nw\n", m.Cols(), bias)
	return nil
}

// writeLine writes at(0) to at(n-1), the weights of n vectors for a feature or the biases of the
// vectors, or at(1)-at(0) if f.binary is true and n is 2.
func (f *liblinearModel) writeLine(b *bufio.Writer, n int, at func(k int) float64) {
	f.line = f.line[:0]
	if f.binary && n == 2 {
		f.line = append(strconv.AppendFloat(f.line, at(1)-at(0), 'g', -1, 64), ' ')
	} else {
		for k := range n {
			f.line = append(strconv.AppendFloat(f.line, at(k), 'g', -1, 64), ' ')
		}
	}
	b.Write(append(f.line, '\n'))
}
