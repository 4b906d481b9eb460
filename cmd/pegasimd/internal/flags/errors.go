package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/pegasos"
)

// UsageError is a mistake on the command line.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

func Usagef(format string, a ...any) error { return UsageError{fmt.Errorf(format, a...)} }

// packages lists the names of packages with which errors begin.
var packages = strings.Fields("pegasos kernelsvm dataset modelio onnx dense sparse")

// Message returns an error's text for a user of the command, with flags in place of fields of
// configurations.
func Message(err error) string {
	text := err.Error()
	for ; err != nil; err = errors.Unwrap(err) {
		had := err.Error()
		name, say, found := strings.Cut(had, ": ")
		if bad, ok := err.(*pegasos.ConfigError); ok {
			say = OfField(bad.Field) + ": " + bad.ReasonFor(OfField)
		} else if inner := errors.Unwrap(err); !found || !slices.Contains(packages, name) ||
			inner != nil && inner.Error() == had { // err has the text of inner
			continue
		}
		text = strings.Replace(text, had, say, 1)
	}
	return text
}

// FromConfig returns an error about a setting as a UsageError, and other errors as they are.
func FromConfig(err error) error {
	var bad *pegasos.ConfigError
	if !errors.As(err, &bad) {
		return err
	}
	return UsageError{err}
}

// DidYouMean returns a question that names the closest word, with prefix in front; "" if no word is
// close.
func DidYouMean(word, prefix string, words []string) string {
	best, distance := "", 1+max(1, len(word)/3)
	for _, w := range words {
		if d := edits(word, w); d < distance {
			best, distance = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s%s?", prefix, best)
}

// edits returns the optimal string alignment distance of a and b in bytes.
func edits(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
