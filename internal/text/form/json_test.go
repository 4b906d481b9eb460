package form

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
)

func TestJSONLines(t *testing.T) {
	r, rows := mustOpen(t, `{"a": 1, "c": "x\ny"}`+"\n\n"+`{"b":true,"c":null, "a":" 2 "}`+"\r\n"+
		`{}`+"\n"+`{"a":NaN,"z":-1e3}`+"\n", Given{})
	if got := fmt.Sprintf("%q %q", r.Names(), rows); got != `["a" "z" "b" "c"] [["1" "" "" "x\ny"] `+
		`["2" "" "true" ""] ["" "" "" ""] ["NaN" "-1e3" "" ""]]` || r.Form().Format != JSONL {
		t.Error(got)
	}
	r, _ = mustOpen(t, `{"a":1,"c":2}`+"\n"+`{"a":1,"b":3,"c":2,"d":4}`+"\n", Given{Format: JSONL})
	if got := strings.Join(r.Names(), ""); got != "abcd" {
		t.Error(got)
	}
	for text, want := range map[string]string{
		`[1]`:                "line 2, column 1: want an object, in braces",
		`{"a":1 "b":2}`:      "line 2, column 8: want a comma or a brace",
		`{a:1}`:              "line 2, column 2: want the name of a field, in quotes, and a colon",
		`{"a":1,"a":2}`:      `line 2, column 12: two fields are called "a"`,
		`{"a":{"b":1}}`:      "line 2, column 6: an object or array within an object: fields have to be strings, numbers, true, false or null",
		`{"a":"\q"}`:         "line 2, column 6: not a valid string of JSON",
		`{"\q":1}`:           "line 2, column 2: not a valid string of JSON",
		`{"a":1,"b`:          "line 2, column 8: not a valid string of JSON",
		`{"a":01}`:           "line 2, column 6: want a string, a number, true, false or null",
		`{"a":`:              "line 2, column 6: want a value",
		`{"a":1} x`:          "line 2, column 9: text after the object",
		`{"a":1,"b":2,"c":3`: "line 2, column 19: " + endWithin,
		`{"a":1, `:           "line 2, column 9: " + endWithin,
	} {
		if _, _, err := openText(t, `{"a":1}`+"\n"+text+"\n", Given{Format: JSONL}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, _, err := openText(t, `{"a":1,"b":2,"c":3}`, Given{MaxColumns: 2}); err == nil {
		t.Error("more fields than MaxColumns are accepted")
	}
}

func TestNewFieldsInEachLine(t *testing.T) {
	const lines = 20000
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "{\"field%d\":%d}\n", i, i)
	}
	text := b.String()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Open(strings.NewReader(text), nil, -1, Given{})
	n := 0
	for err == nil {
		var cells []string
		if cells, err = r.Read(); err == nil && cells[n] == fmt.Sprint(n) {
			n++
		}
	}
	runtime.ReadMemStats(&after)
	if err != io.EOF || n != lines || len(r.Names()) != lines {
		t.Errorf("%d lines, %v", n, err)
	}
	if used := int64(after.TotalAlloc - before.TotalAlloc); used > budget.PerByte*int64(len(text))+16<<20 {
		t.Errorf("%d bytes were allocated for %d", used, len(text))
	}
}

func TestManyFields(t *testing.T) {
	var b strings.Builder
	for i := range 200000 {
		fmt.Fprintf(&b, `,"f%d":%d`, i, i%10)
	}
	line := "{" + b.String()[1:] + "}\n"
	r, rows := mustOpen(t, line+line, Given{})
	if len(rows) != 2 || len(rows[1]) != 200000 || len(r.Names()) != 200000 || rows[1][199999] != "9" {
		t.Error(len(rows), len(r.Names()))
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text string
		g    Given
		want string
	}{
		{"ham\tsee \"you\nspam\ta\tb\n", Given{Format: Lines}, `["label" "text"] [["ham" "see \"you"] ["spam" "a\tb"]]`},
		{"hello, world\r\n\"bye\r\n", Given{Format: Lines}, `["text"] [["hello, world"] ["\"bye"]]`},
		{"a\tb\nno tab\nc\td\n", Given{Format: Lines, Keep: true}, `["label" "text"] [["a" "b"] ["" "no tab"] ["c" "d"]]`},
		{"hello\nsee\tyou\nbye\nnow\n", Given{Format: Lines}, `["text"] [["hello"] ["see\tyou"] ["bye"] ["now"]]`},
		{"spam\tok see you\n", Given{Format: TSV, Names: []string{"text"}, Label: "label", Columns: 1, Keep: true},
			`["label" "text"] [["spam" "ok see you"]]`},
		{"label\ttext\nspam\tok \n", Given{Format: TSV, Names: []string{"text"}, Label: "label", Columns: 1, Keep: true},
			`["label" "text"] [["spam" "ok"]]`},
	} {
		r, rows := mustOpen(t, c.text, c.g)
		if got := fmt.Sprintf("%q %q", r.Names(), rows); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	_, _, err := openText(t, "a\tb\nc\n", Given{Format: Lines})
	if err == nil || err.Error() != `line 2: "c": no tab after the label` {
		t.Error(err)
	}
}

func TestForeignKinds(t *testing.T) {
	for head, want := range map[string]string{
		"PK\x03\x04....xl/workbook.xml":                                    "Excel",
		"PK\x03\x04....[Content_Types].xml":                                "Office",
		"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument":             "OpenDocument file",
		"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet": "OpenDocument workbook",
		"PK\x03\x04....table.csv":                                          "zip",
		"PK\x05\x06\x00\x00":                                               "empty zip",
		"PAR1\x15\x04\x00\x10":                                             "Parquet",
		"BZh91AY&SY\x00":                                                   "bzip2",
		"\xfd7zXZ\x00\x00":                                                 "xz",
		"\x28\xb5\x2f\xfd\x04":                                             "zstd",
		"7z\xbc\xaf\x27\x1c":                                               "7z",
		"ARROW1\x00\x00":                                                   "Arrow",
		"Obj\x01\x04":                                                      "Avro",
		"SQLite format 3\x00":                                              "SQLite",
		"%PDF-1.7":                                                         "PDF",
		"\n<!DOCTYPE html><html>":                                          "HTML",
		"<?xml version=\"1.0\"?><rows>":                                    "XML",
		"PAR1,PAR2\n1,2\n":                                                 "",
		"ORC,b\n1,2\n":                                                     "",
		"<tablename>,b\n1,2\n":                                             "",
		"BZh,b\n1,2\n":                                                     "",
		"a,b\n1,2\n":                                                       "",
		"":                                                                 "",
	} {
		what, advice := ForeignKind([]byte(head))
		if !strings.Contains(what, want) || (what == "") != (want == "") || (advice == "") != (want == "") {
			t.Errorf("%q: %q, %q", head, what, advice)
		}
		if _, _, err := openText(t, head, Given{}); (err != nil) != (want != "") {
			t.Errorf("%q: %v", head, err)
		}
	}
}
