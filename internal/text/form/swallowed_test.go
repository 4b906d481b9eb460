package form

import (
	"fmt"
	"strings"
	"testing"
)

func TestSwallowedRows(t *testing.T) {
	rows := func(ends string, cells ...string) string { // cells replace rows 5 and up
		return strings.ReplaceAll(table("name,size,color", 20, func(i int) string {
			row := "anna," + number(i, 1) + "," + color(i)
			if i := i - 5; i >= 0 && i < len(cells) && cells[i] != "" {
				row = cells[i]
			}
			return row
		}), "\n", ends)
	}
	text := func(format string) string {
		return table("name,size,color", 20, func(i int) string {
			return fmt.Sprintf(format, i) + "," + number(i, 1) + "," + color(i)
		})
	}
	for name, c := range map[string]struct{ text, want string }{
		"first column":  {rows("\n", `"ann,1,red`, "", "", `bob",1,red`), "line 7: a quoted cell, up to line 10"},
		"middle column": {rows("\n", `ann,"1,red`, "", `bob,1",red`), "line 7: a quoted cell, up to line 9"},
		"last column":   {rows("\r\n", `ann,1,"red`, "", `bob,1,red"`), "line 7: a quoted cell, up to line 9"},
		"twice": {rows("\n", `"ann,1,red`, "", `bob",1,red`, `"ann,1,red`, "", `bob",1,red`),
			"line 7: quoted cells of 2 rows, the first up to line 9"},
		"two lines of four columns": {table("a,b,c,d", 20, func(i int) string {
			return []string{"x,1,2,3", `"x,1,2,3`, `y",1,2,3`}[max(0, i-17)]
		}), "line 20: a quoted cell, up to line 21"},
		"prose":   {text("\"We came, saw, left.\nThe food, too, was good.\nFine %d\""), ""},
		"address": {text("\"Main Street %d\n12345 Town,Land\nEarth\""), ""},
		"commas at the ends of lines": {table("place,size", 20, func(i int) string {
			return "\"Main Street,\nTown,\nEarth\"," + number(i, 1)
		}), ""},
		"lines of a list": {text("\"a,b\nc,d\n%d\""), ""},
		"two lines":       {text("\"a,b,c\n%d\""), ""},
	} {
		r, _ := mustOpen(t, c.text, Given{})
		if got := fmt.Sprint(r.Doubts()); c.want != "" && !strings.HasPrefix(got, "["+c.want) ||
			c.want == "" && strings.Contains(got, "quoted") {
			t.Errorf("%s: %s", name, got)
		}
		r, _ = mustOpen(t, c.text, Given{Quote: '"'})
		if got := fmt.Sprint(r.Doubts()); strings.Contains(got, "quoted") {
			t.Errorf("%s: -quote does not settle the doubt: %s", name, got)
		}
	}
}
