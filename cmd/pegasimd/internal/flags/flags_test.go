package flags

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

var commands = strings.Fields("train predict eval report verify cv convert inspect")

func TestTable(t *testing.T) {
	types := strings.Fields("n number share file list duration hex column character paper " +
		"balanced|label=weight,...")
	for _, command := range commands {
		seen := map[string]bool{}
		NewSet(command) // panics for a bad default
		for _, f := range Of(command) {
			v := new(Values)
			isBool := f.field(v).Kind() == reflect.Bool
			if seen[f.Name] || isBool != (f.Takes == "") || f.Help == "" {
				t.Errorf("%s -%s: in two rows (%v), placeholder %q of a bool (%v), or help %q",
					command, f.Name, seen[f.Name], f.Takes, isBool, f.Help)
			}
			seen[f.Name] = true
			if choices := f.Choices(); f.Takes != "" && choices == nil && !slices.Contains(types, f.Takes) {
				t.Errorf("%s -%s: the placeholder %q is no type", command, f.Name, f.Takes)
			}
		}
	}
	for _, topic := range Table {
		for _, f := range topic.Flags {
			for in := range strings.FieldsSeq(f.In) {
				if !slices.Contains(commands, strings.TrimSuffix(in, "!")) {
					t.Errorf("-%s is for %q", f.Name, in)
				}
			}
		}
	}
}

func TestFlagOfFields(t *testing.T) {
	fields := strings.Fields("Threads Weights Costs Valid Start Prior Resume KeepProof MaxMemory CacheMB")
	for _, cfg := range []any{pegasos.Config{}, kernelsvm.Config{}} {
		for i := range reflect.TypeOf(cfg).NumField() {
			fields = append(fields, reflect.TypeOf(cfg).Field(i).Name)
		}
	}
	for _, field := range fields {
		if OfField(field)[0] != '-' {
			t.Errorf("the field %s has no flag", field)
		}
	}
}

// Calibrate has no flag of its own: train -proba sets it.
func TestSettings(t *testing.T) {
	for i := range reflect.TypeFor[pegasos.Config]().NumField() {
		field := reflect.TypeFor[pegasos.Config]().Field(i).Name
		isSetting := slices.ContainsFunc(Of("train"), func(f Flag) bool {
			return f.Field == field && f.Is(Setting)
		})
		if !isSetting && field != "Calibrate" {
			t.Errorf("the flag of %s is no setting: with -resume it would have no effect", field)
		}
	}
}

func TestMessage(t *testing.T) {
	for want, err := range map[string]error{
		`a.svm: -block: have 3, which has no effect with -order "iid"`: fmt.Errorf("a.svm: %w",
			pegasos.Config{Order: pegasos.IID, Block: 3}.Validate()),
		"-c: only one of -lambda and -c can be set, have 1 and 2": pegasos.Config{Lambda: 1, C: 2}.
			Validate(),
		`-passes: have 3, which has no effect with -finish "none"`: kernelsvm.Config{Finish: "none",
			Passes: 3}.Validate(),
		"fold 1: row 3: not finite": fmt.Errorf("fold 1: %w", &pegasos.RowError{Row: 3, Reason: "not finite"}),
		"x: y":                      errors.New("x: y"),
		"-resume: can't be":         UsageError{&pegasos.ConfigError{Field: "Resume", Reason: "can't be"}},
	} {
		if have := Message(err); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
	for field, reason := range map[string]string{"Multiclass": "", "Finish": ""} {
		cfg := pegasos.Config{Loss: pegasos.Log, Multiclass: pegasos.CrammerSinger}
		if field == "Finish" {
			cfg = pegasos.Config{Finish: pegasos.FinishDual, Batch: 2}
		}
		if reason = Message(cfg.Validate()); regexp.MustCompile(`\b[A-Z]\w+`).MatchString(reason) {
			t.Errorf("%q names a field", reason)
		}
	}
}

func TestAddFlag(t *testing.T) {
	defer func(old []Topic) { Table = old }(Table)
	Table = append(slices.Clone(Table), Topic{"New", []Flag{{Name: "speed", Field: "Seed", Takes: "n",
		In: "eval!", Rule: Positive, Default: "7", Help: "a speed"}}})
	s := NewSet("eval")
	if args, err := s.Parse([]string{"a", "-speed", "9", "b"}); err != nil || s.Seed != 9 ||
		!slices.Equal(args, []string{"a", "b"}) || !s.Given("speed") || s.Text("speed") != "9" {
		t.Errorf("%v, %v, %d", args, err, s.Seed)
	}
	if NewSet("eval").Seed != 7 || NewSet("train").Has("speed") {
		t.Error("want the default 7 in eval, and no -speed in train")
	}
	for want, words := range map[string]string{
		"-speed must be greater than 0":                    "-speed=0",
		`-speed: have "x", want a whole number`:            "-speed x",
		"-speed: 18446744073709551616 is out of range":     "-speed 18446744073709551616",
		"there is no flag -sped: did you mean -speed?":     "-sped 1",
		"there is no flag -seed: did you mean -speed?":     "-seed 1",
		"-speed needs a value: a whole number":             "-speed",
		"-json needs a value: the name of a file; --speed": "-json --speed 1",
		`-json: have "", want the name of a file`:          "-json=",
		`-format: have "cvs", want svmlight, csv, tsv,`:    "-format cvs",
	} {
		_, err := s.Parse(strings.Fields(words))
		var usage UsageError
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", words, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"a -quiet b":               "a b -quiet",
		"--quiet=false -":          "- -quiet=false",
		"-lambda=1e-4 --tol .5 x":  "x -lambda 0.0001 -tol 0.5",
		"-- -quiet":                "-quiet",
		"-sep tab -decimal comma":  "-decimal , -sep \t",
		"-every 90s -checkpoint c": "-checkpoint c -every 1m30s",
		"-valid a b -valid=c":      "b -valid a -valid c",
		"-ignore a x -ignore b,c":  "x -ignore a,b,c",
		"-c 1 -c 2":                "-c 2",
	} {
		s := NewSet("train")
		args, err := s.Parse(strings.Fields(line))
		words := append(args, s.Words(true, func(*Flag) bool { return true })...)
		if have := strings.Join(words, " "); err != nil || have != want {
			t.Errorf("%s: %q, %v, want %q", line, have, err, want)
		}
	}
	if _, err := NewSet("train").Parse([]string{"x", "-h"}); err != ErrHelp {
		t.Error(err)
	}
	if _, err := NewSet("train").Parse([]string{"--help-all"}); err != ErrHelpAll {
		t.Error(err)
	}
}

func TestDidYouMean(t *testing.T) {
	words := strings.Fields("epochs epsilon lambda lambdas json")
	for word, want := range map[string]string{"epoch": "epochs", "lamda": "lambda", "jsno": "json",
		"lambads": "lambdas", "zebra": "", "x": ""} {
		have := DidYouMean(word, "", words)
		if want != "" {
			want = ": did you mean " + want + "?"
		}
		if have != want {
			t.Errorf("%s: %q, want %q", word, have, want)
		}
	}
}
