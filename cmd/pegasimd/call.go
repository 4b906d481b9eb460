package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

const (
	exitDone        = 0
	exitError       = 1
	exitUsage       = 2   // a mistake on the command line, or a doubt that a flag settles
	exitNothing     = 3   // verify: the model claims nothing
	exitInterrupted = 130 // 128 + SIGINT, like shells
	exitPipe        = 141 // 128 + SIGPIPE
)

type call struct {
	context.Context
	flags  *flags.Set
	args   []string
	roles  []string // word of the usage for each element of args
	more   []string // data files after the first one
	stdout *standardOutput
	stderr io.Writer

	warnings  []string
	loud      []string // warnings that are printed even if -quiet is given
	readers   []*dataReader
	inputs    []inputFile
	outputs   []*output
	temporary []*os.File
}

func (c *call) closeTemporary() {
	for _, f := range c.temporary {
		f.Close()
	}
}

func (c *call) warn(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(c.warnings, text) {
			c.warnings = append(c.warnings, text)
		}
	}
}

// Warnings come last, where people look.
func (c *call) printWarnings() {
	for _, text := range c.warnings {
		if !c.flags.Quiet || slices.Contains(c.loud, text) {
			fmt.Fprintln(c.stderr, "warning:", escape.Text(text))
		}
	}
}

// standardOutput keeps the first error, because most writers of text don't check errors.
type standardOutput struct {
	w   io.Writer
	err error
}

func (s *standardOutput) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

type command struct {
	help.Command
	run func(c *call, arguments []string) error
}

func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Writing to a nil output does nothing.
type output struct {
	call       *call
	what, name string // flag or argument that names the file; its name
	kind       kind   // files that the output may replace
	file       *atomicfile.File
}

func (c *call) writes(what, name string, kind kind) *output {
	if name == "" {
		return nil
	}
	o := &output{call: c, what: what, name: name, kind: kind}
	c.outputs = append(c.outputs, o)
	return o
}

func (o *output) toStdout() bool { return o != nil && o.name == "-" }

type inputFile struct{ what, name string }

func (c *call) discardOutputs() {
	for _, o := range c.outputs {
		if o.file != nil {
			o.file.Discard()
		}
	}
}
