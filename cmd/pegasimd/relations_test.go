package main

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

var relations = flag.Int("relations", 100,
	"TestRelations and TestEqualTables draw this many tables")

// drawn is a random table and a random command line that trains on it.
type drawn struct {
	*rand.Rand
	data   string
	flags  []string
	inputs []string // the flags among them that eval and report need
	kernel bool
}

func (d *drawn) one(of ...string) string { return of[d.IntN(len(of))] }

func (d *drawn) maybe(p float64, flags ...string) bool {
	yes := d.Float64() < p
	if yes {
		d.flags = append(d.flags, flags...)
	}
	return yes
}

// column returns a name and n cells of one kind.
func (d *drawn) column(n int) (name string, cells []string) {
	kind := d.one("number", "number", "gaps", "town", "note", "money", "percent", "day", "thousands")
	for range n {
		cell := ""
		switch kind {
		case "number":
			cell = fmt.Sprintf("%.3f", 3*d.NormFloat64())
		case "gaps":
			cell = d.one("1", "2.5", "-7", "")
		case "town":
			cell = d.one("Bern", "Zürich", "São Paulo", `"a"; b`, "Lee, Ann", "")
		case "note":
			for range 2 + d.IntN(6) {
				cell += d.one("good", "bad", "fast", "slow", "new") + " "
			}
			cell = strings.TrimSpace(cell)
		case "money":
			cell = fmt.Sprintf("$%d,%03d.50", 1+d.IntN(99), d.IntN(1000))
		case "percent":
			cell = fmt.Sprintf("%.1f%%", 100*d.Float64())
		case "day":
			cell = fmt.Sprintf("%d-%02d-%02d", 1950+d.IntN(70), 1+d.IntN(12), 1+d.IntN(28))
		case "thousands":
			cell = fmt.Sprintf("%d,%03d,%03d", 1+d.IntN(9), d.IntN(1000), d.IntN(1000))
		}
		cells = append(cells, cell)
	}
	return kind, cells
}

// table returns a header and rows. The last column has one of the labels or, without labels, a
// number.
func (d *drawn) table(labels []string) (table [][]string) {
	n := []int{4, 9, 30, 80, 200}[d.IntN(5)]
	table = make([][]string, n+1)
	shift := make([]float64, n)
	add := func(name string, cells []string) {
		table[0] = append(table[0], name)
		for i, cell := range cells {
			table[i+1] = append(table[i+1], cell)
		}
	}
	y := make([]string, n)
	for i := range y {
		if labels == nil {
			shift[i] = d.NormFloat64()
			y[i] = fmt.Sprintf("%.3f", 2*shift[i])
		} else {
			class := d.IntN(len(labels))
			shift[i], y[i] = float64(class), labels[class]
		}
	}
	for j := range 1 + d.IntN(3) {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = fmt.Sprintf("%.3f", shift[i]+d.NormFloat64())
		}
		add(fmt.Sprint("x", j), cells)
	}
	for j := range d.IntN(4) {
		kind, cells := d.column(n)
		add(kind+string(rune('A'+j)), cells)
	}
	add("label", y)
	return table
}

func csvText(table [][]string, sep rune) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = sep
	w.WriteAll(table)
	return b.String()
}

func jsonText(t *testing.T, table [][]string) string {
	t.Helper()
	word := func(s string) string {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var b strings.Builder
	for _, row := range table[1:] {
		members := make([]string, len(row))
		for j, cell := range row {
			members[j] = word(table[0][j]) + ": " + word(cell)
		}
		fmt.Fprintf(&b, "{%s}\n", strings.Join(members, ", "))
	}
	return b.String()
}

func newDrawn(t *testing.T, seed uint64, dir string) *drawn {
	d := &drawn{Rand: rand.New(rand.NewPCG(seed, 53))}
	labels := [][]string{nil, {"-1", "1"}, {"1", "2", "5"}, {"yes", "no"},
		{"a,b", `b"q`, "x=y", "NaN"}, {"true", "false"}}[d.IntN(6)]
	table := d.table(labels)
	d.data = filepath.Join(dir, "table.csv")
	if d.IntN(4) > 0 {
		write(t, d.data, csvText(table, ','))
	} else {
		d.data = filepath.Join(dir, "table.jsonl")
		write(t, d.data, jsonText(t, table))
	}
	d.drawFlags(labels == nil, dir)
	if d.IntN(5) == 0 {
		var weights strings.Builder
		for range table[1:] {
			fmt.Fprintln(&weights, d.one("0", "1", "1", "2", "0.25"))
		}
		file := filepath.Join(dir, "weights")
		write(t, file, weights.String())
		d.inputs = []string{"-weights", file}
		d.flags = append(d.flags, d.inputs...)
	}
	return d
}

func (d *drawn) drawFlags(regression bool, dir string) {
	if d.kernel = d.maybe(0.15, "-kernel", d.one("rbf", "linear", "polynomial", "sigmoid"),
		"-steps", "200"); d.kernel {
		d.maybe(0.3, "-gamma", "0.5")
	}
	if regression {
		d.maybe(0.35, "-loss", d.one("eps-insensitive", "squared"))
		d.maybe(0.3, "-target-scale", d.one("none", "standard"))
	} else {
		d.maybe(0.35, "-loss", d.one("hinge", "log", "squared-hinge"))
		d.maybe(0.35, "-multiclass", d.one("ovr", "ovo", "crammer-singer", "multinomial"))
		d.maybe(0.2, "-proba")
		d.maybe(0.1, "-class-weight", "balanced")
	}
	if !d.maybe(0.35, "-lambda", d.one("1", "0.1", "1e-3", "1e-5")) {
		d.maybe(0.15, "-c", d.one("1", "0.01", "10"))
	}
	for _, f := range []struct {
		p      float64
		name   string
		values []string
	}{
		{0.25, "-bias", []string{"none", "augmented", "unregularised"}},
		{0.25, "-scale", []string{"none", "standard", "max-abs", "unit"}},
		{0.2, "-curves", []string{"none", "products", "pieces"}},
		{0.3, "-finish", []string{"none", "dual", "auto", "newton"}},
		{0.1, "-order", []string{"shuffled", "iid", "sequential", "blocks"}},
		{0.1, "-batch", []string{"1", "3", "20"}},
		{0.1, "-average", []string{"none", "last-half"}},
		{0.1, "-offset", []string{"auto", "r2", "none"}},
		{0.2, "-epochs", []string{"1", "3", "30"}},
		{0.15, "-tol", []string{"0.5", "0.01", "1e-4"}},
		{0.1, "-missing", []string{"fill", "drop"}},
		{0.15, "-holdout", []string{"0.2", "0.5"}},
		{0.1, "-preset", []string{"paper"}},
		{0.1, "-layout", []string{"dense", "sparse"}},
		{0.1, "-words", []string{"3"}},
		{0.1, "-seed", []string{"7"}},
	} {
		d.maybe(f.p, f.name, d.one(f.values...))
	}
	d.maybe(0.1, "-project")
	d.maybe(0.3, "-proof", filepath.Join(dir, "proof"))
}

func relationsOf() int {
	if testing.Short() || asmtest.Race {
		return *relations / 4
	}
	return *relations
}

func enough(t *testing.T, trained, total int) {
	if t.Logf("%d of %d trained", trained, total); trained < total/2 {
		t.Error("too few were trained")
	}
}

// TestRelations compares runs that must agree, for random tables and settings: train again by the
// printed command, with flags that have no effect on the model, from a checkpoint, and through a
// JSON file.
func TestRelations(t *testing.T) {
	total, trained := relationsOf(), 0
	for seed := range total {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := t.TempDir()
			d := newDrawn(t, uint64(seed), dir)
			in := func(name string) string { return filepath.Join(dir, name) }
			train := func(model string, more ...string) []string {
				return slices.Concat([]string{"train"}, d.flags, more,
					[]string{d.data, in(model)})
			}
			code, _, told := pegasimd(t, train("a.model")...)
			if code == exitUsage || code == exitError {
				return // settings that contradict each other or do not suit the table
			} else if code != exitDone {
				t.Fatalf("%q: exit code %d\n%s", d.flags, code, told)
			}
			trained++
			same := func(model string, args []string) {
				t.Helper()
				must(t, args...)
				if modelHash(t, in(model)) != modelHash(t, in("a.model")) {
					t.Errorf("%q gives another model than %q", args, d.flags)
				}
			}
			if line := resolvedLine.FindStringSubmatch(told); line != nil {
				args := append(shellSplit(t, line[1])[1:], "-force")
				args[slices.Index(args, in("a.model"))] = in("b.model")
				same("b.model", args)
			}
			without := [][]string{{"-threads", "1"}, {"-max-memory", "300"}, {"-quiet"}}
			if d.kernel {
				without = append(without, []string{"-cache-mb", "1"}, []string{"-cache-mb", "0"})
			} else if !slices.Contains(d.flags, "-holdout") {
				without = append(without, []string{"-plot", in("curve.svg")},
					[]string{"-checkpoint", in("state"), "-every", "1ms"})
			}
			same("b.model", train("b.model", append(without[d.IntN(len(without))], "-force")...))
			if !d.kernel && !slices.Contains(d.flags, "-holdout") {
				must(t, train("b.model", "-force", "-checkpoint", in("state"))...)
				resumed := slices.Clone(d.inputs)
				for _, name := range []string{"-words", "-proof", "-missing"} {
					if i := slices.Index(d.flags, name); i >= 0 {
						resumed = append(resumed, d.flags[i:i+2]...)
					}
				}
				same("b.model", slices.Concat([]string{"train", "-force", "-resume", in("state")},
					resumed, []string{d.data, in("b.model")}))
			}
			predicted, _ := must(t, "predict", d.data, in("a.model"))
			if code, _, told := pegasimd(t, "convert", in("a.model"), in("a.json")); code == exitDone {
				must(t, "convert", "-force", "-from", "json", in("a.json"), in("b.model"))
				if again, _ := must(t, "predict", d.data, in("b.model")); again != predicted {
					t.Errorf("%q: predictions differ after JSON", d.flags)
				}
			} else if !d.kernel {
				t.Errorf("%q: %s", d.flags, told)
			}
			must(t, slices.Concat([]string{"eval"}, d.inputs, []string{d.data, in("a.model")})...)
			must(t, slices.Concat([]string{"report"}, d.inputs, []string{in("a.model"), d.data,
				in("a.html")})...)
		})
	}
	enough(t, trained, total)
}

// TestEqualTables trains on the same random table in other forms, which must not change the model
// or its predictions.
func TestEqualTables(t *testing.T) {
	total, trained := relationsOf(), 0
	for seed := range total {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := t.TempDir()
			d := &drawn{Rand: rand.New(rand.NewPCG(uint64(seed), 54))}
			table := d.table([][]string{{"yes", "no"}, {"a", "b", "c"}, {"1", "2", "3"}, nil}[d.IntN(4)])
			in := func(name string) string { return filepath.Join(dir, name) }
			train := func(name, content string) (hash, told string) {
				write(t, in(name), content)
				code, _, told := ran("train", "-force", "-epochs", "2", "-finish", "none", "-lambda",
					"0.01", "-curves", "none", in(name), in(name+".model"))
				if code == exitDone {
					hash = modelHash(t, in(name+".model"))
				}
				return hash, told
			}
			predict := func(name string) string {
				out, _ := must(t, "predict", "-quiet", in(name), in("plain.csv.model"))
				return out
			}
			plain := csvText(table, ',')
			want, _ := train("plain.csv", plain)
			if want == "" {
				return // all rows have the same label, or there is a doubt about the few rows
			}
			trained++
			predicted := predict("plain.csv")
			for name, content := range map[string]string{
				"mark.csv":  "\ufeff" + plain,
				"crlf.csv":  strings.ReplaceAll(plain, "\n", "\r\n"),
				"short.csv": strings.TrimSuffix(plain, "\n"),
				"blank.csv": "\n\n" + plain + "\n",
				"utf16.csv": asUTF16(csvText(table, '\t'), false, true),
				"wide.csv":  asUTF16(plain, true, true),
				"semi.csv":  csvText(table, ';'),
				"bar.csv":   csvText(table, '|'),
				"tab.tsv":   csvText(table, '\t'),
				"x.jsonl":   jsonText(t, table),
			} {
				if hash, told := train(name, content); hash != want {
					t.Errorf("%s trains another model: %s\n%s", name, told, brief(plain))
				} else if predict(name) != predicted {
					t.Errorf("%s is predicted otherwise than\n%s", name, brief(plain))
				}
			}
		})
	}
	enough(t, trained, total)
}
