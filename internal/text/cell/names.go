package cell

import "strings"

const maxName = 19 // most bytes of a name that lookup finds

// namesOf maps each name in a list to the first name of its group. Bars separate the groups;
// underscores stand for blanks.
func namesOf(list string) map[string]string {
	names := map[string]string{}
	for group := range strings.SplitSeq(list, "|") {
		all := strings.Fields(group)
		for i, name := range all {
			all[i] = strings.ReplaceAll(name, "_", " ")
			names[all[i]] = all[0]
		}
	}
	return names
}

// lookup converts ASCII and Latin-1 capitals in s to lower case, and returns the value in names; ""
// for none.
func lookup(names map[string]string, s string) string {
	var buffer [maxName]byte
	if len(s) > len(buffer) {
		return ""
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' ||
			0x80 <= c && c <= 0x9e && c != 0x97 && i > 0 && s[i-1] == 0xc3 { // À to Þ, except ×
			c |= 0x20
		}
		buffer[i] = c
	}
	return names[string(buffer[:len(s)])]
}

func monthOf(s string) int { return atoi(lookup(months, s)) }

var months = namesOf(`1 january jan januar jänner jän janvier janv enero ene janeiro gennaio gen
januari stycznia styczeń sty| 2 february feb februar febr février fevrier févr fevr fév fev
febrero fevereiro febbraio februari lutego luty lut| 3 march mar märz maerz mär mrz mars marzo
março marco maart mrt marca marzec| 4 april apr avril avr abril abr aprile kwietnia kwiecień kwi|
5 may mai mayo maio maggio mag mei maja maj| 6 june jun juni juin junio junho giugno giu czerwca
czerwiec cze| 7 july jul juli juillet juill juil julio julho luglio lug lipca lipiec lip| 8 august aug
août aout agosto ago augustus sierpnia sierpień sie| 9 september sep sept septembre septiembre
setiembre set setembro settembre sett września wrzesień wrz| 10 october oct oktober okt octobre
octubre outubro out ottobre ott października październik paź| 11 november nov novembre noviembre
novembro listopada listopad lis| 12 december dec dezember dez décembre decembre déc diciembre dic
dezembro dicembre grudnia grudzień gru`)

var weekdays = namesOf(`monday tuesday wednesday thursday friday saturday sunday mon tue tues wed
thu thur thurs fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
mo di mi do fr sa so lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam
dim lunes martes miércoles jueves viernes sábado domingo mié jue vie sáb dom segunda segunda-feira
terça quarta quinta sexta seg ter qua qui sex lunedì martedì mercoledì giovedì venerdì sabato
domenica gio sab maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ma wo vr za zo
poniedziałek wtorek środa czwartek piątek sobota niedziela`)
