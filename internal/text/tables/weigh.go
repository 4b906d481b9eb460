package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

// In tables with text, other columns that are unrelated to the label can cost accuracy: text needs
// a small penalty on its weights, with which models also fit the noise of such columns. These
// columns become weak.

const (
	weakFactor = 1.0 / 64
	// A column is weak if its statistic, computed by unrelated, exceeds the mean of an unrelated
	// column by less than weakDeviations standard deviations.
	weakDeviations = 2
	// maxNumberClasses bounds the distinct numeric labels that count as classes.
	maxNumberClasses = 64
	// maxClassSums bounds the features times classes. Beyond it, numeric labels count as numbers,
	// and labels that are words make no column weak.
	maxClassSums = 1 << 22
)

// weigher is a [form.Encoder] that returns no features. It sums the features of all columns except
// text.
type weigher struct {
	*Coder   // for all columns except text
	skip     func(row int) bool
	row      int
	label    string // label of the row that Encode adds next
	value    float64
	known    bool
	classes  map[string]int // index of each class; nil if there are too many
	counts   []float64      // rows of each class
	sums     [][]float64    // for each class, the sum of each feature
	all      []float64
	squares  []float64
	first    float64   // the first label, from which labels are measured
	y, yy    float64   // sums of the labels and of their squares
	products []float64 // sum of each feature times the label
	counted  float64
}

// weigh finds the weak columns in a further pass, and balances the encoder again. It does nothing
// unless there are features of text, features of other columns, and labels.
func (f *Fitter) weigh(e *Encoder, read func(form.Encoder) error) error {
	others := *e
	others.Columns = slices.Clone(e.Columns)
	for i := range others.Columns {
		if c := &others.Columns[i]; c.Kind == Text {
			*c = Column{Name: c.Name, Kind: LeftOut}
		}
	}
	n := others.Cols()
	if n == 0 || n == e.Cols() || e.Label.Kind == "" {
		return nil
	}
	w := &weigher{Coder: others.Coder(), skip: f.Skip, classes: map[string]int{},
		all: make([]float64, n), squares: make([]float64, n), products: make([]float64, n)}
	if err := read(w); err != nil {
		return err
	}
	first := 0
	for i := range others.Columns {
		end := first + others.FeaturesOf(i)
		if w.unrelated(first, end) {
			e.Columns[i].Weak = true
			f.Reports[i].Reason += unrelated
		}
		first = end
	}
	e.balance()
	return nil
}

func (w *weigher) Cols() int { return 0 }

func (w *weigher) Features() []string { return nil }

func (w *weigher) Label(text string) (form.Label, string) {
	l, reason := w.Coder.Label(text)
	w.label, w.value, w.known = text, float64(l.Value), !l.Missing && reason == ""
	return l, reason
}

func (w *weigher) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	skip := w.skip != nil && w.skip(w.row)
	if w.row++; skip || !w.known {
		return columns, values, 0, ""
	}
	features, of, _, _ := w.Coder.Encode(cells, columns, values)
	features, of = features[len(columns):], of[len(values):]
	if w.counted++; w.counted == 1 {
		w.first = w.value
	}
	y := w.value - w.first
	w.y += y
	w.yy += float64(y * y)
	sums := w.classSums()
	for i, j := range features {
		x := float64(of[i])
		w.all[j] += x
		w.squares[j] += float64(x * x)
		w.products[j] += float64(x * y)
		if sums != nil {
			sums[j] += x
		}
	}
	return columns, values, 0, ""
}

func (w *weigher) classSums() []float64 {
	if w.classes == nil {
		return nil
	}
	k, found := w.classes[w.label]
	if !found {
		k = len(w.counts)
		if (k+1)*len(w.all) > maxClassSums || w.Encoder.Label.Kind == Number && k >= maxNumberClasses {
			w.classes, w.counts, w.sums = nil, nil, nil
			return nil
		}
		w.classes[strings.Clone(w.label)] = k
		w.counts, w.sums = append(w.counts, 0), append(w.sums, make([]float64, len(w.all)))
	}
	w.counts[k]++
	return w.sums[k]
}

// unrelated reports whether features first to end-1, which belong to one column, seem unrelated to
// the label. The label explains a share s of a feature's variance v: the variance between the means
// of the classes, divided by v, or the squared correlation with labels that are numbers. If the
// labels of the n rows were shuffled, (n-1) s would be d in the mean, where d is the number of
// classes less 1, or 1 for numbers. The statistic is the sum of (n-1) s v/m over the features,
// where m is the mean square of a feature. Its threshold uses the standard deviation of a
// chi-squared statistic, the square root of twice the mean.
func (w *weigher) unrelated(first, end int) bool {
	if w.classes == nil && w.Encoder.Label.Kind != Number {
		return false
	}
	n := w.counted
	degrees := 1.0
	if w.classes != nil {
		degrees = float64(len(w.counts) - 1)
	}
	statistic, mean := 0.0, 0.0
	for j := first; j < end; j++ {
		total := w.squares[j] - float64(w.all[j]*w.all[j])/n
		if !(total > float64(0x1p-30*w.squares[j])) { // constant
			continue
		}
		statistic += float64((n-1)*w.explained(j)) / w.squares[j]
		mean += float64(degrees*total) / w.squares[j]
	}
	return mean > 0 && statistic < mean+float64(weakDeviations*math.Sqrt(2*mean))
}

func (w *weigher) explained(j int) (sum float64) {
	if w.classes == nil {
		total := w.yy - float64(w.y*w.y)/w.counted
		if !(total > 0) {
			return 0
		}
		product := w.products[j] - float64(w.all[j]*w.y)/w.counted
		return float64(product*product) / total
	}
	for k, s := range w.sums {
		d := s[j] - float64(w.counts[k]*w.all[j])/w.counted
		sum += float64(d*d) / w.counts[k]
	}
	return sum
}
