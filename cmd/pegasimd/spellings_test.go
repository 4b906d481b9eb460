package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpellingDoubts(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"Yes|yes|No", "the labels Yes (9 rows) and yes (9 rows) look like"},
		{"caf\u00e9|cafe\u0301|bar", "look like spellings"}, {"Ko\u0308LN|K\u00f6ln", "look like spellings"},
		{"cafe|caf\u00e9|bar", ""}, {"Yes|yes|No|no", "and likewise 1 further label: spell them alike"},
		{"<=50K|<=50K.|>50K", "<=50K (9 rows) and <=50K. (9 rows)"},
		{"high|high\u200b|low", `high (9 rows) and "high\u200b" (9 rows)`},
		{"a b|a\u00a0b|c", `a b (9 rows) and "a\u00a0b" (9 rows)`},
		{"Ja|JA", "JA (9 rows) and Ja (9 rows)"},
		{"0|1|True", "1 (9 rows) and True (9 rows)"},
		{"yes|no|n", "n (9 rows) and no (9 rows)"},
		{"yes|no", ""},
		{"y|n|unknown", ""},
		{"1|2|3", ""},
		{"True|true|False", ""}, // one class: see cell.Spellings
		{"a+|a-|a", ""},
		{"St. Gallen|St Gallen", ""},
	} {
		var b strings.Builder
		b.WriteString("size,age,class\n")
		for i, name := range strings.Split(c.names, "|") {
			for k := range 9 {
				fmt.Fprintf(&b, "%d,%d,%s\n", (7*i+5*k*k)%23, k*k%7, name)
			}
		}
		data, model := file(t, "x.csv", b.String()), filepath.Join(t.TempDir(), "m")
		_, told := must(t, "train", data, model)
		const doubt = "but are trained as different classes"
		if (c.want != "") != strings.Contains(told, doubt) || !strings.Contains(told, c.want) {
			t.Errorf("%q: want %q, have %s", c.names, c.want, told)
		}
		if c.want != "" {
			fails(t, exitError, "1 doubt", "train", "-quiet", "-strict", data, model+"2")
			must(t, "train", "-quiet", "-strict", "-multiclass", "ovr", data, model)
		}
	}
}
