package cell

import "testing"

func TestFind(t *testing.T) {
	for _, c := range []struct {
		levels []string
		cell   string
		want   int
	}{
		{[]string{"false", "true"}, "true", 1},
		{[]string{"false", "true"}, "TRUE", 1},
		{[]string{"FALSE", "True"}, "False", 0},
		{[]string{"FALSE", "True"}, "false", 0},
		{[]string{"false", "true"}, "tRUE", -1},
		{[]string{"false", "true"}, "T", -1},
		{[]string{"false", "true"}, "", -1},
		{[]string{"true"}, "True", 0},
		{[]string{"true"}, "False", -1},
		{[]string{"Bob", "false", "true"}, "True", 2},
		{[]string{"Bob", "false", "true"}, "bob", -1},
		{[]string{"Bob", "true"}, "true", 1},
		{[]string{"Bob", "true"}, "True", 1},
		{[]string{"Bob", "true"}, "False", -1},
		{[]string{"TRUE", "True", "false"}, "True", 1},
		{[]string{"TRUE", "True", "false"}, "true", 0},
		{[]string{"no", "yes"}, "Yes", -1},
		{nil, "true", -1},
	} {
		if have := Find(c.levels, c.cell); have != c.want {
			t.Errorf("%q is level %d of %q, want %d", c.cell, have, c.levels, c.want)
		}
	}
}
