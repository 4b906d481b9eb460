package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/modelio"
)

type mutant struct {
	what    string
	path    string // keys of the edited part, joined by dots; "" if there are two edits
	header  []string
	numbers string

	numbersOnly bool // only the numbers after the header are edited
	// small marks an edit that may be confirmed if predictions and claims stay the same.
	small bool
	edits []mutant // mutants whose edits this one combines; nil for a single edit
}

// sealed recomputes the checksum, and the hash unless it is edited or the model can't be read.
func (h *honest) sealed(m mutant) []byte {
	first, _, _ := strings.Cut(string(h.file), "\n")
	at := slices.IndexFunc(m.header, func(l string) bool { return strings.HasPrefix(l, "hash: ") })
	if m.path != "hash" && at >= 0 {
		without := slices.Delete(slices.Clone(m.header), at, at+1)
		file := sample.Seal(first+"\n"+strings.Join(without, "\n")+"\n\n", m.numbers)
		if p, err := modelio.Read(strings.NewReader(file)); err == nil {
			m.header = slices.Clone(m.header)
			m.header[at] = fmt.Sprintf("hash: %q", p.(interface{ Hash() string }).Hash())
		}
	}
	return []byte(sample.Seal(first+"\n"+strings.Join(m.header, "\n")+"\n\n", m.numbers))
}

func (h *honest) tamper(g *rand.Rand) (all []mutant) {
	numbers := h.numbers
	add := func(path, what string, header []string, numbers string) {
		all = append(all, mutant{what: path + ": " + what, path: path, header: header,
			numbers: numbers, numbersOnly: slices.Equal(header, h.header),
			small: strings.HasPrefix(what, lastDigit) || path == "config.bias_scale" ||
				path == "table.columns" && strings.HasPrefix(what, "swapped") ||
				strings.HasPrefix(path, "table.columns.text.words") && what == "removed" ||
				path == "start" && slices.Contains([]string{"removed", `string ""`}, what)})
	}
	for i, line := range h.header {
		key, text, _ := strings.Cut(line, ": ")
		with := func(lines ...string) []string {
			return slices.Concat(h.header[:i], lines, h.header[i+1:])
		}
		add(key, "removed", with(), numbers)
		add(key, "there twice", with(line, line), numbers)
		add(key, "unknown line", with(line, "more: 1"), numbers)
		if i > 0 {
			other := slices.Clone(h.header)
			other[i], other[i-1] = other[i-1], other[i]
			add(key, "in the wrong place", other, numbers)
		}
		edits(valueOf(text, key), text, g, func(path, what, text string) {
			add(path, what, with(key+": "+text), numbers)
		})
		if layout, rest, _ := strings.Cut(text, ":"); key == "data" {
			other := map[string]string{`"dense`: `"sparse`, `"sparse`: `"dense`}[layout]
			add("data.layout", "the other", with(key+": "+other+":"+rest), numbers)
		}
		if key == "result" {
			claimEdits(text, func(what, text string) {
				add("result.dual_objective", what, with(key+": "+text), numbers)
			})
		}
	}
	for _, factor := range []float64{1 + 1e-9, 2, 0.5} { // everywhere in the header
		add("lambda", fmt.Sprintf("times %v", factor), h.withLambda(factor), numbers)
	}
	for singles := all; len(all) < len(singles)+100; {
		if m, ok := h.both(singles[g.IntN(len(singles))], singles[g.IntN(len(singles))]); ok {
			all = append(all, m)
		}
	}
	first := 0 // offset of the first 4-byte word
	if slices.Contains(h.header, "sparse: true") {
		first = ((h.cols+h.terms)*h.vectors + 7) / 8
	}
	for range 60 {
		words := (len(numbers) - first) / 4
		at, other := first+4*g.IntN(words), first+4*g.IntN(words)
		b := []byte(numbers)
		word := b[at : at+4]
		what := []string{"a bit", "negated", "zero", "the last bit", "swapped"}[g.IntN(5)]
		switch what {
		case "a bit":
			word[g.IntN(4)] ^= 1 << g.IntN(8)
		case "negated":
			word[3] ^= 0x80
		case "zero":
			clear(word)
		case "the last bit":
			word[0] ^= 1
		case "swapped":
			if h.region(at) != h.region(other) {
				continue
			}
			copy(word, numbers[other:])
			copy(b[other:], numbers[at:at+4])
		}
		add(h.region(at), what, h.header, string(b))
	}
	add("weights", "four bytes more", h.header, numbers+"\x00\x00\x00\x00")
	add("weights", "four bytes fewer", h.header, numbers[:len(numbers)-4])
	return all
}

func (h *honest) both(a, b mutant) (m mutant, ok bool) {
	m = mutant{what: a.what + "; " + b.what, header: slices.Clone(a.header), numbers: a.numbers,
		edits: []mutant{a, b}}
	if len(a.header) != len(h.header) || len(b.header) != len(h.header) || a.path == "hash" ||
		b.path == "hash" {
		return m, false
	}
	for i, line := range b.header {
		if line == h.header[i] {
			continue
		}
		if a.header[i] != h.header[i] {
			return m, false
		}
		m.header[i] = line
	}
	return m, true
}

// region does not tell the arrays of kernel machines or of sparse models apart.
func (h *honest) region(at int) string {
	of := func(line string) bool { return slices.Contains(h.header, line) }
	ends := len(h.numbers) - 8*h.terms // offset of the end of the columns' factors
	switch weights := 4 * (h.cols + h.terms) * h.vectors; {
	case strings.HasPrefix(string(h.file), modelfile.Kernel.Magic):
		return "coefficients" // or support rows: verify checks both
	case of("sparse: true") || at < weights:
		return "weights"
	case of("bias: true") && at < weights+8*h.vectors:
		return "biases"
	case strings.Contains(strings.Join(h.header, ""), `"kind":"standard"`) &&
		at < ends-4*h.cols:
		return "shifts"
	case at < ends:
		return "factors"
	case at < ends+4*h.terms:
		return "term shifts"
	}
	return "term factors"
}

func (h *honest) withLambda(factor float64) []string {
	c := claimsOf(h.file)
	was, is := fmt.Sprint(c.lambda), fmt.Sprint(c.lambda*factor)
	text := strings.ReplaceAll(strings.Join(h.header, "\n"), `"lambda":`+was, `"lambda":`+is)
	return strings.Split(strings.Replace(text, "\nlambda: "+was, "\nlambda: "+is, 1), "\n")
}

// The edited claims of a result are consistent with one another.
func claimEdits(text string, add func(what, text string)) {
	for _, c := range []struct {
		what string
		edit func(p, d float64) (float64, float64)
	}{
		{gapOfZero, func(p, d float64) (float64, float64) { return p, p }},
		{"a tenth of the gap", func(p, d float64) (float64, float64) { return p, p - (p-d)/10 }},
		{"a smaller gap", func(p, d float64) (float64, float64) { return p, d + (p-d)/1000 }},
		{"a larger gap", func(p, d float64) (float64, float64) { return p, 0.99 * d }},
		{"the bound 0", func(p, d float64) (float64, float64) { return p, 0 }},
		{"a bound below 0", func(p, d float64) (float64, float64) { return p, -d }},
		{"a smaller objective", func(p, d float64) (float64, float64) { return p - (p-d)/2, d }},
		{"the next objective", func(p, d float64) (float64, float64) {
			return math.Nextafter(p, 0), d
		}},
		{"a larger objective", func(p, d float64) (float64, float64) { return p + (p-d)/100, d }},
		{"both smaller", func(p, d float64) (float64, float64) { return 0.999 * p, 0.999 * d }},
		{"the bound above it", func(p, d float64) (float64, float64) { return p, 1.01 * p }},
		{"no bound", func(p, d float64) (float64, float64) { return p, math.NaN() }},
	} {
		var r map[string]any
		json.Unmarshal([]byte(text), &r)
		of := func(m map[string]any) (p, d float64) {
			p, ok := m["objective"].(float64)
			d, ok2 := m["dual_objective"].(float64)
			if !ok || !ok2 {
				return math.NaN(), math.NaN()
			}
			return p, d
		}
		set := func(m map[string]any, p, d float64) {
			m["objective"], m["dual_objective"] = p, d
			if math.IsNaN(d) {
				delete(m, "dual_objective")
			}
		}
		p, d := c.edit(of(r))
		problems, _ := r["per_class"].([]any)
		if problems == nil {
			problems, _ = r["per_problem"].([]any)
		}
		if len(problems) > 0 {
			p, d = 0, 0
			for _, one := range problems {
				q, e := c.edit(of(one.(map[string]any)))
				set(one.(map[string]any), q, e)
				p, d = p+q, d+e
			}
			p, d = p/float64(len(problems)), d/float64(len(problems))
		}
		if math.IsNaN(p) {
			return // the model claims nothing
		}
		set(r, p, d)
		delete(r, "gap")
		if gap := (p - d) / d; d > 0 {
			r["gap"] = gap
		}
		changed, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		add(c.what, string(changed))
	}
}

type value struct {
	path     string
	from, to int // offsets of the start, of the key if there is one, and of the end
	at       int // offset of the value without the key
	token    json.Token
	parts    []value // elements of an array or members of an object
}

func valueOf(text, path string) value {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return parseValue(d, text, path)
}

func parseValue(d *json.Decoder, text, path string) value {
	start := func() int {
		at := int(d.InputOffset())
		for strings.IndexByte(" ,:", text[at]) >= 0 {
			at++
		}
		return at
	}
	v := value{path: path, from: start(), at: start()}
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	v.token = token
	if delim, ok := token.(json.Delim); ok {
		for d.More() {
			if delim == '[' {
				v.parts = append(v.parts, parseValue(d, text, path))
				continue
			}
			from := start()
			key, _ := d.Token()
			part := parseValue(d, text, path+"."+key.(string))
			part.from = from
			v.parts = append(v.parts, part)
		}
		d.Token()
	}
	v.to = int(d.InputOffset())
	return v
}

const lastDigit, gapOfZero = "last digit", "a gap of 0"

func edits(v value, text string, g *rand.Rand, add func(path, what, text string)) {
	replace := func(what, with string) { add(v.path, what+" "+with, text[:v.at]+with+text[v.to:]) }
	replace("value", "null")
	switch old := v.token.(type) {
	case json.Number:
		x, _ := old.Float64()
		for i, y := range []float64{math.Nextafter(x, math.Inf(1)), 1.001 * x, -x, 0, x + 1, 1e30} {
			if with, err := json.Marshal(y); err == nil && y != x {
				replace([]string{lastDigit, "number"}[min(i, 1)], string(with))
			}
		}
	case bool:
		replace("flag", fmt.Sprint(!old))
	case string:
		words := strings.Fields("hinge log squared-hinge ovr ovo none augmented unit standard " +
			"max-abs newton dual auto shuffled sequential rbf dense sparse number left_out text")
		for _, with := range []string{old + "x", "", strings.ToUpper(old), "0" + old[min(1, len(old)):],
			words[g.IntN(len(words))], words[g.IntN(len(words))]} {
			if with != old {
				quoted, _ := json.Marshal(with)
				replace("string", string(quoted))
			}
		}
	case json.Delim:
		n := len(v.parts)
		piece := func(i int) string { return text[v.parts[i].from:v.parts[i].to] }
		var all []string
		for i := range n {
			all = append(all, piece(i))
		}
		whole := func(what string, parts ...[]string) {
			replace(what, old.String()+strings.Join(slices.Concat(parts...), ",")+text[v.to-1:v.to])
		}
		if old == '{' {
			add(v.path, "unknown key", text[:v.to-1]+`,"more":1`+text[v.to-1:])
		}
		for i, p := range v.parts {
			if old == '{' {
				edit := text[:v.at+1] + strings.Join(slices.Concat(all[:i], all[i+1:]), ",") +
					text[v.to-1:]
				add(p.path, "removed", edit)
				edit = text[:p.from] + all[i] + "," + text[p.from:]
				add(p.path, "key there twice", edit)
				edit = text[:p.from] + strings.ToUpper(text[p.from:p.at]) + text[p.at:]
				add(p.path, "key in upper case", edit)
			}
			if i < 12 || i == n-1 { // not every part of long arrays and objects
				edits(p, text, g, add)
			}
		}
		if old == '[' && n > 0 {
			whole("empty")
			whole("without the last", all[:n-1])
			whole("without the first", all[1:])
			whole("the last twice", all, all[n-1:])
			if n > 1 {
				whole("swapped", all[1:2], all[:1], all[2:])
			}
		}
	}
}
