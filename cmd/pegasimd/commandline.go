package main

import (
	"errors"
	"slices"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
)

// A questionError is a question to the caller, with the command lines that answer it.
type questionError struct {
	error
	answers []string
}

// labelQuestion turns a dataset.LabelError into a question with one command line for each column
// that may have the labels. It returns other errors unchanged.
func (c *call) labelQuestion(err error) error {
	var open *dataset.LabelError
	if !errors.As(err, &open) {
		return err
	}
	q := &questionError{error: err}
	for i, name := range open.Names {
		last := i == len(open.Names)-1
		if slices.Contains(open.Candidates, name) || saysLabel(name) || last {
			words := append(c.flags.Words(true, func(f *flags.Flag) bool {
				return f.Field != "Data.LabelColumn"
			}), "-label-column", columnWord(open.Names, i, true))
			q.answers = append(q.answers, c.commandLine(append(words, c.args...)))
		}
	}
	return q
}

// commandLine returns a command line that calls the command, quoted for a shell.
func (c *call) commandLine(words []string) string {
	return "pegasimd " + c.flags.Command + " " + shellWords(words)
}
