package main

import (
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// kernelModelReport is what inspect -json writes of a kernel model.
type kernelModelReport struct {
	fileReport
	courseReport
	Passes   int              `json:"passes"`
	Support  int              `json:"support_rows"`
	Layout   string           `json:"layout"`
	Config   kernelsvm.Config `json:"config"`
	Problems []kernelProblem  `json:"problems"`
}

// A kernelProblem is one of a kernel model's.
type kernelProblem struct {
	For     string  `json:"for"` // what a score above 0 speaks for: of a pair "b:a", b and not a
	Support int     `json:"support_rows"`
	Largest float64 `json:"largest"` // coefficient, without its sign
}

func (m kernelModel) report(of fileReport, _ int) modelReport {
	r := m.Result
	out := &kernelModelReport{
		fileReport: of,
		courseReport: courseReport{
			number(r.Objective), number(r.DualObjective), number(r.Gap), r.Steps, r.Epochs,
			newWorstReport(r, m.Problems(), m.problemName),
		},
		Passes: r.Passes, Support: m.SupportRows().Rows(), Layout: m.Layout(), Config: m.Config,
	}
	for k, name := range m.scoreNames() {
		p := kernelProblem{For: name}
		for _, v := range m.Coefficients(k) {
			if v != 0 {
				p.Support++
				p.Largest = max(p.Largest, math.Abs(float64(v)))
			}
		}
		out.Problems = append(out.Problems, p)
	}
	return out
}

func (r *kernelModelReport) print(w io.Writer) error {
	if err := r.fileReport.print(w, r.Config); err != nil {
		return err
	}
	fmt.Fprintf(w, "trained   %d steps, %.4g epochs, %d passes\n", r.Steps, r.Epochs, r.Passes)
	r.printObjective(w)
	fmt.Fprintf(w, "support   %s, %s\n", count(r.Support, "row"), r.Layout)
	for _, p := range r.Problems[:min(maxParts, len(r.Problems))] {
		fmt.Fprintf(w, "  for %s: %d support rows, coefficients of up to %.6g\n",
			visible.Name(p.For), p.Support, p.Largest)
	}
	printMore(w, len(r.Problems), "problems")
	return nil
}
