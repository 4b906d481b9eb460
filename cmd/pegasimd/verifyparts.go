package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A part's name is a key of the file's header, or names an array after the header. A dot precedes
// keys within an object or the objects of an array. Two names are no keys: data.layout is the
// layout in the value of data; hash.training states that training gives the model with this hash.

// coverage records what a verification has compared.
type coverage struct {
	data      bool // the data have the fingerprint that the model states
	objective bool
	bound     bool
	all       bool // a bound as good as claimed was found for every weight vector or problem
	start     bool // the model of -start has the hash that the model states
	classes   bool // every class has rows in the data
	bias      bool // the kind of bias can be told: there is a bias, or no prior
	scheme    bool // the scheme matters: more than two classes, or a joint problem
	base      bool // the data were read with the model's index base and are not hashed
	trained   bool // the model's hash was compared with -hash
	hashed    bool // the data and the model have the same number of hash bits
	sigmoids  bool // the folds were trained again
	scale     bool // a linear model has no Scaling, or one that fits the data
	table     tableCheck
	// lines[name] reports whether the data or the flags of verify concern this line of the header.
	lines map[string]bool
}

type rule func(*coverage) bool

var (
	always   rule = func(*coverage) bool { return true } // reading or verifying needs it
	never    rule = func(*coverage) bool { return false }
	byData   rule = func(c *coverage) bool { return c.data }
	byRows   rule = func(c *coverage) bool { return c.classes }
	byClaim  rule = func(c *coverage) bool { return c.objective }
	byBound  rule = func(c *coverage) bool { return c.bound }
	byBounds rule = func(c *coverage) bool { return c.bound && c.all }
	byScale  rule = func(c *coverage) bool { return c.scale }
	byFolds  rule = func(c *coverage) bool { return c.sigmoids }
)

// Parts without a rule are not checked.
var partRules = map[string]rule{
	"features": always, "sparse": always, "bias": always, "layout": always, "hash": always,
	"classes": byRows, "names": byRows, "data": byData, "data.layout": never,
	trainedHash:  func(c *coverage) bool { return c.trained },
	"index_base": func(c *coverage) bool { return c.base },
	"hash_bits":  func(c *coverage) bool { return c.hashed },
	"state":      never, "command": never, "calibration": byFolds,
	"prior":  always, // verify refuses another prior
	"start":  func(c *coverage) bool { return c.start },
	"lambda": always, "support": byClaim,

	"weights": byClaim, "biases": byClaim, "shifts": byScale, "factors": byScale,
	"term shifts": byScale, "term factors": byScale,
	"support_rows": byClaim, "coefficients": byClaim,

	"table":                    func(c *coverage) bool { return c.table.compared },
	"table.header":             func(c *coverage) bool { return c.table.compared && c.table.named },
	"table.label.name":         func(c *coverage) bool { return c.table.compared && c.table.named },
	"table.label_at":           func(c *coverage) bool { return c.table.compared && c.table.placed },
	"table.columns.name":       func(c *coverage) bool { return c.table.compared && c.table.named },
	"table.columns.text.words": func(c *coverage) bool { return c.table.compared && c.table.words },

	"config.loss": byClaim, "config.epsilon": byClaim,
	"config.multiclass":   func(c *coverage) bool { return c.objective && c.scheme },
	"config.class_weight": byClaim, "config.lambda": byClaim, "config.c": byClaim,
	"config.bias":       func(c *coverage) bool { return c.objective && c.bias },
	"config.bias_scale": byClaim,
	"config.kernel":     byClaim, "config.gamma": byClaim, "config.coef0": byClaim,
	"config.degree": byClaim,
	"config.scale":  byScale, "config.target_scale": byScale,
	"config.curves": byScale, "config.calibrate": byFolds,
	"config.epochs": never, "config.steps": never, "config.passes": never, "config.tol": never,
	"config.patience": never, "config.order": never, "config.block": never,
	"config.batch": never, "config.project": never,
	"config.offset": never, "config.average": never, "config.finish": never,
	"config.seed": never,

	"result.objective": byClaim, "result.dual_objective": byBound, "result.gap": byBound,
	"result.steps": never, "result.epochs": never, "result.passes": never,
	"result.violations": never, "result.solver": never, "result.replaced": never,
	"result.cross_validated": never, "result.held_out": never,
	"result.weight": never, "result.r2": never, "result.t0": never,
	"result.per_class.objective":      byClaim,
	"result.per_class.dual_objective": byBounds,
	"result.per_class.lambda":         byClaim,
	"result.per_class.violations":     never, "result.per_class.steps": never,
	"result.per_class.width":            never,
	"result.per_problem.objective":      byClaim,
	"result.per_problem.dual_objective": byBounds,

	"scaling.kind": byScale, "scaling.expansion": byScale,
	"scaling.folded": byScale, "scaling.centre": byScale,
	"scaling.spread": byScale, "scaling.r2": never, "scaling.note": never,
}

// partsOf lists a part of the table only if it can be unchecked although the table is checked.
func partsOf(m predictor) ([]string, error) {
	h := new(headerText)
	if err := m.Write(h); err != nil && !errors.Is(err, errHeaderEnds) {
		return nil, err
	}
	var parts []string
	for line := range strings.Lines(string(h.text)) {
		key, value, found := strings.Cut(line, ": ")
		if !found {
			continue // the first line of the file
		}
		if key == "data" {
			parts = append(parts, key, "data.layout")
			continue
		}
		of, err := partsOfLine(key, []byte(value))
		if err != nil {
			return nil, err
		}
		parts = append(parts, of...)
	}
	switch m := m.(type) {
	case kernelModel:
		return append(parts, "support_rows", "coefficients"), nil
	case linearModel:
		parts = append(parts, "weights")
		if m.Bias != nil {
			parts = append(parts, "biases")
		}
		if s := m.Scaling; s != nil && s.Shift != nil {
			parts = append(parts, "shifts")
		}
		if s := m.Scaling; s != nil && s.Factor != nil {
			parts = append(parts, "factors")
		}
		if s := m.Scaling; s != nil && s.Expansion != nil {
			parts = append(parts, "term shifts", "term factors")
		}
	}
	return parts, nil
}

func partsOfLine(key string, value []byte) ([]string, error) {
	switch key {
	case "table":
		return append([]string{key}, tableParts(value)...), nil
	case "config", "result", "scaling":
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(value, &fields); err != nil {
			return nil, err
		}
		var parts, nested []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			var objects []map[string]json.RawMessage
			if json.Unmarshal(fields[name], &objects) != nil {
				parts = append(parts, key+"."+name)
				continue
			}
			inner := map[string]bool{}
			for _, o := range objects {
				for field := range o {
					inner[key+"."+name+"."+field] = true
				}
			}
			nested = append(nested, slices.Sorted(maps.Keys(inner))...)
		}
		return append(parts, nested...), nil
	}
	return []string{key}, nil
}

type headerText struct{ text []byte }

var errHeaderEnds = errors.New("the header ends")

func (h *headerText) Write(b []byte) (int, error) {
	h.text = append(h.text, b...)
	if end := bytes.Index(h.text, []byte("\n\n")); end >= 0 {
		h.text = h.text[:end+1]
		return 0, errHeaderEnds
	}
	return len(b), nil
}

// Without -hash, verify may confirm other weights than the training's, with the same objective.
const trainedHash = "hash.training"

// list adds to the unchecked parts the header lines that the model lacks although the data or the
// flags of verify concern them.
func (c *coverage) list(parts []string) (checked, not []string) {
	checked, not = []string{}, []string{} // not null
	for _, part := range slices.Concat([]string{trainedHash}, parts) {
		if compared := partRules[part]; compared != nil && compared(c) {
			checked = append(checked, part)
		} else {
			not = append(not, part)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(c.lines)) {
		if c.lines[line] && !slices.Contains(parts, line) {
			not = append(not, line)
		}
	}
	return checked, not
}

func printParts(w io.Writer, word string, parts []string) {
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	var text strings.Builder
	open := ""
	for i, part := range parts {
		dot := strings.LastIndexByte(part, '.')
		of, name := part[:max(dot, 0)], part[dot+1:]
		if open != "" && of != open {
			text.WriteByte(')')
		}
		if i > 0 {
			text.WriteString(", ")
		}
		if of != "" && of != open {
			text.WriteString(of + " (")
		}
		text.WriteString(name)
		open = of
	}
	if open != "" {
		text.WriteByte(')')
	}
	const most, indent = 100, 12
	line := fmt.Sprintf("%-*s", indent-1, word)
	for word := range strings.FieldsSeq(text.String()) {
		if len(line)+1+len(word) > most {
			fmt.Fprintln(w, line)
			line = strings.Repeat(" ", indent-1)
		}
		line += " " + word
	}
	fmt.Fprintln(w, line)
}

func coverageOf(
	m predictor, v *pegasos.Verification, set *dataset.Set, start *pegasos.Model, table *tableCheck,
	trained bool,
) *coverage {
	head := m.Head()
	c := &coverage{
		data: v.Known, objective: !math.IsNaN(v.Claimed.Objective),
		bound: !math.IsNaN(v.Claimed.DualObjective), all: len(v.Unconfirmed) == 0,
		sigmoids: v.Sigmoids, start: start != nil, classes: haveRows(head.Classes, set.Y),
		base:   set.IndexBase == head.IndexBase && set.HashBits == 0,
		hashed: set.HashBits == head.HashBits, table: *table, bias: true, trained: trained,
		scheme: len(head.Classes) > 2,
		lines: map[string]bool{"data": true, "hash_bits": set.HashBits > 0, "table": set.Table != nil,
			"start": start != nil},
	}
	if m, linear := m.(linearModel); linear {
		c.bias = m.Prior == "" || m.Config.Plain().Bias != pegasos.BiasNone
		c.scale = m.Scaling == nil || v.Scaling
		c.scheme = c.scheme || m.Config.Multiclass.Joint()
	}
	return c
}

func haveRows(classes, y []float32) bool {
	seen := map[float32]bool{}
	for _, label := range y {
		seen[label] = true
	}
	return !slices.ContainsFunc(classes, func(c float32) bool { return !seen[c] })
}
