package flags

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrHelp and ErrHelpAll are the errors of command lines that ask for help.
var ErrHelp, ErrHelpAll = errors.New("-h was given"), errors.New("-help-all was given")

// Set holds the flags of a command line.
type Set struct {
	Command string
	Values
	flags map[string]*Flag
	given map[string]bool
}

func NewSet(command string) *Set {
	s := &Set{Command: command, flags: map[string]*Flag{}, given: map[string]bool{}}
	for _, f := range Of(command) {
		s.flags[f.Name] = &f
		if f.Default != "" {
			if err := s.assign(&f, f.Default); err != nil {
				panic(err)
			}
		}
	}
	return s
}

func (s *Set) Has(name string) bool { return s.flags[name] != nil }

// Given reports whether the flag is on the command line or was set by Set.
func (s *Set) Given(name string) bool { return s.given[name] }

// GivenAny reports whether a given flag has one of the rules.
func (s *Set) GivenAny(rule Rule) bool {
	return slices.ContainsFunc(s.Each(), func(f *Flag) bool { return f.Is(rule) })
}

// Each returns the given flags, by name.
func (s *Set) Each() (flags []*Flag) {
	for name := range s.given {
		flags = append(flags, s.flags[name])
	}
	slices.SortFunc(flags, func(a, b *Flag) int { return cmp.Compare(a.Name, b.Name) })
	return flags
}

// Parse reads flags, which may stand before, between and after the arguments. After -- there are
// only arguments.
func (s *Set) Parse(args []string) (arguments []string, err error) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		if word == "--" {
			return append(arguments, args...), nil
		}
		if len(word) < 2 || word[0] != '-' {
			arguments = append(arguments, word)
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(word[1:], "-"), "=")
		f := s.flags[name]
		switch {
		case f == nil && (name == "h" || name == "help"):
			return nil, ErrHelp
		case f == nil && name == "help-all":
			return nil, ErrHelpAll
		case f == nil:
			return nil, s.unknown(name)
		case !has && f.Takes == "":
			value = "true"
		case !has && len(args) == 0:
			return nil, Usagef("-%s needs a value: %s", name, wanted(f))
		case !has && f.Takes == "file" && s.isFlag(args[0]):
			return nil, Usagef("-%s needs a value: %s; %s is a flag", name, wanted(f), args[0])
		case !has:
			value, args = args[0], args[1:]
		}
		if value == "" && f.Takes != "" && !f.Is(Kinds) && name != "keep" { // '' can name a column
			return nil, Usagef("-%s: have \"\", want %s", name, wanted(f))
		}
		switch given := s.givenField(f.Field); {
		case given == "" || f.Repeats():
		case f.Takes == "list" && (f.Is(Kinds) || name == "keep"):
			value = f.text(&s.Values) + "," + value // each -ignore names further columns
		case value != f.text(&s.Values) && slices.Contains(once, f.Takes):
			return nil, Usagef("-%s %s: want one value, but -%s %s is given, too", name, value, given,
				f.text(&s.Values))
		}
		if err := s.Set(name, value); err != nil {
			return nil, err
		}
	}
	return arguments, nil
}

// once lists the types of flags for which a second value would silently replace the first. For
// other flags the last value counts.
var once = []string{"file", "list", "column", "balanced|label=weight,..."}

// givenField returns the name of a given flag that sets the field; "" if there is none.
func (s *Set) givenField(field string) string {
	for _, f := range s.Each() {
		if f.Field == field {
			return f.Name
		}
	}
	return ""
}

func (s *Set) isFlag(word string) bool {
	name, isFlag := strings.CutPrefix(word, "-")
	return isFlag && s.Has(strings.TrimPrefix(name, "-"))
}

// Set sets a flag as if it were on the command line.
func (s *Set) Set(name, value string) error {
	s.given[name] = true
	return s.assign(s.flags[name], value)
}

// SetDefault sets the flag unless it is given.
func (s *Set) SetDefault(name, value string) error {
	if s.given[name] {
		return nil
	}
	return s.assign(s.flags[name], value)
}

func (s *Set) assign(f *Flag, text string) error {
	if full := characters[text]; full != "" && f.Is(Character) {
		text = full
	}
	field := f.field(&s.Values)
	err := parseInto(field, text)
	bad := err != nil
	if choices := f.Choices(); choices != nil {
		bad = !slices.Contains(choices, text)
	} else if f.Is(Character) {
		one := len(text) == 1 && (text >= " " && text <= "~" || text == "\t")
		bad = !one && (text != "none" || f.Name == "sep")
	}
	number := strings.TrimPrefix(f.text(&s.Values), "-")
	negative := field.CanInt() && field.Int() < 0 || field.CanFloat() && field.Float() < 0
	if field.CanUint() {
		n, _ := strconv.ParseFloat(text, 64)
		negative = n < 0
	}
	switch {
	case negative && (field.CanUint() || f.Is(NotNegative)):
		return Usagef("-%s: have %s, want 0 or more", f.Name, text)
	case errors.Is(err, strconv.ErrRange):
		return Usagef("-%s: %s is out of range", f.Name, text)
	case bad:
		return Usagef("-%s: have %q, want %s", f.Name, text, wanted(f))
	case f.Is(Positive) && (negative || number == "0" || number == "0s"):
		return Usagef("-%s must be greater than 0", f.Name)
	}
	return nil
}

var characters = map[string]string{"comma": ",", "semicolon": ";", "tab": "\t", `\t`: "\t",
	"pipe": "|", "point": "."}

func parseInto(field reflect.Value, text string) (err error) {
	switch {
	case field.Type() == reflect.TypeFor[time.Duration]():
		var d time.Duration
		d, err = time.ParseDuration(text)
		field.SetInt(int64(d))
	case field.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 0, field.Type().Bits())
		field.SetInt(n)
	case field.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 0, field.Type().Bits())
		field.SetUint(n)
	case field.CanFloat():
		var v float64
		v, err = strconv.ParseFloat(text, 64)
		field.SetFloat(v)
	case field.Kind() == reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		field.SetBool(b)
	case field.Kind() == reflect.Slice: // the flag may be repeated
		field.Set(reflect.Append(field, reflect.ValueOf(text)))
	default:
		field.SetString(text)
	}
	return err
}

func (f *Flag) text(v *Values) string {
	switch at := f.field(v).Interface().(type) {
	case time.Duration:
		return at.String()
	case float64:
		return strconv.FormatFloat(at, 'g', -1, 64)
	}
	return toText(f.field(v))
}

func toText(at reflect.Value) string {
	switch {
	case at.CanInt():
		return strconv.FormatInt(at.Int(), 10)
	case at.CanUint():
		return strconv.FormatUint(at.Uint(), 10)
	case at.Kind() == reflect.Bool:
		return strconv.FormatBool(at.Bool())
	}
	return at.String()
}

// Text returns the value of the named flag as on a command line; "" if there is none.
func (s *Set) Text(name string) string {
	if f := s.flags[name]; f != nil {
		return f.text(&s.Values)
	}
	return ""
}

// All returns the values of the flag as on a command line: one, unless the flag may be repeated.
func (s *Set) All(f *Flag) []string {
	if all, repeats := f.field(&s.Values).Interface().([]string); repeats {
		return all
	}
	return []string{f.text(&s.Values)}
}

func wanted(f *Flag) string {
	if choices := f.Choices(); choices != nil {
		last := len(choices) - 1
		return strings.Join(choices[:last], ", ") + " or " + choices[last]
	}
	known := map[string]string{
		"": "true or false, or the flag alone", "n": "a whole number", "number": "a number",
		"share": "a number", "duration": "a duration such as 30s or 5m",
		"character": "a printable ASCII character, comma, semicolon, tab, pipe or none",
		"file":      "the name of a file",
		"list":      "a list separated by commas", "column": "the name or number of a column",
		"hex": "hexadecimal digits",
	}
	if f.Name == "sep" {
		return "a printable ASCII character, comma, semicolon, tab or pipe"
	}
	return cmp.Or(known[f.Takes], f.Takes)
}

// Words returns the given flags for which want is true, and their values, as words of a command
// line. Unless files is true, FILE replaces the names of files.
func (s *Set) Words(files bool, want func(*Flag) bool) (words []string) {
	for _, f := range slices.DeleteFunc(s.Each(), func(f *Flag) bool { return !want(f) }) {
		for _, value := range s.All(f) {
			switch {
			case f.Takes == "file" && !files:
				words = append(words, "-"+f.Name, "FILE")
			case f.Takes == "" && value == "true":
				words = append(words, "-"+f.Name)
			case f.Takes == "":
				words = append(words, "-"+f.Name+"="+value)
			default:
				words = append(words, "-"+f.Name, value)
			}
		}
	}
	return words
}

func (s *Set) unknown(name string) error {
	hint := s.ofLiblinear(name)
	if hint == "" {
		var names []string
		for known := range s.flags {
			names = append(names, known)
		}
		slices.Sort(names)
		hint = DidYouMean(name, "-", names)
	}
	return Usagef("there is no flag -%s%s", name, hint)
}

// liblinear maps flags of liblinear and libsvm to flags of pegasimd.
var liblinear = map[string]string{
	"s": "-loss (and -multiclass crammer-singer for -s 4; nothing here is like -s 5, 6 or 21)",
	"v": "pegasimd cv -folds n",
	"B": "-bias augmented -bias-scale n (-bias none for -1)",
	"e": "-tol, a proven distance from the optimum", "b": "-proba",
	"w": "-class-weight label=weight", "p": "-epsilon with -loss eps-insensitive", "q": "-quiet",
	"C": "pegasimd cv; for a given C use -c",
	"R": "-bias unregularised", "t": "-kernel", "g": "-gamma", "d": "-degree", "r": "-coef0",
	"c": "-c",
}

func (s *Set) ofLiblinear(name string) string {
	if label, ok := strings.CutPrefix(name, "w"); ok {
		if _, err := strconv.ParseFloat(label, 64); err == nil {
			name = "w"
		}
	}
	here := liblinear[name]
	if here == "" || !slices.Contains([]string{"train", "cv", "predict"}, s.Command) {
		return ""
	}
	if flag, _, _ := strings.Cut(strings.ReplaceAll(here, ",", " "), " "); flag[0] == '-' &&
		!s.Has(flag[1:]) {
		here = "pegasimd train " + here
	}
	whose := "liblinear's"
	if strings.Contains("tgdr", name) {
		whose = "libsvm's"
	}
	return ": for " + whose + " -" + name + " use " + here
}
