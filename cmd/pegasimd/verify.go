package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

var verifyCommand = command{help.Command{
	Name:      "verify",
	Arguments: "MODEL DATA...",
	Summary:   "check a model's claims on the data it was trained on",
	Help: `Verify computes the objective of a model on its training data, and a lower bound on the
optimum, and compares both with the model's claims. It does not trust the training. The bound comes
from the model's scores, and from passes of dual coordinate ascent (-passes) or Newton's method. The
encoder of a table is fitted again. The verdict is one of

  confirmed       objective and data are as claimed, and the gap is proven to be as small as claimed
  not confirmed   nothing contradicts the claim, but only a larger gap could be proven (see -proof),
                  or the model does not name its data, or its encoder can't be compared
  contradicted    the objective, the hash, the data, the encoder or the settings differ, or the
                  claim is impossible; the exit code is 1
  claims nothing  the model has no objective, such as that of an interrupted run, or no gap of at
                  most 100 %; the exit code is 3

Confirmed refers to the training data and to the parts of the model's file that are listed as
checked. Parts not checked may be wrong, such as steps, estimates and notes. Without -sigmoids the
probabilities of train -proba are not checked.

Verify prints the gap that it found, and lists the weight vectors for which it found a larger gap
than claimed. With -proof FILE, written by train -proof, the bound comes from the dual variables in
FILE. Name the files of training again: -weights, -costs and -prior. Name -start for a table, with
-sigmoids, or if the data have features that the other model lacked. Verify stores rows as training
did, dense or sparse, unless -layout is given. Several DATA have to be named in the order of
training.

For a model of train -holdout, the rows held out are found again and left out. The file of -weights
must have a weight for all rows.

Different weights can have the same objective. -proof, or -hash with the hash that training printed,
tells them apart. Without -hash, hash (training) is listed as not checked.

For a kernel machine the support rows are looked up in the data, and the bound comes from the
coefficients. -passes, -proof, -weights, -costs, -prior, -start and -sigmoids don't apply.

Examples:
  pegasimd verify a9a.model a9a.svm
  pegasimd train -proof a9a.proof a9a.svm a9a.model
  pegasimd verify -proof a9a.proof a9a.model a9a.svm`,
}, runVerify}

type verification struct {
	*call
	kept       *pegasos.Proof // proof in the file of -proof, or nil
	from, near *pegasos.Model // models of -start and -prior, or nil
}

const shortestHash = 16

func checkHash(v *flags.Set) error {
	v.Hash = strings.ToLower(strings.TrimSuffix(v.Hash, "..."))
	if n := len(v.Hash); n > 0 && (n < shortestHash || n > 64 ||
		strings.Trim(v.Hash, "0123456789abcdef") != "") {
		return flags.Usagef("-hash: have %q, want %d to 64 hexadecimal digits", v.Hash, shortestHash)
	}
	return nil
}

var errClaimsNothing = errors.New("the model claims nothing to confirm: it has no gap of at most 100 %")

func runVerify(c *call, args []string) error {
	if err := checkHash(c.flags); err != nil {
		return err
	}
	jsonOut := c.writes("-json", c.flags.JSON, reportKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	r, err := (&verification{call: c}).verify(args[0], args[1])
	if err != nil {
		return err
	}
	if err := jsonOut.writeJSON(r); err != nil {
		return err
	}
	if !c.flags.Quiet && !jsonOut.toStdout() {
		r.print(c.stdout)
	}
	switch pegasos.Verdict(r.Verdict) {
	case pegasos.Contradicted:
		return fmt.Errorf("%s: contradicted: %s", inputName(args[0]), strings.Join(r.Reasons, "; "))
	case pegasos.NotConfirmed:
		if c.flags.Quiet { // the exit code is that of a confirmed model
			fmt.Fprintf(c.stderr, "pegasimd verify: %s: not confirmed\n", inputName(args[0]))
		}
	case pegasos.ClaimsNothing:
		return fmt.Errorf("%s: %w", inputName(args[0]), errClaimsNothing)
	}
	return nil
}

func (c *verification) verify(model, data string) (*verifyReport, error) {
	f := c.flags
	p, err := c.readPredictor(model)
	if err != nil {
		return nil, err
	}
	kernel, isKernel := p.(kernelModel)
	for _, name := range strings.Fields("proof weights costs prior start sigmoids passes") {
		if isKernel && c.flags.Given(name) {
			return nil, flags.Usagef("-%s: not for kernel machines", name)
		}
	}
	head := p.Head()
	known := p.data()
	if c.kept, err = readNamed(f.KeepProof, pegasos.ReadProof); err != nil {
		return nil, err
	}
	if c.kept != nil {
		known = c.kept.Data()
	}
	reader := c.reader(data)
	reader.likeTraining(known)
	if err := reader.readWeights(f.Weights); err != nil {
		return nil, err
	}
	if encoder, _ := predictions.Encoder(head); encoder != nil { // the data are read several times
		if !encoder.Label.GapIsClass { // training refused or left out rows without a label
			reader.opt.MissingLabels = dataset.MissingDrop
		}
		if err := reader.keepInput(); err != nil {
			return nil, err
		}
	}
	set, _, err := reader.read(&head)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	weights := reader.weights
	if set.Rows() == 0 || set.Unlabelled {
		return nil, fmt.Errorf("%s: no rows with labels to verify with", reader)
	}
	if err := cmp.Or(reader.settle(false), reader.checkWeights(set)); err != nil {
		return nil, err
	}
	if head.Classes != nil {
		if err := relabelTrainingSet(set, p, weights); err != nil {
			return nil, fmt.Errorf("%s: %w", reader, err)
		}
	}
	whole := set.Rows()
	if set, weights, err = reader.withoutHeldOut(p, set, weights); err != nil {
		return nil, err
	}
	var v *pegasos.Verification
	if isKernel {
		tr := kernelsvm.Trainer{Threads: c.flags.Data.Threads,
			MaxMemory: memoryFlag(c.flags.MaxMemory).limit(set, false)}
		if v, err = tr.Verify(c, kernel.Model, set.Examples(), set.Y); err != nil {
			return nil, reader.failed(err)
		}
	} else if v, err = c.verifyLinear(reader, p.(linearModel).Model, set, weights); err != nil {
		return nil, err
	}
	if err := set.Err(); err != nil {
		return nil, reader.failed(err)
	}
	if !strings.HasPrefix(v.Hash, f.Hash) {
		v.Contradict("the model's hash is %s, not %s", v.Hash, f.Hash)
	}
	// Data may have features that the models of -start and -prior lack: training leaves these
	// features out.
	narrow := f.Start != "" || f.Prior != ""
	if others := reader.unknown(set); len(others) > 0 && !narrow {
		v.Contradict("the data have columns that the model does not have: %s", firstNames(others))
	} else if set.Ignored > 0 && !narrow {
		v.Contradict("the data have features that the model does not have")
	}
	table := &tableCheck{}
	if len(v.Reasons) == 0 {
		if table, err = reader.checkTable(head, set, cmp.Or(c.from, c.near)); err != nil {
			return nil, err
		}
	}
	doubt(p, v, table, c.from)
	parts, err := partsOf(p)
	if err != nil {
		return nil, err
	}
	checked, not := coverageOf(p, v, set, c.from, table, f.Hash != "").list(parts)
	return &verifyReport{
		Verdict: string(v.Verdict), Reasons: append([]string{}, v.Reasons...), // not null
		Checked: checked, NotChecked: not,
		Unconfirmed: append([]int{}, v.Unconfirmed...), WeightVectors: p.Outputs(),
		ModelHash: v.Hash, Data: v.Data,
		DataKnown: v.Known, Objective: number(v.Objective), Bound: number(v.Bound),
		Gap: number(v.Gap), Proof: v.Proven, Sigmoids: v.Sigmoids,
		ClaimedObjective: number(v.Claimed.Objective),
		ClaimedBound:     number(v.Claimed.DualObjective), ClaimedGap: number(v.Claimed.Gap),
		Rows: set.Rows(), HeldOut: whole - set.Rows(), Features: p.Cols(), of: v, model: p,
		asked: f.Sigmoids,
	}, nil
}

func doubt(m predictor, v *pegasos.Verification, table *tableCheck, from *pegasos.Model) {
	linear, _ := m.(linearModel)
	started := linear.Model != nil && linear.Start != "" && from == nil
	switch {
	case table.differs != "" && !started:
		v.Contradict("the model's encoder differs from an encoder fitted to the data: %s",
			table.differs)
	case v.Verdict != pegasos.Confirmed:
	case table.differs != "":
		table.compared, v.Verdict = false, pegasos.NotConfirmed
		v.Reasons = append(v.Reasons, "the model's encoder differs from an encoder fitted to the "+
			"data, but may come from the model that training continued: name that model with -start")
	case table.why != "":
		v.Verdict = pegasos.NotConfirmed
		v.Reasons = append(v.Reasons, "the model's encoder was not compared with the data: "+table.why)
	case !v.Known:
		v.Verdict = pegasos.NotConfirmed
		v.Reasons = append(v.Reasons, "the model does not say what data it was trained on")
	}
}

func (c *verification) verifyLinear(d *dataReader, m *pegasos.Model, set *dataset.Set,
	weights []float32) (*pegasos.Verification, error) {
	if err := d.checkNumbers(set, m.Config.Loss); err != nil {
		return nil, err
	}
	f := c.flags
	if f.Sigmoids && (m.Calibration == nil || m.Config.Calibrate == 0) {
		return nil, flags.Usagef("-sigmoids: the model has no sigmoids, or they were not fitted by folds")
	}
	tr := pegasos.Trainer{Weights: weights, Threads: c.flags.Data.Threads,
		CurveColumns: d.curveColumns(),
		MaxMemory:    memoryFlag(c.flags.MaxMemory).limit(set, m.Config.Loss.Regression())}
	for _, name := range []string{"costs", "weights"} {
		if trainedWith(m, "-"+name) && !f.Given(name) {
			c.warn(fmt.Sprintf("the model's command has -%[1]s: name that file with -%[1]s, too", name))
		}
	}
	var err error
	if tr.Costs, err = readCosts(f.Costs); err != nil {
		return nil, err
	}
	if c.from, err = readLinearModel(f.Start); err != nil {
		return nil, err
	}
	if c.near, err = readLinearModel(f.Prior); err != nil {
		return nil, err
	}
	tr.Start, tr.Prior = c.from, c.near
	if tr.Start != nil && tr.Start.Cols() != m.Cols() {
		return nil, flags.Usagef("-start: the start model has %d features, the verified model %d",
			tr.Start.Cols(), m.Cols())
	}
	options := pegasos.VerifyOptions{Proof: c.kept, Passes: f.Passes, Sigmoids: f.Sigmoids}
	v, err := tr.Verify(d.call, m, set.Examples(), set.Y, options)
	if bad := (*pegasos.ProofError)(nil); errors.As(err, &bad) { // the data may be right
		return nil, fmt.Errorf("%s: the proof %s", inputName(f.KeepProof), bad.Reason)
	}
	if err != nil {
		return nil, d.failed(err)
	}
	return v, nil
}

func (r *verifyReport) print(w io.Writer) {
	fmt.Fprintf(w, "model hash %s\n", r.ModelHash)
	rows, features := count(r.Rows, "row"), count(r.Features, "feature")
	switch {
	case r.DataKnown:
		fmt.Fprintf(w, "the data are the model's training data: %s, %s\n", rows, features)
	case r.model.data() == "":
		fmt.Fprintf(w, "the model, of %s, does not say what data it was trained on; DATA has %s\n",
			features, rows)
	}
	if r.HeldOut > 0 && r.DataKnown {
		fmt.Fprintf(w, "left out %s of DATA that training held out: the model's estimate on them was "+
			"not checked; pegasimd report measures these rows\n", count(r.HeldOut, "row"))
	}
	linear, _ := r.model.(linearModel)
	switch calibrated := linear.Model != nil && linear.Calibration != nil; {
	case r.Sigmoids:
		fmt.Fprintln(w, "the folds, trained again, give the model's sigmoids")
	case calibrated:
		if !r.asked { // otherwise the reasons say why the sigmoids are not confirmed
			how := ""
			if linear.Config.Calibrate > 0 && linear.Config.Patience == 0 && linear.Model.Data != "" {
				if how = ": -sigmoids checks them, by training their folds again"; linear.Start != "" {
					how = ": -sigmoids with -start checks them, by training their folds again"
				}
			}
			fmt.Fprintf(w, "the probabilities were not checked%s\n", how)
		}
		// A sigmoid with A > 0 makes the probability fall as the score rises.
		falls := func(s pegasos.Sigmoid) bool { return s.A > 0 }
		if k := slices.IndexFunc(linear.Calibration, falls); k >= 0 {
			fmt.Fprintf(w, "suspicious: the higher the score of %s, the lower its probability\n",
				escape.Name(linear.problemName(k)))
		}
	}
	source := "from its scores"
	if _, kernel := r.model.(kernelModel); kernel {
		source = "from its coefficients"
	} else if r.Proof {
		source = "from the proof"
	}
	printParts(w, "checked", r.Checked)
	printParts(w, "not checked", r.NotChecked)
	f := proof.Finding{
		Claimed: proof.Claim{Objective: r.of.Claimed.Objective,
			DualObjective: r.of.Claimed.DualObjective},
		Found:  proof.Claim{Objective: r.of.Objective, DualObjective: r.of.Bound},
		Source: source, Reasons: r.Reasons, Unconfirmed: r.Unconfirmed,
		Vectors: r.WeightVectors, Verdict: r.Verdict,
	}
	f.Print(w)
}

type verifyReport struct {
	Verdict          string   `json:"verdict"`
	Reasons          []string `json:"reasons"` // why the model is contradicted, or not confirmed
	Checked          []string `json:"checked"` // parts of the model's file: see partRules
	NotChecked       []string `json:"not_checked"`
	Unconfirmed      []int    `json:"unconfirmed"`
	WeightVectors    int      `json:"weight_vectors"`
	ModelHash        string   `json:"model_hash"`
	Data             string   `json:"data"`
	DataKnown        bool     `json:"data_known"`
	Objective        number   `json:"objective"`
	Bound            number   `json:"dual_objective"`
	Gap              number   `json:"gap"`
	Proof            bool     `json:"proof"`    // the bound is from the file of -proof
	Sigmoids         bool     `json:"sigmoids"` // -sigmoids confirmed the sigmoids
	ClaimedObjective number   `json:"claimed_objective"`
	ClaimedBound     number   `json:"claimed_dual_objective"`
	ClaimedGap       number   `json:"claimed_gap"`
	Rows             int      `json:"rows"`
	HeldOut          int      `json:"held_out_rows,omitempty"` // labeled rows, not in Rows
	Features         int      `json:"features"`

	of    *pegasos.Verification
	model predictor
	asked bool // -sigmoids is given
}
