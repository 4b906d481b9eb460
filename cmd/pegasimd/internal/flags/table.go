// Package flags provides the flags of the command from one table, and Set, which parses a command
// line into Values.
package flags

import (
	"reflect"
	"slices"
	"strings"
)

// Flag is a row of the table. Commands that use a flag in different ways have a row each.
type Flag struct {
	Name  string
	Field string // path of a field of Values, such as Data.Format
	// Takes is the placeholder of the value, such as yes|no for choices; empty for a bool.
	Takes string
	// In lists the commands that have the flag. A ! after a command means that its -h lists the
	// flag.
	In      string
	Default string // as on a command line; empty for the zero value
	Rule    Rule
	Help    string
}

// Topic is a group of flags that help lists together.
type Topic struct {
	Title string
	Flags []Flag
}

// Rule is a set of facts about a flag.
type Rule uint16

const (
	Positive    Rule = 1 << iota // the number must be above 0
	NotNegative                  // the number must be at least 0
	Character                    // the value is a character, the name of a character, or none
	KernelOnly                   // needs -kernel
	NoKernel                     // can't be given with -kernel
	Setting                      // is a setting that a checkpoint stores
	NoEffect                     // not needed to train the model again
	Form                         // describes a table
	Kinds                        // concerns the kinds of a table's columns
	Cells                        // describes a table whose lines are cells and separators
	Indices                      // concerns the indices of svmlight data
	ForClasses                   // implies that labels are classes
)

func (f *Flag) Is(rule Rule) bool { return f.Rule&rule != 0 }

func (f *Flag) Repeats() bool { return f.field(new(Values)).Kind() == reflect.Slice }

// Choices returns the values to choose from; nil if other values are allowed.
func (f *Flag) Choices() []string {
	if !strings.Contains(f.Takes, "|") || strings.Contains(f.Takes, "=") {
		return nil
	}
	return strings.Split(f.Takes, "|")
}

func (f *Flag) of(command string) (has, usual bool) {
	in := strings.Fields(f.In)
	usual = slices.Contains(in, command+"!")
	return usual || slices.Contains(in, command), usual
}

func (f *Flag) field(v *Values) reflect.Value {
	at := reflect.ValueOf(v).Elem()
	for name := range strings.SplitSeq(f.Field, ".") {
		at = at.FieldByName(name)
	}
	return at
}
