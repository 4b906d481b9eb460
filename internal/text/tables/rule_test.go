package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

func TestRules(t *testing.T) {
	const table = "city,member,age,often,y\n"
	var rows strings.Builder
	for i := range 40 {
		age, often := fmt.Sprint(i%7*10), ""
		if i%8 == 0 {
			age, often = "", "x"
		}
		fmt.Fprintf(&rows, "%s,%s,%s,%s,%d\n", []string{"Rome", "Oslo", "true"}[i%3],
			[]string{"yes", "no"}[i/3%2], age, often, i%2)
	}
	e := fitted(t, table+rows.String())
	rules := e.Rules()
	rows.WriteString("TRUE,NO,,NULL,0\nNA,null,?,x,0\nBonn,,5,y,1")
	for _, line := range strings.Fields(rows.String()) {
		cells := strings.Split(line, ",")[:4]
		columns, values, _, _ := e.Coder().Encode(cells, nil, nil)
		have := map[int32]float32{}
		for i, r := range rules {
			text, features := cells[i], e.FeaturesOf(i)
			number, err := strconv.ParseFloat(text, 64)
			isNumber := err == nil
			code, known := r.Words[text]
			gap := !isNumber && r.Kind == Number || slices.Contains(cell.Missing(), text)
			switch {
			case features == 0:
				continue
			case known:
				have[code.Feature] = code.Value
			case r.Kind == Number && isNumber:
				have[r.First] = r.Number.scaled(number)
			case r.Kind == Number:
				have[r.First] = r.Filled
			}
			if r.Gap >= 0 && gap != r.Marks {
				have[r.Gap] = 1
			}
		}
		want := map[int32]float32{}
		for k, j := range columns {
			want[j] = values[k]
		}
		for j, v := range have {
			if v == 0 {
				delete(have, j)
			}
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%q: %v, want %v", cells, have, want)
		}
	}
}
