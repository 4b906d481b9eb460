package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
)

var truths = map[string]string{
	"true": "true", "yes": "true", "t": "true", "y": "true", "1": "true",
	"false": "false", "no": "false", "f": "false", "n": "false", "0": "false",
}

// composed maps a combining mark to pairs: a letter, then the single character for the letter with
// the mark. Texts from macOS often have the letter and the mark.
var composed = map[rune]string{
	'\u0300': "aàeèiìoòuù", '\u0301': "aáeéiíoóuúyýcćnńsśzźlĺrŕ", '\u0302': "aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷ",
	'\u0303': "aãnñoõiĩuũ", '\u0304': "aāeēiīoōuū", '\u0306': "aăgğ", '\u0307': "zżeėcċgġ",
	'\u0308': "aäeëiïoöuüyÿ", '\u030a': "aåuů", '\u030b': "oőuű", '\u030c': "cčdďeěnňrřsštťzž",
	'\u0326': "sștț", '\u0327': "cçsştţkķlļnņ", '\u0328': "aąeęiįuų",
}

// compose replaces letters and their combining marks by single characters, in a name of lower case.
func compose(name string) string {
	var out []rune
	for _, r := range name {
		pairs, last := []rune(composed[r]), len(out)-1
		for ; len(pairs) > 0 && last >= 0; pairs = pairs[2:] {
			if pairs[0] == out[last] {
				r, out = pairs[1], out[:last]
				break
			}
		}
		out = append(out, r)
	}
	return string(out)
}

// folded removes differences between spellings of a name: case, combining marks in place of
// accented letters, invisible characters, repeated and outer blanks, and a final full stop.
func folded(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && (!unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r)) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	return compose(strings.TrimSpace(strings.TrimSuffix(name, ".")))
}

// Three or more classes that are all words for true or false include two that mean the same.
// -multiclass says that the classes are different.
func (d *dataReader) doubtSpellings(set *dataset.Set, labels []float32, rows []int) {
	if set.Names == nil || d.call.flags.Given("multiclass") {
		return
	}
	allTruths := len(labels) > 2
	for _, y := range labels {
		allTruths = allTruths && truths[folded(labelName(set, y))] != ""
	}
	first, pairs, text := map[string]int{}, 0, ""
	for i, y := range labels {
		key := folded(labelName(set, y))
		if allTruths {
			key = truths[key]
		}
		k, found := first[key]
		if !found {
			first[key] = i
			continue
		}
		if pairs++; pairs == 1 {
			show := func(i int) string {
				name := escape.Name(escape.Cut(labelName(set, labels[i])))
				return fmt.Sprintf("%s (%s%s)", name, count(rows[i], "row"), d.ofWeight())
			}
			text = fmt.Sprintf("the labels %s and %s look like spellings of one class, but are trained as "+
				"different classes", show(k), show(i))
		}
	}
	if pairs == 0 {
		return
	}
	if pairs > 1 {
		text += fmt.Sprintf(", and likewise %s", count(pairs-1, "further label"))
	}
	d.doubts = append(d.doubts, dataset.Doubt{About: "label", Flag: "-multiclass ovr",
		Text: text + ": spell them alike in the file, or say that they differ"})
}
