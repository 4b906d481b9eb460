package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/pegasos"
)

var verifyKinds = flag.Int("verify-kinds", 97,
	"TestVerifyKinds trains a model of every n-th kind: 1 for all")

type tally struct {
	sync.Mutex
	of map[string]int
}

func (v *tally) String() string { return strings.TrimPrefix(fmt.Sprint(v.of), "map") }

var verdicts = tally{of: map[string]int{}}

func verifyTrained(t *testing.T, args []string) {
	t.Helper()
	f, model, data, more := trainedBy(args)
	if model == "" || slices.Contains(args, "-") || slices.Contains(args, "-force") {
		return // the inputs were standard input, or may have been replaced
	}
	f.Values.Passes, f.Quiet = 2, true
	alone := f.Start == "" && f.Prior == ""
	if m, err := pegasos.ReadFile(model); err == nil {
		f.Sigmoids = m.Calibration != nil && m.Config.Patience == 0
		alone = alone && m.Start == ""
	}
	c := &call{more: more, flags: f, Context: context.Background(),
		stdout: &standardOutput{w: io.Discard}, stderr: io.Discard}
	r, err := (&verification{call: c}).verify(model, data)
	if err != nil {
		t.Errorf("pegasimd %q: not verified: %v", args, err)
		return
	}
	if r.Verdict == string(pegasos.Contradicted) || !r.DataKnown {
		t.Errorf("pegasimd %q: %s, data known: %t: %q", args, r.Verdict, r.DataKnown, r.Reasons)
	}
	for _, part := range strings.Fields("scaling.kind config.scale config.target_scale index_base " +
		"hash_bits table classes names data") {
		hashed := part == "index_base" && r.model.Head().HashBits > 0
		if alone && !hashed && slices.Contains(r.NotChecked, part) {
			t.Errorf("pegasimd %q: %s is not checked", args, part)
		}
	}
	verdicts.Lock()
	defer verdicts.Unlock()
	verdicts.of[r.Verdict]++
}

// trainedBy returns the flags that verify needs, and the model that a command line trains, "" for
// none.
func trainedBy(args []string) (f *flags.Set, model, data string, more []string) {
	f = flags.NewSet("verify")
	c := &call{flags: flags.NewSet(args[0])}
	of := &c.flags.Values
	switch args[0] {
	case "train":
		if args, err := c.parse(args[1:], trainCommand.Arguments); err == nil {
			data = args[0]
			model, _ = outputName(cmp.Or(of.Model, append(args, "")[1]), data, ".model", "MODEL")
		}
		f.Costs, f.Start, f.Prior = of.Costs, of.Start, of.Prior
	case "cv":
		if args, err := c.parse(args[1:], cvCommand.Arguments); err == nil {
			model, data = of.Model, args[0]
		}
	}
	f.Data, f.Missing, f.Strict = of.Data, of.Missing, of.Strict
	f.Weights, f.MaxMemory = of.Weights, of.MaxMemory
	return f, model, data, c.more
}

func TestVerifyKinds(t *testing.T) {
	dir := t.TempDir()
	g := rand.New(rand.NewPCG(18, 1))
	texts := map[string]*strings.Builder{}
	for _, labels := range []string{"two", "three", "numbers"} {
		texts[labels] = new(strings.Builder)
	}
	for i := range 45 {
		shift := float64(i % 3)
		row := fmt.Sprintf("1:%.3g 2:%.3g 4:%.3g", shift+g.NormFloat64(), 100*g.NormFloat64(),
			5+0.1*shift+g.NormFloat64())
		fmt.Fprintf(texts["two"], "%d %s\n", i%3/2, row)
		fmt.Fprintf(texts["three"], "%d %s\n", i%3, row)
		fmt.Fprintf(texts["numbers"], "%.3g %s\n", shift+g.NormFloat64(), row)
	}
	for name, text := range texts {
		svm := filepath.Join(dir, name+".svm")
		write(t, svm, text.String())
		must(t, "convert", "-quiet", svm, filepath.Join(dir, name+".pgsm"))
	}
	var all [][]string // the data last
	grid := func(lists ...[]string) {
		product := [][]string{nil}
		for _, list := range lists {
			var longer [][]string
			for _, p := range product {
				for _, words := range list {
					longer = append(longer, append(p[:len(p):len(p)], strings.Fields(words)...))
				}
			}
			product = longer
		}
		all = append(all, product...)
	}
	scales := []string{"", "-scale none", "-scale standard", "-scale max-abs", "-scale unit"}
	biases := []string{"", "-bias none", "-bias augmented", "-bias unregularised"}
	finishes := []string{"", "-finish none", "-finish dual", "-finish newton",
		"-finish auto -tol .1", "-tol .01 -order sequential", "-order iid", "-proba -epochs 2",
		"-project -batch 3"}
	of := func(labels string) []string {
		return []string{labels + ".pgsm", "-layout dense " + labels + ".svm",
			"-layout sparse " + labels + ".svm"}
	}
	for _, loss := range pegasos.Losses() {
		flag := []string{"-loss " + string(loss)}
		if loss.Regression() {
			grid(flag, []string{"", "-target-scale none"}, scales, biases, finishes, of("numbers"))
			continue
		}
		grid(flag, scales, biases, finishes, of("two"))
		grid(flag, []string{"", "-multiclass ovr", "-multiclass ovo", "-multiclass crammer-singer",
			"-multiclass multinomial"}, scales, biases, finishes, of("three"))
	}
	grid([]string{"-kernel linear", "-kernel rbf", "-kernel polynomial -degree 2",
		"-kernel sigmoid -gamma .01 -coef0 .1"}, []string{"", "-finish none"},
		[]string{"", "-multiclass ovr", "-c 1"}, append(of("two"), of("three")...))
	t.Chdir(dir)
	trained := 0
	for i := 0; i < len(all); i += *verifyKinds {
		args := append([]string{"train", "-quiet", "-seed", fmt.Sprint(i)}, all[i]...)
		switch code, _, told := pegasimd(t, append(args, "model")...); code {
		case exitDone:
			trained++
		case exitUsage: // train refuses the combination of settings
		default:
			t.Errorf("%q: exit code %d, %s", args, code, told)
		}
	}
	t.Logf("trained and verified models of %d of %d kinds", trained, len(all))
	if trained < 10 {
		t.Errorf("%d models, want 10 or more", trained)
	}
}
