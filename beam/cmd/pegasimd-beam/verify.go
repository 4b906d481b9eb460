package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/beam/shards"
	"github.com/pegasimd/pegasimd/pegasos"
)

var verifyCommand = command{
	name:      "verify",
	arguments: "MANIFEST MODEL",
	summary:   "hold shards and a model against what is claimed of them",
	help: `Verify reads all shards of MANIFEST and holds them against its hashes, and finds the objective of
MODEL on their rows anew, from nothing but the model and the rows, to compare it with what the model
claims. It does not find the bound anew, which the dual variables of the run prove: where the rows fit
one machine, pegasimd verify does. The exit code is 1 if something is contradicted.

Example:
  pegasimd-beam verify shards/manifest.json text.model`,
	least: 2, most: 2,
	define: func(f *flag.FlagSet) func(*call) error {
		quiet := f.Bool("quiet", false, "print nothing but errors")
		return func(c *call) error { return verify(c, *quiet) }
	},
}

// objectiveError is the relative error that the objective of a model may have by its rounding.
const objectiveError = 1e-5

func verify(c *call, quiet bool) error {
	m, err := shards.Read(c.args[0])
	if err != nil {
		return err
	}
	model, err := pegasos.ReadFile(c.args[1])
	if err != nil {
		return err
	}
	if model.Cols() != m.Cols {
		return fmt.Errorf("%s: %d features, but the shards have %d", c.args[1], model.Cols(),
			m.Cols)
	}
	if model.Config.ClassWeight != "" {
		return fmt.Errorf("%s: models with weights of classes can't be verified in shards",
			c.args[1])
	}
	loss := 0.0
	for i := range m.Shards {
		if err := c.Err(); err != nil {
			return err
		}
		if err := m.Verify(i); err != nil {
			return err
		}
		part, err := lossOf(m, i, model)
		if err != nil {
			return err
		}
		loss += part
	}
	found := model.Penalty() + loss/float64(m.Rows)
	claimed := model.Result.Objective
	if !(math.Abs(found-claimed) <= float64(objectiveError*math.Abs(claimed))) {
		return fmt.Errorf("%s: contradicted: the objective is %.9g, and not %.9g", c.args[1], found,
			claimed)
	}
	if !quiet {
		fmt.Fprintf(c.stdout, "all %d shards are those of the manifest\nthe objective is %.9g, as "+
			"claimed; at most %.3g %% above the optimum, by the bound of the run\n", len(m.Shards),
			found, 100*model.Result.Gap)
	}
	return nil
}

// lossOf returns the sum of the losses of a shard's rows.
func lossOf(m *shards.Manifest, i int, model *pegasos.Model) (float64, error) {
	part, err := m.Open(i)
	if err != nil || part.Rows() == 0 {
		return 0, err
	}
	defer part.Close()
	scores := model.DecisionAll(part.Examples())
	if err := part.Err(); err != nil {
		return 0, err
	}
	return float64(model.MeanLoss(scores, part.Y) * float64(part.Rows())), nil
}
