package main

import "slices"

// This file appends the columns of curves to scaled rows (spec, "Curves").

type expansion struct {
	Kind          string
	Terms         [][]int
	Knots         []float32 // by term; nil unless the kind is pieces
	shift, factor []float32 // by term
}

func (e *expansion) valid(features int) bool {
	pieces := e.Kind == "pieces"
	ok := pieces && len(e.Knots) == len(e.Terms) || e.Kind == "products" && e.Knots == nil
	for k, t := range e.Terms {
		ok = ok && len(t) == 2 && 0 <= t[0] && t[0] <= t[1] && t[1] < features &&
			(t[0] == t[1] || !pieces)
		if ok && k > 0 {
			order := slices.Compare(e.Terms[k-1], t)
			ok = order < 0 || order == 0 && pieces && e.Knots[k-1] < e.Knots[k]
		}
	}
	return ok && len(e.Terms) > 0
}

func (e *expansion) expand(r *row, features int) {
	z := map[int]float32{}
	for k, j := range r.index {
		z[j] = max(-4, min(4, float32(r.value[k])))
	}
	for k, t := range e.Terms {
		f := float64(z[t[0]]) * float64(z[t[1]]) // exact
		if e.Kind == "pieces" {
			f = max(0, float64(z[t[0]])-float64(e.Knots[k]))
		}
		r.index = append(r.index, features+k)
		r.value = append(r.value, (float64(f)-float64(e.shift[k]))*float64(e.factor[k]))
	}
}
