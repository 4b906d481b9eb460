package pegasos

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A ConfigError says which field of a [Config] can't be used, and why.
type ConfigError struct {
	Field  string // as in the struct: "Lambda"
	Reason string
}

func (e *ConfigError) Error() string { return "pegasos: " + e.Field + ": " + e.Reason }

func badField(field, format string, args ...any) error {
	return &ConfigError{field, fmt.Sprintf(format, args...)}
}

// A RowError says which row of the training data can't be used, and why.
type RowError struct {
	Row    int // from 0
	Reason string
	Scale  bool // other numbers would do: scale the features
}

func (e *RowError) Error() string { return fmt.Sprintf("pegasos: row %d: %s", e.Row, e.Reason) }

func rowError(row int, reason string) error { return &RowError{Row: row, Reason: reason} }

// publicError returns an error of the trainer's rooms as one of this package.
func publicError(err error) error {
	switch err := err.(type) {
	case options.Rule:
		return (*ConfigError)(&err)
	case *rows.Error:
		return (*RowError)(err)
	case *iterate.Error:
		return (*StepError)(err)
	}
	return err
}

// A StepError says at which step the numbers left the range of float32.
type StepError struct {
	Step   int64 // from 1
	Row    int   // from 0, or -1 where no single row is at fault
	Reason string
}

func (e *StepError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("pegasos: step %d: %s", e.Step, e.Reason)
	}
	return fmt.Sprintf("pegasos: step %d (row %d): %s", e.Step, e.Row, e.Reason)
}
