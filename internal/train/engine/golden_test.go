package engine_test

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func goldenJobs(t testing.TB) map[string]engine.Job {
	two, three := sample.Random(1, 61, 7, 2, 0.8), sample.Random(2, 70, 6, 3, 0.8)
	weights := rowWeights(61)
	jobs := map[string]engine.Job{
		"weights": weightedJob(
			t,
			two.Dense,
			two.Y,
			weights,
			settings.Settings{Lambda: 0.01, Epochs: 5},
		),
	}
	for name, s := range map[string]settings.Settings{
		"hinge":         {},
		"augmented":     {Bias: settings.BiasAugmented, BiasScale: 2},
		"unregularised": {Bias: settings.BiasUnregularised},
		"batch":         {Batch: 8, Bias: settings.BiasUnregularised},
		"project":       {Project: true, Offset: settings.OffsetNone, Average: settings.LastIterate},
		"log":           {Loss: "log", Bias: settings.BiasAugmented},
		"squared hinge": {Loss: "squared-hinge", Order: order.IID},
		"sequential":    {Order: order.Sequential},
		"dual":          {Finish: settings.FinishDual},
		"newton":        {Finish: settings.FinishNewton, Tol: 1e-4},
		"auto":          {Finish: settings.FinishAuto, Tol: 1e-3},
		"tol":           {Tol: 0.2, Epochs: 200},
		"adapted":       {Epochs: 100, Bias: settings.BiasAugmented},
	} {
		s.Lambda, s.Epochs = 0.01, max(5, s.Epochs)
		jobs[name] = newJob(t, two.Sparse, two.Y, s)
		if s.Order == order.IID || s.Project {
			continue
		}
		if s.Finish != settings.FinishNewton {
			s.ClassWeight = settings.Balanced
		}
		jobs[name+", 3 classes"] = newJob(t, three.Dense, three.Y, s)
		s.Multiclass = settings.OneVsOne
		jobs[name+", pairs"] = newJob(t, three.Dense, three.Y, s)
	}
	for name, s := range map[string]settings.Settings{
		"Crammer-Singer": {Multiclass: settings.CrammerSinger},
		"multinomial":    {Multiclass: settings.Multinomial, Loss: "log"},
		"joint dual": {Multiclass: settings.CrammerSinger, Finish: settings.FinishDual,
			Bias: settings.BiasAugmented},
	} {
		s.Lambda, s.Epochs = 0.01, 5
		job := newJob(t, three.Dense, three.Y, s)
		if s.Multiclass == settings.CrammerSinger {
			job.Costs = [][]float64{{0, 1, 2}, {1, 0, 3}, {2, 1, 0}}
		}
		jobs[name] = job
	}
	numbers := targets(two)
	for name, s := range map[string]settings.Settings{
		"squared": {Loss: "squared", Bias: settings.BiasUnregularised},
		"eps":     {Loss: "eps-insensitive", Epsilon: 0.1, Bias: settings.BiasAugmented},
		"eps, dual": {Loss: "eps-insensitive", Epsilon: 0.1, Bias: settings.BiasAugmented,
			Finish: settings.FinishDual},
		"eps, proven": {Loss: "eps-insensitive", Epsilon: 0.1, Bias: settings.BiasAugmented,
			Finish: settings.FinishDual, Tol: 1e-3},
		"no bias": {Loss: "squared"},
	} {
		s.Lambda, s.Epochs = 0.01, 5
		jobs[name] = newJob(t, numbers.Dense, numbers.Y, s)
		job := jobs[name]
		job.Scale = &scale.Scale{Kind: "none", Centre: 0.25, Spread: 2, Folded: true}
		jobs[name+", scaled"] = job
	}
	for _, finish := range []string{settings.FinishNone, settings.FinishDual} {
		s := settings.Settings{Lambda: 0.02, Epochs: 4, Bias: settings.BiasAugmented,
			Multiclass: settings.OneVsOne, Finish: finish}
		from := train(t, newJob(t, three.Dense, three.Y, s))
		job := newJob(t, three.Dense, three.Y, s)
		job.Start = from
		jobs["start "+finish] = job
		job.Prior = &engine.Point{
			Weights: slices.Concat(from.Weights[1:], from.Weights[:1]),
			Bias:    from.Bias,
			Result:  from.Result,
		}
		jobs["start and prior "+finish] = job
		job.Start, job.Prior, job.PriorHash = nil, from, "hash"
		jobs["prior "+finish] = job
		job.KeepProof = true
		jobs["prior with proof "+finish] = job
	}
	return jobs
}

var goldenDigests = map[string]string{
	"eps, dual":                "34b11ff4597e",
	"eps, dual, scaled":        "ee125b8acbe5",
	"eps, proven":              "3d2819580fa2",
	"eps, proven, scaled":      "507be9394116",
	"no bias":                  "67596fa011be",
	"no bias, scaled":          "3279d88e5aef",
	"start and prior dual":     "8d74b403acab",
	"start and prior none":     "40f4eb1dd0fe",
	"adapted":                  "8fc242d18440",
	"adapted, 3 classes":       "047ba6c4abd5",
	"adapted, pairs":           "c141522a0dfc",
	"Crammer-Singer":           "c1e5b5ec5de6",
	"augmented":                "d340d1870d11",
	"augmented, 3 classes":     "eb2f7ed2ed9f",
	"augmented, pairs":         "96205e08629e",
	"auto":                     "f40c7ed1b573",
	"auto, 3 classes":          "fa7477cd0dc1",
	"auto, pairs":              "e350a71849ad",
	"batch":                    "dffde6410f99",
	"batch, 3 classes":         "345f44efecb4",
	"batch, pairs":             "615621705998",
	"dual":                     "fe1ba3847fd7",
	"dual, 3 classes":          "91aab9a3d88c",
	"dual, pairs":              "da35f91cdeb6",
	"eps":                      "1b3b07e36be0",
	"eps, scaled":              "1dfa3ee30bf2",
	"hinge":                    "68be9f15239b",
	"hinge, 3 classes":         "0b3857cafd86",
	"hinge, pairs":             "442498d233bb",
	"joint dual":               "7f18127db61f",
	"log":                      "96a879d980a8",
	"log, 3 classes":           "468d00918df9",
	"log, pairs":               "3ef2cedfcd7f",
	"multinomial":              "72c67988bf16",
	"newton":                   "1a5086f431e9",
	"newton, 3 classes":        "b23aa0d9d476",
	"newton, pairs":            "c0dec1764ca9",
	"prior dual":               "287cd44ccf2c",
	"prior none":               "f75cce47a093",
	"prior with proof dual":    "c9e03edb93b5",
	"prior with proof none":    "c406742f8228",
	"project":                  "bfc307b39bae",
	"sequential":               "108e215eb4ae",
	"sequential, 3 classes":    "5f9ba72c6233",
	"sequential, pairs":        "bad1ad8f79b6",
	"squared hinge":            "43b431a21e2a",
	"squared":                  "c1e6079b0037",
	"squared, scaled":          "8a9d35ce077b",
	"start dual":               "7ed65b08aa61",
	"start none":               "6d96ba75f041",
	"tol":                      "996aa80b3803",
	"tol, 3 classes":           "97fecfd9012e",
	"tol, pairs":               "8e704bda84dc",
	"unregularised":            "967fd2d74efa",
	"unregularised, 3 classes": "df9d1dc4ce69",
	"unregularised, pairs":     "d47880448f25",
	"weights":                  "89803a402752",
}

func TestGolden(t *testing.T) {
	jobs := goldenJobs(t)
	if len(jobs) != len(goldenDigests) {
		t.Errorf("%d digests for %d jobs", len(goldenDigests), len(jobs))
	}
	for name, job := range jobs {
		for k, isa := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(isa))
				job.Threads = 1 + k%3
				if have := digest(train(t, job)); have != goldenDigests[name] {
					t.Errorf("%q: %q, on %s with %d goroutines", name, have, isa, job.Threads)
				}
			}()
		}
	}
}
