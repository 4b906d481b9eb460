package pegasos

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

// ConfigError is the error for a field of a [Config] or [Trainer] that can't be used.
type ConfigError struct {
	Field  string // name of the field, such as "Lambda"
	Reason string // problem of the field, such as "have -1, want 0 or more"

	// Mentions lists the other fields that Reason names, in order of mention, separated by blanks.
	Mentions string
}

func (e *ConfigError) Error() string { return "pegasos: " + e.Field + ": " + e.Reason }

// ReasonFor returns Reason with each field in Mentions replaced by name(field).
func (e *ConfigError) ReasonFor(name func(field string) string) string {
	text, rest := "", e.Reason
	for field := range strings.FieldsSeq(e.Mentions) {
		before, after, _ := strings.Cut(rest, field)
		text, rest = text+before+name(field), after
	}
	return text + rest
}

func configErrorf(field, format string, args ...any) error {
	return publicError(options.Bad(field, format, args...))
}

// RowError is the error for a row that can't be used.
type RowError struct {
	Row    int // number of the row, from 0
	Reason string
	Scale  bool // whether scaling the features may make the row usable
}

func (e *RowError) Error() string { return fmt.Sprintf("pegasos: row %d: %s", e.Row, e.Reason) }

func newRowError(row int, reason string) error { return &RowError{Row: row, Reason: reason} }

func publicError(err error) error {
	switch err := err.(type) {
	case options.Rule:
		return (*ConfigError)(&err)
	case labels.Unused:
		return configErrorf("ClassWeight", "%v", err)
	case *store.RowError:
		return (*RowError)(err)
	case *iterate.Error:
		return (*StepError)(err)
	}
	return err
}

// StepError is the error of a run whose numbers left the range of float32.
type StepError struct {
	Step   int64  // number of the step, from 1
	Row    int    // number of the row, from 0; -1 if no single row is the cause
	Reason string // which number is not finite, and what may help
}

func (e *StepError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("pegasos: step %d: %s", e.Step, e.Reason)
	}
	return fmt.Sprintf("pegasos: step %d (row %d): %s", e.Step, e.Row, e.Reason)
}
