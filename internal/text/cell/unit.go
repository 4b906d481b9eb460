package cell

import (
	"cmp"
	"strings"
	"unicode"
)

// currencies includes percent because Turkish writes the percent sign before the number.
var currencies = namesOf(`$ US$ USD usd U$S $US dollar dollars|€ EUR eur Euro EURO euro euros|£ GBP
gbp|₹ Rs Rs. INR inr Re. RS RS.|¥ JPY 円 ￥|CNY RMB 元 CN¥|R$ BRL|C$ CAD CA$ CDN$|A$ AUD AU$|NZ$ NZD|
HK$ HKD|S$ SGD|NT$ TWD|MX$ MXN|₩ KRW 원|₽ RUB руб руб. р.|₺ TRY TL|₴ UAH грн|₫ VND đ|₦ NGN|₱ PHP|฿
THB|₪ ILS NIS|₸ KZT|₡ CRC|₲ PYG|₵ GHS|₾ GEL|₼ AZN|₿ BTC|CHF Fr. SFr.|zł PLN zl|kr kr. Kr|SEK|NOK|
DKK|Kč CZK|Ft HUF|lei RON Lei|лв BGN лв.|ZAR|KES KSh|EGP|MAD|SAR|AED Dhs|QAR|KWD|IDR Rp Rp.|MYR RM|
PKR|BDT ৳|LKR|XAF FCFA CFA XOF|ARS|CLP|COP|PEN S/|IRR|ETH|USDT|¢|% percent pct prozent ％|‰`)

// besideDigits is the set of currency names that may precede a digit without a blank although they
// end in a letter.
var besideDigits = namesOf(`USD EUR GBP CHF INR Rs RS kr Rp RM`)

// units maps names that may follow a digit without a blank.
var units = namesOf(`kg kgs kilo kilos kilogram kilograms|g gr gm gms gram grams|mg|µg ug mcg|t ton
tons tonne tonnes|lb lbs pound pounds|oz ounce ounces|ct carat carats|m meter meters metre metres
mtr|cm cms|mm|km kms|µm|nm|ft feet foot|in inch inches|mi mile miles|yd yds yard yards|" ″ ''|' ′|
px|pt|dpi ppi|m² m2 sqm sq.m. m^2 qm sq_m sq._m sq_meter sq._meter|km² km2 sq_km|cm² cm2|ha hectare
hectares|ft² ft2 sqft sq.ft. sq.ft sq_ft sq._ft sq_feet|ac acre acres|yd² sq_yd sq._yd sq._yards
sq_yards|m³ m3 cbm m^3|cm³ cm3|l L ltr liter liters litre litres|ml mL|cl|dl dL|hl|gal gallon
gallons|floz|cup cups|s sec secs second seconds|ms msec|µs us|ns|h hr hrs hour hours std|min mins
minute minutes|day days d|week weeks w wk wks|month months mo mos mth mths|year years y yr yrs yo|
byte bytes|KB kB kb|MB|GB|TB|KiB|MiB|GiB|TiB|PB|bit bits|kbps|Mbps|Gbps|Hz|kHz KHz|MHz|GHz|W|kW KW|
MW|GW|kWh KWh|MWh|Wh|V|kV|mV|mA|Ah|mAh|Ω ohm ohms|kΩ|J|kJ|MJ|cal|kcal|N|kN|Nm NM|°C ℃|°F ℉|Pa|hPa|
kPa|MPa|bar|mbar|psi|atm|mmHg|cc CC|hp HP|bhp|ps PS|kmpl|mpg|mph|km/h kph kmh|km/l|km/kg|l/100km|
m/s|mg/dl mg/dL|mg/l mg/L|g/l g/L|g/dl g/dL|µg/m³ µg/m3|rpm|fps|bpm|kn kt knots|dB|dBm|lx lux|lm|
cd|mol|mmol|ppm|ppb|IU|pH|MP|x ×|bp bps|+|°|pcs pc piece pieces`)

// spacedUnits adds names, such as A and C, that are units only after a blank: directly after a
// digit they look like codes.
var spacedUnits = namesOf(`A amp amps|K|°C C|°F F|T|H|st stone`)

// magnitudes maps words that multiply a number to exponents: e3 is 10^3.
var magnitudes = map[string]string{"thousand": "e3", "lakh": "e5", "lakhs": "e5", "lac": "e5",
	"million": "e6", "millions": "e6", "mn": "e6", "mln": "e6", "mio": "e6", "crore": "e7",
	"crores": "e7", "cr": "e7", "billion": "e9", "billions": "e9", "bn": "e9", "mrd": "e9",
	"trillion": "e12"}

// unitOf returns the normalized name of a unit or currency, or "". After a blank, other words that
// isLowerWord accepts are units too, without the s of a plural.
func unitOf(word string, blank bool) string {
	unit := knownUnit(word, blank)
	if cut := strings.TrimSuffix(word, "."); unit == "" && len(cut) > 1 && cut != word {
		word = cut
		unit = knownUnit(word, blank)
	}
	if unit != "" || !blank || !isLowerWord(word) {
		return unit
	}
	if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' {
		word = word[:n-1]
	}
	return word
}

func knownUnit(word string, blank bool) string {
	unit := cmp.Or(units[word], currencies[word])
	if unit == "" && blank {
		unit = spacedUnits[word]
	}
	if unit == "" && len(word) > 1 { // 12 KG, 36 Months
		unit = lookup(units, word)
	}
	return unit
}

// isLowerWord reports whether s has two or more bytes, all of lower-case letters up to U+047F. It
// rejects words such as april, pm and th, which after a number belong to a date, a time or a rank.
func isLowerWord(s string) bool {
	return len(s) > 1 && monthOf(s) == 0 && skipWord(s, "am", "pm", "st", "nd", "rd", "th") == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return r > 'ѿ' || !unicode.IsLower(r) })
}
