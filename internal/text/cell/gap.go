package cell

import "strings"

// missing[n] lists the gap words of n bytes, in lower case.
var missing = [...][]string{{""}, {"?"}, {"na", `\n`}, {"n/a", "nan"}, {"null", "#n/a", "<na>"},
	{}, {"(null)"}}

// IsMissing reports whether a cell is empty or a word in missing, in upper or lower case.
func IsMissing(s string) bool {
	if len(s) >= len(missing) {
		return false
	}
	for _, word := range missing[len(s)] {
		if strings.EqualFold(s, word) {
			return true
		}
	}
	return false
}

// Missing returns all cells that [IsMissing] reports.
func Missing() (all []string) {
	for _, words := range missing {
		for _, word := range words {
			spellings := []string{""}
			for _, b := range []byte(word) {
				begun := spellings
				spellings = nil
				for _, s := range begun {
					spellings = append(spellings, s+string(rune(b)))
					if 'a' <= b && b <= 'z' {
						spellings = append(spellings, s+string(rune(b-'a'+'A')))
					}
				}
			}
			all = append(all, spellings...)
		}
	}
	return all
}

// IsGapWord reports whether a cell is a gap among numbers or dates: missing, an infinite number or,
// in upper or lower case, a word in gapWords.
func IsGapWord(s string) bool {
	return IsMissing(s) || lookup(gapWords, s) != "" || IsInfinite(s)
}

// IsInfinite reports whether a cell is an infinite number, which is a gap among numbers.
func IsInfinite(s string) bool { return lookup(infinities, s) != "" }

var infinities = namesOf(`inf -inf +inf infinity -infinity`)

var gapWords = namesOf(`- -- --- – — . .. ... … ?? ??? none nil nul <null> [null] (none) <none> nat
-nan unknown (unknown) unk undefined missing (missing) blank (blank) empty (empty) unspecified tbd
tba n.a. n.a na. n/a. n\a n.d. n.d nd n/d n/k n.k. k.a. k._a. s/d s.d. #na #n/a! #n/d #ref! #value!
#div/0! #name? #num! #null! #nv #wert! #bezug! #error!
0000-00-00 0000-00-00_00:00:00 0000-00-00t00:00:00 0000/00/00 00/00/0000 00.00.0000 00-00-0000
not_available not_known not_applicable not_reported not_specified not_recorded not_measured
not_provided not_given no_data no_value no_answer no_info not_a_number unbekannt keine_angabe
inconnu desconocido desconhecido sin_datos sin_dato onbekend sconosciuto brak_danych`)
