package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/metrics"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// This test is here because the root module does not require gonum.
func TestRankingAgreesWithGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + r.IntN(300)
		values := 1 + r.IntN(2*n) // few values make many ties
		scores, truth := make([]float64, n), make([]bool, n)
		positive := 1.
		for i := range scores {
			scores[i] = float64(r.IntN(values)) / 8
		}
		slices.Sort(scores)
		truth[r.IntN(n)] = true
		for i := range truth {
			if !truth[i] && r.IntN(3) == 0 && int(positive) < n-1 {
				truth[i] = true
				positive++
			}
		}
		tpr, fpr, _ := stat.ROC(nil, scores, truth, nil)
		wantAUC, wantAP := integrate.Trapezoidal(fpr, tpr), 0.
		for k := 1; k < len(tpr); k++ {
			tp, fp := tpr[k]*positive, fpr[k]*(float64(n)-positive)
			wantAP += (tpr[k] - tpr[k-1]) * tp / (tp + fp)
		}
		auc, ap := metrics.Ranking(truth, scores, nil)
		if math.Abs(auc-wantAUC) > 1e-12 || math.Abs(ap-wantAP) > 1e-12 {
			t.Fatalf("%d rows: area %v, average precision %v; want %v, %v", n, auc, ap,
				wantAUC, wantAP)
		}
	}
}
