package pegasos_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/pegasos"
)

var claimModels = flag.Int("claim-models", 200,
	"number of models whose files TestClaims edits, 500 times each")

// TestClaims edits claims and random fields of model and proof files. Claims that Verify confirms
// must agree with the optimum from certtest.
func TestClaims(t *testing.T) {
	found, models := map[pegasos.Verdict]int{}, *claimModels
	if testing.Short() {
		models = min(models, 12)
	}
	for seed := uint64(0); models > 0; seed++ {
		trial := newTrial(seed + 6e6)
		trial.half, trial.tr.Fingerprint = false, true
		trial.tr.KeepProof = trial.hasBounds() && seed%2 == 0
		m, err := trial.train()
		if err != nil || m == nil || math.IsNaN(m.Result.Objective) {
			continue
		}
		models--
		var proofFile bytes.Buffer
		if m.Proof != nil {
			if err := m.Proof.Write(&proofFile); err != nil {
				t.Fatal(err)
			}
		}
		for range 500 {
			lie := trial.lie(t, m)
			if lie == nil {
				continue
			}
			p := m.Proof
			if p != nil && trial.g.IntN(4) == 0 {
				edit := certtest.Edit(trial.g, proofFile.Bytes())
				if p, err = pegasos.ReadProof(bytes.NewReader(edit)); err != nil {
					continue
				}
			} else if trial.g.IntN(2) == 0 {
				p = nil
			}
			v, err := trial.verify(lie, trial.x, p)
			if err != nil {
				continue
			}
			found[v.Verdict]++
			if v.Verdict == pegasos.NotConfirmed && p != nil {
				t.Errorf("seed %d: NotConfirmed although there is a proof: %+v", seed, v)
			}
			if v.Verdict == pegasos.Confirmed {
				if err := trial.holdClaims(lie, v); err != nil {
					t.Errorf("seed %d, proof %v: Verify confirms a false claim: %v\n%+v\n%+v", seed,
						p != nil, err, v, lie.Config)
				}
			}
		}
	}
	t.Log(found)
}

// lie returns nil if the changed model can't be used.
func (t *trial) lie(tt *testing.T, m *pegasos.Model) *pegasos.Model {
	lie := *m
	if g := t.g; g.IntN(2) == 0 {
		r := &lie.Result
		r.PerClass = slices.Clone(r.PerClass)
		for k := range max(1, len(r.PerClass)) {
			c := &pegasos.ClassResult{Objective: r.Objective, DualObjective: r.DualObjective}
			if len(r.PerClass) > 0 {
				c = &r.PerClass[k]
			}
			boast(g, &c.Objective, &c.DualObjective)
			r.Objective, r.DualObjective = c.Objective, c.DualObjective
		}
		if n := float64(len(r.PerClass)); n > 0 {
			r.Objective, r.DualObjective = 0, 0
			for _, c := range r.PerClass {
				r.Objective, r.DualObjective = r.Objective+c.Objective, r.DualObjective+c.DualObjective
			}
			r.Objective, r.DualObjective = r.Objective/n, r.DualObjective/n
		}
	}
	var file bytes.Buffer
	if err := lie.Write(&file); err != nil {
		return nil
	}
	edit := file.Bytes()
	if t.g.IntN(4) > 0 {
		edit = certtest.Edit(t.g, edit)
	}
	read, err := pegasos.Read(bytes.NewReader(edit))
	if err != nil || len(read.Classes) != len(m.Classes) {
		return nil
	}
	return read
}

func boast(g *rand.Rand, objective, bound *float64) {
	excess := (*objective - *bound) * math.Ldexp(g.Float64(), -g.IntN(30))
	switch g.IntN(4) {
	case 0:
		*objective -= excess
	case 1:
		*bound += excess
	case 2:
		*objective, *bound = *objective-excess, *bound-excess*g.Float64()
	}
}

func (t *trial) holdClaims(m *pegasos.Model, v *pegasos.Verification) error {
	var n tally
	filled := *m
	filled.Config = m.Config.Plain() // Verify also fills in settings that a file lacks
	all, first := t.problems(&filled)
	for i, p := range all {
		c := pegasos.ClassResult{Objective: m.Result.Objective, DualObjective: m.Result.DualObjective}
		if m.Result.PerClass != nil {
			c = m.Result.PerClass[first[i]]
		}
		if slices.Contains(v.Unconfirmed, first[i]) {
			continue
		}
		var w [][]float64
		var b []float64
		for k := range p.Vectors {
			wk, bk := t.vector(m, first[i]+k)
			w, b = append(w, wk), append(b, bk)
		}
		if err := n.hold(p, w, b, c, true); err != nil {
			return err
		}
		truth := p.Objective(w, b)
		d := truth - c.Objective - 1e-12*largest(p.Labels)
		if d > math.Max(1e-9*truth, 1.001*proof.GapTolerance*(truth-c.DualObjective)) {
			return fmt.Errorf("claimed objective %v, true objective %v", c.Objective, truth)
		}
	}
	if mean := v.Claimed; v.Gap > mean.Gap || v.Bound < mean.DualObjective {
		return fmt.Errorf("gap %v and lower bound %v, claimed gap %v and lower bound %v", v.Gap,
			v.Bound, mean.Gap, mean.DualObjective)
	}
	return nil
}

func largest(labels []float64) float64 {
	most := 1.0
	for _, y := range labels {
		most = max(most, y*y)
	}
	return most
}
