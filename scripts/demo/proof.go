package main

import (
	"fmt"
	"io"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

// relative duality gap
const tolerance = 0.01

func prove(w io.Writer, p problem) (*pegasos.Model, error) {
	start := now()
	m, err := pegasos.Train(background, p.train.Dense, p.train.Y,
		pegasos.Config{Multiclass: pegasos.OneVsRest, Tol: tolerance})
	if err != nil {
		return nil, err
	}
	seconds := now().Sub(start).Seconds()
	worst, k := m.Result.WorstGap()
	fmt.Fprintf(w, "Asked for %s (Tol: %v), ten problems of one class against the rest: %.2f s.\n",
		proof.Percent(tolerance), tolerance, seconds)
	fmt.Fprintf(w, "Objective %.6f, at most %s above the optimum (digit %s, the worst, %s).\n",
		m.Result.Objective, proof.Percent(m.Result.Gap), m.ClassName(k), proof.Percent(worst))
	fmt.Fprintln(w, "This is not an estimate: dual variables give a lower bound on the objective "+
		"of all\nweights, and the bound accounts for every rounding error.")
	return m, nil
}

func check(w io.Writer, m *pegasos.Model, p problem) error {
	tr := pegasos.Trainer{}
	v, err := tr.Verify(background, m, p.train.Dense, p.train.Y, pegasos.VerifyOptions{Passes: 20})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Verified from the model and the rows alone: the claim is %s. Objective %.6f, "+
		"at\nmost %s above the optimum by a new bound, which may be closer or not.\n",
		v.Verdict, v.Objective, proof.Percent(v.Gap))
	hash := m.Hash()
	for _, threads := range []int{1, 3} {
		again := pegasos.Trainer{Config: m.Config, Threads: threads}
		if hash, err = trainedIn(asm.Generic, again, p); err != nil {
			return err
		}
		if hash != m.Hash() {
			return fmt.Errorf("%d threads in plain Go: model %s, want %s", threads, hash, m.Hash())
		}
	}
	fmt.Fprintf(w, "Trained again in plain Go, with 1 thread and with 3: the same model to the "+
		"bit,\n%s, as on any machine.\n", hash)
	return nil
}

func trainedIn(isa asm.ISA, tr pegasos.Trainer, p problem) (string, error) {
	defer asm.Use(asm.Use(isa))
	m, err := tr.Train(background, p.train.Dense, p.train.Y)
	if err != nil {
		return "", err
	}
	return m.Hash(), nil
}
