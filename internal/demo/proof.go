package main

import (
	"fmt"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

// wanted is the distance from the optimum that the tour asks to have proven.
const wanted = 0.01

// prove trains until the model is proven to be close to the optimum, and says what that means.
func prove(p problem) (*pegasos.Model, error) {
	start := time.Now()
	m, err := pegasos.Train(background, p.train.Dense, p.train.Y,
		pegasos.Config{Multiclass: pegasos.OneVsRest, Tol: wanted})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	worst, k := m.Result.WorstGap()
	fmt.Printf("Asked for %s (Tol: %v), ten problems of one class against the rest: %.2f s.\n",
		proof.Percent(wanted), wanted, seconds)
	fmt.Printf("Objective %.6f, at most %s above the optimum (digit %s, the worst, %s).\n",
		m.Result.Objective, proof.Percent(m.Result.Gap), m.ClassName(k), proof.Percent(worst))
	fmt.Println("That is no estimate: dual variables give a number that no weights can get below, " +
		"and\neach rounding on the way there is accounted for.")
	return m, nil
}

// check verifies the model's claim, and trains it again in plain Go and with other threads.
func check(m *pegasos.Model, p problem) error {
	tr := pegasos.Trainer{}
	v, err := tr.Verify(background, m, p.train.Dense, p.train.Y, pegasos.VerifyOptions{Passes: 20})
	if err != nil {
		return err
	}
	fmt.Printf("Verified with the rows and nothing else: the claim is %s. Objective %.6f, at\n"+
		"most %s above the optimum by a bound that is computed again, closer or not.\n",
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
	fmt.Printf("Trained again in plain Go, with 1 thread and with 3: the same model to the bit,\n%s, "+
		"as on any machine.\n", hash)
	return nil
}

// trainedIn returns the hash of a model that is trained in a path.
func trainedIn(isa asm.ISA, tr pegasos.Trainer, p problem) (string, error) {
	defer asm.Use(asm.Use(isa))
	m, err := tr.Train(background, p.train.Dense, p.train.Y)
	if err != nil {
		return "", err
	}
	return m.Hash(), nil
}
