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

// folded removes what spellings of a name may differ in: case, characters that are not visible,
// repeated and outer blanks, and a final full stop.
func folded(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && (!unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r)) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	return strings.TrimSpace(strings.TrimSuffix(name, "."))
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
