package kernelsvm

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/pegasos"
)

var claimModels = flag.Int("claim-models", 200,
	"number of models whose files TestClaims edits, 100 times each")

// TestClaims edits fields of model files at random. A claim that Verify confirms must hold for an
// independently found optimum.
func TestClaims(t *testing.T) {
	found, models := map[pegasos.Verdict]int{}, *claimModels
	if testing.Short() {
		models = min(models, 12)
	}
	ctx := context.Background()
	for seed := uint64(0); models > 0; seed++ {
		p, g := newSmallProblem(seed+8e6), rand.New(rand.NewPCG(seed, 28))
		tr := Trainer{Config: p.cfg, Fingerprint: true}
		m, err := tr.Train(ctx, p.examples(), p.y)
		if err != nil {
			continue
		}
		models--
		for range 100 {
			edited := editedModel(t, g, m)
			if edited == nil {
				continue
			}
			v, err := tr.Verify(ctx, edited, p.examples(), p.y)
			if err != nil {
				continue
			}
			if found[v.Verdict]++; v.Verdict == pegasos.Confirmed {
				if err := p.checkClaims(edited, v); err != nil {
					t.Errorf("seed %d: Verify confirmed a false claim: %v\n%+v\n%+v", seed, err, v,
						edited.Config)
				}
			}
		}
	}
	t.Log("number of models by verdict:", found)
}

func editedModel(t *testing.T, g *rand.Rand, m *Model) *Model {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	edited, err := Read(bytes.NewReader(certtest.Edit(g, file.Bytes())))
	if err != nil || len(edited.Classes) != len(m.Classes) {
		return nil
	}
	return edited
}

func (p *smallProblem) checkClaims(m *Model, v *pegasos.Verification) error {
	if v.Gap > v.Claimed.Gap {
		return fmt.Errorf("the claimed gap %v is below the verified gap %v", v.Claimed.Gap, v.Gap)
	}
	var objectives, optima float64
	for k, r := range m.Result.PerProblem {
		w, coef := p.problem(m, k)
		truth, off := w.objective(coef)
		best := w.optimum()
		objectives, optima = objectives+truth-off, optima+best
		slack := 1e-12*best + proof.ObjectiveTolerance*r.Objective
		if d := r.DualObjective; !math.IsNaN(d) {
			slack = 1e-12*best + proof.GapTolerance*(r.Objective-max(0, d))
			if d > best*(1+1e-12) {
				return fmt.Errorf("problem %d: bound %v above the optimum %v", k, d, best)
			}
		}
		if truth-off-r.Objective > slack {
			return fmt.Errorf("problem %d: claimed objective %v, exact objective %v +- %v", k,
				r.Objective, truth, off)
		}
	}
	if objectives > (1+v.Claimed.Gap)*optima*(1+1e-12) {
		return fmt.Errorf("claimed gap %v, but the sums of objectives and optima are %v and %v",
			v.Claimed.Gap, objectives, optima)
	}
	return nil
}
