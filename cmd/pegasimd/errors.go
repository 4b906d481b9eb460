package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pegasimd/pegasimd/pegasos"
)

// usageError is the caller's mistake, answered with the way to help.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// flagOf has the flags of the fields of the packages' configurations and trainers.
var flagOf = map[string]string{
	"Loss": "-loss", "Epsilon": "-epsilon", "Multiclass": "-multiclass",
	"ClassWeight": "-class-weight", "Lambda": "-lambda", "C": "-c", "Epochs": "-epochs",
	"Steps": "-steps", "Tol": "-tol", "Change": "-change", "Patience": "-patience",
	"Order": "-order", "Block": "-block", "Batch": "-batch", "Shards": "-shards",
	"Project": "-project", "Offset": "-offset", "Average": "-average", "Finish": "-finish",
	"Bias": "-bias", "BiasScale": "-bias-scale",
	"Scale": "-scale", "TargetScale": "-target-scale", "Calibrate": "-proba",
	"Seed": "-seed", "Threads": "-threads", "Weights": "-weights",
	"Costs": "-costs", "Valid": "-valid", "Start": "-start", "Prior": "-prior",
	"Resume": "-resume", "KeepProof": "-proof", "MaxMemory": "-max-memory",
	"Kernel": "-kernel", "Gamma": "-gamma", "Coef0": "-coef0",
	"Degree": "-degree", "Passes": "-passes", "MaxSV": "-max-sv", "CacheMB": "-cache-mb",
	"folds": "-folds",
}

// fieldNames finds the fields in what a configuration's error says. It is made at the first error.
var fieldNames = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for field := range flagOf {
		names = append(names, field)
	}
	slices.Sort(names)
	return regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
})

// configError makes a usage error of one about a field of a configuration, with the flag in place
// of the field. It returns other errors as they are.
func configError(err error) error {
	var bad *pegasos.ConfigError
	if !errors.As(err, &bad) {
		return err
	}
	toFlag := func(field string) string {
		if name, ok := flagOf[field]; ok {
			return name
		}
		return field
	}
	text := toFlag(bad.Field) + ": " + fieldNames().ReplaceAllStringFunc(bad.Reason, toFlag)
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
