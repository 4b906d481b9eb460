// Command verifier is a second verifier, written from docs/spec.md alone: it imports no package of
// this repository. It reads a model of two classes and the svmlight data that the model was trained
// on. It computes the hash, the data's fingerprint, the objective, to the bit, and a lower bound on
// the optimum, and compares them with the model's claims:
//
//	go run ./spec/verifier MODEL DATA
//
// The last line of its output begins with the verdict. The exit code is 0 for "confirmed" and "not
// confirmed", 1 for "contradicted", 3 for "claims nothing", and 2 for refused files or wrong
// arguments.
package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
)

type verdict string

const (
	confirmed     verdict = "confirmed"
	notConfirmed  verdict = "not confirmed"
	contradicted  verdict = "contradicted"
	claimsNothing verdict = "claims nothing"
)

type report struct {
	verdict   verdict
	reasons   []string
	hash      string
	objective float64
	bound     float64 // 0 or more; 0 also if the search was skipped
	claimed   result
}

func verify(modelFile, dataFile string) (*report, error) {
	m, hash, err := readModel(modelFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", modelFile, err)
	}
	rows, fingerprint, err := readRows(dataFile, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dataFile, err)
	}
	r := &report{hash: hash, claimed: m.Result}
	r.check(m.Hash == hash, "the hash is %s, not %s", hash, m.Hash)
	_, have, _ := strings.Cut(m.Data, ":")
	differs := "the fingerprint of the data is %s, not %s"
	if m.Result.HeldOut != nil {
		differs += "; DATA must not have the rows that training held out"
	}
	r.check(have == fingerprint, differs, fingerprint, have)
	lambda := m.Config.Lambda
	if c := m.Config.C; c != 0 {
		lambda = 1 / float64(c*float64(len(rows)))
	}
	r.check(m.Lambda == lambda, "lambda is %v, not %v", lambda, m.Lambda)
	r.checkResult(m)
	quick, exact, slack := m.margins(rows)
	rough := m.objective(quick, squares(m.quick))
	r.objective = m.objective(exact, squares(m.w))
	if r.objective-r.objective != 0 {
		return nil, fmt.Errorf("%s: the objective is not finite", modelFile)
	}
	r.compare(m, rough)
	if r.verdict == "" {
		r.bound = m.findBound(rows, exact, slack, r.proves)
		r.verdict = notConfirmed
		if r.proves(r.bound) {
			r.verdict = confirmed
		}
	}
	return r, nil
}

// notChecked lists what is not compared with the data. hash.training stands for the question
// whether training printed the hash of these weights.
const notChecked = "hash.training data.layout command " +
	"config.{multiclass,epochs,steps,tol,block,offset,average,finish,seed} scaling.{r2,note} " +
	"result.{steps,epochs,violations,solver,replaced,r2,t0,cross_validated,held_out} " +
	"result.per_class.{steps,violations,width}"

func (r *report) check(holds bool, format string, a ...any) {
	if !holds {
		r.reasons, r.verdict = append(r.reasons, fmt.Sprintf(format, a...)), contradicted
	}
}

func (r *report) checkResult(m *model) {
	of, one := m.Result, m.Result.PerClass[0]
	r.check(same(of.Objective, one.Objective) && same(of.Bound, one.Bound) &&
		of.Steps == one.Steps && of.Violations == one.Violations && one.Lambda == m.Lambda,
		"per_class differs from the result or from lambda")
	if of.Objective == nil || of.Bound == nil {
		r.check(of.Gap == nil, "the result has a gap, but no objective or no bound")
		return
	}
	g := gap(*of.Objective, *of.Bound)
	r.check(same(of.Gap, &g) || math.IsInf(g, 0) && of.Gap == nil,
		"the claimed objective and bound have a gap of %v, which is not the gap in the result", g)
}

func same(a, b *float64) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// compare compares the claims with the objective that was found. A missing objective or bound, or a
// gap above 100 %, claims nothing.
func (r *report) compare(m *model, rough float64) {
	claimed := m.Result
	if claimed.Objective != nil {
		p, d := *claimed.Objective, 0.0
		if claimed.Bound != nil {
			d = *claimed.Bound
			r.check(d >= 0 && d <= r.objective, "the bound %v is below 0 or above the objective %v",
				d, r.objective)
		}
		near := m.Config.Tol == 0 && math.Abs(rough-r.objective) <= (p-d)/100
		r.check(p == r.objective || p == rough && near, "the objective is %v, not %v", r.objective, p)
	}
	useful := claimed.Objective != nil && claimed.Bound != nil &&
		gap(*claimed.Objective, *claimed.Bound) <= 1
	if r.verdict == "" && !useful {
		r.verdict = claimsNothing
	}
}

func (r *report) proves(bound float64) bool {
	p, d := *r.claimed.Objective, *r.claimed.Bound
	return bound >= d && gap(r.objective, bound) <= gap(p, d)
}

// gap returns the objective's relative distance above the bound: 0 if they are equal, else +Inf for
// a bound of at most 0.
func gap(objective, bound float64) float64 {
	switch {
	case objective == bound:
		return 0
	case bound <= 0:
		return math.Inf(1)
	}
	return (objective - bound) / bound
}

// findBound runs dual coordinate ascent from dual variables for the margins, until enough accepts a
// bound or the passes run out. It returns the best bound, or 0 if none is positive.
func (m *model) findBound(rows []row, margins []float64, slack float64,
	enough func(float64) bool) (best float64) {
	var a []float64
	widths := []float64{cmp.Or(m.Result.PerClass[0].Width, 1)} // any width gives a bound
	for h := 0x1p-20; h <= 64; h *= 2 {
		widths = append(widths, h)
	}
	for _, h := range widths {
		shares := m.shares(margins, h)
		if bound := m.bound(rows, shares, slack); bound > best || a == nil {
			a, best = shares, max(best, bound)
		}
	}
	values := 1
	for _, r := range rows {
		values += len(r.index)
	}
	pcg := rand.New(rand.NewPCG(1, 1))
	for pass := 1; !enough(best) && pass <= max(20, min(50_000, 3e8/values)); pass++ {
		m.ascend(rows, a, pcg.Perm(len(rows)))
		if pass&(pass-1) == 0 || pass%256 == 0 {
			best = max(best, m.bound(rows, a, slack))
		}
	}
	return best
}

func (r *report) print() {
	fmt.Printf("model hash %s\n", r.hash)
	if c := r.claimed; c.Objective != nil && c.Bound != nil {
		fmt.Printf("claimed    objective %v, optimum at least %v\n", *c.Objective, *c.Bound)
	}
	fmt.Printf("found      objective %v", r.objective)
	if r.bound > 0 {
		fmt.Printf(", optimum at least %v", r.bound)
	}
	fmt.Println()
	for _, reason := range r.reasons {
		fmt.Println("but        " + reason)
	}
	fmt.Println("not checked: " + notChecked)
	if g := gap(r.objective, r.bound); r.verdict == notConfirmed && g <= 1 {
		fmt.Printf("%s, at most %.5g %% above the optimum\n", r.verdict, 100*g*1.0001)
		return
	}
	fmt.Println(r.verdict)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: verifier MODEL DATA")
		os.Exit(2)
	}
	r, err := verify(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "verifier:", err)
		os.Exit(2)
	}
	r.print()
	os.Exit(map[verdict]int{contradicted: 1, claimsNothing: 3}[r.verdict])
}
