package pegasos

import (
	"testing"
	"time"
)

// newtonTrial is newTrial for Newton's method.
func newtonTrial(seed uint64) *trial {
	t := newTrial(seed)
	cfg := &t.tr.Config
	cfg.Finish, cfg.FinishAfter, cfg.Project, cfg.Batch, cfg.Shards = FinishNewton, 0, false, 0, 0
	if cfg.Multiclass.Joint() {
		cfg.Multiclass = pick(t.g, OneVsRest, OneVsOne)
	}
	if cfg.Order == IID {
		cfg.Order = ""
	}
	cfg.Tol = pick(t.g, 0, 0.1, 1e-2, 1e-3, 1e-4)
	cfg.Epochs = pick(t.g, 0, 0, 3, 30)
	t.tr.Threads = pick(t.g, 1, 1, 2)
	return t
}

// No proof of Newton's method is wrong, whatever the data and the settings.
func TestNewtonCertificate(t *testing.T) {
	var n tally
	least := uint64(1000)
	if testing.Short() {
		least = 200
	}
	start, from := time.Now(), uint64(0)
	if *certifyFor > 0 {
		from = uint64(start.UnixNano())
	}
	for seed := from; seed-from < least || time.Since(start) < *certifyFor; seed++ {
		if err := n.certify(newtonTrial(seed), seed); err != nil {
			t.Error(err)
		}
		if *certifyFor > 0 && time.Since(start) > *certifyFor {
			break
		}
	}
	t.Logf("%d runs: %d problems, %d with a bound, %d of them proven within 100 %%, %d within "+
		"0.1 %%, %d replaced; seeds from %d", n.trials, n.problems, n.bounds, n.useful, n.close,
		n.replaced, from)
	if n.close < n.problems/2 {
		t.Error("too few proofs")
	}
}
