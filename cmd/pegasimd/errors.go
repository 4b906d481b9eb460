package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pegasimd/pegasimd/pegasos"
)

// usageError is the caller's mistake, answered with the way to help.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// fieldNames finds the fields of the packages' configurations and trainers in what an error says.
var fieldNames = regexp.MustCompile(`\b(Loss|Epsilon|Multiclass|ClassWeight|Lambda|C|Epochs|` +
	`Steps|Tol|Change|Patience|Order|Block|Batch|Shards|Project|Offset|Average|Finish|Bias|` +
	`BiasScale|Scale|TargetScale|Calibrate|Seed|Threads|Weights|Costs|Valid|Start|Prior|Resume|` +
	`KeepProof|MaxMemory|Kernel|Gamma|Coef0|Degree|Passes|MaxSV|CacheMB|folds)\b`)

var capitals = regexp.MustCompile(`[A-Z]+`)

// flagOf returns the flag of a field: -max-memory of MaxMemory.
func flagOf(field string) string {
	switch field {
	case "Calibrate":
		return "-proba"
	case "KeepProof":
		return "-proof"
	}
	name := strings.ToLower(capitals.ReplaceAllString(field, "-$0"))
	return "-" + strings.TrimPrefix(name, "-")
}

// configError makes a usage error of one about a field of a configuration, with the flag in place
// of the field. It returns other errors as they are.
func configError(err error) error {
	var bad *pegasos.ConfigError
	if !errors.As(err, &bad) {
		return err
	}
	text := fieldNames.ReplaceAllStringFunc(bad.Field+": "+bad.Reason, flagOf)
	return usageError{errors.New(strings.Replace(err.Error(), bad.Error(), text, 1))}
}

// dataError is the error of a run on the named data: a usage error if a setting is at fault.
func dataError(name string, err error) error {
	if bad := configError(err); bad != err {
		return bad
	}
	var row *pegasos.RowError
	if errors.As(err, &row) && row.Scale {
		return fmt.Errorf("%s: %w; scale them: -scale, or pegasimd scale", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
