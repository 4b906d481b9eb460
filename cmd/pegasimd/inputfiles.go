package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/files"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

// An inputFile is one that a command reads, and the flag or the argument that names it.
type inputFile struct{ what, name string }

// findInputs notes all files that the command line names and that are no outputs: arguments, and
// flags that take a file.
func (c *call) findInputs() {
	add := func(what, name string) {
		isOutput := func(o *output) bool { return o.what == what }
		if name == "" || slices.ContainsFunc(c.outputs, isOutput) {
			return
		}
		c.inputs = append(c.inputs, inputFile{what, name})
		if first, second, pair := strings.Cut(name, ","); pair { // data may be in two files
			c.inputs = append(c.inputs, inputFile{what, first}, inputFile{what, second})
		}
	}
	for i, name := range c.args {
		add(strings.Trim(strings.Fields(c.usage)[i], "[]"), name)
	}
	c.flags.Visit(func(f *flag.Flag) {
		if takes, _ := placeholderOf(f); takes == "file" {
			add("-"+f.Name, f.Value.String())
		}
	})
}

// replaced reports whether a file is read to be replaced: a run takes up its own checkpoint.
func (in inputFile) replaced(by *output) bool {
	return in.what == "-resume" && by.what == "-checkpoint"
}

// opened is an input that is read as it is or decompressed.
type opened struct {
	io.Reader
	io.Closer
}

// Packed is what package files asks of a reader that wraps another.
func (o opened) Packed() (int64, bool) { return files.Packed(o.Reader) }

// openInput opens a file, or standard input if the name is "-", to read what it holds when it is
// decompressed.
func openInput(name string) (io.ReadCloser, error) {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
	}
	plain, _, err := files.Unzip(f, strings.HasSuffix(name, ".gz"))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", inputName(name), err)
	}
	return opened{plain, f}, nil
}

// readInput reads all that a file holds, or standard input.
func readInput(name string) ([]byte, error) {
	r, err := openInput(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputName(name), err)
	}
	return text, nil
}

// inputName is what messages call an input.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// readAnyModel reads a model of any kind from a file, or from stdin if the name is "-".
func readAnyModel(name string, stdin io.Reader) (modelio.Predictor, error) {
	if name == "-" {
		return readStdin(stdin, modelio.Read)
	}
	m, err := modelio.ReadFile(name)
	if head, unread := headOf(name); err != nil && unread == nil {
		switch {
		case bytes.HasPrefix(head, []byte("solver_type ")):
			err = fmt.Errorf("%w: it is one of liblinear, which convert -from liblinear reads", err)
		case modelKinds["json"].is(head):
			err = fmt.Errorf("%w: convert -from json reads it", err)
		}
	}
	return m, err
}

// readLinear reads a linear model from a file or from standard input.
func readLinear(name string) (*pegasos.Model, error) {
	if name != "-" {
		return pegasos.ReadFile(name)
	}
	return readStdin(os.Stdin, pegasos.Read)
}

// readStdin has read read what stdin holds when it is decompressed.
func readStdin[M any](stdin io.Reader, read func(io.Reader) (M, error)) (m M, err error) {
	plain, _, err := files.Unzip(stdin, false)
	if err == nil {
		m, err = read(plain)
	}
	if err != nil {
		return m, fmt.Errorf("%w (standard input)", err)
	}
	return m, nil
}
