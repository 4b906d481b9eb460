package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

type heldOut struct {
	set     *dataset.Set
	weights []float32   // nil means 1 for each row
	all     int         // number of rows of weight above 0, held out or trained on
	report  *evalReport // measures of the rows of set; nil if not measured
}

func checkHoldout(c *call) error {
	if !c.flags.Given("holdout") {
		return nil
	}
	if !proof.GoodShare(c.flags.Holdout) {
		hint := ""
		if c.flags.Holdout > 1 && c.flags.Holdout < 100 {
			hint = fmt.Sprintf("; %g %% is -holdout %.15g", c.flags.Holdout, c.flags.Holdout/100)
		}
		return flags.Usagef("-holdout: have %g, want a share of the rows, more than 0 and less than 1%s",
			c.flags.Holdout, hint)
	}
	for _, name := range []string{"start", "prior"} {
		if c.flags.Given(name) {
			return flags.Usagef("-holdout can't be given with -%s, whose model may have been trained on "+
				"the rows held out: evaluate the new model on other data with eval", name)
		}
	}
	for _, name := range []string{"resume", "checkpoint"} {
		if c.flags.Given(name) {
			return flags.Usagef("-holdout can't be given with -%s: a checkpoint does not store which rows "+
				"are held out", name)
		}
	}
	return nil
}

// holdOut splits off the held-out rows and fits a table's encoder again, to the other rows alone.
func (r *linearRun) holdOut() error {
	share, d := r.flags.Holdout, r.reader
	if share == 0 {
		return nil
	}
	if err := checkWeights(r.flags.Weights, d.weights, r.set.Rows()); err != nil {
		return err
	}
	numbers := r.cfg.Loss.Regression()
	set, all := r.set, r.set
	hashes, err := d.hashRows(all)
	if err != nil {
		return err
	}
	out, in := splitRows(hashes, all.Y, d.weights, numbers, r.cfg.Seed, share)
	counted := 0
	for i := range all.Rows() {
		if floats.At(d.weights, i, 1) > 0 {
			counted++
		}
	}
	if len(out) == 0 {
		return fmt.Errorf("%s: -holdout %g holds out none of %s%s: give a larger share or more "+
			"distinct rows", r.reader, share, count(counted, "row"), d.ofWeight())
	}
	if d.encoder != nil {
		d.skipRows(out, d.weights)
		if set, err = d.refit(); err != nil {
			return err
		}
	}
	r.held = &heldOut{set: set.Subset(out), all: counted}
	r.held.set.Y = take(all.Y, out)
	r.set, d.trained = set.Subset(in), in
	r.set.Y = take(all.Y, in)
	r.held.weights, d.weights = take(d.weights, out), take(d.weights, in)
	if numbers && slices.Min(r.held.set.Y) == slices.Max(r.held.set.Y) {
		how := "hold out more rows, or other rows by another -seed"
		others, _ := labelCounts(r.set, func(row int) bool { return floats.At(d.weights, row, 1) == 0 })
		if len(others) == 1 && others[0] == r.held.set.Y[0] {
			how = "the rows to train on have it, too"
		}
		return fmt.Errorf("%s: -holdout %g: the rows held out (%d) all have the target %v, so that "+
			"R^2 is not defined: %s", r.reader, share, len(out), r.held.set.Y[0], how)
	}
	return all.Err()
}

func take(values []float32, at []int) (some []float32) {
	if values == nil {
		return nil
	}
	for _, i := range at {
		some = append(some, values[i])
	}
	return some
}

func splitRows(hashes []uint64, y, weights []float32, numbers bool, seed uint64,
	share float64) (out, in []int) {
	of := store.Labeled{Hashes: hashes,
		Counts: func(i int) bool { return floats.At(weights, i, 1) > 0 }}
	if !numbers {
		var labels []float32
		for i, label := range y {
			if of.Counts(i) {
				labels = append(labels, label)
			}
		}
		slices.Sort(labels)
		labels = slices.Compact(labels)
		of.Classes, of.Class = len(labels), make([]int32, len(y))
		for i, label := range y {
			if k, known := slices.BinarySearch(labels, label); known {
				of.Class[i] = int32(k)
			}
		}
	}
	return store.HoldOut(of, seed, share)
}

// skipRows makes d fit encoders without rows, which must ascend, and without rows of weight 0.
func (d *dataReader) skipRows(rows []int, weights []float32) {
	d.skip = func(row int) bool {
		_, given := slices.BinarySearch(rows, row)
		return given || row < len(weights) && weights[row] == 0
	}
}

// hashRows returns a hash of each row of the set, which d has read. With an encoder, the hash
// depends on the cells that the encoder uses, not on the features.
func (d *dataReader) hashRows(set *dataset.Set) ([]uint64, error) {
	if d.encoder == nil {
		hashes := store.Hashes(set.Examples(), 1, func() bool { return d.call.Err() != nil })
		return hashes, d.call.Err()
	}
	opt := d.asFitted()
	opt.Encoder, opt.Layout = &rowHasher{d.encoder.Coder()}, dataset.LayoutDense
	opt.Features = 0
	read, err := d.again(opt)
	if err != nil {
		return nil, err
	}
	if read.Rows() != set.Rows() {
		return nil, fmt.Errorf("%s: the file has changed while it was read", d)
	}
	hashes := make([]uint64, set.Rows())
	for i := range hashes {
		for j, part := range read.Dense.Row(i) {
			hashes[i] |= uint64(part) << (hashPart * j)
		}
	}
	return hashes, nil
}

// rowHasher encodes a row as hashParts numbers, the parts of a hash of its cells. Cells of a column
// that cell.ParsePlain reads as equal finite float32 numbers have equal hashes.
type rowHasher struct{ *tables.Coder }

const (
	hashParts = 4
	hashPart  = 16 // bits of a part, which a float32 stores exactly
)

func (h *rowHasher) Cols() int          { return hashParts }
func (h *rowHasher) Features() []string { return nil }

func (h *rowHasher) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	sum, column := uint64(0), int32(0)
	for i := range h.Columns {
		if h.Columns[i].Kind == tables.LeftOut {
			continue
		}
		v, plain := cell.ParsePlain(cells[i])
		if number := float32(v); plain && floats.IsFinite(number) {
			sum += store.NumberHash(column, number)
		} else {
			sum += store.TextHash(column, cells[i])
		}
		column++
	}
	for j := range int32(hashParts) {
		if part := float32(sum >> (hashPart * j) & (1<<hashPart - 1)); part != 0 {
			columns, values = append(columns, j), append(values, part)
		}
	}
	return columns, values, 0, ""
}

func (r *linearRun) evaluateHeldOut(m *pegasos.Model) (err error) {
	h := r.held
	if h == nil || r.interrupted != nil {
		return nil
	}
	of := &pegasos.Labelled{X: h.set.Examples(), Y: h.set.Y, Weights: h.weights}
	if m.Result.HeldOut, err = m.Estimate(of); err != nil {
		return fmt.Errorf("%s: -holdout: %w", r.reader, err)
	}
	m.Result.HeldOut.Share = r.flags.Holdout
	s := &scoredSet{Set: h.set, reader: r.reader, model: linearModel{m}, weights: h.weights}
	if s.scores, err = s.find(0, h.set); err != nil {
		return fmt.Errorf("%s: -holdout: %w", r.reader, err)
	}
	if m.Classes != nil {
		s.truth, s.names = positions(h.set, predictions.ClassNames(s.model))
	}
	h.report = evaluate(s)
	return nil
}

func (h *heldOut) print(w io.Writer, e *pegasos.Estimate) {
	fmt.Fprintf(w, "held-out: %s on %s held out of %d\n",
		estimateText(e, "accuracy "), count(h.set.Rows(), "row"), h.all)
	h.report.print(w)
}

func estimateText(e *pegasos.Estimate, word string) string {
	text, deviation := fmt.Sprintf("%s%.1f %%", word, 100*e.Value), fmt.Sprintf("%.1f", 100*e.StdErr)
	if e.Metric == proof.R2 {
		text, deviation = fmt.Sprintf("R^2 %.3f", e.Value), fmt.Sprintf("%.3f", e.StdErr)
	}
	if e.StdErr > 0 {
		text += " +- " + deviation
	}
	return text
}

func estimateLine(e *pegasos.Estimate) string {
	if e == nil {
		return ""
	}
	return "cross-validated, settings chosen on the same folds: " + estimateText(e, "accuracy ")
}

// withoutHeldOut leaves out the rows that training held out, and makes d fit encoders without them.
func (d *dataReader) withoutHeldOut(m predictor, set *dataset.Set,
	weights []float32) (*dataset.Set, []float32, error) {
	out, in, err := d.heldOutRows(m, set, weights)
	if out == nil {
		return set, weights, err
	}
	d.skipRows(out, weights)
	d.trained = in
	part := set.Subset(in)
	part.Ignored, part.Others = set.Ignored, set.Others
	return part, take(weights, in), nil
}

// heldOutRows returns the rows that training held out, and the others. The set must have all rows
// that training read. out is nil if no rows were held out.
func (d *dataReader) heldOutRows(m predictor, set *dataset.Set, weights []float32) (
	out, in []int, err error) {
	share := heldOutShare(m)
	if share == 0 {
		return nil, nil, nil
	}
	hashes, err := d.hashRows(set)
	if err != nil {
		return nil, nil, err
	}
	linear := m.(linearModel)
	out, in = splitRows(hashes, set.Y, weights, linear.Classes == nil, linear.Config.Seed, share)
	return out, in, nil
}

func heldOutShare(m predictor) float64 {
	linear, _ := m.(linearModel)
	if linear.Model == nil || linear.Result.HeldOut == nil {
		return 0
	}
	return linear.Result.HeldOut.Share
}
