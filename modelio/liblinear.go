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
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A solver is a solver of liblinear: its name in model files and the loss that it minimizes.
type solver struct {
	name string
	loss pegasos.Loss
}

// solvers lists the solvers of liblinear whose models are linear functions of the features, in the
// order of liblinear's solver numbers. If several have the model's loss, the first is written; for
// CrammerSinger and regression see WriteLiblinear.
var solvers = []solver{
	{"L2R_LR", pegasos.Log},
	{"L2R_L2LOSS_SVC_DUAL", pegasos.SquaredHinge},
	{"L2R_L2LOSS_SVC", pegasos.SquaredHinge},
	{"L2R_L1LOSS_SVC_DUAL", pegasos.Hinge},
	{crammerSinger, pegasos.Hinge},
	{"L1R_L2LOSS_SVC", pegasos.SquaredHinge},
	{"L1R_LR", pegasos.Log},
	{"L2R_LR_DUAL", pegasos.Log},
	{"L2R_L1LOSS_SVR_DUAL", pegasos.EpsInsensitive}, // 13
	{"L2R_L2LOSS_SVR", pegasos.Squared},             // 11; the file does not tell its epsilon
	{"L2R_L2LOSS_SVR_DUAL", pegasos.Squared},
}

const crammerSinger = "MCSVM_CS"

// ReadLiblinear reads a model that liblinear's train has written, to the end of r. The model
// predicts the same as liblinear's predict, but for rows so near a tie that the rounding of
// weights and sums to float32 decides. Exact ties between two classes fall as they do there, and
// so do those of rows that have none of the features.
//
// The file does not tell how the model came about: Lambda is [pegasos.DefaultLambda], and Config
// has no more than the loss and the bias. IndexBase is 1.
//
// A fault of the text is a *[SyntaxError]. The memory in use is at most a few times the length of
// r, no matter what the header says.
func ReadLiblinear(r io.Reader) (*pegasos.Model, error) {
	t := &tokens{r: modelfile.NewSource(r), line: 1}
	h, err := readLiblinearHeader(t)
	if err != nil {
		return nil, err
	}
	vectors := h.vectors()
	if h.features > math.MaxInt/8/vectors {
		return nil, t.fail("%d features of %d classes are too many for this machine", h.features,
			h.classes)
	}
	// The file lists the weights feature by feature; the bias is the last feature. The slices
	// grow as the file is read.
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
			return nil, t.fail("the weight %v times the bias %v is not finite", v, h.bias)
		}
		bias = append(bias, b)
	}
	// A number at the very end may have lost digits, or its exponent.
	if t.unended {
		return nil, t.fail("the last line has no end: it is cut short")
	}
	if err := t.next(); err != io.EOF {
		if err == nil {
			err = t.fail("%q follows the last weight", t.text)
		}
		return nil, err
	}
	return h.model(flat, bias), nil
}

// model returns the model with the weights in flat, ordered by feature, and with the biases, if
// any.
func (h *liblinearHeader) model(flat []float32, bias []float64) *pegasos.Model {
	m := &pegasos.Model{
		Lambda: pegasos.DefaultLambda, Config: pegasos.Config{Loss: h.solver.loss}, IndexBase: 1,
		Result: pegasos.Result{Objective: math.NaN(), DualObjective: math.NaN(), Gap: math.NaN()},
	}
	if h.bias > 0 {
		m.Config.Bias, m.Config.BiasScale = pegasos.BiasAugmented, h.bias
	} else {
		bias = nil // weights of a bias feature that is 0
	}
	stride := h.vectors()
	var order []int // of the vectors in the model
	sign := float32(1)
	switch {
	case h.solver.loss.Regression():
		order = []int{0}
	case h.classes == 2:
		// A score above 0 speaks for the first label, also where there are two vectors. In the
		// model it is for the larger.
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
			// For a score of 0 liblinear predicts the second label, the larger label here, so a
			// negated score of 0 must become positive. The next float64 above -b does that. No
			// float32 lies between the two, so no other prediction changes.
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

// breakTies makes equal biases differ by the least there is, so that among ties the first class in
// the file wins, where order, the model's, would have another win. Other scores stay the same: the
// difference is beyond the precision of float32.
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
	classes  int // 2 also for numbers to predict
	labels   []float32
	features int
	bias     float64
}

// vectors returns the number of weights that the file has for each feature.
func (h *liblinearHeader) vectors() int {
	if h.classes == 2 && h.solver.name != crammerSinger {
		return 1
	}
	return h.classes
}

// readLiblinearHeader reads up to the w that the weights follow. The lines may have any order, as
// in liblinear, but the labels have to follow their number.
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
			return nil, t.fail("label comes before nr_class")
		}
		if err := h.readValue(t, key); err != nil {
			return nil, err
		}
	}
}

// readValue reads the value of a key.
func (h *liblinearHeader) readValue(t *tokens, key string) (err error) {
	switch key {
	case "solver_type":
		return h.readSolver(t)
	case "nr_class":
		h.classes, err = t.integer("nr_class")
		if err == nil && (h.classes < 2 || h.classes > labels.MaxClasses) {
			err = t.fail("%d classes, want 2 to %d", h.classes, labels.MaxClasses)
		}
	case "label":
		return h.readLabels(t)
	case "nr_feature":
		if h.features, err = t.integer("nr_feature"); err == nil && h.features < 0 {
			err = t.fail("%d features", h.features)
		}
	case "bias":
		if h.bias, err = t.number("bias"); err == nil && h.bias > math.MaxFloat32 {
			err = t.fail("the bias %v is beyond float32", h.bias)
		}
	default:
		return t.fail("%q is not a line of a liblinear model", key)
	}
	return err
}

// check returns an error unless all lines are there and fit.
func (h *liblinearHeader) check(t *tokens, seen map[string]bool) error {
	for _, name := range []string{"solver_type", "nr_class", "nr_feature", "bias"} {
		if !seen[name] {
			return t.fail("%s is missing", name)
		}
	}
	regression := h.solver.loss.Regression()
	if regression == seen["label"] || regression && h.classes != 2 {
		return t.fail("%d classes and %d labels do not fit the solver %s",
			h.classes, len(h.labels), h.solver.name)
	}
	return nil
}

func (h *liblinearHeader) readSolver(t *tokens) error {
	if err := t.next(); err != nil {
		return t.ended(err)
	}
	at := slices.IndexFunc(solvers, func(s solver) bool { return s.name == t.text })
	if at < 0 {
		return t.fail("the solver %q is none that gives a linear classifier or regression", t.text)
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
			return t.fail("the label %d is beyond the whole numbers that float32 has", v)
		}
		if known[label] {
			return t.fail("the label %d is there twice", v)
		}
		known[label] = true
		h.labels = append(h.labels, label)
	}
	return nil
}

// WriteLiblinear writes a model that liblinear's predict reads. It predicts the same labels from
// it, but for rows so near a tie that the rounding of sums to float32 decides here; exact ties are
// the same.
//
// The solver is L2R_LR for the loss log, L2R_L2LOSS_SVC_DUAL for the squared hinge,
// L2R_L1LOSS_SVC_DUAL for the hinge, L2R_L1LOSS_SVR_DUAL and L2R_L2LOSS_SVR for the two losses of
// numbers to predict, and MCSVM_CS for joint problems of more than two classes; of two, whose model
// has two vectors, the difference is written. One-vs-one has no such form. Labels have to be whole
// numbers of 32 bits; names are not kept. Features are counted from 1: of a model whose IndexBase
// is 0 they move up by one.
func WriteLiblinear(w io.Writer, m *pegasos.Model) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("modelio: model can't be written: %w", err)
	}
	if s := m.Scaling; s != nil && s.Expansion != nil {
		return fmt.Errorf("modelio: the model has curves, %d products of features, for which "+
			"liblinear's files have no place: train it with Curves %q", s.Expansion.Len(),
			pegasos.CurvesNone)
	}
	if s := m.Scaling; s != nil && !s.Folded {
		other := ""
		if s.Kind != pegasos.ScaleMaxAbs { // folded unless a column's values are tiny or huge
			other = " or " + string(pegasos.ScaleMaxAbs)
		}
		return fmt.Errorf("modelio: the model's scaling (%s) can't be folded into its weights, as "+
			"liblinear's files require: train it with the Scale %s%s", s.Kind, pegasos.ScaleNone, other)
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

// A liblinearModel is the form in which a model is written.
type liblinearModel struct {
	solver     string
	regression bool
	binary     bool // one vector, for the second class
	line       []byte
}

// liblinearForm returns the form of a model, or an error if liblinear has none for it.
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
		return nil, fmt.Errorf(
			"modelio: liblinear has no form for %d weight vectors of %d classes, multiclass %s",
			vectors, classes, multiclass)
	}
	if m.Cols() > math.MaxInt32-1 {
		return nil, fmt.Errorf("modelio: liblinear has no %d features", m.Cols())
	}
	if multiclass.Joint() && !f.binary {
		f.solver = crammerSinger
	}
	return f, nil
}

// writeHeader writes the lines before the weights.
func (f *liblinearModel) writeHeader(b *bufio.Writer, m *pegasos.Model) error {
	fmt.Fprintf(b, "solver_type %s\n", f.solver)
	if f.regression {
		b.WriteString("nr_class 2\n")
	} else {
		fmt.Fprintf(b, "nr_class %d\nlabel", len(m.Classes))
		labels := m.Classes
		if f.binary {
			labels = []float32{labels[1], labels[0]} // a score above 0 speaks for the first
		}
		for _, l := range labels {
			if float64(l) != math.Trunc(float64(l)) || l < math.MinInt32 || l >= -math.MinInt32 {
				return fmt.Errorf(
					"modelio: the label %s is not a whole number of 32 bits, as liblinear wants",
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

// writeLine writes the numbers that n vectors have for a feature, or the difference of two.
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
