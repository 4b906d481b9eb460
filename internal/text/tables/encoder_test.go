package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

func TestDecode(t *testing.T) {
	for name, text := range map[string]string{
		"people": people, "no header": people[strings.Index(people, "\n")+1:],
		"all kinds": allKinds(t),
		"odd words": "\"a\n\u2028<b>\",\x1b,\"\",y\n" +
			strings.Repeat("1,<p>,\"q\"\"\",a\n2,\u2028\x1b,,b\n", 2),
		"names in another code": "caf\xe9,b,y\n1,2,a\n3,4,b\n", "numbers": "1,2,3\n4,5,6\n",
	} {
		e := fitted(t, text)
		file := asJSON(t, e)
		back, err := Decode(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := asJSON(t, back); !bytes.Equal(again, file) {
			t.Errorf("%s:\n%s, want\n%s", name, again, file)
		}
		want, err := encoded(e, text, dataset.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		have, err := encoded(back, text, dataset.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if hashOf(have) != hashOf(want) {
			t.Errorf("%s: other features", name)
		}
	}
}

func TestDecodeNone(t *testing.T) {
	plain, err := json.Marshal(&dataset.Table{Columns: []string{"encoder", "b"}, LabelAt: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(plain), "{}", "null", "[]", "7", `{"encoder":0}`, "{"} {
		if e, err := Decode(json.RawMessage(text)); e != nil || err != nil {
			t.Errorf("%s: %v, %v", text, e, err)
		}
	}
	if e, err := Decode(nil); e != nil || err != nil {
		t.Error(e, err)
	}
}

func TestDecodeErrors(t *testing.T) {
	with := func(columns string) string {
		return `{"encoder":5,"rows":9,"label_at":-1,"columns":[` + columns + "]}"
	}
	column := func(kind, rest string) string {
		return with(fmt.Sprintf(`{"name":"c","kind":%q%s}`, kind, rest))
	}
	category := func(levels string) string { return column("category", `,"levels":{`+levels+`}`) }
	number := func(rest string) string { return column("number", `,"number":{"factor":1`+rest+`}`) }
	date := func(rest string) string {
		return column("date", `,"number":{"factor":1},"date":{`+rest+`}`)
	}
	hashed := `{"name":"c","kind":"category","levels":{"hash_bits":12}},`
	text := `{"name":"t","kind":"text","text":{"bits":20,"grams":2,"buckets":"AQE="}},`
	var levels, counts []string
	for i := range maxLevels + 1 {
		levels, counts = append(levels, fmt.Sprintf(`"%05d"`, i)), append(counts, "1")
	}
	list := func(n int) string {
		return strings.Replace(category(fmt.Sprintf(`"names":[%s],"counts":[%s]`,
			strings.Join(levels[:n], ","), strings.Join(counts[:n], ","))), `"rows":9`, `"rows":9999`, 1)
	}
	long := func(length string) string {
		return with(strings.Replace(text, `"AQE="}},`, `"AQE=","length":`+length+`}}`, 1))
	}
	months := strings.Repeat("1,", 8) + "1,0,0,0"
	const other, counted = "unexpected parts", "or the counts add up to more than "
	for _, c := range []struct{ text, want string }{
		{number(""), ""}, {column("category", ""), ""}, {category(`"hash_bits":12`), ""},
		{category(`"names":["a","b"],"counts":[4,5]`), ""}, {list(maxLevels), ""},
		{column("left out", ""), ""}, {date(""), ""}, {date(`"order":"dmy","counts":[` + months + "]"), ""},
		{number(`,"format":{"decimal":",","unit":"kg","gap_words":["a","b"]}`), ""},
		{strings.Replace(number(""), `"label_at":-1`, `"label_at":1`, 1), ""},
		{`{"encoder":5,"rows":9,"label_at":-1,"raw":true,"columns":[{"name":"c","kind":"number",` +
			`"number":{"mean":3}}]}`, ""},

		{`{"encoder":2}`, "2, and this program reads only version 5: train the model again"},
		{`{"encoder":-1}`, "of version -1"},
		{`{"encoder":5,"label_at":"x"}`, "cannot unmarshal"},
		{`{"encoder":5,"rows":1,"label_at":-2}`, "label_at: -2, want -1 to 0"},
		{`{"encoder":5,"rows":1,"label_at":1}`, "label_at: 1, want -1 to 0"},
		{`{"encoder":5,"rows":0,"label_at":0}`, "0 rows"},
		{`{"encoder":5,"rows":1,"label_at":0,"label":{"kind":"text"}}`, "label: an invalid kind"},
		{`{"encoder":5,"rows":1,"label_at":0,"label":{"kind":"number","gap_is_class":true}}`,
			"label: an invalid kind"},
		{`{"encoder":5,"rows":1,"label_at":0,"label":{"kind":"category","format":{}}}`,
			"label: an invalid kind"},
		{`{"encoder":5,"columns":{}}`, "want an array"},
		{number(`,"mean":1e999`), "cannot unmarshal"},
		{number(`,"mean":1e39`), "invalid mean, shift or factor"},
		{column("number", ""), other}, {column("number", `,"number":{}`), "invalid mean, shift or factor"},
		{column("number", `,"number":{"factor":-1}`), "invalid mean, shift or factor"},
		{column("number", `,"number":{"factor":1},"levels":{"hash_bits":3}`), other},
		{number(`,"format":{"decimal":"."}`), "decimal mark"},
		{number(`,"format":{"gap_words":["b","a"]}`), "not sorted"},
		{number(`,"format":{"gap_words":["a","b","c","d"]}`), "too many"},
		{strings.Replace(number(""), `"c",`, `"c","gaps":-1,`, 1), "gaps: -1, want 0 to 9"},
		{strings.Replace(number(""), `"c",`, `"c","gaps":10,`, 1), "gaps: 10, want 0 to 9"},
		{column("word", ""), "unknown kind"}, {with(`{}`), "unknown kind"},
		{column("left out", `,"gap_feature":true`), "left out"},
		{column("left out", `,"levels":{"hash_bits":1}`), other}, {column("text", ""), other},
		{column("date", `,"date":{}`), other}, {date(`"order":"ydm"`), "unknown order"},
		{date(`"counts":[1]`), "1 count of months"},
		{date(`"counts":[` + months + ",1]"), "13 counts of months"},
		{date(`"counts":[5,5` + strings.Repeat(",0", 10) + "]"), counted},
		{date(`"counts":[-1` + strings.Repeat(",0", 11) + "]"), counted},
		{category(`"hash_bits":13`), "hash_bits: 13, want"},
		{category(`"hash_bits":-1`), "hash_bits: -1, want"},
		{category(`"hash_bits":1,"names":["a"],"counts":[1]`), "hash_bits: 1, want"},
		{category(""), "no levels"},
		{category(`"names":["a","b"],"counts":[4]`), "levels: 2, counts: 1"},
		{category(`"counts":[4]`), "levels: 0, counts: 1"},
		{category(`"names":["a","a"],"counts":[4,4]`), "not sorted"},
		{category(`"names":["b","a"],"counts":[4,4]`), "not sorted"},
		{category(`"names":["a","b"],"counts":[0,4]`), counted},
		{category(`"names":["a","b"],"counts":[-4,4]`), counted},
		{category(`"names":["a","b"],"counts":[5,5]`), counted},
		{strings.Replace(category(`"names":["a"],"counts":[5]`), `"c",`, `"c","gaps":5,`, 1), counted},
		{category(fmt.Sprintf(`"names":["a","b"],"counts":[%d,%[1]d]`, math.MaxInt)), counted},
		{list(maxLevels + 1), "levels: 4097"},
		{strings.Replace(number(""), `"rows"`, `"raw":true,"rows"`, 1),
			"a column of a raw table has a shift"},
		{strings.Replace(column("left out", ""), `"rows"`, `"raw":true,"rows"`, 1), "column of a raw table must"},
		{strings.Replace(number(""), `"c",`, `"c","weak":true,`, 1), ""},
		{column("left out", `,"weak":true`), "weak"},
		{with(`{"weak":true,` + text[1:len(text)-1]), "weak"},
		{with(strings.Replace(text[:len(text)-1], "20", "21", 1)), "n-grams of up to 2 words in 2^21 buckets"},
		{with(strings.Replace(text[:len(text)-1], ":2,", ":9,", 1)), "n-grams of up to 9 words in 2^20 buckets"},
		{long("1.5"), ""}, {long("1"), "features is 1,"}, {long("-2"), "features is -2,"},
		{long("1e5"), "features is 100000,"},
		{with(strings.Repeat(text, maxTexts) + hashed[:len(hashed)-1]), ""},
		{with(strings.Repeat(text, maxTexts+1) + hashed[:len(hashed)-1]), "65 columns of text"},
		{with(strings.Repeat(hashed, 1<<19) + hashed[:len(hashed)-1]), "2147487744 features"},
	} {
		e, err := Decode(json.RawMessage(c.text))
		if c.want == "" && err != nil || c.want != "" && (e != nil || !says(err, c.want)) {
			t.Errorf("%.200s: %v, want %q", c.text, err, c.want)
		}
		if e != nil {
			e.Coder()
		}
	}
}

func TestDecodeErrorsAreShort(t *testing.T) {
	name := strings.Repeat(`\u001b[31m`, 100)
	_, err := Decode(json.RawMessage(`{"encoder":5,"rows":1,"columns":[{"name":"` + name + `"}]}`))
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("%v", err)
	}
}

func TestFit(t *testing.T) {
	rows := strings.Repeat("1,2,p,a\n3,4,q,b\n", 15)
	for _, c := range []struct {
		name, text string
		overrule   map[string]Kind
		label      string
		kinds      string
		err        string
	}{
		{"as found", "m,n,w,y\n" + rows, nil, "", "m number, n number, w category", ""},
		{"no header", rows, nil, "", "0 number, 1 number, 2 category", ""},
		{"label first", rows, nil, "0", "1 number, 2 category, 3 category", ""},
		{"by name", "m,n,w,y\n" + rows, map[string]Kind{"n": Category, "w": LeftOut}, "",
			"m number, n category, w left out", ""},
		{"by number", "m,n,w,y\n" + rows, map[string]Kind{"1": Category}, "",
			"m number, n category, w category", ""},
		{"by number, no header", rows, map[string]Kind{"0": Category}, "",
			"0 category, 1 number, 2 category", ""},
		{"by number, after the label", rows, map[string]Kind{"1": Category}, "0",
			"1 category, 2 category, 3 category", ""},
		{"names that are numbers", "y,0,1,2\n" + strings.Repeat("a,1,2,3\nb,4,5,6\n", 15),
			map[string]Kind{"1": Category}, "0", "0 number, 1 category, 2 number", ""},
		{"unknown", "m,n,w,y\n" + rows, map[string]Kind{"z": Category}, "", "",
			`the name or number "z"`},
		{"number too large", rows, map[string]Kind{"4": Category}, "", "",
			`the name or number "4"`},
		{"twice", "m,n,w,y\n" + rows, map[string]Kind{"n": Category, "1": Number}, "", "",
			`column "n" is given twice, by name and by number`},
		{"all left out", "m,n,w,y\n" + rows, map[string]Kind{"m": LeftOut, "n": LeftOut,
			"w": LeftOut}, "", "", "no column has a feature"},
		{"all others", "m,n,w,y\n" + rows, map[string]Kind{"*": Category, "m": Number}, "",
			"m number, n category, w category", ""},
		{"without a name", ",n,w,y\n" + rows, map[string]Kind{"": LeftOut}, "",
			" left out, n number, w category", ""},
		{"no column without a name", "m,n,w,y\n" + rows, map[string]Kind{"": LeftOut}, "", "",
			`the name or number ""`},
		{"the label", "m,n,w,y\n" + rows, map[string]Kind{"y": LeftOut}, "", "",
			`the column "y" has the labels`},
		{"no rows", "m,n,w,y\n", nil, "", "", "no rows"},
		{"words given for numbers", "m,n,w,y\n" + rows, map[string]Kind{"w": Number}, "",
			"m number, n number, w number", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &Fitter{Overrule: map[string]Given{}}
			for name, kind := range c.overrule {
				f.Overrule[name] = Given{Kind: kind}
			}
			e, _, err := fitTo(f, dataset.Options{LabelColumn: c.label}, reading(c.text))
			if c.err != "" || err != nil {
				if !says(err, c.err) || c.err == "" || e != nil {
					t.Fatal(err)
				}
				return
			}
			var kinds []string
			for i := range e.Columns {
				kinds = append(kinds, e.Columns[i].Name+" "+string(e.Columns[i].Kind))
			}
			if have := strings.Join(kinds, ", "); have != c.kinds {
				t.Errorf("%s, want %s", have, c.kinds)
			}
		})
	}
}

func TestFitSkips(t *testing.T) {
	f := &Fitter{Skip: func(row int) bool { return row >= 6 }}
	e, _, err := fitTo(f, dataset.Options{}, reading(people+"x,y,z,z,z,c\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := fitted(t, strings.Join(strings.SplitAfter(people, "\n")[:7], ""))
	if have := asJSON(t, e); !bytes.Equal(have, asJSON(t, want)) {
		t.Errorf("%s, want\n%s", have, asJSON(t, want))
	}
	f = &Fitter{Skip: func(int) bool { return true }}
	if _, _, err := fitTo(f, dataset.Options{}, reading(people)); !says(err, "no rows") {
		t.Error(err)
	}
}

func TestNamesThatDontTell(t *testing.T) {
	e := fitted(t, strings.Replace(people, "age", "size", 1))
	if table, _ := e.Reads(); e.Header || table.Columns != nil {
		t.Error("the names count")
	}
	s, err := encoded(e, people, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := encoded(fitted(t, people), people, dataset.Options{})
	if err != nil || hashOf(s) != hashOf(want) {
		t.Error("other features", err)
	}
}

func TestBytes(t *testing.T) {
	e := fitted(t, people)
	if e.Bytes() != 8*4*9 {
		t.Error(e.Bytes())
	}
	e = &Encoder{Rows: 10, Columns: []Column{{Kind: LeftOut},
		{Kind: Category, Levels: &Levels{HashBits: 12}}, {Kind: Number}}}
	if e.Bytes() != 10*8*2 {
		t.Error(e.Bytes())
	}
}

// If later rows make the file large enough for its columns, the encoder is the same as if the
// columns had been allowed at once.
func TestManyColumns(t *testing.T) {
	const columns = 30_000
	table := func(rows int) string {
		var b strings.Builder
		for i := range rows {
			for j := range columns {
				b.WriteByte("ab"[(i+j)%2])
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%c\n", "pq"[i%2])
		}
		return b.String()
	}
	allowed := dataset.Options{MaxFeatures: columns}
	few, enough := table(4), table(17)
	if _, _, err := fitTo(new(Fitter), dataset.Options{}, reading(few)); !says(err, "-max-features") {
		t.Error(err)
	}
	if e, _, err := fitTo(new(Fitter), allowed, reading(few)); err != nil || e.Cols() != columns {
		t.Error(err)
	}
	have, _, err := fitTo(new(Fitter), dataset.Options{}, reading(enough))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := fitTo(new(Fitter), allowed, reading(enough))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(have, want) {
		t.Error("rows that were held are fitted otherwise")
	}
}

func TestNames(t *testing.T) {
	e := fitted(t, allKinds(t))
	names, spreads := e.Names(), e.Spreads()
	for j := range e.Cols() {
		if f := e.Feature(j); names[j] != f.Name || spreads[j] != f.Spread {
			t.Fatalf("feature %d is %q, %v, want %v", j, names[j], spreads[j], f)
		}
	}
	hashed := Column{Name: strings.Repeat("n", 1<<12), Kind: Category, Levels: &Levels{HashBits: 12}}
	e = &Encoder{Rows: 9, Columns: []Column{hashed}}
	if e.Names() != nil || len(e.Spreads()) != 1<<12 || e.Coder().Features() != nil {
		t.Errorf("%d names, %d spreads, want 0, %d", len(e.Names()), len(e.Spreads()), 1<<12)
	}
}

func TestOriginal(t *testing.T) {
	e := &Encoder{Rows: 4, Columns: []Column{
		{Name: "age", Kind: Number, Number: &Scale{Shift: 40, Factor: 0.5}},
		{Name: "born", Kind: Date, Number: &Scale{Shift: 365, Factor: 0.1}, Date: &Calendar{}},
		{Name: "same", Kind: Number, Number: &Scale{Mean: 7}},
		{Name: "weak", Kind: Number, Weak: true, Number: &Scale{Shift: 40, Factor: 0.5}},
		{Name: "at", Kind: Date, Number: &Scale{Shift: 0.5, Factor: 2}, Date: &Calendar{Order: "time"}},
	}}
	date := e.FeaturesOf(1)
	for _, c := range []struct {
		j    int
		v    float64
		want string
	}{
		{0, 1.25, "42.5"}, {1, 3.25, "1971-02-02"}, {1, -40, "1969-11-27"}, {1, 1e9, "1e+10"},
		{1 + date, 0.25, "0.25"}, {2 + date, 1.25 / 64, "42.5"}, {3 + date, 0.5, "18:00:00"},
	} {
		if have := e.Original(c.j, c.v); have != c.want {
			t.Errorf("feature %d, %v: %s, want %s", c.j, c.v, have, c.want)
		}
	}
}
