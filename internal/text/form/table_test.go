package form

import (
	"strings"
	"testing"
)

func TestTableCheck(t *testing.T) {
	long := strings.Repeat("x", maxTableBytes)
	for want, c := range map[string]struct {
		table    Table
		features int
	}{
		"": {Table{[]string{"a", ""}, "y", -1, false}, 2},
		"dataset: a table whose label is in column -2": {Table{nil, "", -2, false}, 2},
		"dataset: a table of 1 names for 2 features":   {Table{[]string{"a"}, "y", -1, false}, 2},
		`dataset: two columns are called "a"`:          {Table{[]string{"a", "a"}, "", 0, false}, 2},
		`dataset: two columns are called "y"`:          {Table{[]string{"y", "a"}, "y", 0, false}, 2},
		"dataset: the names of the columns take 4194308 bytes, more than 4194304": {
			Table{[]string{long, "a"}, "", 0, false}, 2},
	} {
		err := c.table.Check(c.features)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
